//! `lines`: no line of a reply matches one of the patterns.
//!
//! # Reads
//! The replies in scope, line by line: each as written, and once more with emphasis marks gone and look-alike characters made plain
//! (full-width letters, typographic dashes, zero-width spaces). What `except` matches is cut from a line first; the rest of the
//! line is judged all the same.
//!
//! # Proves
//! That none of the patterns in `none_of` matches a line.
//!
//! # Does not prove
//! That the thing itself is not said in other words, or across two lines.
//!
//! # Example
//! ```yaml
//! - id: no-forms
//!   lines: { none_of: ["^Tier: T[0-9]", "Assumptions:"], except: ["`[^`]*`"] }
//! ```
//! ```yaml
//! pass:
//!   - "The capital is Paris."
//!   - "Write `Tier: T2` at the top, if you must."
//! fail:
//!   - "Tier: T2\nThe capital is Paris."
//!   - "**Assumptions:** none"
//! ```

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use super::matches::{Pattern, Scope};
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::EvalError;
use crate::reading::normalize::invisible;

/// No line matches one of the patterns. Each line is looked at as written, and once more with emphasis marks gone and
/// look-alike characters made plain.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// The patterns that no line may match.
    pub none_of: Vec<Pattern>,
    /// What is cut from a line before it is looked at; the rest of the line is judged all the same.
    #[serde(default)]
    pub except: Vec<Pattern>,
    /// Where to look.
    #[serde(default, rename = "in")]
    pub scope: Scope,
}

impl Test for Lines {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        for (at, message) in self.scope.of(cx) {
            let mut start = 0;
            for line in message.content.split_inclusive('\n') {
                let end = start + line.len();
                let text = line.trim_end();
                for spelling in [text.to_owned(), plain(text)] {
                    let judged = self
                        .except
                        .iter()
                        .fold(spelling, |line, except| except.0.replace_all(&line, "").into_owned());
                    if let Some(pattern) = self.none_of.iter().find(|pattern| pattern.0.is_match(&judged)) {
                        let evidence = vec![cx.evidence(at, start, start + text.len())];
                        return Ok(Finding::fails(format!("a line matches `{}`", pattern.0), evidence));
                    }
                }
                start = end;
            }
        }
        Ok(Finding::holds("no line matches", Vec::new()))
    }
}

/// Emphasis marks gone, compatibility characters and dashes made plain.
fn plain(line: &str) -> String {
    line.nfkc()
        .filter(|c| !matches!(c, '*' | '`') && !invisible(*c))
        .map(|c| match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            c if c.is_whitespace() => ' ',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_made_plain() {
        assert_eq!(plain("**INV‑1**: Protocol\u{a0}C （assumed）"), "INV-1: Protocol C (assumed)");
        assert_eq!(plain("inv_2024"), "inv_2024");
    }
}
