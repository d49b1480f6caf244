//! Small charts as inline SVG, one idea a file. Each draws one strip that stands in a table's row beside its figures, so
//! that nothing is said by the picture alone: a strip is hidden from screen readers, the table is the chart.
//!
//! Positions across are percentages, so a strip fills whatever width its cell has. Colours are classes of the page's style
//! sheet, since the page's policy allows no inline style.
//!
//! - [`interval`]: a rate with its interval
//! - [`parts`]: amounts side by side
//! - [`spread`]: median, most and worst of many values
//! - [`spark`]: a rate over time

pub mod interval;
pub mod parts;
pub mod spark;
pub mod spread;

/// A strip's height in CSS pixels.
const HEIGHT: u32 = 18;

/// A strip around `marks`, which are this crate's own markup.
fn strip(kind: &str, marks: &str) -> String {
    format!(
        r#"<svg class="strip {kind}" width="100%" height="{HEIGHT}" aria-hidden="true" focusable="false">{marks}</svg>"#
    )
}

/// A share of one as a place across, kept within the strip so that a mark at either end is not cut off.
fn across(share: f64) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    format!("{:.2}%", 2.0 + 96.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_within_the_strip_whatever_the_share() {
        let places = [0.0, 0.5, 1.0, -3.0, 7.0, f64::NAN, f64::INFINITY].map(across);
        assert_eq!(places, ["2.00%", "50.00%", "98.00%", "2.00%", "98.00%", "2.00%", "2.00%"]);
    }
}
