//! A rate over time: one bar a night, oldest at the left. A night without a verdict is a hollow mark, so that a gap never
//! reads as nothing passed.

/// Width of a bar with its gap, in CSS pixels.
const STEP: usize = 5;
/// The picture's height.
const HEIGHT: f64 = 18.0;

/// Draws `rates`, shares of one, `None` where nothing was judged.
#[must_use]
pub fn svg(rates: &[Option<f64>]) -> String {
    let width = rates.len() * STEP;
    let bars: String = rates.iter().enumerate().map(|(index, rate)| bar(index * STEP, *rate)).collect();
    format!(
        r#"<svg class="spark" width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" aria-hidden="true" focusable="false">{bars}</svg>"#
    )
}

fn bar(x: usize, rate: Option<f64>) -> String {
    match rate.filter(|rate| rate.is_finite()) {
        None => format!(r#"<rect class="gap" x="{x}.5" y="12.5" width="3" height="4"/>"#),
        Some(rate) => {
            let rate = rate.clamp(0.0, 1.0);
            // Nothing passed is still a mark: a bar of no height could not be seen.
            let height = (rate * 16.0).max(2.0);
            let class = if rate >= 1.0 { "full" } else { "short" };
            format!(
                r#"<rect class="{class}" x="{x}" y="{:.1}" width="4" height="{height:.1}"/>"#,
                HEIGHT - 1.0 - height
            )
        }
    }
}

/// The same in words, for whoever does not see the picture: `14 nights, 93% on average, lowest 67%`.
#[must_use]
pub fn words(rates: &[Option<f64>]) -> String {
    let known: Vec<f64> = rates.iter().flatten().copied().collect();
    let nights = if rates.len() == 1 { "1 night".to_owned() } else { format!("{} nights", rates.len()) };
    if known.is_empty() {
        return format!("{nights}, none with a verdict");
    }
    #[expect(clippy::cast_precision_loss, reason = "nights are few")]
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let lowest = known.iter().copied().fold(f64::INFINITY, f64::min);
    let gaps = rates.len() - known.len();
    let gaps = if gaps > 0 { format!(", {gaps} without a verdict") } else { String::new() };
    format!("{nights}, {:.0}% on average, lowest {:.0}%{gaps}", 100.0 * mean, 100.0 * lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_no_zero() {
        let rates = [Some(1.0), None, Some(0.0), Some(0.5)];
        let svg = svg(&rates);
        assert!(svg.contains(r#"class="full" x="0" y="1.0" width="4" height="16.0""#), "{svg}");
        assert!(svg.contains(r#"class="gap" x="5.5""#), "{svg}");
        assert!(svg.contains(r#"class="short" x="10" y="15.0" width="4" height="2.0""#), "{svg}");
        assert_eq!(words(&rates), "4 nights, 50% on average, lowest 0%, 1 without a verdict");
        assert_eq!(words(&[None]), "1 night, none with a verdict");
    }
}
