//! The answer of a night with all of its figures.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::history::{Baseline, CellNight, ModelNight, Night};
use super::rule::{CellOutcome, ModelOutcome, State};
use crate::figures::{Failure, Figure, Figures, Missing, ModelFigures};
use crate::manifest::Observed;
use crate::plan::Cell;
use crate::row;
use crate::statistics::clustered::Mean;
use crate::statistics::{Tally, wilson};

/// What this can never see, to be printed with every answer.
pub const CANNOT_SEE: &str = "What this cannot see: what no case asks; a change from before the first night of a baseline; \
    a change by and by, which each night takes into its measure. A small broad drop is mostly missed in a single night: with \
    3 trials in each of a model's 100 cells, two points are found in 37 nights of 100, one point in 7.";

/// What a night comes to, most weighty first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Answer {
    /// Another model answered than the one that is pinned: no statistics.
    ChangedPin,
    /// A cell is worse than its baseline, by fresh trials.
    Regressed,
    /// A model is worse over all of its cells.
    ModelRegressed,
    /// Something owed has no verdict: no statistics.
    Incomplete,
    /// All trials of some cell failed, which has not been shown to be worse than its baseline.
    Watch,
    /// Some trials of some cell failed, which has not been shown to be worse than its baseline.
    Flaky,
    /// Something is better than its baseline, and nothing failed.
    Improved,
    /// There is nothing to compare with yet, and nothing failed.
    New,
    /// As ever.
    Ok,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ChangedPin => "CHANGED PIN",
            Self::Regressed => "REGRESSED",
            Self::ModelRegressed => "MODEL_REGRESSED",
            Self::Incomplete => "INCOMPLETE",
            Self::Watch => "WATCH",
            Self::Flaky => "FLAKY",
            Self::Improved => "IMPROVED",
            Self::New => "NEW",
            Self::Ok => "OK",
        })
    }
}

/// The answer and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// The night's number.
    pub night: u64,
    /// The run.
    pub run: String,
    /// The run of the fresh trials, when there were suspects.
    pub fresh_run: Option<String>,
    /// Where another model answered than the one that is pinned.
    pub pin_mismatches: Vec<String>,
    /// What else changed since the night before: names and fingerprints that the pin leaves open.
    pub notes: Vec<String>,
    /// How many comparisons were made.
    pub comparisons: Comparisons,
    /// The models.
    pub models: Vec<ModelReport>,
    /// The cells, in the plan's order.
    pub cells: Vec<CellReport>,
    /// Trials of the second stage without a verdict.
    pub fresh_missing: Vec<Missing>,
    /// What this cannot see.
    pub cannot_see: &'static str,
}

/// How many comparisons were made; what is adjusted for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Comparisons {
    /// Cells with a baseline.
    pub cells: usize,
    /// Suspects among them.
    pub suspects: usize,
    /// Models with a baseline.
    pub models: usize,
}

/// A cell's figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellReport {
    /// The cell.
    pub cell: Cell,
    /// How it stands.
    pub state: State,
    /// What came of it tonight.
    pub tonight: Tally,
    /// The Wilson interval at 95%.
    pub wilson95: Option<(f64, f64)>,
    /// What it is measured by.
    pub baseline: Baseline,
    /// How likely so few passes are if nothing has changed.
    pub p: Option<f64>,
    /// The fresh trials of a suspect.
    pub fresh: Option<Tally>,
    /// Their p-value against the baseline, adjusted across the suspects.
    pub fresh_p: Option<f64>,
    /// Trials that did not come out as they should, those of the second stage after those of the first.
    pub failures: Vec<Failure>,
    /// From which of `failures` on they are the second stage's.
    pub fresh_failures_from: usize,
    /// Trials without a verdict.
    pub missing: Vec<Missing>,
}

/// A model's figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelReport {
    /// Its id.
    pub id: String,
    /// How it stands.
    pub state: State,
    /// Trials owed, passed, failed, in error, not run.
    pub counts: row::Counts,
    /// The mean pass rate over its cells, with standard errors by case.
    pub pass_at_1: Option<Mean>,
    /// How often all trials of a cell pass.
    pub pass_hat_k: Option<f64>,
    /// The k of it.
    pub k: u32,
    /// All of its cells' baselines.
    pub baseline: Tally,
    /// The stratified test's p-value.
    pub p: Option<f64>,
    /// The same, adjusted across the models.
    pub adjusted_p: Option<f64>,
    /// The names under which it answered.
    pub observed: Vec<Observed>,
}

impl CellReport {
    pub(super) fn new(
        figure: &Figure,
        baseline: &Baseline,
        outcome: Option<CellOutcome>,
        fresh: Option<&Figure>,
    ) -> Self {
        let mut failures = figure.failures.clone();
        let fresh_failures_from = failures.len();
        failures.extend(fresh.iter().flat_map(|fresh| fresh.failures.iter().cloned()));
        Self {
            cell: figure.cell.clone(),
            state: outcome.map_or(State::Incomplete, |outcome| outcome.state),
            tonight: figure.tally,
            wilson95: wilson(figure.tally.passed, figure.tally.n()),
            baseline: baseline.clone(),
            p: outcome.map(|outcome| outcome.p),
            fresh: fresh.map(|fresh| fresh.tally),
            fresh_p: outcome.and_then(|outcome| outcome.fresh_p),
            failures,
            fresh_failures_from,
            missing: figure.missing.clone(),
        }
    }
}

impl ModelReport {
    pub(super) fn new(model: &ModelFigures, k: u32, baseline: Tally, outcome: Option<&ModelOutcome>) -> Self {
        Self {
            id: model.id.clone(),
            state: outcome.map_or(State::Incomplete, |outcome| outcome.state),
            counts: model.counts,
            pass_at_1: model.pass_at_1,
            pass_hat_k: model.pass_hat_k,
            k,
            baseline,
            p: outcome.map(|outcome| outcome.p),
            adjusted_p: outcome.map(|outcome| outcome.adjusted_p),
            observed: model.observed.clone(),
        }
    }
}

impl Report {
    /// The night as it goes on record. Fresh trials are not part of it: they were played because the first ones looked
    /// bad, so they would bend the baseline.
    #[must_use]
    pub fn night(&self, figures: &Figures) -> Night {
        Night {
            number: self.night,
            run: self.run.clone(),
            planned: figures.planned.clone(),
            answer: self.answer,
            models: self
                .models
                .iter()
                .map(|model| ModelNight {
                    id: model.id.clone(),
                    state: model.state,
                    observed: model.observed.clone(),
                })
                .collect(),
            cells: self
                .cells
                .iter()
                .zip(&figures.cells)
                .map(|(cell, figure)| CellNight {
                    cell: cell.cell.clone(),
                    identity: figure.identity.clone(),
                    tally: cell.tonight,
                    owed: figure.owed,
                    state: cell.state,
                })
                .collect(),
        }
    }
}
