//! Patterns that come with the data: a case's marks, what a call searched for.
//!
//! A run judges thousands of trials by the same few patterns, and to compile one takes longer than to use it, so the
//! latest are kept. What a pattern finds does not depend on it.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::{Regex, RegexBuilder};

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Flags {
    /// Whether letter case does not matter.
    pub ignore_case: bool,
    /// Whether `^` and `$` match at line ends.
    pub multi_line: bool,
    /// The most bytes that it may compile to.
    pub size_limit: usize,
}

/// How many are kept. A run has its trials by cell, so that it needs few at a time.
const KEPT: usize = 512;

static COMPILED: LazyLock<Mutex<HashMap<(Flags, String), Regex>>> = LazyLock::new(Mutex::default);

/// The pattern `source`, compiled now or before.
///
/// # Errors
/// When it is no regular expression, or too large a one.
pub(crate) fn regex(source: &str, flags: Flags) -> Result<Regex, regex::Error> {
    let key = (flags, source.to_owned());
    if let Some(known) = COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(known.clone());
    }
    let regex = RegexBuilder::new(source)
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multi_line)
        .size_limit(flags.size_limit)
        .build()?;
    let mut kept = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= KEPT {
        kept.clear();
    }
    kept.insert(key, regex.clone());
    Ok(regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Flags = Flags { ignore_case: false, multi_line: false, size_limit: 1 << 20 };

    #[test]
    fn a_pattern_is_kept_with_its_flags() {
        let loud = Flags { ignore_case: true, ..PLAIN };
        let lines = Flags { multi_line: true, ..PLAIN };
        for _ in 0..2 {
            assert!(!regex("^b", PLAIN).unwrap().is_match("a\nB"));
            assert!(!regex("^b", loud).unwrap().is_match("a\nB"));
            assert!(regex("^b", lines).unwrap().is_match("a\nb"));
            assert!(regex("^b", loud).unwrap().is_match("B"));
        }
    }

    #[test]
    fn more_patterns_than_are_kept_still_match_what_they_say() {
        for n in 0..2 * KEPT {
            assert!(regex(&format!("^p{n}$"), PLAIN).unwrap().is_match(&format!("p{n}")));
        }
        assert!(regex("(", PLAIN).is_err());
        assert!(regex(r"\w{5000}", PLAIN).is_err(), "too large");
    }
}
