//! The matrix of cases × models for a terminal: n/n in each cell, a mark beside it, colour left to the caller.

use unicode_width::UnicodeWidthStr;

use crate::manifest::Manifest;
use crate::plan::Expectation;
use crate::row::{Counts, Standing};

/// How a cell of the table should be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// No verdict, in part or in whole.
    Open,
    /// Headings and labels.
    Plain,
}

/// The table, as lines of toned pieces.
#[must_use]
pub fn matrix(manifest: &Manifest) -> Vec<Vec<(Tone, String)>> {
    let models: Vec<_> = manifest.plan.models.iter().collect();
    let mut cases: Vec<String> = Vec::new();
    for cell in &manifest.cells {
        let label = cell.cell.case_label();
        if cases.last() != Some(&label) && !cases.contains(&label) {
            cases.push(label);
        }
    }
    let mut grid: Vec<Vec<(Tone, String)>> = Vec::new();
    let heading = |text: &str| (Tone::Plain, text.to_owned());
    grid.push(
        std::iter::once(heading("case")).chain(models.iter().map(|model| heading(&model.id))).collect(),
    );
    for case in &cases {
        let mut line = vec![heading(case)];
        for model in &models {
            line.push(entry(&counts_of(manifest, case, &model.id), model.expect));
        }
        grid.push(line);
    }
    align(grid)
}

fn counts_of(manifest: &Manifest, case: &str, model: &str) -> Counts {
    let mut counts = Counts::default();
    for cell in manifest.cells.iter().filter(|c| c.cell.model == model && c.cell.case_label() == case) {
        for trial in &cell.trials {
            counts.add(trial.standing);
        }
    }
    counts
}

/// `✓ 3/3`, `✗ 2/3`, `! 1/3 (2 error)`, `· not run`; for a control arm that must fail `✓ 3/3 fail`.
fn entry(counts: &Counts, expect: Expectation) -> (Tone, String) {
    if counts.expected == 0 {
        return (Tone::Plain, "–".to_owned());
    }
    let share = match expect {
        Expectation::Pass => format!("{}/{}", counts.passed, counts.expected),
        Expectation::Fail => format!("{}/{} fail", counts.failed, counts.expected),
    };
    let wrong = match expect {
        Expectation::Pass => counts.failed,
        Expectation::Fail => counts.passed,
    };
    let mut notes = Vec::new();
    if counts.error > 0 {
        notes.push(format!("{} error", counts.error));
    }
    if counts.not_run > 0 {
        notes.push(format!("{} not run", counts.not_run));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    match (wrong > 0, counts.complete()) {
        (true, _) => (Tone::Bad, format!("✗ {share}{notes}")),
        (false, false) => (Tone::Open, format!("! {share}{notes}")),
        (false, true) => (Tone::Good, format!("✓ {share}")),
    }
}

/// Pads each column to its widest entry.
pub(crate) fn align(mut grid: Vec<Vec<(Tone, String)>>) -> Vec<Vec<(Tone, String)>> {
    let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
    for column in 0..columns {
        let width =
            grid.iter().filter_map(|line| line.get(column)).map(|(_, text)| text.width()).max().unwrap_or(0);
        for line in &mut grid {
            if let Some((_, text)) = line.get_mut(column) {
                let pad = if column + 1 == columns { 0 } else { width - text.width() + 2 };
                text.push_str(&" ".repeat(pad));
            }
        }
    }
    grid
}

/// How many trials of a manifest are not as they should be, for a summary line.
#[must_use]
pub fn surprises(manifest: &Manifest) -> usize {
    manifest
        .cells
        .iter()
        .map(|cell| {
            let expect =
                manifest.plan.model(&cell.cell.model).map_or(Expectation::Pass, |model| model.expect);
            cell.trials
                .iter()
                .filter(|trial| {
                    matches!(
                        (trial.standing, expect),
                        (Standing::Failed, Expectation::Pass) | (Standing::Passed, Expectation::Fail)
                    )
                })
                .count()
        })
        .sum()
}
