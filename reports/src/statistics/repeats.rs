//! pass^k and pass@k: how often k tries all pass, and how often one of them does.
//!
//! Both are meaningless when trials are missing (those that broke off are not like the others) or told twice, so a tally
//! for them is made only from a full set.

use super::{Tally, real};

/// pass^k: the chance that `k` trials drawn without replacement from `n` with `passed` passes all pass,
/// C(passed, k) / C(n, k). `None` when `k > n` or `passed > n`.
#[must_use]
pub fn pass_hat_k(n: usize, passed: usize, k: usize) -> Option<f64> {
    if k > n || passed > n {
        return None;
    }
    Some((0..k).map(|i| real(passed.saturating_sub(i)) / real(n - i)).product())
}

/// pass@k: the chance that at least one of `k` such trials passes, 1 − C(n − passed, k) / C(n, k). `None` as there.
#[must_use]
pub fn pass_at_k(n: usize, passed: usize, k: usize) -> Option<f64> {
    Some(1.0 - pass_hat_k(n, n.checked_sub(passed)?, k)?)
}

/// Why trials are no full set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrialsError {
    /// A trial is not there, or has no verdict.
    #[error("trial {0} has no verdict; a rate over the others would be another rate")]
    Missing(u32),
    /// A trial is there twice.
    #[error("trial {0} is told twice")]
    Twice(u32),
    /// A trial that nobody asked for.
    #[error("trial {0} is not one of those owed")]
    Stranger(u32),
}

/// The tally of trials 1 to `owed`, each with whether it passed; `None` where there is no verdict.
///
/// # Errors
/// [`TrialsError`] unless every trial is there once and has a verdict.
pub fn full_set(owed: u32, trials: &[(u32, Option<bool>)]) -> Result<Tally, TrialsError> {
    let mut seen = vec![false; owed as usize];
    let mut tally = Tally::default();
    for (trial, passed) in trials {
        let place = trial.checked_sub(1).and_then(|index| seen.get_mut(index as usize));
        let place = place.ok_or(TrialsError::Stranger(*trial))?;
        if std::mem::replace(place, true) {
            return Err(TrialsError::Twice(*trial));
        }
        match passed {
            Some(true) => tally.passed += 1,
            Some(false) => tally.failed += 1,
            None => return Err(TrialsError::Missing(*trial)),
        }
    }
    match (1..=owed).zip(&seen).find(|(_, seen)| !**seen) {
        Some((trial, _)) => Err(TrialsError::Missing(trial)),
        None => Ok(tally),
    }
}
