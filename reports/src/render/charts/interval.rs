//! A rate with its interval: a dot on a whisker, over a rule with ticks at nothing, half and all.

use super::{across, strip};

/// Draws `rate` within `low` to `high`, all shares of one.
#[must_use]
pub fn svg(rate: f64, (low, high): (f64, f64)) -> String {
    let rule = [0.0, 0.5, 1.0].map(|share| {
        let x = across(share);
        format!(r#"<line class="tick" x1="{x}" x2="{x}" y1="4" y2="14"/>"#)
    });
    let (low, high, dot) = (across(low), across(high), across(rate));
    let marks = format!(
        r#"{}<line class="whisker" x1="{low}" x2="{high}" y1="9" y2="9"/><line class="end" x1="{low}" x2="{low}" y1="5" y2="13"/><line class="end" x1="{high}" x2="{high}" y1="5" y2="13"/><circle class="dot" cx="{dot}" cy="9" r="4.5"/>"#,
        rule.concat()
    );
    strip("interval", &marks)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_dot_lies_where_the_rate_is_and_the_whisker_spans_the_interval() {
        let svg = super::svg(0.75, (0.25, 1.0));
        assert!(svg.contains(r#"cx="74.00%""#), "{svg}");
        assert!(svg.contains(r#"class="whisker" x1="26.00%" x2="98.00%""#), "{svg}");
    }
}
