//! A manifest in the making: trial by trial in the plan's order, so that nobody has to hold all rows to draw one up.

use super::{CellRecord, ControlRecord, Evidence, Manifest, ModelRecord, SCHEMA, TrialRecord};
use crate::plan::{Cell, Plan, TrialKey};
use crate::row::{Counts, Row, Standing};

/// What has been drawn up so far.
#[derive(Debug)]
pub struct Draft {
    plan: Plan,
    counts: Counts,
    models: Vec<ModelRecord>,
}

impl Draft {
    /// Nothing yet.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let models = plan.models.iter().map(|pin| ModelRecord::named(&pin.id)).collect();
        Self { plan, counts: Counts::default(), models }
    }

    /// What was owed.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The record of a cell, still without its trials.
    #[must_use]
    pub fn cell(&self, cell: &Cell) -> CellRecord {
        CellRecord::new(cell, &self.plan)
    }

    /// The record of the next trial, from all attempts at it in the order of the journal. `why_not_run` is the reason to
    /// give when there is no attempt though this run was to make one.
    pub fn trial(&mut self, key: &TrialKey, attempts: &[&Row], why_not_run: Option<&str>) -> TrialRecord {
        let (standing, deciding) = Standing::of(attempts);
        self.counts.add(standing);
        if let Some(model) = self.models.iter_mut().find(|model| model.id == key.cell.model) {
            model.add(standing, attempts);
        }
        let mut trial = TrialRecord::new(key.trial, standing, deciding, attempts);
        if standing == Standing::NotRun {
            if !self.plan.owns(key) {
                trial.reason = Some("it is another shard's".to_owned());
            } else if let Some(why) = why_not_run {
                trial.reason = Some(why.to_owned());
            }
        }
        trial
    }

    /// The manifest of `cells`, which were drawn up with this draft.
    #[must_use]
    pub fn finish(
        self,
        cells: Vec<CellRecord>,
        strangers: Vec<String>,
        controls: Vec<ControlRecord>,
        evidence: Vec<Evidence>,
    ) -> Manifest {
        let Self { plan, counts, models } = self;
        let models = models.into_iter().zip(&plan.models);
        let models = models.map(|(model, pin)| model.priced(pin.prices.as_ref())).collect();
        let schema = SCHEMA.to_owned();
        let (kinds, fixtures) = (Vec::new(), Vec::new());
        Manifest { schema, plan, cells, counts, models, strangers, controls, evidence, kinds, fixtures }
    }
}
