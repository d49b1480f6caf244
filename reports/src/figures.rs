//! A run reduced to what comparisons need: for each cell which experiment it is, and what came of it.

use serde::{Deserialize, Serialize};

use crate::manifest::{CellRecord, Manifest, Observed};
use crate::plan::{Cell, Expectation};
use crate::row::{Counts, Standing};
use crate::statistics::clustered::{self, Mean};
use crate::statistics::repeats::full_set;
use crate::statistics::{Tally, pass_hat_k};

/// What makes the trials of a cell repetitions of one experiment. Two runs with equal identities differ only by chance
/// and by what the endpoint does under the same name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// sha256 of the case's folder.
    pub case_sha256: String,
    /// sha256 of the parameters of the row, as canonical JSON.
    pub params_sha256: String,
    /// sha256 of everything that pins the model: endpoint, names, sampling parameters.
    pub pin_sha256: String,
    /// sha256 of the charter's runtime part.
    pub charter_sha256: String,
    /// The checker, as `name@version`.
    pub checker: String,
    /// sha256 of the checker's definition.
    pub checker_sha256: String,
}

/// A part of an [`Identity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The case.
    Case,
    /// The parameters of its row.
    Params,
    /// The model's pin.
    Pin,
    /// The charter.
    Charter,
    /// The checker.
    Checker,
}

impl Part {
    /// The part in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Case => "case",
            Self::Params => "parameters",
            Self::Pin => "model pin",
            Self::Charter => "charter",
            Self::Checker => "checker",
        }
    }
}

impl Identity {
    /// The parts in which two identities differ.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<Part> {
        let parts = [
            (Part::Case, self.case_sha256 == other.case_sha256),
            (Part::Params, self.params_sha256 == other.params_sha256),
            (Part::Pin, self.pin_sha256 == other.pin_sha256),
            (Part::Charter, self.charter_sha256 == other.charter_sha256),
            (Part::Checker, self.checker == other.checker && self.checker_sha256 == other.checker_sha256),
        ];
        parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
    }
}

/// A trial that did not come out as it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The trial's key, which is its transcript's id.
    pub trial: String,
    /// The clauses that do not hold; empty for a control arm that passed and must not.
    pub clauses: Vec<String>,
    /// The line in the run's `transcripts.jsonl`, counted from 1.
    pub line: usize,
}

/// A trial without a verdict on the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The trial's key.
    pub trial: String,
    /// `error` or `not-run`.
    pub standing: Standing,
    /// Why.
    pub reason: String,
}

/// What came of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// The cell.
    pub cell: Cell,
    /// Which experiment it is.
    pub identity: Identity,
    /// Trials that came out as they should and trials that did not: for a control arm that must fail, failing is right.
    pub tally: Tally,
    /// Trials owed.
    pub owed: u32,
    /// Those in the tally that did not come out as they should.
    pub failures: Vec<Failure>,
    /// Those that are not in the tally.
    pub missing: Vec<Missing>,
}

/// What came of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelFigures {
    /// Its id.
    pub id: String,
    /// The sums over its trials.
    pub counts: Counts,
    /// The mean pass rate over its cells, with standard errors by case; absent while any trial has no verdict.
    pub pass_at_1: Option<Mean>,
    /// How often all trials of a cell pass, over its cells; absent while any trial has no verdict.
    pub pass_hat_k: Option<f64>,
    /// The names under which it answered.
    pub observed: Vec<Observed>,
}

/// A run, reduced.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// The run's name.
    pub run: String,
    /// When it was planned, RFC 3339 in UTC.
    pub planned: String,
    /// The charter's version.
    pub charter_version: Option<String>,
    /// Trials a cell: the k of pass^k.
    pub trials: u32,
    /// Its models.
    pub models: Vec<ModelFigures>,
    /// Its cells, in the plan's order.
    pub cells: Vec<Figure>,
}

impl Figures {
    /// Reduces a manifest; `identities` are those of its cells, in order.
    #[must_use]
    pub fn new(manifest: &Manifest, identities: Vec<Identity>) -> Self {
        let plan = &manifest.plan;
        let cells: Vec<Figure> = manifest
            .cells
            .iter()
            .zip(identities)
            .map(|(record, identity)| {
                let expect = plan.model(&record.cell.model).map_or(Expectation::Pass, |model| model.expect);
                Figure::new(record, identity, expect)
            })
            .collect();
        let models = manifest
            .models
            .iter()
            .map(|model| {
                let own: Vec<&Figure> = cells.iter().filter(|figure| figure.cell.model == model.id).collect();
                ModelFigures {
                    id: model.id.clone(),
                    counts: model.counts,
                    pass_at_1: pass_at_1(&own),
                    pass_hat_k: mean_pass_hat_k(&own),
                    observed: model.observed.clone(),
                }
            })
            .collect();
        Self {
            run: plan.run.clone(),
            planned: plan.planned.clone(),
            charter_version: plan.charter.version.clone(),
            trials: plan.trials,
            models,
            cells,
        }
    }
}

impl Figure {
    fn new(record: &CellRecord, identity: Identity, expect: Expectation) -> Self {
        let mut figure = Self {
            cell: record.cell.clone(),
            identity,
            tally: Tally::default(),
            owed: record.required,
            failures: Vec::new(),
            missing: Vec::new(),
        };
        for trial in &record.trials {
            let key = format!("{}/t{}", record.cell, trial.trial);
            match (trial.standing, expect) {
                (Standing::Passed, Expectation::Pass) | (Standing::Failed, Expectation::Fail) => {
                    figure.tally.passed += 1;
                }
                (Standing::Passed, Expectation::Fail) | (Standing::Failed, Expectation::Pass) => {
                    figure.tally.failed += 1;
                    let decisive = |attempt: &&crate::manifest::AttemptRecord| {
                        attempt.verdict != checkers::Outcome::Error
                    };
                    figure.failures.push(Failure {
                        trial: key,
                        clauses: trial.failed_clauses.clone(),
                        line: trial.attempts.iter().find(decisive).map_or(0, |attempt| attempt.line),
                    });
                }
                (standing @ (Standing::Error | Standing::NotRun), _) => figure.missing.push(Missing {
                    trial: key,
                    standing,
                    reason: trial.reason.clone().unwrap_or_else(|| "no reason is recorded".to_owned()),
                }),
            }
        }
        figure
    }

    /// Whether every trial owed has a verdict.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.tally.n() == self.owed as usize
    }

    /// The tally, unless trials are missing.
    fn full(&self) -> Option<Tally> {
        let outcomes = std::iter::repeat_n(Some(true), self.tally.passed)
            .chain(std::iter::repeat_n(Some(false), self.tally.failed))
            .chain(std::iter::repeat_n(None, self.missing.len()));
        let trials: Vec<(u32, Option<bool>)> = (1..).zip(outcomes).collect();
        full_set(self.owed, &trials).ok()
    }
}

fn pass_at_1(cells: &[&Figure]) -> Option<Mean> {
    let rates: Option<Vec<(&str, f64)>> =
        cells.iter().map(|figure| Some((figure.cell.case.as_str(), figure.full()?.rate()?))).collect();
    clustered::mean(rates?)
}

fn mean_pass_hat_k(cells: &[&Figure]) -> Option<f64> {
    let all: Option<Vec<((), f64)>> = cells
        .iter()
        .map(|figure| {
            let tally = figure.full()?;
            Some(((), pass_hat_k(tally.n(), tally.passed, figure.owed as usize)?))
        })
        .collect();
    Some(clustered::mean(all?)?.mean)
}

#[cfg(test)]
mod tests;
