//! The checkers: what a pass proves and what it does not, the clauses, and whether the controls came out right.

use serde::Serialize;

use super::short;
use crate::render::text;
use crate::report::Report;

/// A checker that judged in this run.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    label: String,
    sha256: String,
    proves: String,
    does_not_prove: String,
    clauses: Vec<(String, String)>,
    controls: usize,
    failures: Vec<String>,
}

/// The checkers of `report`.
pub(super) fn entries(report: &Report) -> Vec<Entry> {
    let plan = &report.manifest.plan;
    plan.checkers
        .iter()
        .map(|input| {
            let facts = report.checkers.get(&input.name);
            let record = report.manifest.controls.iter().find(|record| record.checker == input.name);
            let clauses = facts.map(|facts| facts.clauses.as_slice()).unwrap_or_default();
            let says = |text: Option<&String>| text.map(|text| text::line(text, 2_000)).unwrap_or_default();
            Entry {
                label: short(&input.name),
                sha256: short(&input.sha256),
                proves: says(facts.map(|facts| &facts.proves)),
                does_not_prove: says(facts.map(|facts| &facts.does_not_prove)),
                clauses: clauses.iter().map(|(id, says)| (short(id), text::line(says, 1_000))).collect(),
                controls: record.map_or(0, |record| record.controls),
                failures: record
                    .map(|record| record.failures.iter().map(|failure| text::line(failure, 400)).collect())
                    .unwrap_or_default(),
            }
        })
        .collect()
}
