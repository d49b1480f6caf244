//! Verdict rows: one line a finished attempt, and how a trial stands once all of its attempts are read.
//!
//! Summaries, exit codes, the gate and the reports are all computed from rows, never from counters kept on the side.

use std::collections::HashMap;
use std::num::NonZeroU32;

use checkers::{ClauseResult, Outcome, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use transcript::{ReusedFrom, Served, Transcript, Usage};

use crate::plan::{Plan, TrialKey};
use crate::subject::{LoadRecord, ProgramRecord};

/// One attempt at a trial, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The trial's key.
    pub id: String,
    /// Which attempt at the trial, counted from 1.
    pub attempt: u32,
    /// What the judge says.
    pub verdict: Outcome,
    /// The checker, as `name@version`.
    pub checker: String,
    /// sha256 of the checker's definition.
    pub checker_sha256: String,
    /// The clauses.
    pub clauses: Vec<ClauseResult>,
    /// Why there is no verdict on the model, for an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// sha256 of the transcript's line in the journal, without its line end.
    pub transcript_sha256: String,
    /// The line in the journal, counted from 1.
    pub line: usize,
    /// What the endpoint said of itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub served: Vec<Served>,
    /// Tokens, as far as they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Replies whose tokens nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<NonZeroU32>,
    /// Requests sent again.
    #[serde(default)]
    pub retries: u32,
    /// Whether the subject had the charter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadRecord>,
    /// The program, when the subject is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramRecord>,
    /// When it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// Where it came from, when it was not played in this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused_from: Option<ReusedFrom>,
}

impl Row {
    /// The row for a judged transcript.
    #[must_use]
    pub fn new(
        transcript: &Transcript,
        verdict: Verdict,
        checker_sha256: &str,
        line: usize,
        transcript_sha256: String,
    ) -> Self {
        Self {
            id: transcript.id.clone(),
            attempt: transcript.attempt.unwrap_or(1),
            verdict: verdict.outcome,
            checker: verdict.checker,
            checker_sha256: checker_sha256.to_owned(),
            clauses: verdict.clauses,
            reason: verdict.reason,
            transcript_sha256,
            line,
            served: transcript.served.clone(),
            usage: transcript.usage,
            uncounted: NonZeroU32::new(transcript.uncounted),
            retries: transcript.retries.unwrap_or(0),
            load: LoadRecord::of(transcript),
            program: ProgramRecord::of(transcript),
            started: transcript.started.clone(),
            elapsed_ms: transcript.elapsed_ms,
            reused_from: transcript.reused_from.clone(),
        }
    }

    /// The row as a line of the file of verdicts, with its line end.
    ///
    /// # Errors
    /// Never in practice: a row is made of strings and numbers.
    pub fn to_line(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }

    /// What the manifest needs of a row: without clauses that hold, and without the evidence for those that do not.
    #[must_use]
    pub fn slim(mut self) -> Self {
        self.clauses.retain(|clause| !clause.passed);
        for clause in &mut self.clauses {
            clause.evidence = Vec::new();
            clause.reason = String::new();
        }
        self
    }

    /// The first clause that does not hold.
    #[must_use]
    pub fn first_failure(&self) -> Option<&ClauseResult> {
        self.clauses.iter().find(|clause| !clause.passed)
    }
}

/// How a trial stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The model passed.
    Passed,
    /// The model failed.
    Failed,
    /// Every attempt ended in an error.
    Error,
    /// There is no attempt.
    NotRun,
}

impl Standing {
    /// How a trial with these attempts stands, and the row that decides it: the first attempt with a verdict on the
    /// model. A verdict is never overruled by a later attempt; an error may be.
    #[must_use]
    pub fn of<'r>(attempts: &[&'r Row]) -> (Self, Option<&'r Row>) {
        match attempts.iter().find(|row| row.verdict != Outcome::Error) {
            Some(row) if row.verdict == Outcome::Pass => (Self::Passed, Some(row)),
            Some(row) => (Self::Failed, Some(row)),
            None => match attempts.last() {
                Some(row) => (Self::Error, Some(row)),
                None => (Self::NotRun, None),
            },
        }
    }
}

/// Rows by trial.
#[derive(Debug, Default)]
pub struct Rows<'r> {
    by_trial: HashMap<&'r str, Vec<&'r Row>>,
}

impl<'r> Rows<'r> {
    /// Groups rows; attempts of a trial stay in journal order.
    #[must_use]
    pub fn new(rows: impl IntoIterator<Item = &'r Row>) -> Self {
        let mut by_trial: HashMap<&str, Vec<&Row>> = HashMap::new();
        for row in rows {
            by_trial.entry(&row.id).or_default().push(row);
        }
        for attempts in by_trial.values_mut() {
            attempts.sort_by_key(|row| row.line);
        }
        Self { by_trial }
    }

    /// All attempts at a trial.
    #[must_use]
    pub fn attempts(&self, key: &TrialKey) -> &[&'r Row] {
        self.by_trial.get(key.to_string().as_str()).map_or(&[], Vec::as_slice)
    }

    /// Trials that have rows but are not owed by `plan`, or not by its shard.
    #[must_use]
    pub fn strangers(&self, plan: &Plan) -> Vec<&'r str> {
        let owed: std::collections::HashSet<String> =
            plan.trials().filter(|key| plan.owns(key)).map(|key| key.to_string()).collect();
        let mut strangers: Vec<&str> =
            self.by_trial.keys().copied().filter(|id| !owed.contains(*id)).collect();
        strangers.sort_unstable();
        strangers
    }
}

/// How many trials stand how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Trials owed.
    pub expected: usize,
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Ended in an error.
    pub error: usize,
    /// Not run.
    pub not_run: usize,
}

impl Counts {
    /// Adds one trial.
    pub fn add(&mut self, standing: Standing) {
        self.expected += 1;
        match standing {
            Standing::Passed => self.passed += 1,
            Standing::Failed => self.failed += 1,
            Standing::Error => self.error += 1,
            Standing::NotRun => self.not_run += 1,
        }
    }

    /// Whether every trial has a verdict on the model.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.error == 0 && self.not_run == 0
    }
}
