//! The index of the page's trials, column by column: what the table lists, sorts and filters, and where each transcript is.
//!
//! Columns of small numbers stay small in the page and in the browser; a hundred thousand objects would not.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::store::Place;
use crate::render::text;
use crate::report::{self, CellView, Report, Tone};

/// How much of a reason is in the index, in characters; the transcript has all of it.
const REASON: usize = 160;

/// A case, with its variant.
#[derive(Debug, Serialize)]
struct Case {
    label: String,
    name: String,
    kind: String,
}

/// The columns.
#[derive(Debug, Default, Serialize)]
pub(super) struct Index<'r> {
    run: &'r str,
    cases: Vec<Case>,
    models: Vec<&'r str>,
    /// Ids of clauses that some trial failed.
    clauses: Vec<&'r str>,
    /// One entry a cell: its case, its model, its row, how it came out, how many trials it has.
    cell_case: Vec<usize>,
    cell_model: Vec<usize>,
    cell_row: Vec<usize>,
    cell_state: Vec<&'static str>,
    cell_trials: Vec<usize>,
    /// One entry a trial.
    trial: Vec<u32>,
    standing: Vec<u8>,
    tone: Vec<u8>,
    elapsed_ms: Vec<u64>,
    tokens: Vec<u64>,
    retries: Vec<u32>,
    attempts: Vec<usize>,
    /// By trial: the clauses that it failed.
    failed: BTreeMap<usize, Vec<usize>>,
    /// By trial: what is wrong, in a line.
    why: BTreeMap<usize, String>,
    /// One entry an attempt, in the order of the trials; -1 when its transcript is not in the page.
    block: Vec<i64>,
    slot: Vec<i64>,
    blocks: u32,
}

impl<'r> Index<'r> {
    /// The index of `report`, whose transcripts are at `places` by their line, in so many blocks.
    pub fn new(report: &'r Report, places: &HashMap<usize, Place>, blocks: u32) -> Self {
        let mut index = Self { run: &report.manifest.plan.run, blocks, ..Self::default() };
        let mut names = Names::default();
        for view in report.cells() {
            index.add(report, &view, &mut names, places);
        }
        index
    }

    fn add(
        &mut self,
        report: &'r Report,
        view: &CellView<'r>,
        names: &mut Names<'r>,
        places: &HashMap<usize, Place>,
    ) {
        let cell = &view.record.cell;
        let label = cell.case_label();
        let case = *names.cases.entry(label.clone()).or_insert_with(|| {
            let facts = report.case(cell);
            self.cases.push(Case {
                label,
                name: facts.map_or_else(String::new, |facts| facts.name.clone()),
                kind: facts.map_or_else(String::new, |facts| facts.kind.clone()),
            });
            self.cases.len() - 1
        });
        self.cell_case.push(case);
        self.cell_model.push(numbered(&mut names.models, &mut self.models, &cell.model));
        self.cell_row.push(cell.row);
        self.cell_state.push(view.state.as_str());
        self.cell_trials.push(view.record.trials.len());
        let expect = report.expectation(&cell.model);
        let mut troubles = view.troubles.iter();
        for record in &view.record.trials {
            let here = self.trial.len();
            let tone = report::trial_tone(record.standing, expect);
            // Troubles are those of the trials that are not good, in the same order.
            if let Some(trouble) = if tone == Tone::Good { None } else { troubles.next() } {
                self.why.insert(here, text::line(trouble.reason, REASON));
            }
            if !record.failed_clauses.is_empty() {
                let clauses = record.failed_clauses.iter();
                let clauses =
                    clauses.map(|clause| numbered(&mut names.clauses, &mut self.clauses, clause)).collect();
                self.failed.insert(here, clauses);
            }
            self.trial.push(record.trial);
            self.standing.push(record.standing as u8);
            self.tone.push(tone as u8);
            let attempts = &record.attempts;
            self.elapsed_ms.push(attempts.iter().filter_map(|attempt| attempt.elapsed_ms).sum());
            let usage = attempts.iter().filter_map(|attempt| attempt.usage);
            self.tokens.push(usage.map(|usage| usage.total()).fold(0, u64::saturating_add));
            self.retries.push(attempts.iter().map(|attempt| attempt.retries).sum());
            self.attempts.push(attempts.len());
            for attempt in attempts {
                let place = places.get(&attempt.line);
                self.block.push(place.map_or(-1, |place| i64::from(place.block)));
                self.slot.push(place.map_or(-1, |place| i64::from(place.slot)));
            }
        }
    }
}

#[derive(Debug, Default)]
struct Names<'r> {
    cases: HashMap<String, usize>,
    models: HashMap<&'r str, usize>,
    clauses: HashMap<&'r str, usize>,
}

/// The number of a name, a new one when it is new.
fn numbered<'r>(known: &mut HashMap<&'r str, usize>, names: &mut Vec<&'r str>, name: &'r str) -> usize {
    *known.entry(name).or_insert_with(|| {
        names.push(name);
        names.len() - 1
    })
}
