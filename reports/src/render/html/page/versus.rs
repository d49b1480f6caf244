//! The run set against an earlier one, by the rule of [`crate::compare`].

use serde::Serialize;

use super::{short, words};
use crate::compare::{Answer, Change, Comparison, text};
use crate::report::Tone;
use crate::statistics::Tally;

/// What else changed is shown at once up to so many lines.
const SHOWN: usize = 8;
/// Cells listed; the rest is counted.
const MOST: usize = 200;

/// The comparison.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    mark: &'static str,
    class: &'static str,
    answer: &'static str,
    before: String,
    before_planned: String,
    changes: Vec<String>,
    /// More of them, folded away.
    more: Vec<String>,
    models: Vec<Line>,
    cells: Vec<Line>,
    /// Cells with the same rate in both.
    same: usize,
    left_out: usize,
    sides: String,
}

/// A model or a cell, before and after.
#[derive(Debug, Serialize)]
struct Line {
    mark: &'static str,
    class: &'static str,
    name: String,
    before: String,
    after: String,
    p: String,
    adjusted: String,
    change: String,
}

/// The section of `comparison`.
pub(super) fn section(comparison: &Comparison) -> Section {
    let (tone, answer) = match comparison.answer {
        Answer::NothingWorse => (Tone::Good, "Nothing is worse"),
        Answer::Worse => (Tone::Bad, "Worse"),
        Answer::Incomplete => (Tone::Open, "Nothing was found worse, but not all could be compared"),
    };
    let mut pairs: Vec<_> =
        comparison.pairs.iter().filter(|pair| pair.change != Change::Same || pair.missing > 0).collect();
    pairs.sort_by_key(|pair| pair.change);
    let same = comparison.pairs.len() - pairs.len();
    let mut changes: Vec<String> = text::changes(comparison).iter().map(|change| short(change)).collect();
    let more = changes.split_off(changes.len().min(SHOWN));
    Section {
        mark: tone.mark(),
        class: words(tone).0,
        answer,
        before: short(&comparison.before.run),
        before_planned: short(&comparison.before.planned),
        changes,
        more,
        models: comparison
            .models
            .iter()
            .map(|model| {
                line(&model.id, (model.before, model.after), (model.p, model.adjusted_p), model.change)
            })
            .collect(),
        same,
        left_out: pairs.len().saturating_sub(MOST),
        cells: pairs
            .into_iter()
            .take(MOST)
            .map(|pair| {
                let p = (pair.p, pair.adjusted_p);
                line(&pair.cell.to_string(), (pair.before, pair.after), p, pair.change)
            })
            .collect(),
        sides: format!(
            "{} cells broke, {} were mended; McNemar p = {}",
            comparison.sides.broke,
            comparison.sides.mended,
            text::number(comparison.sides.p)
        ),
    }
}

fn line(name: &str, (before, after): (Tally, Tally), (p, adjusted): (f64, f64), change: Change) -> Line {
    let (mark, class) = match change {
        Change::Worse => ("✗", "bad"),
        Change::Slipped => ("↘", "open"),
        Change::Unknown => ("?", "open"),
        Change::Same => ("=", "plain"),
        Change::Rose => ("↗", "plain"),
        Change::Better => ("✓", "good"),
    };
    Line {
        mark,
        class,
        name: short(name),
        before: before.to_string(),
        after: after.to_string(),
        p: text::number(p),
        adjusted: text::number(adjusted),
        change: change.name().to_lowercase(),
    }
}
