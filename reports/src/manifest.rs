//! The manifest: what was owed and what came of each of it, in one file that says all and always reads the same.

mod draft;
mod head;
mod stream;
use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use transcript::{Amount, Prices, ReusedFrom, Served, Usage};

pub use draft::Draft;
use head::Head;
pub use stream::Writer;

use crate::fixture::{FixtureRecord, KindRecord};
use crate::plan::{Cell, FORMAT, Plan, TrialKey};
use crate::row::{Counts, Row, Rows, Standing};
use crate::subject::{LoadRecord, ProgramRecord};

/// The name of the manifest's format: it changes only when an older reader could misunderstand a newer manifest.
pub const SCHEMA: &str = "urn:assize:manifest:1";

/// The JSON Schema of the manifest.
#[must_use]
pub fn schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(Manifest);
    schema.insert("$id".to_owned(), SCHEMA.into());
    schema
}

/// Why a manifest cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Not JSON of this shape.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What the parser says.
        message: String,
    },
    /// JSON, but another document.
    #[error("its `schema` is `{found}`, not `{SCHEMA}`")]
    Schema {
        /// What it says.
        found: String,
    },
    /// Written by a newer program.
    #[error("format {found} is newer than this program reads ({FORMAT}); use a newer assize")]
    Newer {
        /// The file's format.
        found: u32,
    },
}

/// The record of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name of this format, [`SCHEMA`].
    pub schema: String,
    /// What was owed.
    pub plan: Plan,
    /// What came of it, one entry a cell, in the plan's order.
    pub cells: Vec<CellRecord>,
    /// The sums over `cells`.
    pub counts: Counts,
    /// The sums for each model.
    pub models: Vec<ModelRecord>,
    /// Rows of trials that the plan does not owe.
    pub strangers: Vec<String>,
    /// Whether each checker got its controls right before it judged.
    pub controls: Vec<ControlRecord>,
    /// Every file of the run's folder but this one and the signatures, which are made over it.
    pub evidence: Vec<Evidence>,
    /// The sums for happy and for redline cases.
    pub kinds: Vec<KindRecord>,
    /// What came of each fixture, whether it was run or not.
    pub fixtures: Vec<FixtureRecord>,
}

/// A file of the run's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Its path in the folder, with forward slashes.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// sha256 of its bytes, in hex.
    pub sha256: String,
    /// Whether it may be executed, as a checker's own program may.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// What came of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellRecord {
    /// The cell.
    pub cell: Cell,
    /// Trials owed.
    pub required: u32,
    /// sha256 of the case's folder, in hex.
    pub case_sha256: String,
    /// The checker that judges, as `name@version`.
    pub checker: String,
    /// sha256 of the checker's definition, in hex.
    pub checker_sha256: String,
    /// The trials, in order.
    pub trials: Vec<TrialRecord>,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialRecord {
    /// Which repetition, counted from 1.
    pub trial: u32,
    /// How it stands.
    pub standing: Standing,
    /// Why there is no verdict on the model.
    pub reason: Option<String>,
    /// The clauses that do not hold.
    pub failed_clauses: Vec<String>,
    /// Every attempt, the failed ones included.
    pub attempts: Vec<AttemptRecord>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttemptRecord {
    /// Which attempt at the trial, counted from 1.
    pub attempt: u32,
    /// The verdict.
    pub verdict: checkers::Outcome,
    /// The line in `transcripts.jsonl`, counted from 1.
    pub line: usize,
    /// sha256 of that line.
    pub transcript_sha256: String,
    /// What the endpoint said of itself, reply by reply.
    pub served: Vec<Served>,
    /// Tokens, as far as they were counted.
    pub usage: Option<Usage>,
    /// Replies whose tokens nobody counted; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<NonZeroU32>,
    /// Requests sent again.
    pub retries: u32,
    /// When it started.
    pub started: Option<String>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: Option<u64>,
    /// Where it came from, when it was not played in this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused_from: Option<ReusedFrom>,
}

/// What came of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelRecord {
    /// Its id.
    pub id: String,
    /// The sums.
    pub counts: Counts,
    /// The names under which it answered, with how often.
    pub observed: Vec<Observed>,
    /// Tokens over all attempts played in this run, as far as they were counted.
    pub usage: Usage,
    /// Replies in them whose tokens nobody counted; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<NonZeroU64>,
    /// What they cost, where the matrix has prices and all of them were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Whether it had the charter.
    #[serde(default = "before_loads")]
    pub load: LoadRecord,
    /// The program, when the subject is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramRecord>,
}

/// Manifests of format 1 do not speak of it.
fn before_loads() -> LoadRecord {
    LoadRecord::not_run("this record is older than load verification")
}

/// A sum of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// The currency's three letters.
    pub currency: String,
    /// Millionths of its unit, rounded up.
    pub micros: u64,
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", Amount::from_micros(self.micros), self.currency)
    }
}

/// A name that an endpoint gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// The reported model.
    pub model: Option<String>,
    /// The reported fingerprint.
    pub fingerprint: Option<String>,
    /// In how many replies.
    pub replies: usize,
}

impl Observed {
    /// The name with the fingerprint, as far as the endpoint gave them.
    #[must_use]
    pub fn name(&self) -> String {
        let model = self.model.as_deref().unwrap_or("(no name)");
        match &self.fingerprint {
            Some(fingerprint) => format!("{model} {fingerprint}"),
            None => model.to_owned(),
        }
    }
}

/// A checker's controls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlRecord {
    /// The checker, as `name@version`.
    pub checker: String,
    /// How many controls it has.
    pub controls: usize,
    /// What is wrong with them; empty when all is well.
    pub failures: Vec<String>,
}

impl Manifest {
    /// Draws the record up from the plan and the rows.
    #[must_use]
    pub fn new(plan: Plan, rows: &Rows<'_>, controls: Vec<ControlRecord>, evidence: Vec<Evidence>) -> Self {
        let strangers = rows.strangers(&plan).into_iter().map(str::to_owned).collect();
        let (owed, trials) = (plan.cells.clone(), plan.trials);
        let mut draft = Draft::new(plan);
        let cells = owed.iter().map(|cell| {
            let mut record = draft.cell(cell);
            for trial in 1..=trials {
                let key = TrialKey { cell: cell.clone(), trial };
                record.trials.push(draft.trial(&key, rows.attempts(&key), None));
            }
            record
        });
        let cells = cells.collect();
        draft.finish(cells, strangers, controls, evidence)
    }

    /// Whether every trial that this run plays itself has a verdict on the model: all of them, but for a shard.
    #[must_use]
    pub fn own_part_is_complete(&self) -> bool {
        self.cells.iter().all(|record| {
            record.trials.iter().all(|trial| {
                matches!(trial.standing, Standing::Passed | Standing::Failed)
                    || !self.plan.owns(&TrialKey { cell: record.cell.clone(), trial: trial.trial })
            })
        })
    }

    /// How many attempts were not played in this run, and the runs that they come from.
    #[must_use]
    pub fn reused(&self) -> (usize, Vec<&str>) {
        let attempts = self.cells.iter().flat_map(|cell| &cell.trials).flat_map(|trial| &trial.attempts);
        let mut runs: Vec<&str> =
            attempts.filter_map(|attempt| Some(attempt.reused_from.as_ref()?.run.as_str())).collect();
        let count = runs.len();
        runs.sort_unstable();
        runs.dedup();
        (count, runs)
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// [`ManifestError`] when it is not one, or a newer one.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let syntax = |error: serde_json::Error| ManifestError::Syntax {
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
        };
        let head: Head = serde_json::from_str(text).map_err(syntax)?;
        let found = head.plan.get("format").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if found > u64::from(FORMAT) {
            return Err(ManifestError::Newer { found: u32::try_from(found).unwrap_or(u32::MAX) });
        }
        match head.schema.as_str() {
            Some(SCHEMA) => {}
            other => return Err(ManifestError::Schema { found: other.unwrap_or("missing").to_owned() }),
        }
        serde_json::from_str(text).map_err(syntax)
    }
}

impl CellRecord {
    /// A cell of which nothing has been read yet. What the plan does not pin is left empty, and the audit tells.
    fn new(cell: &Cell, plan: &Plan) -> Self {
        let checker = plan.checker_of(cell);
        Self {
            cell: cell.clone(),
            required: plan.trials,
            case_sha256: plan.case(&cell.case).map(|case| case.sha256.clone()).unwrap_or_default(),
            checker: checker.map(|checker| checker.name.clone()).unwrap_or_default(),
            checker_sha256: checker.map(|checker| checker.sha256.clone()).unwrap_or_default(),
            trials: Vec::new(),
        }
    }
}

impl ModelRecord {
    /// The record of a model of which nothing is known yet.
    pub(crate) fn named(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            counts: Counts::default(),
            observed: Vec::new(),
            usage: Usage::default(),
            uncounted: None,
            cost: None,
            load: LoadRecord::not_run("no trial was played"),
            program: None,
        }
    }

    fn priced(mut self, prices: Option<&Prices>) -> Self {
        self.cost = prices.filter(|_| self.uncounted.is_none()).map(|prices| Cost {
            currency: prices.currency.clone(),
            micros: prices.cost(&self.usage).micros(),
        });
        self
    }

    fn add(&mut self, standing: Standing, attempts: &[&Row]) {
        self.counts.add(standing);
        for row in attempts {
            if row.reused_from.is_none() {
                self.usage += row.usage.unwrap_or_default();
                let more = row.uncounted.map_or(0, |count| u64::from(count.get()));
                let before = self.uncounted.map_or(0, NonZeroU64::get);
                self.uncounted = NonZeroU64::new(before.saturating_add(more));
            }
            self.load.add(row.load.as_ref().unwrap_or(&before_loads()));
            if row.program.is_some() && row.program != self.program {
                self.program.clone_from(&row.program);
            }
            for served in &row.served {
                let known = self
                    .observed
                    .iter_mut()
                    .find(|seen| seen.model == served.model && seen.fingerprint == served.fingerprint);
                match known {
                    Some(seen) => seen.replies += 1,
                    None => self.observed.push(Observed {
                        model: served.model.clone(),
                        fingerprint: served.fingerprint.clone(),
                        replies: 1,
                    }),
                }
            }
        }
    }
}

impl TrialRecord {
    fn new(trial: u32, standing: Standing, deciding: Option<&Row>, attempts: &[&Row]) -> Self {
        Self {
            trial,
            standing,
            reason: match deciding {
                Some(row) => row.reason.clone(),
                None => Some("no attempt is in the journal".to_owned()),
            },
            failed_clauses: deciding
                .map(|row| row.clauses.iter().filter(|c| !c.passed).map(|c| c.id.clone()).collect())
                .unwrap_or_default(),
            attempts: attempts.iter().map(|row| AttemptRecord::new(row)).collect(),
        }
    }
}

impl AttemptRecord {
    fn new(row: &Row) -> Self {
        Self {
            attempt: row.attempt,
            verdict: row.verdict,
            line: row.line,
            transcript_sha256: row.transcript_sha256.clone(),
            served: row.served.clone(),
            usage: row.usage,
            uncounted: row.uncounted,
            retries: row.retries,
            started: row.started.clone(),
            elapsed_ms: row.elapsed_ms,
            reused_from: row.reused_from.clone(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A manifest of two cells of one trial each, of which nothing was run.
    pub(crate) fn example(replay: bool) -> Value {
        let cells = json!([
            { "case": "E1", "variant": null, "row": 1, "model": "m" },
            { "case": "E2", "variant": null, "row": 1, "model": "m" },
        ]);
        let zeros = "0".repeat(64);
        let owed: Vec<Cell> = serde_json::from_value(cells.clone()).unwrap();
        let plan = json!({
            "format": FORMAT, "run": "r", "planned": "2026-01-02T03:04:05Z", "assize": "0.1.0", "binary_sha256": null,
            "source": null,
            "charter": { "path": "C.md", "version": "1.0.0", "sha256": zeros, "runtime_sha256": zeros },
            "policy": { "name": "assize.yaml", "sha256": zeros },
            "matrix": { "name": "m.yaml", "sha256": zeros },
            "models": [{
                "id": "m", "role": "other", "provider": "openai-chat", "requested": "m", "endpoint": null,
                "replay": replay, "expect": "pass",
            }],
            "cases": [], "checkers": [], "checker_folders": [], "fixtures": [], "narrowed": [], "trials": 1, "cells": cells,
            "expected_sha256": Plan::digest_of(&owed, 1).unwrap(),
        });
        let plan: Plan = serde_json::from_value(plan).unwrap();
        serde_json::to_value(Manifest::new(plan, &Rows::default(), Vec::new(), Vec::new())).unwrap()
    }

    #[test]
    fn another_document_and_a_newer_one_are_refused() {
        let good = example(false);
        assert_eq!(Manifest::parse(&good.to_string()).unwrap().counts.not_run, 2);
        let mut other = good.clone();
        other["schema"] = json!("urn:example:other");
        assert!(matches!(Manifest::parse(&other.to_string()), Err(ManifestError::Schema { .. })));
        let mut newer = good;
        newer["plan"]["format"] = json!(FORMAT + 1);
        newer["plan"]["more"] = json!(1);
        assert!(matches!(Manifest::parse(&newer.to_string()), Err(ManifestError::Newer { .. })));
        for text in ["[1, [2]]", "null", "true", "-1", "1", "1.5", "\"x\"", "{}"] {
            let error = Manifest::parse(text).unwrap_err();
            assert!(
                matches!(&error, ManifestError::Schema { found } if found == "missing"),
                "{text}: {error}"
            );
        }
    }
}
