//! How findings are printed: for people, most weighty first, or as JSON for programs.

use std::collections::BTreeMap;
use std::io::Write;

use reports::{Answer, Finding, Rule};
use serde::Serialize;

use super::exit::Exit;
use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};

/// How to print.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON object, with every finding
    Json,
}

/// Findings of one rule shown to people; the rest is counted, so that a thousand of a kind do not hide one of another.
const SHOWN: usize = 12;

/// An answer with its reasons.
#[derive(Debug, Serialize)]
pub(crate) struct Printed<'f> {
    /// The answer.
    pub(crate) answer: Answer,
    /// What a yes means here.
    #[serde(skip)]
    pub(crate) yes: &'f str,
    /// Everything that is wrong.
    pub(crate) findings: &'f [Finding],
    /// What else is to be known.
    pub(crate) notes: Vec<String>,
}

/// Prints an answer and returns the exit code for it.
pub(crate) fn print(printed: &Printed<'_>, format: Format) -> anyhow::Result<Exit> {
    match format {
        Format::Json => say::json(printed)?,
        Format::Text => {
            let mut out = say::page();
            text(&mut out, printed)?;
            out.flush()?;
        }
    }
    Ok(match printed.answer {
        Answer::Yes => Exit::Holds,
        Answer::No => Exit::No,
        Answer::Incomplete => Exit::Incomplete,
    })
}

fn text(out: &mut impl Write, printed: &Printed<'_>) -> std::io::Result<()> {
    match printed.answer {
        Answer::Yes => writeln!(out, "{GREEN}{BOLD}✓ yes: {}{RESET}", printed.yes)?,
        Answer::No => writeln!(out, "{RED}{BOLD}✗ no{RESET}")?,
        Answer::Incomplete => writeln!(
            out,
            "{YELLOW}{BOLD}! incomplete: nothing failed, but not everything owed has a verdict{RESET}"
        )?,
    }
    let mut told: BTreeMap<Rule, usize> = BTreeMap::new();
    for finding in printed.findings {
        let count = told.entry(finding.rule).or_default();
        *count += 1;
        if *count <= SHOWN {
            let rule = finding.rule.name();
            writeln!(out, "  - {} {DIM}[{rule}]{RESET}", harmless(&finding.to_string(), 600))?;
        }
    }
    for (rule, count) in told.into_iter().filter(|(_, count)| *count > SHOWN) {
        writeln!(
            out,
            "  … and {} more {DIM}[{}]{RESET}; --format json has them all",
            count - SHOWN,
            rule.name()
        )?;
    }
    for note in &printed.notes {
        writeln!(out, "{DIM}{}{RESET}", harmless(note, 4000))?;
    }
    Ok(())
}
