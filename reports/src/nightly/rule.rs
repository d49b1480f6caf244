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
mod tests {
    use super::*;

    fn counts(baseline: (usize, usize), tonight: (usize, usize)) -> Counts {
        Counts {
            baseline: Tally::of(baseline.0, baseline.1).unwrap(),
            tonight: Tally::of(tonight.0, tonight.1).unwrap(),
        }
    }

    /// The states of cells of one model, with the fresh passes of ten for suspects.
    fn states(cells: &[Counts], fresh: &[(usize, usize)]) -> Vec<State> {
        let fresh = fresh.iter().map(|(index, passed)| (*index, Tally::of(*passed, 10).unwrap())).collect();
        let models = vec!["m"; cells.len()];
        decide(cells, &models, &fresh).cells.iter().map(|cell| cell.state).collect()
    }

    #[test]
    fn fresh_trials_decide_about_a_suspect() {
        let bad = [counts((42, 42), (0, 3))];
        assert_eq!(suspects(&bad), [0]);
        assert_eq!(states(&bad, &[]), [State::Suspect]);
        assert_eq!(states(&bad, &[(0, 0)]), [State::Regressed]);
        assert_eq!(states(&bad, &[(0, 10)]), [State::Watch]);
        let slipped = [counts((42, 42), (2, 3))];
        assert_eq!(suspects(&slipped), [0]);
        assert_eq!(states(&slipped, &[(0, 9)]), [State::Flaky]);
        assert_eq!(states(&slipped, &[(0, 3)]), [State::Regressed]);
    }

    #[test]
    fn what_was_always_so_is_no_suspect() {
        for (cell, state) in [
            (counts((42, 42), (3, 3)), State::Ok),
            (counts((30, 42), (2, 3)), State::Flaky),
            (counts((0, 42), (0, 3)), State::Watch),
            (counts((0, 0), (3, 3)), State::New),
            (counts((0, 0), (0, 3)), State::Watch),
            (counts((0, 42), (3, 3)), State::Improved),
            // Two nights are no baseline to be sure on.
            (counts((6, 6), (2, 3)), State::Flaky),
        ] {
            assert_eq!(suspects(&[cell]), Vec::<usize>::new(), "{cell:?}");
            assert_eq!(states(&[cell], &[]), [state], "{cell:?}");
        }
    }

    #[test]
    fn the_edge_of_suspicion_is_where_it_is_said_to_be() {
        // 3/30 is 0.10 exactly.
        assert!(counts((27, 27), (2, 3)).is_suspect());
        assert!(!counts((26, 26), (2, 3)).is_suspect());
    }

    #[test]
    fn many_suspects_pay_for_their_number() {
        let one = [counts((42, 42), (2, 3))];
        // 8 of 10 fresh: p = 0.034; 7 of 10: 0.0054.
        assert_eq!(states(&one, &[(0, 8)]), [State::Flaky]);
        assert_eq!(states(&one, &[(0, 7)]), [State::Regressed]);
        let two = [one[0], one[0]];
        assert_eq!(states(&two, &[(0, 7), (1, 10)]), [State::Flaky, State::Flaky]);
        // A suspect whose fresh trials are missing is a comparison all the same.
        assert_eq!(states(&two, &[(0, 7)]), [State::Flaky, State::Suspect]);
    }

    #[test]
    fn one_cell_is_never_the_models() {
        let cells = [counts((42, 42), (0, 3)), counts((42, 42), (3, 3))];
        let fresh = BTreeMap::from([(0, Tally::of(10, 10).unwrap())]);
        let decided = decide(&cells, &["m", "m"], &fresh);
        assert!(decided.models["m"].adjusted_p < 0.01);
        assert_eq!((decided.models["m"].state, decided.cells[0].state), (State::Ok, State::Watch));
    }

    #[test]
    fn a_broad_slip_is_the_models() {
        let night = |slips: usize| -> Vec<Counts> {
            (0..20).map(|cell| counts((42, 42), (if cell < slips { 2 } else { 3 }, 3))).collect()
        };
        let outcome = |slips| decide(&night(slips), &["m"; 20], &BTreeMap::new()).models["m"];
        assert_eq!(outcome(0).state, State::Ok);
        assert_eq!(outcome(2).state, State::ModelRegressed);
        assert!((outcome(2).p - 0.004_444_44).abs() < 5e-9);
        // Two models: the same slip is not enough once it is paid for… nearly.
        let cells: Vec<Counts> = night(2).into_iter().chain(night(0)).collect();
        let models: Vec<&str> = [vec!["a"; 20], vec!["b"; 20]].concat();
        let decided = decide(&cells, &models, &BTreeMap::new());
        assert!((decided.models["a"].adjusted_p - 0.008_888_89).abs() < 5e-9);
        assert_eq!(decided.models["a"].state, State::ModelRegressed);
        assert_eq!(decided.models["b"].state, State::Ok);
    }
}
