//! Which pass rates a tally is compatible with. All are at 95% unless said otherwise.

use super::{Tally, beta, real};

/// The 97.5% quantile of the standard normal distribution, for two-sided 95% intervals.
const Z95: f64 = 1.959_963_984_540_054;

/// What each end of a two-sided 95% interval leaves out.
const TAIL: f64 = 0.025;

/// The Wilson score interval at 95% for `passed` of `n` (Wilson 1927). `None` for `n = 0` or `passed > n`.
#[must_use]
pub fn wilson(passed: usize, n: usize) -> Option<(f64, f64)> {
    if n == 0 || passed > n {
        return None;
    }
    let (passed, n) = (real(passed), real(n));
    let rate = passed / n;
    let z2 = Z95 * Z95;
    let centre = rate + z2 / (2.0 * n);
    let spread = Z95 * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    Some((((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0)))
}

/// The exact interval (Clopper and Pearson 1934): never covers less than 95%, mostly more. `None` without a trial.
#[must_use]
pub fn clopper_pearson(tally: Tally) -> Option<(f64, f64)> {
    if tally.n() == 0 {
        return None;
    }
    let (passed, failed) = (real(tally.passed), real(tally.failed));
    let low = if tally.passed == 0 { 0.0 } else { beta::quantile(passed, failed + 1.0, TAIL)? };
    let high = if tally.failed == 0 { 1.0 } else { beta::quantile(passed + 1.0, failed, 1.0 - TAIL)? };
    Some((low, high))
}

/// The interval from Jeffreys' prior, Beta(½, ½), closed at 0 when nothing passed and at 1 when all did (Brown, Cai and
/// DasGupta 2001). `None` without a trial.
#[must_use]
pub fn jeffreys(tally: Tally) -> Option<(f64, f64)> {
    if tally.n() == 0 {
        return None;
    }
    let (a, b) = (real(tally.passed) + 0.5, real(tally.failed) + 0.5);
    let low = if tally.passed == 0 { 0.0 } else { beta::quantile(a, b, TAIL)? };
    let high = if tally.failed == 0 { 1.0 } else { beta::quantile(a, b, 1.0 - TAIL)? };
    Some((low, high))
}

/// The rate that a tally proves at `confidence`, one-sided and exact (Clopper–Pearson). `None` without a trial, or for a
/// confidence that does not lie between 0 and 1.
#[must_use]
pub fn proves(tally: Tally, confidence: f64) -> Option<f64> {
    if tally.n() == 0 || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    if tally.passed == 0 {
        return Some(0.0);
    }
    beta::quantile(real(tally.passed), real(tally.failed) + 1.0, 1.0 - confidence)
}

/// The pass rate that `n` of `n` proves at 95% confidence, one-sided: 0.05^(1/n), the exact bound in closed form.
#[must_use]
pub fn all_passed_proves(n: usize) -> f64 {
    if n == 0 {
        return 0.0;
    }
    0.05_f64.powf(1.0 / real(n))
}
