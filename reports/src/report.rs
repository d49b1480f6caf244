//! What every renderer reads: a run's record, its rows, and what its cases and checkers say of themselves.
//!
//! Renderers differ in form only. Whatever they count, mark or call failed is decided here, once, from the stored rows.

mod fixtures;

use std::collections::BTreeMap;
use std::fmt;

use checkers::Outcome;
use serde::Serialize;

use crate::finding::Finding;
use crate::fixture::{self, StaticCounts};
use crate::gate::{self, Answer, Decision};
use crate::manifest::{CellRecord, Manifest};
use crate::plan::{Cell, Expectation};
use crate::row::{Counts, Row, Standing};
use crate::statistics;

pub use fixtures::FixtureView;

/// What a case says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaseFacts {
    /// Its name, such as `percentage-trap`.
    pub name: String,
    /// `happy` or `redline`.
    pub kind: String,
    /// What it shows, in a sentence.
    pub shows: String,
    /// What it binds to.
    pub binds: Vec<String>,
    /// The failure modes it covers.
    pub failure_modes: Vec<String>,
    /// Its file, as it is called in the project, with forward slashes.
    pub path: String,
}

/// What a checker says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckerFacts {
    /// What a pass proves.
    pub proves: String,
    /// What it does not.
    pub does_not_prove: String,
    /// Its clauses, in order: id, and what it requires.
    pub clauses: Vec<(String, String)>,
}

/// How a cell came out, whatever was expected of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Every trial failed.
    Failed,
    /// Some trials passed and some failed.
    Flaky,
    /// No trial failed, but one ended in an error.
    Error,
    /// No trial failed or ended in an error, but one was not run.
    NotRun,
    /// Every trial passed.
    Passed,
}

impl State {
    /// The word used in files and reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Flaky => "flaky",
            Self::Error => "error",
            Self::NotRun => "not-run",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a cell is as it should be: what decides colours, marks and exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Not decided: no verdict, in part or in whole.
    Open,
}

impl Tone {
    /// A mark that needs no colour.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Bad => "✗",
            Self::Open => "!",
        }
    }
}

/// One trial that is not as it should be, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble<'r> {
    /// The trial's key.
    pub trial: String,
    /// How it stands.
    pub standing: Standing,
    /// The first clause that does not hold, for a failure.
    pub clause: Option<&'r str>,
    /// What is wrong, in a line.
    pub reason: &'r str,
    /// The text that decided it, when it is in the transcript. It is the model's: hostile until escaped.
    pub evidence: Option<&'r str>,
    /// The line of the deciding transcript in the journal.
    pub line: Option<usize>,
}

/// A cell with all that renderers ask of it.
#[derive(Debug, Clone)]
pub struct CellView<'r> {
    /// The record.
    pub record: &'r CellRecord,
    /// The cell's key, such as `E6.i/r1/small`.
    pub key: String,
    /// How its trials stand.
    pub counts: Counts,
    /// How it came out.
    pub state: State,
    /// Whether that is as it should be.
    pub tone: Tone,
    /// What is wrong with it, trial by trial.
    pub troubles: Vec<Trouble<'r>>,
    /// How long its attempts took, all together, in milliseconds.
    pub elapsed_ms: u64,
    /// The Wilson interval at 95% of the pass rate; absent when nothing was judged.
    pub interval: Option<(f64, f64)>,
}

impl CellView<'_> {
    /// The cell.
    #[must_use]
    pub fn cell(&self) -> &Cell {
        &self.record.cell
    }
}

/// A run as renderers see it.
#[derive(Debug)]
pub struct Report {
    /// The record.
    pub manifest: Manifest,
    /// The verdicts, in the plan's order.
    pub rows: Vec<Row>,
    /// May a release rest on it.
    pub decision: Decision,
    /// The cases, by id.
    pub cases: BTreeMap<String, CaseFacts>,
    /// The checkers, by `name@version`.
    pub checkers: BTreeMap<String, CheckerFacts>,
    deciding: BTreeMap<String, usize>,
    discredited: Vec<String>,
}

impl Report {
    /// Puts a report together. `rows` are those the manifest was drawn up from.
    #[must_use]
    pub fn new(
        manifest: Manifest,
        rows: Vec<Row>,
        cases: BTreeMap<String, CaseFacts>,
        checkers: BTreeMap<String, CheckerFacts>,
    ) -> Self {
        let decision = gate::decide(&manifest);
        let mut deciding: BTreeMap<String, usize> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            // The first verdict on the model decides; an error only stands until there is one.
            match deciding.get(&row.id).map(|&at| rows[at].verdict) {
                None | Some(Outcome::Error) => {
                    deciding.insert(row.id.clone(), index);
                }
                Some(_) => {}
            }
        }
        Self { manifest, rows, decision, cases, checkers, deciding, discredited: Vec::new() }
    }

    /// The same, with what an examination of the run's whole folder has found: the answer is then that of the gate, and
    /// what discredits the record is a fault of the run.
    #[must_use]
    pub fn examined(mut self, findings: &[Finding]) -> Self {
        self.decision.answer = Answer::to(findings);
        self.decision.reasons = findings.iter().map(ToString::to_string).collect();
        let discredits = findings.iter().filter(|finding| finding.rule.discredits());
        self.discredited = discredits.map(ToString::to_string).collect();
        self
    }

    /// The row that decides how `trial` stands.
    #[must_use]
    pub fn deciding(&self, trial: &str) -> Option<&Row> {
        self.deciding.get(trial).map(|&index| &self.rows[index])
    }

    /// What is expected of a model.
    #[must_use]
    pub fn expectation(&self, model: &str) -> Expectation {
        self.manifest.plan.model(model).map_or(Expectation::Pass, |model| model.expect)
    }

    /// What is wrong with the run as a whole, so that no cell of it can be believed: these must be red in every form.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.manifest.counts.expected == 0 {
            faults.push("nothing was owed: an empty run proves nothing".to_owned());
        }
        for control in &self.manifest.controls {
            let checker = &control.checker;
            faults.extend(
                control
                    .failures
                    .iter()
                    .map(|failure| format!("the checker {checker} cannot be believed: {failure}")),
            );
        }
        let strangers = self.manifest.strangers.iter();
        faults.extend(strangers.map(|trial| format!("{trial} was played but is not owed")));
        faults.extend(self.discredited.iter().cloned());
        faults
    }

    /// How the run as a whole is to be seen: bad when a cell is or the run cannot be believed, open when something of its
    /// own part, the whole unless it is a shard, has no verdict.
    #[must_use]
    pub fn tone(&self) -> Tone {
        let failed = StaticCounts::of(&self.manifest.fixtures).failed > 0;
        if failed || self.cells().any(|view| view.tone == Tone::Bad) || !self.faults().is_empty() {
            Tone::Bad
        } else if self.manifest.own_part_is_complete() && !fixture::lacking(&self.manifest) {
            Tone::Good
        } else {
            Tone::Open
        }
    }

    /// What a case says of itself.
    #[must_use]
    pub fn case(&self, cell: &Cell) -> Option<&CaseFacts> {
        self.cases.get(&cell.case)
    }

    /// Every cell, in the plan's order.
    pub fn cells(&self) -> impl Iterator<Item = CellView<'_>> {
        self.manifest.cells.iter().map(|record| self.view(record))
    }

    fn view<'r>(&'r self, record: &'r CellRecord) -> CellView<'r> {
        let expect = self.expectation(&record.cell.model);
        let key = record.cell.to_string();
        let mut counts = Counts::default();
        let mut troubles = Vec::new();
        for trial in &record.trials {
            counts.add(trial.standing);
            if trial_tone(trial.standing, expect) != Tone::Good {
                troubles.push(self.trouble(format!("{key}/t{}", trial.trial), trial));
            }
        }
        let attempts = record.trials.iter().flat_map(|trial| &trial.attempts);
        CellView {
            record,
            state: state(counts),
            tone: tone(counts, expect),
            troubles,
            elapsed_ms: attempts.filter_map(|attempt| attempt.elapsed_ms).sum(),
            interval: statistics::wilson(counts.passed, counts.passed + counts.failed),
            counts,
            key,
        }
    }

    fn trouble<'r>(&'r self, id: String, trial: &'r crate::manifest::TrialRecord) -> Trouble<'r> {
        let row = self.deciding(&id);
        let clause = row.and_then(Row::first_failure);
        let reason = match (trial.standing, clause) {
            (Standing::Passed, _) => "a control arm that must fail, and it passed",
            (Standing::Failed, Some(clause)) => clause.reason.as_str(),
            _ => trial.reason.as_deref().unwrap_or("no reason recorded"),
        };
        let evidence = clause.and_then(|clause| clause.evidence.first());
        Trouble {
            standing: trial.standing,
            clause: clause.map(|clause| clause.id.as_str()),
            reason,
            evidence: evidence.map(|evidence| evidence.text.as_str()),
            line: row.map(|row| row.line),
            trial: id,
        }
    }
}

/// How trials of one or more cells came out.
pub(crate) fn state(counts: Counts) -> State {
    match counts {
        Counts { failed, passed, .. } if failed > 0 && passed > 0 => State::Flaky,
        Counts { failed, .. } if failed > 0 => State::Failed,
        Counts { error, .. } if error > 0 => State::Error,
        // A cell that owes nothing proves nothing.
        Counts { not_run, expected, .. } if not_run > 0 || expected == 0 => State::NotRun,
        _ => State::Passed,
    }
}

/// Whether one trial is as it should be.
pub(crate) fn trial_tone(standing: Standing, expect: Expectation) -> Tone {
    match (standing, expect) {
        (Standing::Passed, Expectation::Pass) | (Standing::Failed, Expectation::Fail) => Tone::Good,
        (Standing::Passed | Standing::Failed, _) => Tone::Bad,
        (Standing::Error | Standing::NotRun, _) => Tone::Open,
    }
}

/// Whether trials of one or more cells are as they should be.
pub(crate) fn tone(counts: Counts, expect: Expectation) -> Tone {
    let wrong = match expect {
        Expectation::Pass => counts.failed,
        Expectation::Fail => counts.passed,
    };
    match (wrong > 0, counts.complete() && counts.expected > 0) {
        (true, _) => Tone::Bad,
        (false, true) => Tone::Good,
        (false, false) => Tone::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: usize, failed: usize, error: usize, not_run: usize) -> Counts {
        Counts { expected: passed + failed + error + not_run, passed, failed, error, not_run }
    }

    #[test]
    fn a_failure_outweighs_what_is_missing_and_nothing_is_no_pass() {
        let table = [
            (counts(3, 0, 0, 0), State::Passed, Tone::Good),
            (counts(2, 1, 0, 0), State::Flaky, Tone::Bad),
            (counts(0, 3, 0, 0), State::Failed, Tone::Bad),
            (counts(0, 1, 2, 0), State::Failed, Tone::Bad),
            (counts(2, 0, 1, 0), State::Error, Tone::Open),
            (counts(2, 0, 0, 1), State::NotRun, Tone::Open),
            (counts(0, 0, 0, 0), State::NotRun, Tone::Open),
        ];
        for (counts, expected_state, expected_tone) in table {
            assert_eq!(
                (state(counts), tone(counts, Expectation::Pass)),
                (expected_state, expected_tone),
                "{counts:?}"
            );
        }
        assert_eq!(tone(counts(0, 3, 0, 0), Expectation::Fail), Tone::Good);
        assert_eq!(tone(counts(1, 2, 0, 0), Expectation::Fail), Tone::Bad);
    }
}
