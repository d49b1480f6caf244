//! A night's answer for a terminal.

use std::io::Write;
use std::path::Path;

use reports::nightly::report::{CellReport, Report};
use reports::nightly::{Answer, State, text};

use super::super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};
use super::super::summary;

/// Failures and missing trials shown; the rest is counted.
const SHOWN: usize = 20;

/// Shows the answer. The first stage was played into `run`, the second into `fresh`; `record` is the night's file.
pub(super) fn print(
    out: &mut impl Write,
    report: &Report,
    (run, fresh): (&Path, &Path),
    record: &Path,
) -> std::io::Result<()> {
    let colour = match report.answer {
        Answer::Regressed | Answer::ModelRegressed | Answer::ChangedPin => RED,
        Answer::Incomplete | Answer::Watch | Answer::Flaky => YELLOW,
        Answer::Improved | Answer::New | Answer::Ok => GREEN,
    };
    writeln!(
        out,
        "\n{colour}{BOLD}{}{RESET}  night {}, {}",
        report.answer,
        report.night,
        meaning(report.answer)
    )?;
    if let Some(follows) = follows(report.answer) {
        writeln!(out, "{follows}")?;
    }
    for mismatch in report.pin_mismatches.iter().take(SHOWN) {
        writeln!(out, "{RED}✗{RESET} {}", harmless(mismatch, 300))?;
    }
    for note in report.notes.iter().take(SHOWN) {
        writeln!(out, "{YELLOW}·{RESET} {}", harmless(note, 300))?;
    }
    writeln!(out)?;
    summary::grid(out, text::cells(report), say::columns(&std::io::stdout()))?;
    match text::cells_left_out(report) {
        0 => {}
        count => writeln!(out, "… and {count} cells as ever")?,
    }
    writeln!(out)?;
    failures(out, report, run, fresh)?;
    missing(out, report)?;
    summary::grid(out, text::models(report), say::columns(&std::io::stdout()))?;
    writeln!(out, "\n{DIM}{}", text::basis(report))?;
    writeln!(out, "{}", report.cannot_see)?;
    writeln!(out, "record: {}{RESET}", record.display())
}

fn failures(out: &mut impl Write, report: &Report, run: &Path, fresh: &Path) -> std::io::Result<()> {
    let mut shown = 0;
    let mut cells: Vec<&CellReport> = report.cells.iter().collect();
    cells.sort_by_key(|cell| std::cmp::Reverse(cell.state));
    let all: usize = cells.iter().map(|cell| cell.failures.len()).sum();
    for cell in cells.into_iter().filter(|cell| cell.state != State::Ok) {
        for (index, failure) in cell.failures.iter().enumerate().take(SHOWN - shown) {
            let path = if index < cell.fresh_failures_from { run } else { fresh };
            summary::failure(out, failure, path)?;
            shown += 1;
        }
    }
    if all > shown {
        writeln!(out, "… and {} more failures", all - shown)?;
    }
    if all > 0 {
        writeln!(out)?;
    }
    Ok(())
}

fn missing(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    let all: Vec<_> =
        report.cells.iter().flat_map(|cell| &cell.missing).chain(&report.fresh_missing).collect();
    for missing in all.iter().take(SHOWN) {
        writeln!(
            out,
            "{YELLOW}!{RESET} {}: {}",
            harmless(&missing.trial, 200),
            harmless(&missing.reason, 200)
        )?;
    }
    if all.len() > SHOWN {
        writeln!(out, "… and {} more without a verdict", all.len() - SHOWN)?;
    }
    if !all.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// What an answer that is neither yes nor no means for the build and for the nights to come.
fn follows(answer: Answer) -> Option<&'static str> {
    match answer {
        Answer::Watch | Answer::Flaky => Some(
            "This is no alarm, and the exit code is 0: so few passes can be chance, by the rule. Tonight's trials join the \
             baseline; when a night's are too few for chance, ten fresh ones decide.",
        ),
        Answer::New => {
            Some("Nothing is said of a cell before it has a night to be measured by; the exit code is 0.")
        }
        _ => None,
    }
}

/// The answer in a few words.
fn meaning(answer: Answer) -> &'static str {
    match answer {
        Answer::Regressed => "a cell is worse than its baseline, by fresh trials",
        Answer::ModelRegressed => "a model is worse over all of its cells",
        Answer::ChangedPin => "another model answered than the one that is pinned; nothing else is said",
        Answer::Incomplete => "not everything owed has a verdict",
        Answer::Watch => "all trials of a cell failed; not shown to be worse than before",
        Answer::Flaky => "some trials failed; not shown to be worse than before",
        Answer::Improved => "something is better than its baseline",
        Answer::New => "there is nothing to compare with yet",
        Answer::Ok => "as ever",
    }
}
