//! Traces played and judged where they lie: an `exemplar` must pass and a `naive` one must fail, on every row. A case for
//! which that does not hold would call a good answer bad, or a bad one good.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use checkers::{Outcome, Verdict};
use model_matrix::{Expect, Provider};
use rayon::prelude::*;
use reports::Cell;
use transcript::{By, Message, Role, Served, StopReason, Transcript, TrialError, Usage};

use super::{LintFinding, Severity};
use crate::case::{Case, TRACES, Trace, TraceTurn, Variant};
use crate::instance::Playable;
use crate::judging;
use crate::replay::{self, Failure, PlayStep, Reply};
use crate::sitting::material::Material;
use crate::workspace::Workspace;

/// What traces of these names are known to do, whatever the matrix replays.
const KNOWN: [(&str, Expect); 2] = [("exemplar", Expect::Pass), ("naive", Expect::Fail)];

/// The traces that do not do what they are there for, one finding a file. Nothing is sent, and no server is started.
#[must_use]
pub fn lint_traces(material: &Material) -> Vec<LintFinding> {
    let expectations = expectations(material);
    let parts: Vec<(&Case, &Variant)> =
        material.cases().flat_map(|case| case.variants.iter().map(move |variant| (case, variant))).collect();
    parts
        .par_iter()
        .flat_map_iter(|(case, variant)| {
            expectations.iter().filter_map(|(name, expect)| misjudged(material, case, variant, name, *expect))
        })
        .collect()
}

/// Which trace must do what: by its name, and by the matrix where that replays it as a control.
fn expectations(material: &Material) -> BTreeMap<String, Expect> {
    let mut expectations: BTreeMap<String, Expect> =
        KNOWN.iter().map(|(name, expect)| ((*name).to_owned(), *expect)).collect();
    for model in &material.matrix.models {
        if let Provider::Replay { trace, expect: Some(expect), .. } = &model.provider {
            expectations.insert(trace.clone(), *expect);
        }
    }
    expectations
}

/// That a trace is judged otherwise than it must be, with the first row in which it is.
fn misjudged(
    material: &Material,
    case: &Case,
    variant: &Variant,
    name: &str,
    expect: Expect,
) -> Option<LintFinding> {
    // Of traces that are not there, or cannot be read, others tell.
    let trace = Trace::load(case, variant, name).ok()?;
    // Neither does a checker count that misjudges its controls.
    if !material.checker(&variant.checker)?.distrust().is_empty() {
        return None;
    }
    let wrong = |row: usize| Some((row, fault(&judge(material, case, variant, &trace, row), expect)?));
    let mut rows = (1..=variant.rows()).filter_map(wrong);
    let (row, why) = rows.next()?;
    let more = match rows.count() {
        0 => String::new(),
        1 => "; so it is in one more row".to_owned(),
        more => format!("; so it is in {more} more rows"),
    };
    let must = match expect {
        Expect::Pass => "pass",
        Expect::Fail => "fail",
    };
    let label = variant.name.as_ref().map(|name| format!(".{name}")).unwrap_or_default();
    Some(LintFinding {
        severity: Severity::Error,
        path: path(case, variant, name),
        line: None,
        problem: None,
        message: format!(
            "the trace `{name}` of {}{label} must {must}, but in row {row} {why}{more}",
            case.id
        ),
    })
}

/// The file that the trace was read from.
fn path(case: &Case, variant: &Variant, name: &str) -> PathBuf {
    let own = variant.name.as_ref().map(|variant| format!("{TRACES}/{name}.{variant}.yaml"));
    let own = own.filter(|own| case.folder.paths().any(|path| path == own));
    case.dir.join(own.unwrap_or_else(|| format!("{TRACES}/{name}.yaml")))
}

/// In what a verdict is not the one that must come out; `Err` is why there is none.
fn fault(verdict: &Result<Verdict, String>, expect: Expect) -> Option<String> {
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(why) => return Some(format!("it cannot be played: {why}")),
    };
    match (expect, verdict.outcome) {
        (Expect::Pass, Outcome::Pass) | (Expect::Fail, Outcome::Fail) => None,
        (Expect::Fail, Outcome::Pass) => Some("every clause holds".to_owned()),
        (Expect::Pass, Outcome::Fail) => {
            let clause = verdict.first_failure()?;
            Some(format!("`{}` does not hold: {}", clause.id, clause.reason))
        }
        (_, Outcome::Error) => {
            Some(format!("there is no verdict: {}", verdict.reason.as_deref().unwrap_or_default()))
        }
    }
}

/// Plays the trace on a row, and judges what came of it.
fn judge(
    material: &Material,
    case: &Case,
    variant: &Variant,
    trace: &Trace,
    row: usize,
) -> Result<Verdict, String> {
    let cell = Cell { case: case.id.clone(), variant: variant.name.clone(), row, model: String::new() };
    let playable = Playable::new(material, &cell).map_err(|error| error.to_string())?;
    let turns = trace.turns(&playable.params).map_err(|error| error.to_string())?;
    let mut record = Transcript::new(format!("{cell}"), case.id.clone());
    record.variant.clone_from(&variant.name);
    record.params = playable.params.clone();
    record.row = Some(row);
    record.checker = Some(playable.checker.clone());
    let workspace = Workspace::new(Arc::clone(&playable.files));
    let charter = Message::text(Role::System, By::Script, &material.charter.runtime);
    let charter = PlayStep::Say { message: charter, omitted: false };
    let steps: Vec<PlayStep> = std::iter::once(charter).chain(playable.steps.iter().cloned()).collect();
    let played = replay::play(record, &steps, &playable.tools, workspace, speaker(turns));
    let transcript = at_once(played).ok_or("a tool would have to be waited for")?;
    match &transcript.error {
        Some(error) => Err(error.message.clone()),
        None => Ok(judging::judge(material.library.for_transcript(&transcript), &transcript)),
    }
}

/// What comes of a future that waits for nothing outside; here, traces answer at once and tools run in memory.
fn at_once<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

/// Says the turns of a trace, one after the other.
fn speaker(turns: Vec<TraceTurn>) -> impl FnMut(&[Message], usize) -> Result<Reply, Failure> + Send {
    let mut turns = turns.into_iter();
    move |_, _| {
        let Some(turn) = turns.next() else {
            let message = "the script asks for more replies than the trace has turns".to_owned();
            return Err(Failure::from(TrialError { kind: "trace".to_owned(), message }));
        };
        let stop = if turn.calls.is_empty() { StopReason::Stop } else { StopReason::ToolCalls };
        let mut message = Message::text(Role::Assistant, By::Model, &turn.say);
        message.tool_calls = turn.calls;
        Ok(Reply {
            message,
            stop,
            usage: Some(Usage::default()),
            served: Served::default(),
            retries: 0,
            fault: None,
        })
    }
}
