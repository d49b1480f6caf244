//! Which cell of one run is which of the other.

use std::collections::HashMap;

use super::Unpaired;
use crate::figures::{Figure, Figures};

/// Whether cells on differently pinned models may be paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pins {
    /// No: another pin is another model.
    #[default]
    Same,
    /// Yes, by the model's id in the matrix: to see what a new pin brings.
    Across,
}

/// Who is with whom, by index.
pub(super) struct Matched {
    /// Earlier and later, in the later run's order.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Earlier ones left over.
    pub(super) removed: Vec<usize>,
    /// Later ones left over.
    pub(super) new: Vec<usize>,
}

/// What was tried: case digest, variant, row, its parameters, and the model.
type Key<'f> = (&'f str, Option<&'f str>, usize, &'f str, &'f str);

fn key(figure: &Figure, pins: Pins) -> Key<'_> {
    let (cell, identity) = (&figure.cell, &figure.identity);
    let model = match pins {
        Pins::Same => identity.pin_sha256.as_str(),
        Pins::Across => cell.model.as_str(),
    };
    (&identity.case_sha256, cell.variant.as_deref(), cell.row, &identity.params_sha256, model)
}

pub(super) fn pair(before: &Figures, after: &Figures, pins: Pins) -> Matched {
    let mut waiting: HashMap<Key<'_>, Vec<usize>> = HashMap::new();
    for (index, figure) in before.cells.iter().enumerate() {
        waiting.entry(key(figure, pins)).or_default().push(index);
    }
    let mut matched = Matched { pairs: Vec::new(), removed: Vec::new(), new: Vec::new() };
    for (index, figure) in after.cells.iter().enumerate() {
        let candidates = waiting.get_mut(&key(figure, pins)).filter(|candidates| !candidates.is_empty());
        let Some(candidates) = candidates else {
            matched.new.push(index);
            continue;
        };
        // Two entries of a matrix may pin the same model: the one of the same name goes first.
        let own = candidates.iter().position(|old| before.cells[*old].cell.model == figure.cell.model);
        matched.pairs.push((candidates.remove(own.unwrap_or(0)), index));
    }
    matched.removed = waiting.into_values().flatten().collect();
    matched.removed.sort_unstable();
    matched
}

/// A cell without a counterpart, and how the cell of its name in the other run differs.
pub(super) fn unpaired(figure: &Figure, other: &Figures) -> Unpaired {
    let namesake = other.cells.iter().find(|there| there.cell == figure.cell);
    Unpaired {
        cell: figure.cell.clone(),
        tally: figure.tally,
        changed: namesake.map(|there| figure.identity.differences(&there.identity)).unwrap_or_default(),
    }
}
