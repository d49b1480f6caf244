//! Regular expressions over word lists, at the cost of the words.
//!
//! `\w` stands for some 140,000 characters. The automaton of one takes hundreds of states, and the wordings that the
//! checkers look for say `\w` or `[^.;]` dozens of times each, most of it repeated: compiling them took longer than
//! judging with them, and hundreds of megabytes.
//!
//! Nothing is lost if characters that a pattern cannot tell apart are read as one and the same. A pattern here is
//! compiled for a small [`alphabet`]: ASCII, the characters that it names, and one stand-in for each kind of all others.
//! A text that is not ASCII is respelled in that alphabet first, each character by one of as many bytes, so that every
//! offset stays where it is. The answers are those of the `regex` crate, by construction: see [`reduce`].

mod alphabet;
mod captures;
mod deferred;
mod kind;
mod reduce;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta;
use regex_syntax::hir::Hir;

use alphabet::Alphabet;
pub use captures::{Captures, CapturesIter};
pub use deferred::Deferred;

/// A compiled pattern; the counterpart of `regex::Regex`.
#[derive(Debug, Clone)]
pub struct Regex {
    engine: meta::Regex,
    /// How to respell a text, if the pattern needs it.
    alphabet: Option<Box<Alphabet>>,
    source: Box<str>,
}

/// Compiles a pattern; the counterpart of `regex::RegexBuilder`.
#[derive(Debug, Clone)]
pub struct RegexBuilder {
    source: Box<str>,
    syntax: regex_syntax::ParserBuilder,
    size_limit: usize,
}

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is not written as one.
    #[error("{0}")]
    Syntax(Box<regex_syntax::Error>),
    /// It would take too much memory.
    #[error("the pattern takes more than {0} bytes when it is compiled")]
    TooBig(usize),
}

impl RegexBuilder {
    /// A builder with the defaults of the `regex` crate.
    #[must_use]
    pub fn new(source: &str) -> Self {
        Self { source: source.into(), syntax: regex_syntax::ParserBuilder::new(), size_limit: 10 << 20 }
    }

    /// Whether letters match in either case.
    #[must_use]
    pub fn case_insensitive(mut self, yes: bool) -> Self {
        self.syntax.case_insensitive(yes);
        self
    }

    /// Whether `^` and `$` match at the ends of lines.
    #[must_use]
    pub fn multi_line(mut self, yes: bool) -> Self {
        self.syntax.multi_line(yes);
        self
    }

    /// Whether white space in the pattern stands for nothing.
    #[must_use]
    pub fn ignore_whitespace(mut self, yes: bool) -> Self {
        self.syntax.ignore_whitespace(yes);
        self
    }

    /// The most bytes that the automaton may take.
    #[must_use]
    pub fn size_limit(mut self, bytes: usize) -> Self {
        self.size_limit = bytes;
        self
    }

    /// Compiles the pattern.
    ///
    /// # Errors
    /// When it is not a regular expression, or takes more than the limit.
    pub fn build(&self) -> Result<Regex, Error> {
        let (hir, alphabet) = reduce::reduce(self.parse()?);
        // Automata made in full for small patterns are no faster on sentences, and take longer to make than to use.
        let config = meta::Config::new().nfa_size_limit(Some(self.size_limit)).dfa(false).onepass(false);
        // What is well formed can only be too large: there is one pattern, and no other limit.
        let engine = meta::Builder::new()
            .configure(config)
            .build_from_hir(&hir)
            .map_err(|_| Error::TooBig(self.size_limit))?;
        Ok(Regex { engine, alphabet: alphabet.map(Box::new), source: self.source.clone() })
    }

    /// Reads the pattern now, and compiles it on first use.
    ///
    /// # Errors
    /// When it is not a regular expression.
    pub fn defer(self) -> Result<Deferred, Error> {
        self.parse()?;
        Ok(Deferred::new(self))
    }

    fn parse(&self) -> Result<Hir, Error> {
        self.syntax.build().parse(&self.source).map_err(|error| Error::Syntax(Box::new(error)))
    }
}

impl Regex {
    /// Compiles a pattern as the `regex` crate does by default.
    ///
    /// # Errors
    /// As for [`RegexBuilder::build`].
    pub fn new(source: &str) -> Result<Self, Error> {
        RegexBuilder::new(source).build()
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether the pattern matches somewhere in `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.engine.is_match(&*self.respelled(text))
    }

    /// The first match.
    #[must_use]
    pub fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.find_iter(text).next()
    }

    /// The first match at or after byte `at`, which must lie between two characters.
    #[must_use]
    pub fn find_at<'t>(&self, text: &'t str, at: usize) -> Option<Match<'t>> {
        let spelt = self.respelled(text);
        let found = self.engine.search(&Input::new(&*spelt).range(at..))?;
        Some(Match::new(text, &found.range()))
    }

    /// All matches that do not overlap, from left to right.
    #[must_use]
    pub fn find_iter<'r, 't>(&'r self, text: &'t str) -> Matches<'r, 't> {
        Matches { regex: self, text, steps: Steps::new(self.respelled(text)) }
    }

    /// The first match, with its groups.
    #[must_use]
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.captures_iter(text).next()
    }

    /// All matches that do not overlap, with their groups.
    #[must_use]
    pub fn captures_iter<'r, 't>(&'r self, text: &'t str) -> CapturesIter<'r, 't> {
        CapturesIter::new(self, text)
    }

    /// The pieces of `text` between the matches.
    pub fn split<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let mut at = Some(0);
        let mut matches = self.find_iter(text);
        std::iter::from_fn(move || {
            let start = at?;
            let next = matches.next();
            at = next.map(|found| found.end());
            Some(&text[start..next.map_or(text.len(), |found| found.start())])
        })
    }

    /// `text` with `with` in place of each match; `$1` and `$name` in it stand for groups.
    #[must_use]
    pub fn replace_all<'t>(&self, text: &'t str, with: &str) -> Cow<'t, str> {
        if with.contains('$') {
            self.replace_each(text, |found| found.expand(with))
        } else {
            replaced(text, self.find_iter(text).map(|found| (found.range(), with)))
        }
    }

    /// `text` with what `with` makes of each match in its place.
    #[must_use]
    pub fn replace_each<'t>(
        &self,
        text: &'t str,
        mut with: impl FnMut(&Captures<'t>) -> String,
    ) -> Cow<'t, str> {
        replaced(text, self.captures_iter(text).map(|found| (found.range(), with(&found))))
    }

    fn respelled<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.alphabet.as_ref().map_or(Cow::Borrowed(text), |alphabet| alphabet.respell(text))
    }
}

impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// `text` with other words in some places, which are given from left to right.
fn replaced<S: AsRef<str>>(text: &str, places: impl Iterator<Item = (Range<usize>, S)>) -> Cow<'_, str> {
    let mut out = None;
    let mut at = 0;
    for (place, words) in places {
        let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
        out.push_str(&text[at..place.start]);
        out.push_str(words.as_ref());
        at = place.end;
    }
    out.map_or(Cow::Borrowed(text), |mut out| {
        out.push_str(&text[at..]);
        Cow::Owned(out)
    })
}

/// Where a pattern matches in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

impl<'t> Match<'t> {
    fn new(text: &'t str, range: &Range<usize>) -> Self {
        Self { text, start: range.start, end: range.end }
    }

    /// The first byte.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start
    }

    /// The byte after the last.
    #[must_use]
    pub fn end(&self) -> usize {
        self.end
    }

    /// The bytes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The text that matches.
    #[must_use]
    pub fn as_str(&self) -> &'t str {
        &self.text[self.start..self.end]
    }
}

/// The matches of a pattern in a text, from left to right.
#[derive(Debug)]
pub struct Matches<'r, 't> {
    regex: &'r Regex,
    text: &'t str,
    steps: Steps<'t>,
}

impl<'t> Iterator for Matches<'_, 't> {
    type Item = Match<'t>;

    fn next(&mut self) -> Option<Match<'t>> {
        let engine = &self.regex.engine;
        let found = self.steps.next(|input| engine.search(input).map(|found| found.range()))?;
        Some(Match::new(self.text, &found))
    }
}

/// How far a search for all matches has come.
#[derive(Debug)]
struct Steps<'t> {
    /// The text in the pattern's alphabet.
    text: Cow<'t, str>,
    at: usize,
    /// The end of the last match, where no empty one may follow.
    last: Option<usize>,
}

impl<'t> Steps<'t> {
    fn new(text: Cow<'t, str>) -> Self {
        Self { text, at: 0, last: None }
    }

    fn next(&mut self, mut search: impl FnMut(&Input<'_>) -> Option<Range<usize>>) -> Option<Range<usize>> {
        let mut from = |at: usize| {
            let input = (at <= self.text.len()).then(|| Input::new(&*self.text).range(at..))?;
            search(&input)
        };
        let mut found = from(self.at)?;
        if found.is_empty() && self.last == Some(found.end) {
            found = from(self.at + 1)?;
        }
        self.at = found.end;
        self.last = Some(found.end);
        Some(found)
    }
}

#[cfg(test)]
mod tests;
