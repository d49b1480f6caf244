//! Matches with their groups.

use std::ops::{Index, Range};

use regex_automata::util::captures;

use super::{Match, Regex, Steps};

/// A match and its groups; the counterpart of `regex::Captures`.
#[derive(Debug, Clone)]
pub struct Captures<'t> {
    text: &'t str,
    groups: captures::Captures,
}

impl<'t> Captures<'t> {
    /// The group of this number, if it took part; group 0 is the match itself.
    #[must_use]
    pub fn get(&self, group: usize) -> Option<Match<'t>> {
        self.groups.get_group(group).map(|span| Match::new(self.text, &span.range()))
    }

    /// The group of this name, if there is one and it took part.
    #[must_use]
    pub fn name(&self, name: &str) -> Option<Match<'t>> {
        self.groups.get_group_by_name(name).map(|span| Match::new(self.text, &span.range()))
    }

    /// The bytes of the match.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.groups.get_match().map_or(0..0, |all| all.range())
    }

    /// `template` with the groups in place of `$1` and `$name`.
    pub(super) fn expand(&self, template: &str) -> String {
        self.groups.interpolate_string(self.text, template)
    }
}

/// The text of a group; as with any index, it must be there.
impl Index<usize> for Captures<'_> {
    type Output = str;

    fn index(&self, group: usize) -> &str {
        let span = self.groups.get_group(group).map_or(0..0, |span| span.range());
        &self.text[span]
    }
}

/// The text of a group.
impl Index<&str> for Captures<'_> {
    type Output = str;

    fn index(&self, name: &str) -> &str {
        let span = self.groups.get_group_by_name(name).map_or(0..0, |span| span.range());
        &self.text[span]
    }
}

/// The matches of a pattern in a text with their groups, from left to right.
#[derive(Debug)]
pub struct CapturesIter<'r, 't> {
    regex: &'r Regex,
    text: &'t str,
    steps: Steps<'t>,
}

impl<'r, 't> CapturesIter<'r, 't> {
    pub(super) fn new(regex: &'r Regex, text: &'t str) -> Self {
        Self { regex, text, steps: Steps::new(regex.respelled(text)) }
    }
}

impl<'t> Iterator for CapturesIter<'_, 't> {
    type Item = Captures<'t>;

    fn next(&mut self) -> Option<Captures<'t>> {
        let engine = &self.regex.engine;
        let mut groups = engine.create_captures();
        self.steps.next(|input| {
            engine.search_captures(input, &mut groups);
            groups.get_match().map(|all| all.range())
        })?;
        Some(Captures { text: self.text, groups })
    }
}
