//! A mean over cells that are related. Rows and variants of one case succeed and fail together, so there is less in them
//! than their number says: the standard error adds up the errors of a cluster before squaring them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::real;

/// A mean with what it is worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean over all values.
    pub mean: f64,
    /// The standard error as if all values were independent; absent for a single value.
    pub independent_se: Option<f64>,
    /// The standard error by clusters, √(Σ over clusters (Σ of deviations)²) / n; absent for a single cluster.
    pub cluster_se: Option<f64>,
    /// How many clusters there are.
    pub clusters: usize,
}

/// The mean of `values`, each with the cluster it belongs to. `None` without a value.
#[must_use]
pub fn mean<C: Ord>(values: impl IntoIterator<Item = (C, f64)>) -> Option<Mean> {
    let mut clusters: BTreeMap<C, Vec<f64>> = BTreeMap::new();
    for (cluster, value) in values {
        clusters.entry(cluster).or_default().push(value);
    }
    let n: usize = clusters.values().map(Vec::len).sum();
    if n == 0 {
        return None;
    }
    let mean = clusters.values().flatten().sum::<f64>() / real(n);
    let square_sum: f64 = clusters.values().flatten().map(|value| (value - mean).powi(2)).sum();
    let cluster_sum: f64 =
        clusters.values().map(|cluster| cluster.iter().map(|value| value - mean).sum::<f64>().powi(2)).sum();
    Some(Mean {
        mean,
        independent_se: (n > 1).then(|| (square_sum / real(n - 1) / real(n)).sqrt()),
        cluster_se: (clusters.len() > 1).then(|| cluster_sum.sqrt() / real(n)),
        clusters: clusters.len(),
    })
}
