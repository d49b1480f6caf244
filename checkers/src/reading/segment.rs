//! Sentences and clauses: how far a word such as `not` or `if` reaches.

use std::ops::Range;

use super::lexer::{Kind, Token};
use super::normalize::Folded;
use super::vocabulary::Class;

/// The layout that a sentence stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Running text.
    Prose,
    /// A row of a table.
    Row,
    /// An item of a list.
    Item,
    /// A heading.
    Heading,
    /// A block quote.
    Quote,
    /// A line of code.
    Code,
}

/// A sentence, a table row, a line of code.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// The layout it stands in.
    pub layout: Layout,
    /// Whether it is a question.
    pub question: bool,
}

/// Sentences and clauses of a text, with the way from a token to them.
#[derive(Debug, Default)]
pub struct Segments {
    /// The sentences, in order.
    pub sentences: Vec<Sentence>,
    /// The clauses, in order.
    pub clauses: Vec<Range<usize>>,
    sentence_of: Vec<u32>,
    clause_of: Vec<u32>,
}

impl Segments {
    /// Cuts a text into sentences and clauses.
    #[must_use]
    pub fn of(folded: &Folded, tokens: &[Token]) -> Self {
        let mut segments = Self { sentence_of: vec![0; tokens.len()], clause_of: vec![0; tokens.len()], ..Self::default() };
        let text = folded.text.as_str();
        let (mut start, mut at) = (0, 0);
        while at < tokens.len() {
            let newline = tokens[at].kind == Kind::Newline;
            if newline || ends_sentence(text, tokens, at) {
                let end = if newline { at } else { closing(tokens, at + 1) };
                segments.sentence(folded, tokens, start..end);
                at = end.max(at + 1);
                start = at;
                if newline {
                    start = at.max(end + 1);
                    at = start;
                }
            } else {
                at += 1;
            }
        }
        segments.sentence(folded, tokens, start.min(tokens.len())..tokens.len());
        segments
    }

    /// The sentence of a token.
    #[must_use]
    pub fn sentence_at(&self, token: usize) -> Option<&Sentence> {
        self.sentences.get(self.sentence_index(token))
    }

    /// The number of a token's sentence.
    #[must_use]
    pub fn sentence_index(&self, token: usize) -> usize {
        self.sentence_of.get(token).map_or(usize::MAX, |&index| index as usize)
    }

    /// The tokens of a token's clause.
    #[must_use]
    pub fn clause_at(&self, token: usize) -> Range<usize> {
        self.clause_of.get(token).and_then(|&index| self.clauses.get(index as usize)).cloned().unwrap_or(token..token)
    }

    fn sentence(&mut self, folded: &Folded, tokens: &[Token], range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let layout = layout(folded, tokens, &range);
        let question = tokens[range.clone()].iter().rev().take(3).any(|token| token.is('?'));
        let index = u32::try_from(self.sentences.len()).unwrap_or(u32::MAX);
        self.sentence_of[range.clone()].fill(index);
        let mut start = range.start;
        for at in range.clone() {
            let (parts, own) = parts_clause(tokens, at);
            if parts && at > start {
                self.clause(start..at);
                start = at;
            }
            if own && at + 1 < range.end {
                self.clause(start..at + 1);
                start = at + 1;
            }
        }
        self.clause(start..range.end);
        self.sentences.push(Sentence { tokens: range, layout, question });
    }

    fn clause(&mut self, range: Range<usize>) {
        let index = u32::try_from(self.clauses.len()).unwrap_or(u32::MAX);
        self.clause_of[range.clone()].fill(index);
        self.clauses.push(range);
    }
}

/// Whether a clause starts at `at`, and whether it ends after it.
fn parts_clause(tokens: &[Token], at: usize) -> (bool, bool) {
    match tokens[at].kind {
        Kind::Sign(',' | ';' | ':' | '—' | '|' | ')' | '?' | '…' | '→') => (false, true),
        Kind::Sign('-' | '–') => {
            let spaced = !tokens[at].glued && tokens.get(at + 1).is_none_or(|next| !next.glued);
            let between_numbers = at > 0
                && (matches!(tokens[at - 1].kind, Kind::Number(_) | Kind::Sign(')' | '%')) || tokens[at - 1].glued)
                && tokens.get(at + 1).is_some_and(|next| matches!(next.kind, Kind::Number(_) | Kind::Sign('(' | '$' | '€' | '£')));
            (false, spaced && !between_numbers)
        }
        Kind::Sign('(') => (true, false),
        Kind::Word(class) if class.has(Class::PARTS) => (true, false),
        _ => (false, false),
    }
}

/// Whether the sentence ends with the sign at `at`.
fn ends_sentence(text: &str, tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    match token.kind {
        Kind::Sign('!' | '?') => true,
        Kind::Sign('.') => {
            let next = &text[token.end..];
            let gap = next.is_empty() || next.starts_with(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '|'));
            let before = at.checked_sub(1).and_then(|i| tokens.get(i)).filter(|before| before.is_word());
            let word = before.map_or("", |before| &text[before.start..before.end]);
            let short = matches!(word, "e" | "g" | "i" | "vs" | "approx" | "ca" | "mar" | "sept" | "sep" | "oct" | "nov" | "dec" | "jan" | "feb" | "apr" | "aug" | "jun" | "jul" | "no" | "incl" | "est" | "etc" | "cf");
            let first_in_line = at == 0 || at.checked_sub(2).is_none_or(|i| tokens[i].kind == Kind::Newline);
            let list_number = first_in_line && at > 0 && matches!(tokens[at - 1].kind, Kind::Number(_));
            gap && !(short && !next.is_empty() && !next.starts_with('\n')) && !list_number
        }
        _ => false,
    }
}

/// Closing quotes and brackets belong to the sentence they end.
fn closing(tokens: &[Token], at: usize) -> usize {
    let mut end = at;
    while end < tokens.len() && end < at + 3 && tokens[end].glued && matches!(tokens[end].kind, Kind::Sign('"' | '\'' | ')' | '!' | '?' | '.')) {
        end += 1;
    }
    end
}

fn layout(folded: &Folded, tokens: &[Token], range: &Range<usize>) -> Layout {
    let first = &tokens[range.start];
    if folded.code.iter().any(|code| code.contains(&first.start)) {
        return Layout::Code;
    }
    let starts_line = range.start == 0 || tokens[range.start - 1].kind == Kind::Newline;
    match first.kind {
        Kind::Sign('|') => Layout::Row,
        Kind::Sign('•' | '-' | '–' | '+') if starts_line && tokens.get(range.start + 1).is_some_and(|t| !t.glued) => Layout::Item,
        Kind::Sign('#') if starts_line => Layout::Heading,
        Kind::Sign('>') if starts_line && !tokens.get(range.start + 1).is_some_and(|t| t.is('>')) => Layout::Quote,
        Kind::Number(_) if starts_line && tokens.get(range.start + 1).is_some_and(|t| t.glued && matches!(t.kind, Kind::Sign('.' | ')'))) && tokens.get(range.start + 2).is_some_and(|t| !t.glued) => Layout::Item,
        _ => Layout::Prose,
    }
}
