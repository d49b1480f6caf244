//! What a handful of trials proves, and what it does not.

/// The 97.5% quantile of the standard normal distribution, for two-sided 95% intervals.
const Z95: f64 = 1.959_963_984_540_054;

/// The Wilson score interval at 95% for `passed` of `n` (Wilson 1927). `None` for `n = 0` or `passed > n`.
#[must_use]
pub fn wilson(passed: usize, n: usize) -> Option<(f64, f64)> {
    if n == 0 || passed > n {
        return None;
    }
    // Trial counts are far below 2^52.
    #[expect(clippy::cast_precision_loss, reason = "trial counts are far below 2^52")]
    let (passed, n) = (passed as f64, n as f64);
    let rate = passed / n;
    let z2 = Z95 * Z95;
    let centre = rate + z2 / (2.0 * n);
    let spread = Z95 * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    Some((((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0)))
}

/// The pass rate that `n` of `n` proves at 95% confidence, one-sided: 0.05^(1/n), the exact (Clopper–Pearson) bound.
#[must_use]
pub fn all_passed_proves(n: usize) -> f64 {
    if n == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "trial counts are far below 2^52")]
    let n = n as f64;
    0.05_f64.powf(1.0 / n)
}

/// pass^k: the chance that `k` trials drawn without replacement from `n` with `passed` passes all pass,
/// C(passed, k) / C(n, k). `None` when `k > n` or `passed > n`.
#[must_use]
pub fn pass_hat_k(n: usize, passed: usize, k: usize) -> Option<f64> {
    if k > n || passed > n {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "trial counts are far below 2^52")]
    Some((0..k).map(|i| passed.saturating_sub(i) as f64 / (n - i) as f64).product())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn wilson_agrees_with_published_vectors() {
        let (low, high) = wilson(8, 10).unwrap();
        assert!(close(low, 0.490_162) && close(high, 0.943_318), "{low} {high}");
        assert!(close(wilson(3, 3).unwrap().0, 0.438_503));
        // All right is not certainty: the interval of 20 of 20 has a width.
        assert!(wilson(20, 20).unwrap().0 < 0.9);
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn three_of_three_proves_little() {
        assert!(close(all_passed_proves(3), 0.368_403), "{}", all_passed_proves(3));
        assert!(all_passed_proves(29) > 0.9 && all_passed_proves(28) < 0.9);
        assert!(all_passed_proves(59) > 0.95 && all_passed_proves(299) > 0.99);
    }

    #[test]
    fn pass_hat_k_agrees_with_the_formula() {
        assert!(close(pass_hat_k(10, 8, 3).unwrap(), 0.466_667));
        assert!(close(pass_hat_k(5, 4, 3).unwrap(), 0.4));
        assert!(close(pass_hat_k(4, 3, 2).unwrap(), 0.5));
        assert_eq!(pass_hat_k(2, 3, 1), None);
        assert_eq!(pass_hat_k(2, 2, 3), None);
    }
}
