//! Whether a model got worse over all of its cells: an exact test stratified by cell.
//!
//! Each cell has a rate of its own, so the cells' passes cannot be thrown into one pot (Simpson's paradox). Given each
//! cell's sums, its passes are hypergeometric; the distribution of their total is the convolution of these.

use super::discrete::Distribution;
use super::{Tally, fisher};

/// Edges of the total's distribution below this are cut off, so that thousands of cells stay quick to reckon with. What
/// is lost is far below any p-value worth printing.
const NEGLIGIBLE: f64 = 1e-60;

/// The chance that the total of passes is at most what it is, if no cell has changed. Pairs are (before, after).
#[must_use]
pub fn worse(cells: &[(Tally, Tally)]) -> f64 {
    total(cells).at_most(passes(cells))
}

/// The chance that the total of passes is at least what it is, if no cell has changed.
#[must_use]
pub fn better(cells: &[(Tally, Tally)]) -> f64 {
    total(cells).at_least(passes(cells))
}

fn passes(cells: &[(Tally, Tally)]) -> usize {
    cells.iter().map(|(_, after)| after.passed).sum()
}

fn total(cells: &[(Tally, Tally)]) -> Distribution {
    let mut total = Distribution::certain(0);
    for (before, after) in cells {
        let cell = fisher::passes_after(*before, *after);
        if let [_] = cell.probabilities.as_slice() {
            // Nothing to be spread: the cell only moves the total.
            total.first += cell.first;
        } else {
            total = sum(&total, &cell);
            trim(&mut total);
        }
    }
    total
}

/// The distribution of the sum of two independent numbers.
fn sum(left: &Distribution, right: &Distribution) -> Distribution {
    let mut probabilities = vec![0.0; left.probabilities.len() + right.probabilities.len() - 1];
    for (i, p) in left.probabilities.iter().enumerate() {
        for (j, q) in right.probabilities.iter().enumerate() {
            probabilities[i + j] += p * q;
        }
    }
    Distribution { first: left.first + right.first, probabilities }
}

fn trim(total: &mut Distribution) {
    let worth = |p: &f64| *p >= NEGLIGIBLE;
    let (Some(first), Some(last)) =
        (total.probabilities.iter().position(worth), total.probabilities.iter().rposition(worth))
    else {
        return;
    };
    total.probabilities.truncate(last + 1);
    total.probabilities.drain(..first);
    total.first += first;
}
