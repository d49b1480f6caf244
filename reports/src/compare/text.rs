//! A comparison for a terminal.

use super::{Change, Comparison, Pair, Unpaired};
use crate::figures::Part;
use crate::nightly::text::p_value;
use crate::report::Tone;
use crate::table::{Lines, Piece, plain as label};

/// All pairs are shown up to so many; beyond that only those that changed.
const ALL_SHOWN: usize = 40;

/// The pairs, worst first, as a table.
#[must_use]
pub fn pairs(comparison: &Comparison) -> Lines {
    let all = comparison.pairs.len() <= ALL_SHOWN;
    let mut shown: Vec<&Pair> = comparison
        .pairs
        .iter()
        .filter(|pair| all || pair.change != Change::Same || pair.missing > 0)
        .collect();
    shown.sort_by_key(|pair| pair.change);
    let mut grid: Lines = vec![heading(&["cell", "A", "B", "p", "adjusted", "change", ""])];
    for pair in shown {
        let before = match pair.before_as_judged {
            Some(then) if then != pair.before => format!("{} (then {then})", pair.before),
            _ => pair.before.to_string(),
        };
        let mut line = plain([
            pair.cell.to_string(),
            before,
            pair.after.to_string(),
            p_value(pair.p),
            p_value(pair.adjusted_p),
        ]);
        line.push((tone(pair.change), pair.change.name().to_owned()));
        line.push(label(remark(pair)));
        grid.push(line);
    }
    grid
}

fn remark(pair: &Pair) -> String {
    let mut remarks = Vec::new();
    if pair.missing > 0 {
        remarks.push(format!("{} trials without a verdict", pair.missing));
    }
    if pair.changed.contains(&Part::Checker) {
        remarks.push("checker changed".to_owned());
    }
    remarks.join(", ")
}

/// The models, as a table.
#[must_use]
pub fn models(comparison: &Comparison) -> Lines {
    let mut grid: Lines = vec![heading(&[
        "model",
        "cells",
        "A",
        "B",
        "p",
        "adjusted",
        "broke",
        "mended",
        "McNemar p",
        "change",
    ])];
    for model in &comparison.models {
        let mut line = plain([
            model.id.clone(),
            model.cells.to_string(),
            model.before.to_string(),
            model.after.to_string(),
            p_value(model.p),
            p_value(model.adjusted_p),
            model.sides.broke.to_string(),
            model.sides.mended.to_string(),
            p_value(model.sides.p),
        ]);
        line.push((tone(model.change), model.change.name().to_owned()));
        grid.push(line);
    }
    grid
}

/// What differs between the two runs besides chance, a line each.
#[must_use]
pub fn changes(comparison: &Comparison) -> Vec<String> {
    let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "no version".to_owned());
    let mut lines = Vec::new();
    for part in &comparison.changed {
        let count = comparison.pairs.iter().filter(|pair| pair.changed.contains(part)).count();
        lines.push(match part {
            Part::Charter => format!(
                "the charter changed ({} → {}): what is worse may be its doing",
                version(&comparison.before.charter_version),
                version(&comparison.after.charter_version)
            ),
            Part::Checker => format!(
                "the checker changed for {count} cells: A's transcripts were judged again by B's checkers"
            ),
            Part::Pin => {
                format!("the model pin changed for {count} cells: what is worse may be the new model's doing")
            }
            Part::Case | Part::Params => format!("the {} changed for {count} cells", part.name()),
        });
    }
    lines.extend(comparison.removed.iter().map(|cell| unpaired(cell, "is not in B")));
    lines.extend(comparison.new.iter().map(|cell| unpaired(cell, "is not in A")));
    lines
}

fn unpaired(cell: &Unpaired, what: &str) -> String {
    let parts: Vec<&str> = cell.changed.iter().map(|part| part.name()).collect();
    if parts.is_empty() {
        format!("{} {} {what}", cell.cell, cell.tally)
    } else {
        format!("{} {} {what}: its {} changed", cell.cell, cell.tally, parts.join(" and "))
    }
}

fn tone(change: Change) -> Option<Tone> {
    match change {
        Change::Worse => Some(Tone::Bad),
        Change::Slipped | Change::Unknown => Some(Tone::Open),
        Change::Same => None,
        Change::Rose | Change::Better => Some(Tone::Good),
    }
}

/// A p-value as people read it.
#[must_use]
pub fn number(p: f64) -> String {
    p_value(p)
}

fn heading(texts: &[&str]) -> Vec<Piece> {
    texts.iter().copied().map(label).collect()
}

fn plain(texts: impl IntoIterator<Item = String>) -> Vec<Piece> {
    texts.into_iter().map(label).collect()
}
