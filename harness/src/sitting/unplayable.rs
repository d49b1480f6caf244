//! Cells that cannot be played because their subject is a program that the case does not suit. Computed from the inputs,
//! so that whoever plays, concludes or audits comes to the same.

use std::collections::HashMap;

use reports::{Cell, Plan};

use super::material::Material;
use crate::agent::suits;
use crate::instance::Playable;

/// The cells of a plan that cannot be played, with why.
#[derive(Debug, Default)]
pub struct Unplayable(HashMap<Cell, String>);

impl Unplayable {
    /// Looks at every cell whose subject is a program.
    #[must_use]
    pub fn new(plan: &Plan, material: &Material) -> Self {
        let found = plan.cells.iter().filter_map(|cell| {
            let program = material.matrix.get(&cell.model)?.provider.program()?;
            // One that cannot be made is told of when it is played.
            let playable = Playable::new(material, cell).ok()?;
            suits::unsupported(program, &playable).map(|why| (cell.clone(), why))
        });
        Self(found.collect())
    }

    /// Why a cell cannot be played, if it cannot.
    #[must_use]
    pub fn why(&self, cell: &Cell) -> Option<&str> {
        self.0.get(cell).map(String::as_str)
    }
}
