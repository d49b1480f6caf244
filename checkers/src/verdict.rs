//! What a judge says: an outcome, and for each clause whether it holds and on what evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outcome of judging one transcript. `Error` says nothing of the model and is never a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every clause holds.
    Pass,
    /// At least one clause does not.
    Fail,
    /// There was nothing to judge: the harness or the endpoint failed, or the transcript does not fit the checker.
    Error,
}

impl Outcome {
    /// The word used in files and reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Error => "error",
        }
    }
}

/// A judgement of one transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// The checker that judged, as `name@version`.
    pub checker: String,
    /// One result a clause, in the definition's order; empty for an error.
    pub clauses: Vec<ClauseResult>,
    /// Why there is no judgement, for an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Verdict {
    /// A verdict that says nothing of the model.
    #[must_use]
    pub fn error(checker: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Error,
            checker: checker.into(),
            clauses: Vec::new(),
            reason: Some(reason.into()),
        }
    }

    /// The first clause that does not hold.
    #[must_use]
    pub fn first_failure(&self) -> Option<&ClauseResult> {
        self.clauses.iter().find(|clause| !clause.passed)
    }
}

/// Whether one clause holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClauseResult {
    /// The clause's id in the definition.
    pub id: String,
    /// Whether it holds.
    pub passed: bool,
    /// Why, in one line.
    pub reason: String,
    /// The places in the transcript that decided it.
    pub evidence: Vec<Evidence>,
}

/// A place in a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The message's index, counted from 0.
    pub message: usize,
    /// Where the text starts in the message's content, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The text itself; for a tool call, the call written out.
    pub text: String,
    /// For a tool call: its index among the message's calls. `start` and `end` are then 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
}
