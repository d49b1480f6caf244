//! What a line starts with that is layout and no text: list markers, quote marks, check boxes, emphasis.

/// The line without the markers that it starts with.
#[must_use]
pub fn strip(line: &str) -> &str {
    let mut rest = line;
    loop {
        let next = one_less(rest.trim_start());
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

fn one_less(line: &str) -> &str {
    let spaced = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    if let Some(rest) = line.strip_prefix(['*', '_', '`', '>', '#']) {
        return rest;
    }
    if let Some(rest) = line.strip_prefix(['-', '+', '•', '–', '·']) {
        return if spaced(rest) { rest } else { line };
    }
    if let Some(rest) = ["[ ]", "[x]", "[X]"].iter().find_map(|check| line.strip_prefix(check)) {
        return rest;
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(after) if rest.len() < line.len() && line.len() - rest.len() <= 3 && spaced(after) => after,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_go_and_text_stays() {
        for line in
            ["INV-1: x", "- INV-1: x", "  3. INV-1: x", "* **INV-1: x", "> - [ ] INV-1: x", "## INV-1: x"]
        {
            assert_eq!(strip(line), "INV-1: x", "{line}");
        }
        assert_eq!(strip("-5 degrees"), "-5 degrees");
        assert_eq!(strip("2.5 is a rate"), "2.5 is a rate");
        assert_eq!(strip("2026. A year"), "2026. A year");
        assert_eq!(strip("***"), "");
    }
}
