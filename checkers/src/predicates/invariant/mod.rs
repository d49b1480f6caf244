//! Predicates on a logged invariant: whether it is named, whether its violation is, whether the surface that it protects
//! is left alone, and whether something that keeps it is offered instead.
//!
//! The logged line is a parameter and starts with its id: `INV-1: public API unchanged`.

use std::sync::LazyLock;

use crate::lean::{Regex, RegexBuilder};

pub mod named;
pub mod offers;
pub mod untouched;
pub mod violation;

#[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\W*([\p{L}][\p{L}_]*[-_ ]?\d+)").expect("a constant pattern"));

/// The id that a logged line starts with; a line without one is its own id.
pub(super) fn id_of(line: &str) -> String {
    let line = crate::wording::plain(line);
    match ID.captures(&line).and_then(|found| found.get(1)) {
        Some(id) => id.as_str().to_owned(),
        None => line.split(':').next().unwrap_or_default().trim().to_owned(),
    }
}

/// Where the id stands in a text, and is not part of a longer one: `INV-1` is not in `INV-12`.
pub(super) fn find_id(text: &str, id: &str) -> Option<usize> {
    if id.is_empty() {
        return None;
    }
    text.match_indices(id)
        .find(|(at, _)| {
            let before = text[..*at].chars().next_back();
            let after = text[at + id.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(|c| c.is_ascii_digit())
        })
        .map(|(at, _)| at)
}

/// A constant pattern, letter case aside, laid out with white space.
#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests run each of them")]
fn pattern(source: &str) -> Regex {
    RegexBuilder::new(source)
        .case_insensitive(true)
        .ignore_whitespace(true)
        .build()
        .expect("a constant pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_what_the_line_starts_with() {
        assert_eq!(id_of("INV-1: public API unchanged"), "INV-1");
        assert_eq!(id_of("- **INV-12** (schema): stays"), "INV-12");
        assert_eq!(id_of("RULE_3 no new flags"), "RULE_3");
        assert_eq!(id_of("API freeze: nothing moves"), "API freeze");
    }

    #[test]
    fn an_id_is_not_found_in_a_longer_one() {
        assert!(find_id("see INV-1.", "INV-1").is_some());
        assert!(find_id("(INV-1's)", "INV-1").is_some());
        assert!(find_id("INV-12, XINV-1", "INV-1").is_none());
        assert!(find_id("x", "").is_none());
    }
}
