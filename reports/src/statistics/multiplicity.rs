//! Many comparisons at once. Of a hundred cells that have not changed, five are "significant at 5%": whoever looks at
//! many must pay for it.

/// Holm's step-down adjustment (Holm 1979), in the order given: the chance of any false alarm among those whose adjusted
/// value is at most α is at most α, whatever the dependence.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut so_far = 0.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate() {
        so_far = so_far.max(super::real(p.len() - rank) * p[index]).min(1.0);
        adjusted[index] = so_far;
    }
    adjusted
}

/// Benjamini and Hochberg's q-values (1995), in the order given: among those whose value is at most q, the share of false
/// alarms is expected to be at most q.
#[must_use]
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut q = vec![0.0; p.len()];
    let mut so_far = 1.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate().rev() {
        so_far = so_far.min(super::real(p.len()) / super::real(rank + 1) * p[index]);
        q[index] = so_far;
    }
    q
}

/// The indices of `p`, smallest value first.
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    order
}
