//! The gate: may a release rest on this run? It counts what was owed, never what happened to be there.
//!
//! There is no way to turn a failure into a pass: no flag, no variable, no key.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::finding::{Finding, Rule};
use crate::fixture;
use crate::manifest::{Manifest, TrialRecord};
use crate::plan::{Cell, Expectation, Plan};
use crate::row::Standing;
use crate::served;

/// The gate's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Every expected trial of every model passed.
    Yes,
    /// Something says no.
    No,
    /// Nothing failed, but something owed has no verdict.
    Incomplete,
}

impl Answer {
    /// What findings come to.
    #[must_use]
    pub fn to(findings: &[Finding]) -> Self {
        if findings.is_empty() {
            Self::Yes
        } else if findings.iter().all(|finding| finding.rule.is_incomplete()) {
            Self::Incomplete
        } else {
            Self::No
        }
    }
}

/// An answer and the reasons for it, as reports tell them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// Why not, most weighty first; empty for a yes.
    pub reasons: Vec<String>,
    /// What speaks against nothing, but should have been seen by whoever relies on the answer.
    pub remarks: Vec<String>,
}

/// Decides on a manifest.
#[must_use]
pub fn decide(manifest: &Manifest) -> Decision {
    let findings = findings(manifest);
    let reasons = findings.iter().map(|finding| finding.message.clone()).collect();
    let remarks = manifest.models.iter().flat_map(served::remarks).collect();
    Decision { answer: Answer::to(&findings), reasons, remarks }
}

/// The file whose lines the gate points to.
const JOURNAL: &str = "transcripts.jsonl";

/// What in a manifest forbids a yes, most weighty first; empty for a yes.
#[must_use]
pub fn findings(manifest: &Manifest) -> Vec<Finding> {
    let mut trials = Trials::default();
    for record in &manifest.cells {
        for trial in &record.trials {
            trials.add(&record.cell, trial, &manifest.plan);
        }
    }
    findings_with(manifest, trials)
}

/// As [`findings`], of a manifest whose trials were taken in before: its cells are not looked at.
#[must_use]
pub fn findings_with(manifest: &Manifest, trials: Trials) -> Vec<Finding> {
    let mut found = objections(&manifest.plan);
    for control in &manifest.controls {
        for failure in &control.failures {
            let message = format!("the checker {} cannot be believed: {failure}", control.checker);
            found.push(Finding::new(Rule::Controls, message));
        }
    }
    for stranger in &manifest.strangers {
        let message = format!("{stranger} was played but is not owed: the journal and the plan do not fit");
        found.push(Finding::new(Rule::Stranger, message).of(JOURNAL));
    }
    if trials.reused > 0 {
        let message = format!(
            "trials were not played in this run but taken from {} ({} of them): a gate needs trials of the run's own",
            trials.runs.into_iter().collect::<Vec<_>>().join(", "),
            trials.reused
        );
        found.push(Finding::new(Rule::Reused, message).of(JOURNAL));
    }
    found.extend(trials.no);
    let (failed, lacking, _) = fixture::weigh(&manifest.fixtures);
    found.extend(failed.into_iter().map(|message| Finding::new(Rule::Failed, message)));
    found.extend(trials.missing);
    found.extend(lacking.into_iter().map(|message| Finding::new(Rule::NotRun, message)));
    found
}

/// What the trials of a manifest come to, taken in one by one.
#[derive(Debug, Default)]
pub struct Trials {
    no: Vec<Finding>,
    missing: Vec<Finding>,
    /// Attempts that were not played in this run.
    reused: usize,
    /// Where they come from.
    runs: BTreeSet<String>,
}

impl Trials {
    /// Takes in the next trial.
    pub fn add(&mut self, cell: &Cell, trial: &TrialRecord, plan: &Plan) {
        for from in trial.attempts.iter().filter_map(|attempt| attempt.reused_from.as_ref()) {
            self.reused += 1;
            if !self.runs.contains(&from.run) {
                self.runs.insert(from.run.clone());
            }
        }
        match weigh(cell, trial, plan) {
            Some(finding) if finding.rule.is_incomplete() => self.missing.push(finding),
            Some(finding) => self.no.push(finding),
            None => {}
        }
    }
}

/// What about the plan itself forbids a yes.
fn objections(plan: &Plan) -> Vec<Finding> {
    let mut no = Vec::new();
    if plan.cells.is_empty() || plan.trials == 0 {
        no.push(Finding::new(Rule::Empty, "nothing was owed: an empty run proves nothing"));
    }
    match Plan::digest_of(&plan.cells, plan.trials) {
        Ok(digest) if digest == plan.expected_sha256 => {}
        Ok(digest) => no.push(
            Finding::new(Rule::ExpectedSet, "the expected set does not have the digest recorded for it")
                .of("plan.json")
                .but(&digest, &plan.expected_sha256),
        ),
        Err(error) => no.push(Finding::new(Rule::ExpectedSet, error.to_string()).of("plan.json")),
    }
    if plan.models.iter().all(|model| model.replay) {
        no.push(Finding::new(
            Rule::Replay,
            "every subject answers from recorded traces: this run tries the harness, not a model; run it on a matrix of models",
        ));
    }
    for narrowing in &plan.narrowed {
        let message = format!("the run was narrowed by hand ({narrowing}): a gate needs all of it");
        no.push(Finding::new(Rule::ExpectedSet, message).of("plan.json"));
    }
    no
}

/// What one trial lacks, if anything.
fn weigh(cell: &Cell, trial: &TrialRecord, plan: &Plan) -> Option<Finding> {
    let expect = plan.model(&cell.model).map_or(Expectation::Pass, |model| model.expect);
    let key = format!("{cell}/t{}", trial.trial);
    let reason = trial.reason.as_deref().unwrap_or("no reason recorded");
    let (rule, message) = match (trial.standing, expect) {
        (Standing::Passed, Expectation::Pass) | (Standing::Failed, Expectation::Fail) => return None,
        (Standing::Failed, Expectation::Pass) => {
            (Rule::Failed, format!("{key} failed {}", trial.failed_clauses.join(", ")))
        }
        (Standing::Passed, Expectation::Fail) => {
            (Rule::Failed, format!("{key} is a control arm that must fail, and it passed"))
        }
        (Standing::Error, _) => (Rule::NoVerdict, format!("{key} has no verdict: {reason}")),
        (Standing::NotRun, _) => {
            return Some(Finding::new(Rule::NotRun, format!("{key} was not run: {reason}")));
        }
    };
    let finding = Finding::new(rule, message).of(JOURNAL);
    Some(match trial.attempts.last() {
        Some(attempt) => finding.at(attempt.line),
        None => finding,
    })
}
