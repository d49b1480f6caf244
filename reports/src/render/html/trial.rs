//! One attempt at a trial as the page shows it: who said what, what each clause rests on and where that stands.
//!
//! This is JSON inside a compressed block. Nothing in it is escaped for HTML, because nothing in it ever becomes HTML: the
//! page's script makes text nodes of it.

use checkers::{ClauseResult, Outcome};
use serde::Serialize;
use serde_json::{Map, Value};
use transcript::{
    By, FileChange, Message, Role, Served, StopReason, ToolCall, Transcript, TrialError, Usage,
};

use super::marks::{self, Mark, Span};
use crate::report::CheckerFacts;
use crate::row::Row;

/// The field in which turns are kept that a case omits.
const OMITTED: &str = "omitted";

/// An attempt.
#[derive(Debug, Serialize)]
pub(super) struct Attempt<'t> {
    id: &'t str,
    attempt: u32,
    line: usize,
    sha256: &'t str,
    verdict: Outcome,
    checker: &'t str,
    checker_sha256: &'t str,
    reason: Option<&'t str>,
    started: Option<&'t str>,
    elapsed_ms: Option<u64>,
    usage: Option<Usage>,
    retries: u32,
    stop: Option<StopReason>,
    error: Option<&'t TrialError>,
    served: &'t [Served],
    decoding: Option<&'t Map<String, Value>>,
    params: &'t Map<String, Value>,
    tools: Vec<&'t str>,
    charter_sha256: Option<&'t str>,
    clauses: Vec<Clause<'t>>,
    messages: Vec<Turn<'t>>,
    omitted: Option<&'t Value>,
    files: &'t [FileChange],
    /// Fields that this version does not know.
    more: Map<String, Value>,
}

/// A clause with its evidence.
#[derive(Debug, Serialize)]
struct Clause<'t> {
    id: &'t str,
    passed: bool,
    says: Option<&'t str>,
    reason: &'t str,
    evidence: Vec<Found<'t>>,
}

/// A place that decided a clause.
#[derive(Debug, Serialize)]
struct Found<'t> {
    message: usize,
    call: Option<usize>,
    text: &'t str,
}

/// A message.
#[derive(Debug, Serialize)]
struct Turn<'t> {
    role: Role,
    by: By,
    text: &'t str,
    name: Option<&'t str>,
    is_error: bool,
    calls: Vec<Call<'t>>,
    marks: Vec<Mark>,
}

/// A call of a tool.
#[derive(Debug, Serialize)]
struct Call<'t> {
    name: &'t str,
    arguments: &'t Value,
    /// The clauses that rest on this call.
    clauses: Vec<usize>,
}

impl<'t> Attempt<'t> {
    /// What the page shows of `transcript`, judged as in `row`.
    pub fn new(row: &'t Row, transcript: &'t Transcript, checker: Option<&'t CheckerFacts>) -> Self {
        let messages = transcript.messages.iter().enumerate();
        let mut more = transcript.extra.clone();
        more.remove(OMITTED);
        Self {
            id: &row.id,
            attempt: row.attempt,
            line: row.line,
            sha256: &row.transcript_sha256,
            verdict: row.verdict,
            checker: &row.checker,
            checker_sha256: &row.checker_sha256,
            reason: row.reason.as_deref(),
            started: row.started.as_deref(),
            elapsed_ms: row.elapsed_ms,
            usage: row.usage,
            retries: row.retries,
            stop: transcript.stop,
            error: transcript.error.as_ref(),
            served: &row.served,
            decoding: transcript.decoding.as_ref(),
            params: &transcript.params,
            tools: transcript.tool_names().collect(),
            charter_sha256: transcript.charter_sha256.as_deref(),
            clauses: row.clauses.iter().map(|clause| Clause::new(clause, checker)).collect(),
            messages: messages.map(|(index, message)| Turn::new(index, message, &row.clauses)).collect(),
            omitted: transcript.extra.get(OMITTED),
            files: transcript.workspace.as_deref().unwrap_or_default(),
            more,
        }
    }
}

impl<'t> Clause<'t> {
    fn new(clause: &'t ClauseResult, checker: Option<&'t CheckerFacts>) -> Self {
        let known = checker.and_then(|checker| checker.clauses.iter().find(|(id, _)| *id == clause.id));
        let found = clause.evidence.iter().map(|evidence| Found {
            message: evidence.message,
            call: evidence.call,
            text: &evidence.text,
        });
        Self {
            id: &clause.id,
            passed: clause.passed,
            says: known.map(|(_, says)| says.as_str()),
            reason: &clause.reason,
            evidence: found.collect(),
        }
    }
}

impl<'t> Turn<'t> {
    fn new(index: usize, message: &'t Message, clauses: &[ClauseResult]) -> Self {
        let mut spans = Vec::new();
        let mut called = vec![Vec::new(); message.tool_calls.len()];
        for (clause, result) in clauses.iter().enumerate() {
            for evidence in result.evidence.iter().filter(|evidence| evidence.message == index) {
                match evidence.call {
                    Some(call) => {
                        if let Some(clauses) = called.get_mut(call) {
                            clauses.push(clause);
                        }
                    }
                    None => spans.push(Span { clause, start: evidence.start, end: evidence.end }),
                }
            }
        }
        let calls = message.tool_calls.iter().zip(called).map(|(call, mut clauses)| {
            clauses.dedup();
            Call::new(call, clauses)
        });
        Self {
            role: message.role,
            by: message.by,
            text: &message.content,
            name: message.name.as_deref(),
            is_error: message.is_error,
            calls: calls.collect(),
            marks: marks::marks(&message.content, &spans),
        }
    }
}

impl<'t> Call<'t> {
    fn new(call: &'t ToolCall, clauses: Vec<usize>) -> Self {
        Self { name: &call.name, arguments: &call.arguments, clauses }
    }
}
