//! GitHub workflow commands: an annotation for each cell that is not as it should be.
//!
//! A workflow runs commands out of whatever is printed. Model text is therefore escaped within a command, and nothing
//! else of it is printed. Where other output goes into a workflow's log, the workflow stops commands around it, as those of
//! `assize init --ci github` and the action do.

use std::fmt::Write as _;

use super::text;
use crate::report::{Report, Tone};

/// GitHub shows ten annotations of a kind a step; the rest would be dropped without a word.
const SHOWN: usize = 10;

/// Writes the annotations.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for fault in report.faults().iter().take(SHOWN) {
        put(&mut out, "error", "", "this run cannot be believed", &text::line(fault, 300));
    }
    let fixtures = report.fixtures();
    for (tone, command) in [(Tone::Bad, "error"), (Tone::Open, "warning")] {
        let troubled = fixtures.iter().filter(|view| view.tone == Some(tone));
        for view in troubled.take(SHOWN) {
            put(
                &mut out,
                command,
                &view.path(),
                &text::line(&view.record.fixture, 200),
                &text::fixture(view),
            );
        }
    }
    for (tone, command) in [(Tone::Bad, "error"), (Tone::Open, "warning")] {
        let troubled: Vec<_> = report.cells().filter(|view| view.tone == tone).collect();
        // Where some cannot be shown, the last place says how many.
        let shown = if troubled.len() > SHOWN { SHOWN - 1 } else { troubled.len() };
        for view in &troubled[..shown] {
            let file = report.case(view.cell()).map(|case| case.path.as_str()).unwrap_or_default();
            put(&mut out, command, file, &text::headline(view), &text::troubles(view));
        }
        if troubled.len() > shown {
            let more = format!("and {} more cells", troubled.len() - shown);
            put(&mut out, command, "", &more, &format!("{more}; the report has them all"));
        }
    }
    out
}

fn put(out: &mut String, command: &str, file: &str, title: &str, message: &str) {
    let file = if file.is_empty() { String::new() } else { format!("file={},line=1,", property(file)) };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "::{command} {file}title={}::{}", property(title), data(message));
}

/// Escapes as the runner's toolkit does it for a command's message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes as the runner's toolkit does it for a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
