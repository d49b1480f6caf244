//! Sentences of running text in one spelling, for predicates that read words: emphasis gone, quotes and hyphens plain.
//!
//! Each sentence knows its bytes in the message, so that evidence can point at it.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::closing;
use crate::reading::normalize::invisible;

/// One sentence, line or table row.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// Its text in plain spelling.
    pub text: String,
    /// Its bytes in the message.
    pub range: Range<usize>,
    /// Whether it stands in a code fence.
    pub code: bool,
}

impl Sentence {
    /// Whether it ends as a question does.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.text
            .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ')' | '"' | '\'' | '|'))
            .ends_with('?')
    }
}

/// The sentences of a text, in order.
#[must_use]
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut fenced = false;
    let mut found = Vec::new();
    for sentence in closing::sentences(text) {
        let raw = text.get(sentence.range.clone()).unwrap_or_default();
        let fence = raw.trim_start().starts_with("```") || raw.trim_start().starts_with("~~~");
        if fence {
            fenced = !fenced;
            continue;
        }
        found.push(Sentence { text: plain(raw), range: sentence.range, code: fenced });
    }
    found
}

/// A text in plain spelling: compatibility characters resolved, marks of emphasis and invisible characters gone, curly
/// quotes straight, every hyphen the same, every run of white space one blank.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfkc() {
        match c {
            '*' | '`' | '\\' => {}
            c if invisible(c) => {}
            '\u{2010}' | '\u{2011}' | '\u{2212}' => out.push('-'),
            '\u{2018}' | '\u{2019}' | '\u{2032}' => out.push('\''),
            '\u{201c}'..='\u{201e}' | '\u{ab}' | '\u{bb}' => out.push('"'),
            c if c.is_whitespace() => {
                if !out.ends_with(' ') && !out.is_empty() {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_become_one() {
        assert_eq!(
            plain("**INV\u{2011}1** \u{201c}isn\u{2019}t\u{201d}\u{200b}  met\n"),
            "INV-1 \"isn't\" met"
        );
        assert_eq!(plain("order_id"), "order_id");
    }

    #[test]
    fn fenced_lines_are_code_and_places_stay() {
        let text = "One. Two?\n```\nlet a = 1;\n```\nThree";
        let found = sentences(text);
        let shown: Vec<_> = found.iter().map(|s| (s.text.as_str(), s.code, s.asks())).collect();
        assert_eq!(
            shown,
            [
                ("One.", false, false),
                ("Two?", false, true),
                ("let a = 1;", true, false),
                ("Three", false, false)
            ]
        );
        assert_eq!(&text[found[1].range.clone()], " Two?");
    }
}
