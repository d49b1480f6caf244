//! Two runs, cell by cell: what got worse, what only may have, and what cannot be compared at all.
//!
//! Cells are paired by what was tried (case digest, variant, row and its parameters, model pin), not by name. Charter and
//! checker may differ between the two: a charter edit is what one wants to compare, and where the checker changed, the
//! earlier transcripts are judged again by the later checker, so that "the checker changed" never reads as "the model
//! regressed".
//!
//! - [`rule`]: the decision, fixed beforehand
//! - [`text`]: the comparison for a terminal

mod pairing;
pub mod rule;
pub mod text;

use serde::Serialize;

use crate::figures::{Failure, Figure, Figures, Part};
use crate::plan::Cell;
use crate::statistics::{Tally, multiplicity, paired};
pub use pairing::Pins;
pub use rule::{Change, Counts};

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Answer {
    /// Every cell of the earlier run has its counterpart, every trial a verdict, and nothing is worse.
    NothingWorse,
    /// A cell or a model is worse.
    Worse,
    /// Nothing was found worse, but not all could be compared.
    Incomplete,
}

/// Two runs, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The answer.
    pub answer: Answer,
    /// The earlier run.
    pub before: Side,
    /// The later run.
    pub after: Side,
    /// What differs between paired cells: charter, checker, or pin, each once.
    pub changed: Vec<Part>,
    /// Cells that both runs played, in the later run's order.
    pub pairs: Vec<Pair>,
    /// Cells of the earlier run without a counterpart.
    pub removed: Vec<Unpaired>,
    /// Cells of the later run without a counterpart.
    pub new: Vec<Unpaired>,
    /// The models, over their pairs.
    pub models: Vec<ModelChange>,
    /// Over all pairs: cells that changed sides.
    pub sides: Sides,
}

/// A run in a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Its name.
    pub run: String,
    /// When it was planned.
    pub planned: String,
    /// Its charter's version.
    pub charter_version: Option<String>,
    /// Trials a cell.
    pub trials: u32,
    /// Its cells.
    pub cells: usize,
}

/// A cell that both runs played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The cell, as the later run calls it.
    pub cell: Cell,
    /// How it changed.
    pub change: Change,
    /// What came of it before, by the later checker.
    pub before: Tally,
    /// What came of it before as it was judged then, when the checker changed.
    pub before_as_judged: Option<Tally>,
    /// What came of it after.
    pub after: Tally,
    /// What differs between the two besides chance.
    pub changed: Vec<Part>,
    /// Fisher's one-sided p-value for being worse.
    pub p: f64,
    /// The same, adjusted across the pairs by Holm.
    pub adjusted_p: f64,
    /// The same as a q-value, by Benjamini and Hochberg.
    pub q: f64,
    /// Trials of either run without a verdict.
    pub missing: usize,
    /// Trials of the later run that did not come out as they should.
    pub failures: Vec<Failure>,
}

/// A cell without a counterpart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unpaired {
    /// The cell.
    pub cell: Cell,
    /// What came of it.
    pub tally: Tally,
    /// In what the cell of the same name in the other run differs; empty when there is none.
    pub changed: Vec<Part>,
}

/// How cells changed sides between "all trials passed" and "not all": McNemar's exact test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sides {
    /// Passed all before, and not all after.
    pub broke: usize,
    /// Passed all after, and not all before.
    pub mended: usize,
    /// The two-sided p-value.
    pub p: f64,
}

/// A model over its pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelChange {
    /// Its id in the later run.
    pub id: String,
    /// How it changed.
    pub change: Change,
    /// Pairs.
    pub cells: usize,
    /// All trials before.
    pub before: Tally,
    /// All trials after.
    pub after: Tally,
    /// The stratified exact test's p-value for being worse.
    pub p: f64,
    /// The same, adjusted across the models by Holm.
    pub adjusted_p: f64,
    /// Cells that changed sides.
    pub sides: Sides,
}

/// Compares two runs. `rejudged` is the earlier one with its transcripts judged by the later one's checkers; it is needed
/// when checkers differ.
#[must_use]
pub fn compare(before: &Figures, after: &Figures, rejudged: Option<&Figures>, pins: Pins) -> Comparison {
    let matched = pairing::pair(before, after, pins);
    let pairs: Vec<Pair> = decide_pairs(&matched.pairs, before, after, rejudged);
    let models = decide_models(&pairs);
    let mut changed: Vec<Part> = pairs.iter().flat_map(|pair| pair.changed.iter().copied()).collect();
    changed.sort_unstable();
    changed.dedup();
    let worse = pairs.iter().any(|pair| pair.change == Change::Worse)
        || models.iter().any(|model| model.change == Change::Worse);
    let open = pairs.is_empty() || !matched.removed.is_empty() || pairs.iter().any(|pair| pair.missing > 0);
    let unpaired = |own: &[usize], here: &Figures, there: &Figures| {
        own.iter().map(|index| pairing::unpaired(&here.cells[*index], there)).collect()
    };
    Comparison {
        answer: match (worse, open) {
            (true, _) => Answer::Worse,
            (false, true) => Answer::Incomplete,
            (false, false) => Answer::NothingWorse,
        },
        before: Side::of(before),
        after: Side::of(after),
        changed,
        removed: unpaired(&matched.removed, before, after),
        new: unpaired(&matched.new, after, before),
        sides: Sides::of(&pairs.iter().collect::<Vec<_>>()),
        models,
        pairs,
    }
}

fn decide_pairs(
    matched: &[(usize, usize)],
    before: &Figures,
    after: &Figures,
    rejudged: Option<&Figures>,
) -> Vec<Pair> {
    let figures: Vec<(&Figure, &Figure, &Figure)> = matched
        .iter()
        .map(|(old, new)| {
            let old = &before.cells[*old];
            let again = rejudged.and_then(|side| side.cells.iter().find(|figure| figure.cell == old.cell));
            (old, again.unwrap_or(old), &after.cells[*new])
        })
        .collect();
    let counts: Vec<Counts> =
        figures.iter().map(|(_, old, new)| Counts { before: old.tally, after: new.tally }).collect();
    let p: Vec<f64> = counts.iter().map(|counts| counts.p()).collect();
    let (adjusted, q) = (multiplicity::holm(&p), multiplicity::benjamini_hochberg(&p));
    figures
        .iter()
        .zip(counts)
        .enumerate()
        .map(|(index, ((old, again, new), counts))| {
            let changed = old.identity.differences(&new.identity);
            Pair {
                cell: new.cell.clone(),
                change: rule::cell(counts, adjusted[index]),
                before: again.tally,
                before_as_judged: changed.contains(&Part::Checker).then_some(old.tally),
                after: new.tally,
                changed,
                p: p[index],
                adjusted_p: adjusted[index],
                q: q[index],
                missing: again.missing.len() + new.missing.len(),
                failures: new.failures.clone(),
            }
        })
        .collect()
}

fn decide_models(pairs: &[Pair]) -> Vec<ModelChange> {
    let mut ids: Vec<&str> = Vec::new();
    for pair in pairs {
        if !ids.contains(&pair.cell.model.as_str()) {
            ids.push(&pair.cell.model);
        }
    }
    let strata: Vec<Vec<&Pair>> =
        ids.iter().map(|id| pairs.iter().filter(|pair| pair.cell.model == *id).collect()).collect();
    let tallies: Vec<Vec<(Tally, Tally)>> =
        strata.iter().map(|own| own.iter().map(|pair| (pair.before, pair.after)).collect()).collect();
    let decided = rule::models(&tallies);
    ids.iter()
        .zip(strata)
        .zip(tallies)
        .zip(decided)
        .map(|(((id, own), tallies), decided)| ModelChange {
            id: (*id).to_owned(),
            change: decided.change,
            cells: own.len(),
            before: tallies.iter().map(|(before, _)| *before).sum(),
            after: tallies.iter().map(|(_, after)| *after).sum(),
            p: decided.p,
            adjusted_p: decided.adjusted_p,
            sides: Sides::of(&own),
        })
        .collect()
}

impl Side {
    fn of(figures: &Figures) -> Self {
        Self {
            run: figures.run.clone(),
            planned: figures.planned.clone(),
            charter_version: figures.charter_version.clone(),
            trials: figures.trials,
            cells: figures.cells.len(),
        }
    }
}

impl Sides {
    fn of(pairs: &[&Pair]) -> Self {
        let judged = || pairs.iter().filter(|pair| pair.before.n() > 0 && pair.after.n() > 0);
        let broke = judged().filter(|pair| pair.before.all_passed() && !pair.after.all_passed()).count();
        let mended = judged().filter(|pair| !pair.before.all_passed() && pair.after.all_passed()).count();
        Self { broke, mended, p: paired::mcnemar(broke, mended) }
    }
}

#[cfg(test)]
mod tests;
