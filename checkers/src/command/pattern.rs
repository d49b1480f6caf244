//! Search patterns as the different tools spell them, brought to one spelling.

use regex::Regex;

use crate::compiled::{self, Flags};

/// In which notation a pattern is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// Each character stands for itself.
    Fixed,
    /// grep's own: `\|` is an alternative, `|` is not.
    Basic,
    /// The usual one.
    Extended,
    /// Not known whether the tool takes it as text or as the usual notation.
    Either,
}

/// A search pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// As it was written.
    pub source: String,
    regex: Option<Regex>,
    literal: Option<String>,
    ignore_case: bool,
    whole_words: bool,
}

impl Pattern {
    /// Reads a pattern; one that is no regular expression is taken literally where the notation allows.
    #[must_use]
    pub fn new(source: &str, syntax: Syntax, ignore_case: bool, whole_words: bool) -> Self {
        let is_text = matches!(syntax, Syntax::Fixed | Syntax::Either)
            || source.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '/' | ':'));
        let literal = (is_text && !whole_words).then(|| source.to_owned());
        let needs_regex =
            whole_words || ignore_case || !source.chars().all(|c| c.is_alphanumeric() || c == '_');
        let regex = needs_regex.then(|| compile(source, syntax, ignore_case, whole_words)).flatten();
        Self { source: source.to_owned(), regex, literal, ignore_case, whole_words }
    }

    /// The pattern in the notation of the regex crate.
    pub(super) fn expression(source: &str, syntax: Syntax) -> String {
        match syntax {
            Syntax::Fixed => regex::escape(source),
            Syntax::Basic => from_basic(source),
            Syntax::Extended | Syntax::Either => source.replace("\\<", "\\b").replace("\\>", "\\b"),
        }
    }

    /// The identifier that it looks for, and whether it is found only where it stands by itself.
    #[must_use]
    pub fn identifier(&self) -> Option<(&str, bool)> {
        let ends = ["\\b", "\\<", "\\>"];
        let bare = ends.iter().fold(self.source.as_str(), |text, end| text.strip_prefix(end).unwrap_or(text));
        let bare = ends.iter().fold(bare, |text, end| text.strip_suffix(end).unwrap_or(text));
        let by_itself = self.whole_words || bare.len() + 4 == self.source.len();
        let is_one = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
        is_one.then_some((bare, by_itself))
    }

    /// Whether the pattern finds something in `text`.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        !self.source.is_empty()
            && (self.literal.as_ref().is_some_and(|literal| text.contains(literal.as_str()))
                || self.regex.as_ref().is_some_and(|regex| regex.is_match(text)))
    }

    /// Whether every place that holds `text` is found by this pattern.
    ///
    /// The pattern is tried on the text by itself: one that asks for more around it would miss some.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        if self.source.is_empty() {
            return false;
        }
        let by_text = self.literal.as_ref().is_some_and(|literal| {
            text.contains(literal.as_str())
                || (self.ignore_case && text.to_lowercase().contains(&literal.to_lowercase()))
        });
        by_text
            || self.regex.as_ref().is_some_and(|regex| {
                // In the middle of a line as well, so that `^key` is not taken for `key`.
                regex.is_match(text) && regex.is_match(&format!("= {text} ="))
            })
    }
}

fn compile(source: &str, syntax: Syntax, ignore_case: bool, whole_words: bool) -> Option<Regex> {
    let expression = Pattern::expression(source, syntax);
    let expression = if whole_words { format!(r"\b(?:{expression})\b") } else { expression };
    let flags = Flags { ignore_case, multi_line: true, size_limit: 1 << 18 };
    compiled::regex(&expression, flags).ok()
}

/// grep's basic notation in the usual one: the two differ in which of the special characters need a backslash.
fn from_basic(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '|' | '(' | ')' | '{' | '}' | '+' | '?' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => match chars.next() {
                Some(c @ ('|' | '(' | ')' | '{' | '}' | '+' | '?')) => out.push(c),
                Some('<' | '>') => out.push_str("\\b"),
                Some(c) => {
                    out.push('\\');
                    out.push(c);
                }
                None => out.push_str("\\\\"),
            },
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_a_key_only_when_it_finds_every_use_of_it() {
        let finds = |source, syntax| Pattern::new(source, syntax, false, false).finds("max_conns");
        assert!(finds("max_conns", Syntax::Either));
        assert!(finds(r"\bmax_conns\b", Syntax::Extended));
        assert!(finds("pool_limit|max_conns", Syntax::Extended));
        assert!(finds(r"pool_limit\|max_conns", Syntax::Basic));
        assert!(finds("conns", Syntax::Fixed));
        assert!(!finds("pool_limit|max_conns", Syntax::Basic));
        assert!(!finds("max_conns:", Syntax::Either));
        assert!(!finds("^max_conns", Syntax::Extended));
        assert!(!finds("pool_limit", Syntax::Either));
        assert!(!finds("", Syntax::Either));
    }
}
