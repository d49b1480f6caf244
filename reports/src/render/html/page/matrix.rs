//! The matrix of cases and models. A case's rows are pooled; the table of trials has them one by one.

use std::collections::HashMap;

use minijinja::Value;
use serde::Serialize;

use super::{fragment, percents, short, words};
use crate::plan::Expectation;
use crate::render::charts::spark;
use crate::render::html::Past;
use crate::report::{self, CellView, Report, State, Tone};
use crate::row::Counts;
use crate::statistics;

/// The matrix.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    models: Vec<Column>,
    lines: Vec<Line>,
    has_past: bool,
}

/// A model.
#[derive(Debug, Serialize)]
struct Column {
    id: String,
    role: String,
    must_fail: bool,
    replay: bool,
}

/// A case.
#[derive(Debug, Serialize)]
struct Line {
    label: String,
    name: String,
    kind: String,
    shows: String,
    cells: Vec<Option<Square>>,
}

/// A case on a model.
#[derive(Debug, Serialize)]
struct Square {
    mark: &'static str,
    class: &'static str,
    /// Whether it is as it should be, in words.
    says: &'static str,
    share: String,
    interval: String,
    /// What is special about it.
    word: String,
    href: String,
    spark: Option<Value>,
    past: String,
}

/// The matrix of `report`.
pub(super) fn section(report: &Report, views: &[CellView<'_>], past: Option<&Past>) -> Section {
    let models = &report.manifest.plan.models;
    let places: HashMap<&str, usize> =
        models.iter().enumerate().map(|(index, model)| (model.id.as_str(), index)).collect();
    let mut lines: Vec<(String, &CellView<'_>, Vec<Option<Counts>>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for view in views {
        let label = view.cell().case_label();
        let line = *known.entry(label.clone()).or_insert_with(|| {
            lines.push((label, view, vec![None; models.len()]));
            lines.len() - 1
        });
        if let Some(&model) = places.get(view.cell().model.as_str()) {
            add(lines[line].2[model].get_or_insert_default(), view.counts);
        }
    }
    Section {
        models: models
            .iter()
            .map(|model| Column {
                id: short(&model.id),
                role: short(&model.role),
                must_fail: model.expect == Expectation::Fail,
                replay: model.replay,
            })
            .collect(),
        lines: lines
            .into_iter()
            .map(|(label, view, counts)| {
                let facts = report.case(view.cell());
                let cells = models.iter().zip(counts).map(|(model, counts)| {
                    let past = past.and_then(|past| past.cells.get(&(label.clone(), model.id.clone())));
                    counts.map(|counts| square(&label, &model.id, counts, model.expect, past))
                });
                Line {
                    cells: cells.collect(),
                    name: facts.map(|facts| short(&facts.name)).unwrap_or_default(),
                    kind: facts.map(|facts| short(&facts.kind)).unwrap_or_default(),
                    shows: facts
                        .map(|facts| crate::render::text::line(&facts.shows, 400))
                        .unwrap_or_default(),
                    label: short(&label),
                }
            })
            .collect(),
        has_past: past.is_some(),
    }
}

fn add(sum: &mut Counts, counts: Counts) {
    sum.expected += counts.expected;
    sum.passed += counts.passed;
    sum.failed += counts.failed;
    sum.error += counts.error;
    sum.not_run += counts.not_run;
}

fn square(
    case: &str,
    model: &str,
    counts: Counts,
    expect: Expectation,
    past: Option<&Vec<Option<f64>>>,
) -> Square {
    let tone = report::tone(counts, expect);
    let (class, says) = words(tone);
    Square {
        mark: tone.mark(),
        class,
        says,
        share: format!("{}/{}", counts.passed, counts.expected),
        interval: statistics::wilson(counts.passed, counts.passed + counts.failed)
            .map_or_else(|| "no verdict".to_owned(), percents),
        word: word(counts, tone, expect),
        href: format!("#case={}&model={}", fragment(case), fragment(model)),
        spark: past.map(|rates| Value::from_safe_string(spark::svg(rates))),
        past: past.map(|rates| spark::words(rates)).unwrap_or_default(),
    }
}

fn word(counts: Counts, tone: Tone, expect: Expectation) -> String {
    let mut words = Vec::new();
    match (tone, expect, report::state(counts)) {
        (Tone::Good, Expectation::Fail, _) => words.push("fails, as it must".to_owned()),
        (Tone::Bad, Expectation::Fail, _) => words.push("passes, and must not".to_owned()),
        (Tone::Bad, _, State::Flaky) => words.push("flaky".to_owned()),
        (Tone::Bad, ..) => words.push("failed".to_owned()),
        _ => {}
    }
    if counts.error > 0 {
        words.push(if counts.error == 1 { "1 error".to_owned() } else { format!("{} errors", counts.error) });
    }
    if counts.not_run > 0 {
        words.push(format!("{} not run", counts.not_run));
    }
    words.join(", ")
}
