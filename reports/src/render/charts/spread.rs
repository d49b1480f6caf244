//! Median, most and worst of many values: a bar up to the 90th percentile, a mark at the median, a line to the longest.

use super::strip;

/// What is drawn of a set of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Spread {
    /// Half of the values are at most this.
    pub median: u64,
    /// Nine tenths of them are.
    pub p90: u64,
    /// All of them are.
    pub most: u64,
}

impl Spread {
    /// The spread of `values`, by the nearest rank; `None` without a value.
    #[must_use]
    pub fn of(mut values: Vec<u64>) -> Option<Self> {
        values.sort_unstable();
        let rank =
            |percent: usize| values.get((values.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        Some(Self { median: rank(50)?, p90: rank(90)?, most: rank(100)? })
    }
}

/// Draws `spread`; `full` is the value that fills the strip.
#[must_use]
pub fn svg(spread: Spread, full: u64) -> String {
    let [median, p90, most] = [spread.median, spread.p90, spread.most].map(|value| share(value, full));
    let marks = format!(
        r#"<line class="whisker" x1="0%" x2="{most:.2}%" y1="9" y2="9"/><rect class="part part0" x="0%" width="{p90:.2}%" y="4" height="10"/><line class="median" x1="{median:.2}%" x2="{median:.2}%" y1="1" y2="17"/>"#
    );
    strip("spread", &marks)
}

#[expect(clippy::cast_precision_loss, reason = "a picture is not as exact as a double")]
fn share(value: u64, full: u64) -> f64 {
    if full == 0 { 0.0 } else { 99.0 * (value as f64 / full as f64).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_values_that_occurred() {
        assert_eq!(Spread::of(vec![]), None);
        assert_eq!(Spread::of(vec![7]), Some(Spread { median: 7, p90: 7, most: 7 }));
        let spread = Spread::of((1..=10).rev().collect()).unwrap();
        assert_eq!(spread, Spread { median: 5, p90: 9, most: 10 });
        assert!(svg(spread, 10).contains(r#"x1="49.50%""#));
        assert!(svg(spread, 0).contains(r#"x1="0.00%""#));
    }
}
