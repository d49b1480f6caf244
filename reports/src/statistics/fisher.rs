//! Whether a cell got worse: Fisher's exact test, one-sided (Fisher 1935).
//!
//! Were the two samples of one kind, the passes among them would fall on the later one by drawing without replacement.
//! The p-value is the chance that so few, or fewer, fall there.

use super::discrete::Distribution;
use super::{Tally, real};

/// P(X ≤ passes after), X hypergeometric: how likely so bad a result is if nothing has changed. 1 when either is empty.
#[must_use]
pub fn worse(before: Tally, after: Tally) -> f64 {
    passes_after(before, after).at_most(after.passed)
}

/// P(X ≥ passes after): how likely so good a result is if nothing has changed. 1 when either is empty.
#[must_use]
pub fn better(before: Tally, after: Tally) -> f64 {
    passes_after(before, after).at_least(after.passed)
}

/// How the passes that fall on the later sample are distributed, given the sums: Hypergeometric(all, passes, later).
pub(super) fn passes_after(before: Tally, after: Tally) -> Distribution {
    let all = before + after;
    let (drawn, marked) = (after.n(), all.passed);
    let first = drawn.saturating_sub(all.failed);
    let last = drawn.min(marked);
    // floor((n + 1)(K + 1) / (N + 2)), in 128 bits so that no count overflows.
    let mode = (drawn as u128 + 1) * (marked as u128 + 1) / (all.n() as u128 + 2);
    let mode = usize::try_from(mode).unwrap_or(last).clamp(first, last);
    // x < last, so both factors above are positive; x ≥ first, so those below are.
    let ratio = |x: usize| {
        real(marked - x) * real(drawn - x) / (real(x + 1) * real((all.failed + x + 1).saturating_sub(drawn)))
    };
    Distribution::from_mode(first, last, mode, ratio)
}
