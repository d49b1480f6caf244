//! Cells that changed sides between two runs: McNemar's exact test (McNemar 1947), two-sided.

use super::discrete::Distribution;
use super::real;

/// The p-value for `one_way` pairs that changed one way and `other_way` that changed the other: if nothing had changed,
/// each would be as likely as the other, so twice the tail of Binomial(both, ½), at most 1.
#[must_use]
pub fn mcnemar(one_way: usize, other_way: usize) -> f64 {
    let both = one_way + other_way;
    let halves = Distribution::from_mode(0, both, both / 2, |x| real(both - x) / real(x + 1));
    (2.0 * halves.at_most(one_way.min(other_way))).min(1.0)
}
