//! TAP, a test point a cell: version 13, as nothing of 14 is needed and perl's reader takes 14 for an error. A consumer such as `prove` takes `# SKIP` and an empty plan for success, so
//! what was not run is `not ok`, and the plan is what was owed.

use std::fmt::Write as _;

use super::text;
use crate::fixture::FixtureStanding;
use crate::report::{Report, State, Tone};

/// Writes the report.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut out = String::from("TAP version 13\n");
    let faults = report.faults();
    let cells = report.manifest.cells.len();
    let fixtures = report.fixtures();
    // What is set aside is not asked for, and no test point: a reader would count it as a success.
    let (asked, aside): (Vec<_>, Vec<_>) = fixtures.into_iter().partition(|view| view.tone.is_some());
    put(&mut out, format_args!("1..{}", cells + asked.len() + faults.len()));
    for (index, view) in report.cells().enumerate() {
        let ok = if view.tone == Tone::Good { "ok" } else { "not ok" };
        let note = match view.state {
            State::NotRun if view.tone == Tone::Open => " (NOT RUN)",
            State::Error if view.tone == Tone::Open => " (ERROR)",
            _ => "",
        };
        let name = view.key.replace('#', "\\#");
        put(&mut out, format_args!("{ok} {} - {name} {}{note}", index + 1, text::share(&view)));
        for trouble in &view.troubles {
            put(&mut out, format_args!("# {}", text::trouble(trouble)));
        }
    }
    for (index, view) in asked.iter().enumerate() {
        let (ok, note) = match (view.tone, view.record.standing) {
            (Some(Tone::Good), _) => ("ok", ""),
            (Some(Tone::Open), FixtureStanding::Error) => ("not ok", " (ERROR)"),
            (Some(Tone::Open), _) => ("not ok", " (NOT RUN)"),
            _ => ("not ok", ""),
        };
        let name = text::line(&view.record.fixture, 200).replace('#', "\\#");
        put(&mut out, format_args!("{ok} {} - {name}{note}", cells + index + 1));
        if ok != "ok" {
            put(&mut out, format_args!("# {}", text::fixture(view)));
        }
    }
    for view in &aside {
        put(&mut out, format_args!("# {}", text::fixture(view)));
    }
    for (index, fault) in faults.iter().enumerate() {
        let fault = text::line(fault, 300).replace('#', "\\#");
        put(&mut out, format_args!("not ok {} - the run: {fault}", cells + asked.len() + index + 1));
    }
    out
}

fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{line}");
}
