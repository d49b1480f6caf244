//! Amounts side by side: one bar of several parts, on a scale that its neighbours share.

use super::strip;

/// Draws `parts` one after the other; `full` is the amount that fills the strip.
#[must_use]
pub fn svg(parts: &[f64], full: f64) -> String {
    let mut marks = String::new();
    let mut from = 0.0;
    for (index, part) in parts.iter().enumerate() {
        let share = if full > 0.0 { (part / full).clamp(0.0, 1.0 - from) } else { 0.0 };
        if share > 0.0 {
            let (x, width) = (100.0 * from, 100.0 * share);
            marks.push_str(&format!(
                r#"<rect class="part part{index}" x="{x:.2}%" width="{width:.2}%" y="3" height="12"/>"#
            ));
        }
        from += share;
    }
    strip("parts", &marks)
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_follow_each_other_and_never_leave_the_strip() {
        let svg = super::svg(&[25.0, 50.0], 100.0);
        assert!(svg.contains(r#"part0" x="0.00%" width="25.00%""#), "{svg}");
        assert!(svg.contains(r#"part1" x="25.00%" width="50.00%""#), "{svg}");
        assert!(super::svg(&[80.0, 80.0], 100.0).contains(r#"part1" x="80.00%" width="20.00%""#));
        assert!(!super::svg(&[1.0], 0.0).contains("rect"));
    }
}
