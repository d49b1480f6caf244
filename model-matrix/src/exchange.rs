//! What a trial hands to a subject and gets back, the same whatever stands behind the subject.

use std::time::Duration;

use serde_json::{Map, Value};
use transcript::{Message, Served, StopReason, TrialError, Usage};

use crate::drift::Drift;

/// A tool as the subject is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that calls use.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Value,
}

/// One request for one reply.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// The conversation so far, as it is to be submitted.
    pub messages: &'a [Message],
    /// The tools on offer.
    pub tools: &'a [ToolSpec],
    /// The trial's unique key; only replay endpoints are told.
    pub trial: &'a str,
    /// How many replies the subject gave in this trial before this one.
    pub turn: usize,
}

/// What a subject answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer, an assistant message by the model.
    pub message: Message,
    /// Why it ended.
    pub stop: StopReason,
    /// Tokens, when the endpoint counted them.
    pub usage: Option<Usage>,
    /// What the endpoint said about itself.
    pub served: Served,
    /// Requests that had to be sent again to get it.
    pub retries: u32,
    /// Calls whose arguments are not a JSON object; they are kept as text in the message.
    pub malformed: Vec<Malformed>,
}

/// The names that the formats give the most tokens a reply may have.
const MOST_TOKENS: [&str; 4] =
    ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"];

impl Reply {
    /// Why the reply ended, in view of the limit that was sent. Some servers call a reply complete that they have cut at
    /// its limit; one that used up every token it was allowed cannot be told from a cut one, and so is no answer.
    pub(crate) fn stop_within(&self, decoding: &Map<String, Value>) -> StopReason {
        let most = MOST_TOKENS.iter().filter_map(|name| decoding.get(*name)?.as_u64()).min();
        let used = self.usage.map(|usage| usage.output);
        match (self.stop, used.zip(most)) {
            (StopReason::Stop | StopReason::ToolCalls, Some((used, most))) if used >= most => {
                StopReason::Length
            }
            (stop, _) => stop,
        }
    }
}

/// A tool call whose arguments could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The call's place among the message's calls, counted from 0.
    pub call: usize,
    /// What is wrong with the arguments.
    pub problem: String,
}

/// The kinds of failure; their names are stable and go into transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No connection could be made.
    Connect,
    /// The connection broke before the reply was whole.
    Connection,
    /// No whole reply within the model's `timeout_s`.
    Timeout,
    /// A stream fell silent for the model's `idle_timeout_s`.
    Stalled,
    /// The endpoint answered with an error status.
    HttpStatus,
    /// The endpoint refused for too many requests, or asks to wait longer than is sensible.
    RateLimited,
    /// The endpoint answered with success, but not with a reply.
    BadReply,
    /// The endpoint pointed elsewhere; only listed endpoints are ever contacted.
    Redirect,
    /// The conversation cannot be said in the endpoint's wire format.
    BadRequest,
    /// Another model answers than the one that is pinned, again and again.
    PinDrift,
}

impl ErrorKind {
    /// The stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Connection => "connection",
            Self::Timeout => "timeout",
            Self::Stalled => "stalled",
            Self::HttpStatus => "http-status",
            Self::RateLimited => "rate-limited",
            Self::BadReply => "bad-reply",
            Self::Redirect => "redirect",
            Self::BadRequest => "bad-request",
            Self::PinDrift => Drift::KIND,
        }
    }
}

/// Why there is no reply. It says nothing of the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SubjectError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What happened, for people; keys are masked.
    pub message: String,
    /// Whether asking again later can help.
    pub retryable: bool,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    /// Requests that had been sent again before giving up.
    pub retries: u32,
    /// How long the endpoint asks to wait.
    pub retry_after: Option<Duration>,
}

impl SubjectError {
    /// A failure of `kind` without a status.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let retryable = matches!(
            kind,
            ErrorKind::Connect
                | ErrorKind::Connection
                | ErrorKind::Timeout
                | ErrorKind::Stalled
                | ErrorKind::RateLimited
                | ErrorKind::BadReply
        );
        Self { kind, message: message.into(), retryable, status: None, retries: 0, retry_after: None }
    }
}

impl From<SubjectError> for TrialError {
    fn from(error: SubjectError) -> Self {
        Self { kind: error.kind.as_str().to_owned(), message: error.message }
    }
}
