//! Controls: transcripts whose verdict is known. A checker that misjudges one of its own judges nothing else.
//!
//! `v<N>.controls.jsonl` beside a definition holds transcripts with one more field, `expect`: `"pass"`, or
//! `{"fail": "clause-id"}`. At least two must pass, three must fail, and each clause needs one that fails it.

use std::collections::HashSet;

use serde::Deserialize;
use transcript::Transcript;
use transcript::document::{Problem, Source, read_json};

use crate::checker::Checker;
use crate::verdict::Outcome;

/// The fewest controls that must pass.
pub const MIN_PASSING: usize = 2;
/// The fewest controls that must fail.
pub const MIN_FAILING: usize = 3;

/// What a control's verdict must be.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// Every clause holds.
    Pass,
    /// The clause of this name does not hold.
    Fail(String),
}

/// A transcript and the verdict it must get.
#[derive(Debug)]
pub struct Control {
    /// The line it stands in.
    pub line: usize,
    /// What the verdict must be.
    pub expect: Expect,
    /// The transcript.
    pub transcript: Transcript,
}

/// What is wrong with a checker's controls.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{checker}: {message}")]
pub struct ControlFailure {
    /// The checker, as `name@version`.
    pub checker: String,
    /// What is wrong.
    pub message: String,
}

/// What `expect` can be.
const HELP: &str = "`\"expect\": \"pass\"`, or `\"expect\": {\"fail\": \"CLAUSE\"}`";

/// Reads a file of controls.
///
/// # Errors
/// What is wrong, with its place.
pub fn parse(source: &Source) -> Result<Vec<Control>, Problem> {
    let mut controls = Vec::new();
    for (line, span) in source.lines().filter(|(_, span)| !source.text[span.clone()].trim().is_empty()) {
        let mut transcript: Transcript = read_json(source, span.clone())?;
        let Some(expect) = transcript.extra.remove("expect") else {
            return Err(source.problem(span, "a control says what its verdict must be").help(HELP));
        };
        let Ok(expect) = Expect::deserialize(expect) else {
            let at = source.text[span.clone()]
                .find("\"expect\"")
                .map_or(span.clone(), |at| span.start + at..span.start + at + "\"expect\"".len());
            return Err(source.problem(at, "`expect` is neither a pass nor a clause that fails").help(HELP));
        };
        controls.push(Control { line, expect, transcript });
    }
    Ok(controls)
}

impl Checker {
    /// Judges the checker's own controls.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn check_controls(&self) -> Result<(), Vec<ControlFailure>> {
        let mut failures = Vec::new();
        let mut fail = |message: String| failures.push(ControlFailure { checker: self.label(), message });
        let passing = self.controls.iter().filter(|control| control.expect == Expect::Pass).count();
        let failing = self.controls.len() - passing;
        if passing < MIN_PASSING || failing < MIN_FAILING {
            fail(format!(
                "has {passing} passing and {failing} failing controls; {MIN_PASSING} and {MIN_FAILING} are the least"
            ));
        }
        let mut failed_clauses = HashSet::new();
        for control in &self.controls {
            if let Expect::Fail(clause) = &control.expect {
                failed_clauses.insert(clause.as_str());
            }
            if let Some(message) = self.misjudged(control) {
                fail(message);
            }
        }
        for clause in &self.definition.require {
            if !failed_clauses.contains(clause.id.as_str()) {
                fail(format!(
                    "clause `{}` has no control that fails it: it may be unable to fail",
                    clause.id
                ));
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(failures) }
    }

    /// How the verdict on a control differs from what it must be, if it does.
    fn misjudged(&self, control: &Control) -> Option<String> {
        let verdict = self.judge_untried(&control.transcript);
        let place = format!("control `{}` (line {})", control.transcript.id, control.line);
        match (&control.expect, verdict.outcome) {
            (_, Outcome::Error) => {
                Some(format!("{place} cannot be judged: {}", verdict.reason.unwrap_or_default()))
            }
            (Expect::Pass, Outcome::Pass) => None,
            (Expect::Pass, Outcome::Fail) => {
                let clause = verdict.first_failure()?;
                Some(format!("{place} must pass, but `{}` fails: {}", clause.id, clause.reason))
            }
            (Expect::Fail(clause), _) => {
                let named = verdict.clauses.iter().find(|result| result.id == *clause);
                match named {
                    None => Some(format!("{place} names `{clause}`, which is no clause of it")),
                    Some(result) if result.passed => {
                        Some(format!("{place} must fail `{clause}`, but it holds: {}", result.reason))
                    }
                    Some(_) => None,
                }
            }
        }
    }
}
