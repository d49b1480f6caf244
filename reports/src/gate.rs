//! The gate: may a release rest on this run? It counts what was owed, never what happened to be there.
//!
//! There is no way to turn a failure into a pass: no flag, no variable, no key.

use serde::Serialize;

use crate::fixture;
use crate::manifest::Manifest;
use crate::plan::{Expectation, Plan};
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

/// An answer and the reasons for it.
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
    let mut no = objections(&manifest.plan);
    let mut missing = Vec::new();
    for control in &manifest.controls {
        for failure in &control.failures {
            no.push(format!("the checker {} cannot be believed: {failure}", control.checker));
        }
    }
    for stranger in &manifest.strangers {
        no.push(format!("{stranger} was played but is not owed: the journal and the plan do not fit"));
    }
    let (reused, runs) = manifest.reused();
    if reused > 0 {
        no.push(format!(
            "trials were not played in this run but taken from {} ({reused} of them): a gate needs trials of the run's own",
            runs.join(", ")
        ));
    }
    for cell in &manifest.cells {
        weigh(cell, &manifest.plan, &mut no, &mut missing);
    }
    let (failed, lacking, mut aside) = fixture::weigh(&manifest.fixtures);
    no.extend(failed);
    missing.extend(lacking);
    let answer = match (no.is_empty(), missing.is_empty()) {
        (false, _) => Answer::No,
        (true, false) => Answer::Incomplete,
        (true, true) => Answer::Yes,
    };
    no.append(&mut missing);
    let mut remarks: Vec<String> = manifest.models.iter().flat_map(served::remarks).collect();
    remarks.append(&mut aside);
    Decision { answer, reasons: no, remarks }
}

/// What about the plan itself forbids a yes.
fn objections(plan: &Plan) -> Vec<String> {
    let mut no = Vec::new();
    if plan.cells.is_empty() || plan.trials == 0 {
        no.push("nothing was owed: an empty run proves nothing".to_owned());
    }
    match Plan::digest_of(&plan.cells, plan.trials) {
        Ok(digest) if digest == plan.expected_sha256 => {}
        _ => no.push("the expected set does not have the digest recorded for it".to_owned()),
    }
    if plan.models.iter().all(|model| model.replay) {
        no.push(
            "every subject answers from recorded traces: this run tries the harness, not a model; run it on a matrix of models"
                .to_owned(),
        );
    }
    for narrowing in &plan.narrowed {
        no.push(format!("the run was narrowed by hand ({narrowing}): a gate needs all of it"));
    }
    no
}

/// Sorts what one cell lacks into what says no and what is missing.
fn weigh(cell: &crate::manifest::CellRecord, plan: &Plan, no: &mut Vec<String>, missing: &mut Vec<String>) {
    let expect = plan.model(&cell.cell.model).map_or(Expectation::Pass, |model| model.expect);
    for trial in &cell.trials {
        let key = format!("{}/t{}", cell.cell, trial.trial);
        let reason = trial.reason.as_deref().unwrap_or("no reason recorded");
        match (trial.standing, expect) {
            (Standing::Passed, Expectation::Pass) | (Standing::Failed, Expectation::Fail) => {}
            (Standing::Failed, Expectation::Pass) => {
                no.push(format!("{key} failed {}", trial.failed_clauses.join(", ")));
            }
            (Standing::Passed, Expectation::Fail) => {
                no.push(format!("{key} is a control arm that must fail, and it passed"));
            }
            (Standing::Error, _) => missing.push(format!("{key} has no verdict: {reason}")),
            (Standing::NotRun, _) => missing.push(format!("{key} was not run: {reason}")),
        }
    }
}
