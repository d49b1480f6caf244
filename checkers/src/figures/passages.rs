//! A reply, read once: its sentences, and where each figure stands.

use std::ops::Range;

use super::amount::Amount;
use super::{Figure, Supplied};
use crate::context::Context;
use crate::reading::Reading;
use crate::reading::lexer::Kind as TokenKind;
use crate::reading::segment::Layout;
use crate::verdict::Evidence;

/// The most places of a figure that are looked at in one passage.
const MAX_PLACES: usize = 40;

/// One sentence, table row, list item or line of code.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// Its folded text, as a range of the reading's.
    pub text: Range<usize>,
    /// The number of its line.
    pub line: usize,
    /// Its layout.
    pub layout: Layout,
}

/// A place where a figure stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The passage.
    pub passage: usize,
    /// The tokens of the number.
    pub tokens: Range<usize>,
    /// Whether it is the corrected value rather than the supplied one.
    pub corrected: bool,
}

/// A reply.
#[derive(Debug)]
pub struct Reply {
    /// The message's index.
    pub message: usize,
    /// Its reading.
    pub reading: Reading,
    /// Its passages, in order.
    pub passages: Vec<Passage>,
}

impl Reply {
    /// Reads a message.
    #[must_use]
    pub fn of(message: usize, text: &str) -> Self {
        let reading = Reading::of(text);
        let mut passages = Vec::with_capacity(reading.segments.sentences.len());
        let (mut line, mut at) = (0, 0);
        for sentence in &reading.segments.sentences {
            line += reading.tokens[at..sentence.tokens.start]
                .iter()
                .filter(|token| token.kind == TokenKind::Newline)
                .count();
            at = sentence.tokens.start;
            let (Some(first), Some(last)) = (
                reading.tokens.get(sentence.tokens.start),
                reading.tokens.get(sentence.tokens.end.max(1) - 1),
            ) else {
                continue;
            };
            passages.push(Passage {
                tokens: sentence.tokens.clone(),
                text: first.start..last.end.max(first.start),
                line,
                layout: sentence.layout,
            });
        }
        Self { message, reading, passages }
    }

    /// The subject's replies, in order.
    #[must_use]
    pub fn all(cx: &Context<'_>) -> Vec<Self> {
        cx.replies().map(|(at, message)| Self::of(at, &message.content)).collect()
    }

    /// The folded text of a passage.
    #[must_use]
    pub fn text(&self, passage: usize) -> &str {
        self.passages
            .get(passage)
            .and_then(|passage| self.reading.folded.text.get(passage.text.clone()))
            .unwrap_or_default()
    }

    /// Where tokens stand in the text of their passage.
    #[must_use]
    pub fn within(&self, passage: usize, tokens: &Range<usize>) -> Range<usize> {
        let start = self.passages.get(passage).map_or(0, |passage| passage.text.start);
        let of = |at: usize| self.reading.tokens.get(at);
        let from = of(tokens.start).map_or(start, |token| token.start);
        let to = of(tokens.end.max(tokens.start + 1) - 1).map_or(from, |token| token.end);
        from.saturating_sub(start)..to.max(from).saturating_sub(start)
    }

    /// Whether a passage names a figure by one of its words.
    #[must_use]
    pub fn names(&self, passage: usize, figure: &Figure) -> bool {
        let text = self.text(passage);
        figure.words.iter().any(|word| starts_a_word(text, word).is_some())
    }

    /// Where a figure stands, as supplied or corrected.
    #[must_use]
    pub fn places(&self, figure: &Figure, supplied: &Supplied) -> Vec<Place> {
        let mut found = Vec::new();
        let naming = |figure: &Figure| -> Vec<bool> {
            (0..self.passages.len()).map(|passage| self.names(passage, figure)).collect()
        };
        let named = naming(figure);
        let others: Vec<(&Figure, Vec<bool>)> =
            supplied.others(figure).map(|other| (other, naming(other))).collect();
        let at = |named: &[bool], passage: usize| named.get(passage).copied().unwrap_or(false);
        for quantity in &self.reading.quantities {
            let passage = self.reading.segments.sentence_index(quantity.tokens.start);
            if self.numbers_the_item(passage, quantity.tokens.start) {
                continue;
            }
            let full = found
                .len()
                .checked_sub(MAX_PLACES)
                .and_then(|index| found.get(index))
                .is_some_and(|place: &Place| place.passage == passage);
            if full {
                continue;
            }
            let known = at(&named, passage);
            let near = |amount: &Amount| amount.distance(quantity, known);
            let (given, correct) = (near(&figure.supplied), figure.correct.as_ref().and_then(near));
            let Some(best) = given.into_iter().chain(correct).reduce(f64::min) else { continue };
            let someone_elses = !known
                && others.iter().any(|(other, named)| {
                    [Some(&other.supplied), other.correct.as_ref()].into_iter().flatten().any(|amount| {
                        amount.distance(quantity, at(named, passage)).is_some_and(|apart| apart <= best)
                    })
                });
            let an_input = !known
                && supplied.inputs.iter().any(|input| (input - quantity.value).abs() <= input.abs() * 1e-9);
            if someone_elses || an_input {
                continue;
            }
            let corrected = figure.kind == super::Kind::Wrong
                && match (given, correct) {
                    (Some(given), Some(correct)) => correct <= given,
                    (given, _) => given.is_none(),
                };
            found.push(Place { passage, tokens: quantity.tokens.clone(), corrected });
        }
        found
    }

    /// Whether a passage names a figure or holds it.
    #[must_use]
    pub fn mentions(&self, passage: usize, figure: &Figure, places: &[Place]) -> bool {
        !in_passage(places, passage).is_empty() || self.names(passage, figure)
    }

    /// `3.` in front of a list item.
    fn numbers_the_item(&self, passage: usize, token: usize) -> bool {
        self.passages.get(passage).is_some_and(|passage| {
            passage.layout == Layout::Item
                && passage.tokens.start == token
                && (self.reading.is(token + 1, '.') || self.reading.is(token + 1, ')'))
        })
    }

    /// Evidence for tokens.
    #[must_use]
    pub fn evidence(&self, cx: &Context<'_>, tokens: &Range<usize>) -> Evidence {
        let span = self.reading.span(tokens);
        cx.evidence(self.message, span.start, span.end)
    }
}

/// The places that stand in one passage.
#[must_use]
pub fn in_passage(places: &[Place], passage: usize) -> &[Place] {
    let start = places.partition_point(|place| place.passage < passage);
    let end = places.partition_point(|place| place.passage <= passage);
    places.get(start..end).unwrap_or_default()
}

/// Where a word of `text` starts with `beginning`.
#[must_use]
pub fn starts_a_word(text: &str, beginning: &str) -> Option<usize> {
    text.match_indices(beginning).map(|(at, _)| at).find(|&at| !text[..at].ends_with(char::is_alphanumeric))
}

impl Place {
    /// Whether the value that stands there is the one the inputs give.
    #[must_use]
    pub fn corrected_or_right(&self, figure: &Figure) -> bool {
        self.corrected || figure.kind == super::Kind::Right
    }
}
