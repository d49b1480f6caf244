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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Identity;
    use crate::nightly::Answer;
    use crate::nightly::history::CellNight;
    use crate::nightly::rule::State;
    use crate::plan::Cell;

    fn night(number: u64, answer: Answer, passed: usize) -> Night {
        let identity = Identity {
            case_sha256: String::new(),
            params_sha256: String::new(),
            pin_sha256: String::new(),
            charter_sha256: String::new(),
            checker: String::new(),
            checker_sha256: String::new(),
        };
        let cell = Cell { case: "W1".to_owned(), variant: None, row: 1, model: "m1".to_owned() };
        let tally = Tally::of(passed, 4).unwrap();
        Night {
            number,
            run: format!("r{number}"),
            planned: String::new(),
            answer,
            models: Vec::new(),
            cells: vec![CellNight { cell, identity, tally, owed: 4, state: State::Ok }],
        }
    }

    /// It is on record once more when it is completed, and would be drawn twice.
    #[test]
    fn an_incomplete_night_is_not_drawn() {
        let nights = [night(1, Answer::Ok, 4), night(2, Answer::Incomplete, 1), night(3, Answer::Flaky, 2)];
        assert_eq!(Past::of(&nights).models["m1"], [Some(1.0), Some(0.5)]);
    }
}
