//! A distribution on a run of whole numbers, from the ratios of neighbouring probabilities.
//!
//! Starting at the mode with weight 1 and dividing by the sum in the end needs no factorials: nothing overflows, and what
//! underflows to 0 is below 1e-300 of the mode.

/// Probabilities of `first`, `first + 1`, …; they sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Distribution {
    /// The least value.
    pub(super) first: usize,
    /// The probability of each value.
    pub(super) probabilities: Vec<f64>,
}

impl Distribution {
    /// All of it in one place.
    pub(super) fn certain(value: usize) -> Self {
        Self { first: value, probabilities: vec![1.0] }
    }

    /// The distribution on `first..=last` in which `ratio(x)` is the probability of `x + 1` over that of `x`.
    pub(super) fn from_mode(first: usize, last: usize, mode: usize, ratio: impl Fn(usize) -> f64) -> Self {
        let mut weights = vec![0.0; last - first + 1];
        weights[mode - first] = 1.0;
        for x in mode..last {
            weights[x + 1 - first] = weights[x - first] * ratio(x);
        }
        for x in (first..mode).rev() {
            weights[x - first] = weights[x + 1 - first] / ratio(x);
        }
        let sum: f64 = weights.iter().sum();
        for weight in &mut weights {
            *weight /= sum;
        }
        Self { first, probabilities: weights }
    }

    /// The probability of at most `x`.
    pub(super) fn at_most(&self, x: usize) -> f64 {
        let Some(last) = x.checked_sub(self.first) else { return 0.0 };
        // Summed from the small end, so that small probabilities are not lost beside large ones.
        self.probabilities.iter().take(last + 1).sum::<f64>().min(1.0)
    }

    /// The probability of at least `x`.
    pub(super) fn at_least(&self, x: usize) -> f64 {
        let before = x.saturating_sub(self.first);
        self.probabilities.iter().skip(before).rev().sum::<f64>().min(1.0)
    }
}
