//! Quantiles of the beta distribution, by bisection on the regularised incomplete beta function: slower than a clever
//! start, but it cannot fail to converge, and it is called a few times a report.

use statrs::function::beta::checked_beta_reg;

/// The point below which a share `p` of the distribution Beta(`a`, `b`) lies. `None` unless `a` and `b` are positive and
/// `p` lies between 0 and 1.
pub(super) fn quantile(a: f64, b: f64, p: f64) -> Option<f64> {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&p)) {
        return None;
    }
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    // 60 halvings bring the two within 1e-18 of each other.
    for _ in 0..60 {
        let middle = low.midpoint(high);
        if checked_beta_reg(a, b, middle).ok()? < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low.midpoint(high))
}
