//! One trial's transcript: the messages, and what the harness recorded around them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Message;

/// A transcript: one trial, one line of a JSONL file.
///
/// A transcript from elsewhere has only the first six fields; the rest is there when the harness recorded it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// Unique in its file.
    pub id: String,
    /// The case's id, such as `E1`.
    pub case: String,
    /// The case's variant, such as `i` or `A`.
    #[serde(default)]
    pub variant: Option<String>,
    /// The parameter row that the case was played with.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// The tools the subject was offered: names, or objects that hold a name.
    #[serde(default)]
    pub tools: Vec<Value>,
    /// The conversation, in order.
    pub messages: Vec<Message>,

    /// The row of the case's table, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// Which repetition of the instance this is, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<u32>,
    /// Which attempt at this trial it is, counted from 1; a trial is attempted again only after an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The matrix id of the model that was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the endpoint said about itself, one entry a reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub served: Vec<Served>,
    /// The sampling parameters as they were sent; absent is not the same as default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoding: Option<Map<String, Value>>,
    /// Tokens over the whole trial, as far as they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Replies of which nobody said how many tokens they took: `usage` is then not all of it.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub uncounted: u32,
    /// Why the last reply ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// Set when the harness or the endpoint failed: the trial then says nothing of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TrialError>,
    /// What the trial changed in its private copy of the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Vec<FileChange>>,
    /// sha256 of the charter's runtime part, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charter_sha256: Option<String>,
    /// sha256 of the case folder as used, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_sha256: Option<String>,
    /// The checker that the case names, as `name@version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checker: Option<String>,
    /// When the trial started, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// How long the trial took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// Requests that had to be sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// In a run's journal: sha256 of the line before this one, in hex; of the plan for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    /// Set when the trial was not played in this run but taken from another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused_from: Option<ReusedFrom>,

    /// Fields this version does not know; kept as they were read.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Transcript {
    /// An empty transcript of `case`.
    #[must_use]
    pub fn new(id: impl Into<String>, case: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            case: case.into(),
            variant: None,
            params: Map::new(),
            tools: Vec::new(),
            messages: Vec::new(),
            row: None,
            trial: None,
            attempt: None,
            model: None,
            served: Vec::new(),
            decoding: None,
            usage: None,
            uncounted: 0,
            stop: None,
            error: None,
            workspace: None,
            charter_sha256: None,
            case_sha256: None,
            checker: None,
            started: None,
            elapsed_ms: None,
            retries: None,
            prev: None,
            reused_from: None,
            extra: Map::new(),
        }
    }

    /// The names of the tools that the subject was offered.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter_map(|tool| {
            tool.as_str()
                .or_else(|| tool.get("name")?.as_str())
                .or_else(|| tool.get("function")?.get("name")?.as_str())
        })
    }
}

/// Where a trial that was not played anew came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReusedFrom {
    /// The name of the run that played it.
    pub run: String,
    /// sha256 of its line in that run's journal, in hex.
    pub transcript_sha256: String,
}

/// What an endpoint reported about one reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Served {
    /// The response's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// The model's name as the endpoint gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The endpoint's `system_fingerprint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The endpoint's `service_tier`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// Tokens, as the endpoint counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens read, those served from a cache included.
    pub input: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
    /// The part of `input` that came from a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// The part of `output` that was reasoning.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
}

impl Usage {
    /// Tokens read and written. Endpoints count them and transcripts can be written by anybody, so no sum may overflow.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// Why a reply ended, in one vocabulary for all providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The model was done.
    Stop,
    /// The model waits for tool results.
    ToolCalls,
    /// The reply was cut by a token limit: it is not an answer.
    Length,
    /// The provider withheld the content.
    ContentFilter,
    /// The model declined through the API's refusal channel.
    Refusal,
    /// The tool loop ran to its step limit.
    StepLimit,
}

/// Why a trial has no verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialError {
    /// A stable short name, such as `timeout`, `http-status`, `reply-cut`, `bad-reply`.
    pub kind: String,
    /// What happened, for people.
    pub message: String,
}

/// One file that a trial changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The path, relative to the workspace, with forward slashes.
    pub path: String,
    /// What happened to it.
    pub change: Change,
    /// The content afterwards; absent for a deleted file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// A unified diff, when both sides are text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is new.
    Created,
    /// Its content changed.
    Modified,
    /// It is gone.
    Deleted,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

fn is_none_of_them(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_count_is_too_large_to_be_added_to() {
        let most = Usage { input: u64::MAX, output: u64::MAX, cached: u64::MAX, reasoning: u64::MAX };
        let mut sum = most;
        sum += most;
        assert_eq!((sum, sum.total()), (most, u64::MAX));
    }
}
