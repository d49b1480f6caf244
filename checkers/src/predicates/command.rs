//! `command`: a program of yours judges.
//!
//! Some requirements are easier to program than to describe. The program is part of the checker: it lies beside the definition,
//! and the checker's controls are tried on it as on any other.
//!
//! # Reads
//! The whole transcript, as one line of JSON on standard input. The program runs in the definition's folder, for at most
//! `timeout_s` seconds (10 unless said). On standard output it may give findings: lines `path:line: message`, or one JSON
//! object `{"reason": "…", "evidence": [{"message": 2, "start": 0, "end": 12}]}` with message indices from 0 and byte offsets.
//!
//! # Proves
//! That the program ended with exit status 0; with 1 the clause does not hold. Any other status, a signal, a time-out or more
//! than a megabyte of output is an error, never a verdict.
//!
//! # Does not prove
//! Anything that the program does not: its judgement is taken as it is. It is not confined, so run only checkers that you trust.
//!
//! # Example
//! ```yaml
//! - id: no-house-words
//!   command: { run: [sh, -c, "! grep -q synergy"], timeout_s: 5 }
//! ```
//! ```yaml
//! pass:
//!   - "The two teams work together."
//! fail:
//!   - "The two teams leverage synergy."
//! ```

use std::time::Duration;

use serde::Deserialize;

use super::{Finding, Test};
use crate::context::Context;
use crate::expr::EvalError;
use crate::external::Request;
use crate::verdict::Evidence;

/// Bytes that a program may write.
const OUTPUT_LIMIT: usize = 1 << 20;
/// Findings that are kept.
const FINDINGS: usize = 20;

/// An external program judges.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    run: Argv,
    #[serde(default = "default_timeout")]
    timeout_s: u16,
}

fn default_timeout() -> u16 {
    10
}

/// A program and its arguments.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<String>")]
struct Argv(Vec<String>);

impl TryFrom<Vec<String>> for Argv {
    type Error = &'static str;

    fn try_from(argv: Vec<String>) -> Result<Self, Self::Error> {
        match argv.first() {
            Some(program) if !program.is_empty() => Ok(Self(argv)),
            _ => Err("`run` needs a program"),
        }
    }
}

/// The JSON form of an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    evidence: Vec<Place>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    message: usize,
    start: usize,
    end: usize,
}

impl Test for Command {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let program = self.run.0.join(" ");
        let error = |message: String| EvalError { expression: program.clone(), message };
        let mut input = Vec::new();
        transcript::jsonl::write(&mut input, cx.transcript).map_err(|fault| error(fault.to_string()))?;
        let request = Request {
            argv: &self.run.0,
            definition: cx.definition,
            input: &input,
            time_limit: Duration::from_secs(u64::from(self.timeout_s)),
            output_limit: OUTPUT_LIMIT,
        };
        let answer = cx.commands.run(&request).map_err(error)?;
        let holds = match answer.status {
            Some(0) => true,
            Some(1) => false,
            Some(status) => {
                return Err(error(format!("exit status {status}: {}", last_line(&answer.stderr))));
            }
            None => return Err(error("it was ended by a signal".to_owned())),
        };
        let (reason, evidence) = read(&answer.stdout, cx).map_err(error)?;
        let reason =
            reason.unwrap_or_else(|| if holds { "it has no objection" } else { "it objects" }.to_owned());
        Ok(Finding { holds, reason, evidence })
    }
}

/// The reason and the evidence in what a program wrote.
fn read(stdout: &str, cx: &Context<'_>) -> Result<(Option<String>, Vec<Evidence>), String> {
    let text = stdout.trim();
    if text.starts_with('{') {
        let said: Said =
            serde_json::from_str(text).map_err(|fault| format!("its JSON cannot be read: {fault}"))?;
        let evidence = said
            .evidence
            .iter()
            .take(FINDINGS)
            .map(|place| cx.evidence(place.message, place.start, place.end));
        return Ok((said.reason, evidence.collect()));
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let evidence = lines.iter().take(FINDINGS).map(|line| Evidence {
        message: 0,
        start: 0,
        end: 0,
        text: (*line).to_owned(),
        call: None,
    });
    Ok((lines.first().map(|line| (*line).to_owned()), evidence.collect()))
}

fn last_line(text: &str) -> &str {
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing on standard error")
}
