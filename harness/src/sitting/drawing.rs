//! The manifest, drawn up from rows and from what lies in the folder: by whoever concludes a run, and again by whoever
//! audits it.

use reports::manifest::{CellRecord, ControlRecord, Draft, Evidence, TrialRecord};
use reports::{Cell, Manifest, Plan, Row, TrialKey};

use super::material::Material;
use super::rundir::{RunDir, RunDirError};
use super::unplayable::Unplayable;
use super::{fixtures, sittings};

/// A manifest in the making.
#[derive(Debug)]
pub(crate) struct Drawing {
    draft: Draft,
    unplayable: Unplayable,
    last_stop: Option<String>,
}

impl Drawing {
    /// Nothing is drawn up yet.
    pub(crate) fn new(run: &RunDir, plan: Plan, material: &Material) -> Self {
        let unplayable = Unplayable::new(&plan, material);
        Self { draft: Draft::new(plan), unplayable, last_stop: sittings::last_stop(run) }
    }

    /// What was owed.
    pub(crate) fn plan(&self) -> &Plan {
        self.draft.plan()
    }

    /// The record of a cell, still without its trials.
    pub(crate) fn cell(&self, cell: &Cell) -> CellRecord {
        self.draft.cell(cell)
    }

    /// The record of the next trial of the plan, from all attempts at it.
    pub(crate) fn trial(&mut self, key: &TrialKey, attempts: &[&Row]) -> TrialRecord {
        // What could not have been played at all is no matter of when the run stopped.
        let unsupported = self.unplayable.why(&key.cell).map(|why| format!("unsupported: {why}"));
        self.draft.trial(key, attempts, unsupported.as_deref().or(self.last_stop.as_deref()))
    }

    /// The manifest of `cells`, with what static fixtures answered and what `evidence` lies in the folder.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn finish(
        self,
        run: &RunDir,
        cells: Vec<CellRecord>,
        strangers: Vec<String>,
        evidence: Vec<Evidence>,
        material: &Material,
    ) -> Result<Manifest, RunDirError> {
        let controls = control_records(self.plan(), material);
        let mut manifest = self.draft.finish(cells, strangers, controls, evidence);
        fixtures::record(&mut manifest, run.statics()?, material);
        Ok(manifest)
    }
}

/// How the controls of the checkers in `plan` went.
fn control_records(plan: &Plan, material: &Material) -> Vec<ControlRecord> {
    plan.checkers
        .iter()
        .map(|input| {
            let checker = material.library.iter().find(|checker| checker.label() == input.name);
            ControlRecord {
                checker: input.name.clone(),
                controls: checker.map_or(0, |checker| checker.controls.len()),
                failures: match checker {
                    Some(checker) => {
                        checker.distrust().iter().map(|failure| failure.message.clone()).collect()
                    }
                    None => vec!["the checker is not among the inputs".to_owned()],
                },
            }
        })
        .collect()
}
