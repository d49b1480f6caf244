//! Earlier nights beside a run: how often each model, and each case on it, came out as it should, night by night.

use std::collections::BTreeMap;

use crate::nightly::history::Night;
use crate::statistics::Tally;

/// The most nights that are shown.
pub const NIGHTS: usize = 30;

/// Rates over the last nights, oldest first; `None` for a night in which nothing was judged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// By model.
    pub models: BTreeMap<String, Vec<Option<f64>>>,
    /// By case with its variant, and model; the case's rows are pooled.
    pub cells: BTreeMap<(String, String), Vec<Option<f64>>>,
}

impl Past {
    /// The last [`NIGHTS`] of `nights`, which are oldest first. Incomplete ones are left out, as from every other count.
    #[must_use]
    pub fn of(nights: &[Night]) -> Self {
        let nights: Vec<&Night> = nights.iter().filter(|night| night.counts()).collect();
        let last = &nights[nights.len().saturating_sub(NIGHTS)..];
        let mut models: BTreeMap<String, Vec<Tally>> = BTreeMap::new();
        let mut cells: BTreeMap<(String, String), Vec<Tally>> = BTreeMap::new();
        for (index, night) in last.iter().enumerate() {
            for entry in &night.cells {
                let none = || vec![Tally::default(); last.len()];
                let model = models.entry(entry.cell.model.clone()).or_insert_with(none);
                model[index] += entry.tally;
                let key = (entry.cell.case_label(), entry.cell.model.clone());
                cells.entry(key).or_insert_with(none)[index] += entry.tally;
            }
        }
        Self { models: rates(models), cells: rates(cells) }
    }
}

fn rates<K: Ord>(tallies: BTreeMap<K, Vec<Tally>>) -> BTreeMap<K, Vec<Option<f64>>> {
    tallies.into_iter().map(|(key, nights)| (key, nights.into_iter().map(Tally::rate).collect())).collect()
}
