//! Passes and failures of a cell. Errors and trials that were not run are in neither: they say nothing of the model.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// How many trials passed and how many failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Trials that passed.
    pub passed: usize,
    /// Trials that failed.
    pub failed: usize,
}

impl Tally {
    /// `passed` of `n`. `None` for more passes than trials.
    #[must_use]
    pub fn of(passed: usize, n: usize) -> Option<Self> {
        Some(Self { passed, failed: n.checked_sub(passed)? })
    }

    /// Trials in all.
    #[must_use]
    pub fn n(self) -> usize {
        self.passed + self.failed
    }

    /// The share that passed; `None` without a trial.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.n() > 0).then(|| super::real(self.passed) / super::real(self.n()))
    }

    /// Whether there are trials and none failed.
    #[must_use]
    pub fn all_passed(self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    /// Whether there are trials and all failed.
    #[must_use]
    pub fn none_passed(self) -> bool {
        self.passed == 0 && self.failed > 0
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), Add::add)
    }
}

/// `2/3`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.passed, self.n())
    }
}
