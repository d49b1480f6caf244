//! Model text on its way into a report: what it may not carry along, whatever the form.

use crate::fixture::{Kind, StaticCounts};
use crate::report::{CellView, FixtureView, Tone, Trouble};
use crate::row::Standing;
use crate::words::steers;

/// One line of at most `limit` characters: line ends become spaces; control characters, escape sequences and marks that
/// turn the direction of text become `U+FFFD`.
pub(super) fn line(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.trim().chars().enumerate() {
        if count == limit {
            out.push('…');
            break;
        }
        out.push(match c {
            '\n' | '\r' | '\t' => ' ',
            c if steers(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        });
    }
    out
}

/// `2/3 passed`, with what has no verdict beside it.
pub(super) fn share(view: &CellView<'_>) -> String {
    let counts = view.counts;
    let mut text = format!("{}/{} passed", counts.passed, counts.expected);
    if counts.error > 0 {
        text.push_str(&format!(", {} error", counts.error));
    }
    if counts.not_run > 0 {
        text.push_str(&format!(", {} not run", counts.not_run));
    }
    text
}

/// One line on a trial that is not as it should be.
pub(super) fn trouble(trouble: &Trouble<'_>) -> String {
    let reason = line(trouble.reason, 300);
    match (trouble.standing, trouble.clause) {
        (Standing::Failed, Some(clause)) => format!("{}: clause {clause}: {reason}", trouble.trial),
        (Standing::Failed | Standing::Passed, _) => format!("{}: {reason}", trouble.trial),
        (Standing::Error, _) => format!("{}: no verdict: {reason}", trouble.trial),
        (Standing::NotRun, _) => format!("{}: not run: {reason}", trouble.trial),
    }
}

/// All that is wrong with a cell, a line a trial.
pub(super) fn troubles(view: &CellView<'_>) -> String {
    let lines: Vec<String> = view.troubles.iter().map(trouble).collect();
    lines.join("\n")
}

/// A fixture that no cell stands for, in a line.
pub(super) fn fixture(view: &FixtureView<'_>) -> String {
    line(&view.record.told(), 400)
}

/// `static happy: 2 of 3 passed, 1 failed`.
pub(super) fn static_sum(kind: Kind, counts: StaticCounts) -> String {
    let mut text = format!("static {kind}: {} of {} passed", counts.passed, counts.total());
    for (count, what) in
        [(counts.failed, "failed"), (counts.error, "no verdict"), (counts.not_run, "not run")]
    {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}

/// A heading for a cell that is not as it should be.
pub(super) fn headline(view: &CellView<'_>) -> String {
    let what = match view.tone {
        Tone::Good => "as it should be",
        Tone::Bad if view.counts.failed == 0 => "a control arm that must fail, passed",
        Tone::Bad => "failed",
        Tone::Open => "without a verdict",
    };
    let clause = view.troubles.iter().find_map(|trouble| trouble.clause);
    let clause = clause.map(|clause| format!(" ({clause})")).unwrap_or_default();
    format!("{} {what}{clause}: {}", view.key, share(view))
}
