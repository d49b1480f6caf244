//! The recorded traces of the replayed models in a plan.

use std::collections::HashMap;

use model_matrix::Provider;
use reports::{Cell, Plan};

use crate::case::{CaseErrors, Trace};
use crate::sitting::material::Material;

/// A case and variant, for look-ups.
pub(super) type Part = (String, Option<String>);

/// The part of its case that a cell is of.
pub(super) fn part(cell: &Cell) -> Part {
    (cell.case.clone(), cell.variant.clone())
}

/// The trace of each replayed model, by its id and part.
pub(super) struct Traces(HashMap<(String, Part), Trace>);

impl Traces {
    /// Loads every trace that `plan` needs.
    ///
    /// # Errors
    /// All that is wrong with any of them.
    pub(super) fn load(plan: &Plan, material: &Material) -> Result<Self, CaseErrors> {
        let mut traces = HashMap::new();
        let mut problems = Vec::new();
        for cell in &plan.cells {
            let key = (cell.model.clone(), part(cell));
            let model = material.matrix.get(&cell.model);
            let Some(Provider::Replay { trace, .. }) = model.map(|model| &model.provider) else { continue };
            let Some(case) = material.cases().find(|case| case.id == cell.case) else { continue };
            let Some(variant) = case.variant(cell.variant.as_deref()) else { continue };
            if traces.contains_key(&key) {
                continue;
            }
            match Trace::load(case, variant, trace) {
                Ok(trace) => {
                    traces.insert(key, trace);
                }
                Err(CaseErrors(found)) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(Self(traces)) } else { Err(CaseErrors(problems)) }
    }

    /// The trace of a cell, if its model is replayed.
    pub(super) fn of(&self, cell: &Cell) -> Option<&Trace> {
        self.0.get(&(cell.model.clone(), part(cell)))
    }
}
