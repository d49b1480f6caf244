//! Tables for a terminal: the matrix of cases × models, and how a table is aligned and, on a narrow terminal, folded.
//! Colour is left to the caller; a mark beside each share says the same.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::plan::Expectation;
use crate::report::{self, Report, Tone};
use crate::row::Counts;

/// A piece of text and how it should be seen; headings and labels have no tone.
pub type Piece = (Option<Tone>, String);

/// The lines of a table, the heading first.
pub type Lines = Vec<Vec<Piece>>;

/// Between two columns.
const GAP: usize = 2;

/// The least that is left of a text that is shortened.
const LEAST: usize = 8;

/// A piece without a tone.
pub fn plain(text: impl Into<String>) -> Piece {
    (None, text.into())
}

/// The matrix of cases × models: n/n in each cell and a mark beside it.
#[must_use]
pub fn matrix(report: &Report) -> Lines {
    let mut cases: Vec<String> = Vec::new();
    for record in &report.manifest.cells {
        let label = record.cell.case_label();
        if cases.last() != Some(&label) && !cases.contains(&label) {
            cases.push(label);
        }
    }
    let models = &report.manifest.plan.models;
    let heading = std::iter::once("case").chain(models.iter().map(|model| model.id.as_str()));
    let mut lines: Lines = vec![heading.map(plain).collect()];
    for case in cases {
        let entries = models.iter().map(|model| entry(counts(report, &case, &model.id), model.expect));
        let entries: Vec<Piece> = entries.collect();
        lines.push(std::iter::once(plain(case)).chain(entries).collect());
    }
    lines
}

/// How the trials of all rows of a case stand with a model.
fn counts(report: &Report, case: &str, model: &str) -> Counts {
    let mut counts = Counts::default();
    let cells = report.manifest.cells.iter();
    for record in cells.filter(|record| record.cell.model == model && record.cell.case_label() == case) {
        for trial in &record.trials {
            counts.add(trial.standing);
        }
    }
    counts
}

/// `✓ 3/3`, `✗ 2/3`, `! 1/3 (2 error)`; for a control arm that must fail `✓ 3/3 fail`.
fn entry(counts: Counts, expect: Expectation) -> Piece {
    if counts.expected == 0 {
        return plain("–");
    }
    let tone = report::tone(counts, expect);
    let share = match expect {
        Expectation::Pass => format!("{}/{}", counts.passed, counts.expected),
        Expectation::Fail => format!("{}/{} fail", counts.failed, counts.expected),
    };
    let missing = [(counts.error, "error"), (counts.not_run, "not run")];
    let notes: Vec<String> = missing
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    (Some(tone), format!("{} {share}{notes}", tone.mark()))
}

/// Aligns the columns. When they are wider than `width`, the table comes in several blocks, each with the first column
/// again; a text that would fill a block alone is shortened in its middle.
#[must_use]
pub fn fold(mut lines: Lines, width: Option<usize>) -> Vec<Lines> {
    let limit = width.unwrap_or(usize::MAX);
    let natural = widths(&lines);
    let total = natural.iter().sum::<usize>() + GAP * natural.len().saturating_sub(1);
    if total <= limit {
        return vec![align(lines)];
    }
    shorten_column(&mut lines, 0, (limit / 2).max(LEAST));
    let label = widths(&lines).first().copied().unwrap_or(0);
    let room = limit.saturating_sub(label + GAP).max(LEAST);
    for column in 1..natural.len() {
        shorten_column(&mut lines, column, room);
    }
    blocks(&widths(&lines), room)
        .into_iter()
        .map(|columns| {
            let pick = |line: &Vec<Piece>| {
                std::iter::once(0)
                    .chain(columns.clone())
                    .filter_map(|column| line.get(column).cloned())
                    .collect()
            };
            align(lines.iter().map(pick).collect())
        })
        .collect()
}

/// Which columns, besides the first, stand together in a block of `room`.
fn blocks(widths: &[usize], room: usize) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let (mut start, mut used) = (1, 0);
    for (column, width) in widths.iter().enumerate().skip(1) {
        let needed = if column == start { *width } else { used + GAP + width };
        if needed > room && column > start {
            blocks.push(start..column);
            (start, used) = (column, *width);
        } else {
            used = needed;
        }
    }
    blocks.push(start..widths.len().max(start));
    blocks
}

fn widths(lines: &Lines) -> Vec<usize> {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|(_, text)| text.width()).max().unwrap_or(0)
    };
    (0..columns).map(width).collect()
}

fn shorten_column(lines: &mut Lines, column: usize, width: usize) {
    for (_, text) in lines.iter_mut().filter_map(|line| line.get_mut(column)) {
        *text = shorten(text, width);
    }
}

/// A text in at most `width` columns: its two ends, which tell names apart better than their beginnings.
#[must_use]
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let half = width.saturating_sub(1) / 2;
    let head = within(text.chars(), width.saturating_sub(1) - half);
    let tail: String = within(text.chars().rev(), half).chars().rev().collect();
    format!("{head}…{tail}")
}

/// The first characters that fit into `width` columns.
fn within(text: impl Iterator<Item = char>, width: usize) -> String {
    let mut used = 0;
    text.take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= width
    })
    .collect()
}

/// Pads each column to its widest entry.
fn align(mut lines: Lines) -> Lines {
    let widths = widths(&lines);
    for line in &mut lines {
        let last = line.len().saturating_sub(1);
        for (column, (_, text)) in line.iter_mut().enumerate().take(last) {
            let pad = widths.get(column).map_or(0, |width| width - text.width() + GAP);
            text.push_str(&" ".repeat(pad));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(blocks: &[Lines]) -> String {
        let line = |line: &Vec<Piece>| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
        let block = |block: &Lines| block.iter().map(line).collect::<Vec<_>>().join("\n");
        blocks.iter().map(block).collect::<Vec<_>>().join("\n\n")
    }

    fn wide() -> Lines {
        let models = ["模型-大", "claude-sonnet-4-5-20250929", "🦙-local:7b", "gpt-4.1-nano-2025-04-14"];
        let row = |case: &str| {
            std::iter::once(plain(case))
                .chain(models.iter().map(|_| (Some(Tone::Good), "✓ 3/3".to_owned())))
                .collect()
        };
        let heading = std::iter::once("case").chain(models).map(plain).collect();
        vec![heading, row("E1"), row("E10.second"), row("事例.一")]
    }

    #[test]
    fn a_table_folds_where_it_does_not_fit_and_wide_characters_take_two_columns() {
        insta::assert_snapshot!("table-unlimited", text(&fold(wide(), None)));
        insta::assert_snapshot!("table-80", text(&fold(wide(), Some(80))));
        insta::assert_snapshot!("table-40", text(&fold(wide(), Some(40))));
        insta::assert_snapshot!("table-20", text(&fold(wide(), Some(20))));
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal_and_every_column_is_there(
            rows in prop::collection::vec(prop::collection::vec("[a-z模🦙 -]{0,30}", 1..9), 1..6),
            width in 24_usize..200,
        ) {
            let columns = rows[0].len();
            let rest = || std::iter::repeat_n(String::new(), columns);
            let rows: Vec<_> = rows
                .into_iter()
                .map(|row| row.into_iter().chain(rest()).take(columns).map(plain).collect())
                .collect();
            let blocks = fold(rows, Some(width));
            for line in text(&blocks).lines() {
                prop_assert!(line.width() <= width, "{} > {width}: {line:?}", line.width());
            }
            let shown: usize = blocks.iter().map(|block| block[0].len() - 1).sum();
            prop_assert_eq!(shown, columns - 1);
        }

        #[test]
        fn a_shortened_text_fits(text in "\\PC{0,60}", width in 1_usize..40) {
            prop_assert!(shorten(&text, width).width() <= width);
        }
    }
}
