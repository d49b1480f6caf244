//! How a comparison is decided; fixed beforehand, without a parameter.
//!
//! A cell is **worse** when all of its trials passed and now none does, with p ≤ 0.05 (so 3/3 → 0/3, but not 1/1 → 0/1);
//! or when its p-value, adjusted across all pairs by Holm, is at most 0.05. A cell with a lower rate that is not worse has
//! **slipped**: 3/3 → 2/3 has p = 0.5, it is what chance does to a cell that passes nine times in ten.
//! A model is worse when the exact test stratified by cell says so at 0.05, adjusted across the models by Holm: many slips
//! in one direction are no chance.

use serde::Serialize;

use crate::statistics::{Tally, fisher, multiplicity, stratified};

/// The level of every decision.
pub const LEVEL: f64 = 0.05;

/// Sums of floating-point numbers that should come to the level exactly may end up just beside it.
const ROUNDING: f64 = 1e-12;

/// How a cell or a model changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Change {
    /// Worse, beyond what chance does.
    Worse,
    /// A lower rate, which may be chance.
    Slipped,
    /// Without a verdict before or after.
    Unknown,
    /// The same rate.
    Same,
    /// A higher rate, which may be chance.
    Rose,
    /// Better, beyond what chance does: none passed and now all do.
    Better,
}

/// A pair's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Before.
    pub before: Tally,
    /// After.
    pub after: Tally,
}

impl Counts {
    /// Fisher's one-sided p-value for being worse.
    #[must_use]
    pub fn p(self) -> f64 {
        fisher::worse(self.before, self.after)
    }
}

/// How a cell changed; `adjusted_p` is its p-value adjusted across all pairs.
#[must_use]
pub fn cell(counts: Counts, adjusted_p: f64) -> Change {
    let Counts { before, after } = counts;
    let (Some(old), Some(new)) = (before.rate(), after.rate()) else { return Change::Unknown };
    let holds = |p: f64| p <= LEVEL + ROUNDING;
    let broke = before.all_passed() && after.none_passed() && holds(counts.p());
    let mended = before.none_passed() && after.all_passed() && holds(fisher::better(before, after));
    if broke || holds(adjusted_p) {
        Change::Worse
    } else if mended {
        Change::Better
    } else if new < old {
        Change::Slipped
    } else if new > old {
        Change::Rose
    } else {
        Change::Same
    }
}

/// What is decided of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelDecision {
    /// The stratified test's p-value for being worse.
    pub p: f64,
    /// The same, adjusted across the models.
    pub adjusted_p: f64,
    /// How it changed.
    pub change: Change,
}

/// How models changed, each given as its cells' tallies before and after.
#[must_use]
pub fn models(models: &[Vec<(Tally, Tally)>]) -> Vec<ModelDecision> {
    let worse: Vec<f64> = models.iter().map(|cells| stratified::worse(cells)).collect();
    let better: Vec<f64> = models.iter().map(|cells| stratified::better(cells)).collect();
    let (adjusted, better) = (multiplicity::holm(&worse), multiplicity::holm(&better));
    models
        .iter()
        .enumerate()
        .map(|(index, cells)| {
            let before: Tally = cells.iter().map(|(before, _)| *before).sum();
            let after: Tally = cells.iter().map(|(_, after)| *after).sum();
            let change = match (before.rate(), after.rate()) {
                (None, _) | (_, None) => Change::Unknown,
                _ if adjusted[index] <= LEVEL + ROUNDING => Change::Worse,
                _ if better[index] <= LEVEL + ROUNDING => Change::Better,
                (Some(old), Some(new)) if new < old => Change::Slipped,
                (Some(old), Some(new)) if new > old => Change::Rose,
                _ => Change::Same,
            };
            ModelDecision { p: worse[index], adjusted_p: adjusted[index], change }
        })
        .collect()
}

impl Change {
    /// The change as it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Worse => "WORSE",
            Self::Slipped => "SLIPPED",
            Self::Unknown => "UNKNOWN",
            Self::Same => "SAME",
            Self::Rose => "ROSE",
            Self::Better => "BETTER",
        }
    }
}
