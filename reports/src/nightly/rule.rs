//! How a night is decided. Two stages, because a night has hundreds of cells and three trials in each: a cell that looks
//! bad is only suspected, and fresh trials, which cannot have been chosen for looking bad, decide.
//!
//! 1. Per cell: p = P(X ≤ c), X ~ Hypergeometric(N₀ + n, c₀ + c, n), for c of n tonight and c₀ of N₀ in the baseline.
//! 2. A cell with p ≤ 0.10 and c < n gets ten fresh trials. These alone are tested against the baseline, with Holm's
//!    adjustment across the suspects: at most 0.01, and the cell has regressed.
//! 3. Per model: the stratified exact test over its cells, with Holm's adjustment across the models, at most 0.01, and
//!    more than one cell below its baseline: a single cell is the second stage's to decide.
//!
//! What is better is only told, never decided upon: Benjamini–Hochberg across the cells, at most 0.05.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::statistics::multiplicity::{benjamini_hochberg, holm};
use crate::statistics::{Tally, fisher, stratified};

/// Nights that make up a baseline.
pub const NIGHTS: usize = 14;
/// A cell is suspected at this p-value.
pub const SUSPECT: f64 = 0.10;
/// Fresh trials of a suspect.
pub const FRESH_TRIALS: u32 = 10;
/// A suspect has regressed at this adjusted p-value of its fresh trials.
pub const CONFIRM: f64 = 0.01;
/// A model has regressed at this adjusted p-value.
pub const MODEL: f64 = 0.01;
/// A cell has improved at this q-value.
pub const IMPROVED: f64 = 0.05;

/// Sums of floating-point numbers that should come to a threshold exactly may end up just beside it.
const ROUNDING: f64 = 1e-12;

/// A cell's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// What the baseline holds.
    pub baseline: Tally,
    /// What tonight brought, first stage only.
    pub tonight: Tally,
}

impl Counts {
    /// How likely so few passes are if nothing has changed; 1 without a baseline.
    #[must_use]
    pub fn p(self) -> f64 {
        fisher::worse(self.baseline, self.tonight)
    }

    /// Whether fresh trials are due.
    #[must_use]
    pub fn is_suspect(self) -> bool {
        self.tonight.failed > 0 && self.p() <= SUSPECT + ROUNDING
    }
}

/// How a cell or a model stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// As ever.
    Ok,
    /// Nothing to compare with yet, and nothing failed.
    New,
    /// Better than its baseline.
    Improved,
    /// Some trials failed, and it has not been shown to be worse than its baseline.
    Flaky,
    /// All trials failed, and it has not been shown to be worse than its baseline.
    Watch,
    /// Suspected, and the fresh trials are missing.
    Suspect,
    /// Trials are missing, or another model answered: nothing is said.
    Incomplete,
    /// Worse than its baseline, by fresh trials.
    Regressed,
    /// A model that is worse over all of its cells.
    ModelRegressed,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "OK",
            Self::New => "NEW",
            Self::Improved => "IMPROVED",
            Self::Flaky => "FLAKY",
            Self::Watch => "WATCH",
            Self::Suspect => "SUSPECT",
            Self::Incomplete => "INCOMPLETE",
            Self::Regressed => "REGRESSED",
            Self::ModelRegressed => "MODEL_REGRESSED",
        })
    }
}

/// What the rule says of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellOutcome {
    /// The first stage's p-value.
    pub p: f64,
    /// Whether it was suspected.
    pub suspect: bool,
    /// The second stage's p-value, adjusted across the suspects.
    pub fresh_p: Option<f64>,
    /// How it stands.
    pub state: State,
}

/// What the rule says of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelOutcome {
    /// The stratified test's p-value.
    pub p: f64,
    /// The same, adjusted across the models.
    pub adjusted_p: f64,
    /// How it stands.
    pub state: State,
}

/// What the rule says of a night.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Of each cell, in the order given.
    pub cells: Vec<CellOutcome>,
    /// Of each model.
    pub models: BTreeMap<String, ModelOutcome>,
}

/// The cells that need fresh trials, by index.
#[must_use]
pub fn suspects(cells: &[Counts]) -> Vec<usize> {
    (0..cells.len()).filter(|index| cells[*index].is_suspect()).collect()
}

/// Decides on a complete night. `models` names each cell's model; `fresh` holds the fresh trials of the suspects, by the
/// cell's index.
#[must_use]
pub fn decide(cells: &[Counts], models: &[&str], fresh: &BTreeMap<usize, Tally>) -> Outcome {
    Outcome { cells: decide_cells(cells, fresh), models: decide_models(cells, models) }
}

fn decide_cells(cells: &[Counts], fresh: &BTreeMap<usize, Tally>) -> Vec<CellOutcome> {
    let suspects = suspects(cells);
    // A suspect without fresh trials still counts as one of the comparisons.
    let raw: Vec<f64> = suspects
        .iter()
        .map(|index| fresh.get(index).map_or(1.0, |fresh| fisher::worse(cells[*index].baseline, *fresh)))
        .collect();
    let confirmed: BTreeMap<usize, f64> = suspects.into_iter().zip(holm(&raw)).collect();
    let better: Vec<f64> = cells.iter().map(|cell| fisher::better(cell.baseline, cell.tonight)).collect();
    let better = benjamini_hochberg(&better);
    cells
        .iter()
        .enumerate()
        .map(|(index, cell)| {
            let suspect = confirmed.get(&index).copied();
            let fresh_p = suspect.filter(|_| fresh.contains_key(&index));
            let state = match (suspect, fresh_p) {
                (Some(_), None) => State::Suspect,
                (_, Some(p)) if p <= CONFIRM + ROUNDING => State::Regressed,
                _ => unsuspected(*cell, better[index]),
            };
            CellOutcome { p: cell.p(), suspect: suspect.is_some(), fresh_p, state }
        })
        .collect()
}

/// The state of a cell that has not been shown to be worse.
fn unsuspected(cell: Counts, better_q: f64) -> State {
    match cell {
        _ if better_q <= IMPROVED + ROUNDING => State::Improved,
        Counts { tonight, .. } if tonight.none_passed() => State::Watch,
        Counts { tonight, .. } if tonight.failed > 0 => State::Flaky,
        Counts { baseline, .. } if baseline.n() == 0 => State::New,
        _ => State::Ok,
    }
}

fn decide_models(cells: &[Counts], models: &[&str]) -> BTreeMap<String, ModelOutcome> {
    let mut strata: BTreeMap<&str, Vec<(Tally, Tally)>> = BTreeMap::new();
    for (cell, model) in cells.iter().zip(models) {
        strata.entry(model).or_default().push((cell.baseline, cell.tonight));
    }
    let worse: Vec<f64> = strata.values().map(|cells| stratified::worse(cells)).collect();
    let better: Vec<f64> = strata.values().map(|cells| stratified::better(cells)).collect();
    let (adjusted, better) = (holm(&worse), holm(&better));
    let is_below = |(baseline, tonight): &&(Tally, Tally)| {
        tonight.rate().zip(baseline.rate()).is_some_and(|(now, before)| now < before)
    };
    strata
        .iter()
        .enumerate()
        .map(|(index, (model, cells))| {
            let broad = cells.iter().filter(is_below).count() > 1;
            let state = if broad && adjusted[index] <= MODEL + ROUNDING {
                State::ModelRegressed
            } else if better[index] <= MODEL + ROUNDING {
                State::Improved
            } else if cells.iter().all(|(baseline, _)| baseline.n() == 0) {
                State::New
            } else {
                State::Ok
            };
            let outcome = ModelOutcome { p: worse[index], adjusted_p: adjusted[index], state };
            ((*model).to_owned(), outcome)
        })
        .collect()
}

#[cfg(test)]
mod tests;
