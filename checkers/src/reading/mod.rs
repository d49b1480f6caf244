//! Reading: from a message to its numbers, equations, sentences and the stance it takes to each.
//!
//! Hand-written scanners, each linear in the text, each total: any string can be read, and every place that is found
//! maps back to bytes of the message.
//!
//! - [`normalize`]: one spelling for many
//! - [`lexer`], [`numeral`], [`spelled`], [`quantity`]: tokens, and numbers with what surrounds them
//! - [`arithmetic`], [`equation`]: expressions, and whether what is said to be equal is
//! - [`segment`], [`stance`], [`vocabulary`]: sentences and clauses, and whether they assert, deny, report or suppose
//! - [`echo`]: the user's words given back
//! - [`agreement`], [`evaluation`], [`evenness`]: assent without a number, good words for a plan, choices left open, and
//!   claims that nothing changed

pub mod agreement;
pub mod arithmetic;
pub mod echo;
pub mod equation;
pub mod evaluation;
pub mod evenness;
pub mod lexer;
pub mod normalize;
pub mod numeral;
pub mod quantity;
pub mod segment;
pub mod spelled;
pub mod stance;
pub mod vocabulary;

use std::ops::Range;

use equation::Equation;
use lexer::Token;
use normalize::Folded;
use quantity::Quantity;
use segment::Segments;

/// A message, read.
#[derive(Debug)]
pub struct Reading {
    /// The folded text.
    pub folded: Folded,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Its quantities, in order.
    pub quantities: Vec<Quantity>,
    /// For each token, the quantity that starts there.
    pub at_token: Vec<Option<u32>>,
    /// Its sentences and clauses.
    pub segments: Segments,
    /// Its equations, in order, those that do not hold included.
    pub equations: Vec<Equation>,
    /// Tokens that only give back what somebody else said.
    pub echoed: Vec<Range<usize>>,
}

impl Reading {
    /// Reads a message.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let folded = Folded::of(text);
        let tokens = lexer::tokens(&folded);
        let (quantities, at_token) = quantity::quantities(&folded.text, &tokens);
        let segments = Segments::of(&folded, &tokens);
        let in_code = |at: usize| tokens.get(at).is_some_and(|token| folded.in_code(token.start));
        let equations = equation::equations(&folded.text, &tokens, &quantities, &at_token, &in_code);
        Self { folded, tokens, quantities, at_token, segments, equations, echoed: Vec::new() }
    }

    /// Reads a message that answers `others`.
    #[must_use]
    pub fn answering(text: &str, others: &[&str]) -> Self {
        let mut reading = Self::of(text);
        reading.echoed = echo::echoes(&reading, others);
        reading
    }

    /// The word at a token, or nothing.
    #[must_use]
    pub fn word(&self, at: usize) -> &str {
        self.tokens
            .get(at)
            .filter(|token| token.is_word())
            .map_or("", |token| &self.folded.text[token.start..token.end])
    }

    /// Whether a token is this sign.
    #[must_use]
    pub fn is(&self, at: usize, sign: char) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(sign))
    }

    /// The bytes of the message that tokens came from.
    #[must_use]
    pub fn span(&self, tokens: &Range<usize>) -> Range<usize> {
        let (Some(first), Some(last)) =
            (self.tokens.get(tokens.start), self.tokens.get(tokens.end.max(tokens.start + 1) - 1))
        else {
            return 0..0;
        };
        let start = self.folded.original(first.start..first.end).start;
        start..self.folded.original(last.start..last.end).end.max(start)
    }

    /// Whether tokens are struck through.
    #[must_use]
    pub fn struck(&self, tokens: &Range<usize>) -> bool {
        let start = self.tokens.get(tokens.start).map_or(0, |token| token.start);
        self.folded.is_struck(start)
    }

    /// Whether a token is part of an equation.
    #[must_use]
    pub fn in_equation(&self, at: usize) -> bool {
        let index = self.equations.partition_point(|equation| equation.tokens().end <= at);
        self.equations
            .get(index.saturating_sub(1)..)
            .is_some_and(|near| near.iter().take(3).any(|equation| equation.tokens().contains(&at)))
    }

    /// The equation in which a quantity is an operand or a side, and whether it is a side of its own.
    #[must_use]
    pub fn equation_of(&self, quantity: &Quantity) -> Option<(&Equation, bool)> {
        let at = quantity.tokens.start;
        let index = self.equations.partition_point(|equation| equation.tokens().end <= at);
        // Chains that do not hold may overlap the one after them.
        self.equations.get(index.saturating_sub(1)..)?.iter().take(3).find_map(|equation| {
            let side = equation.sides.iter().find(|side| side.tokens.contains(&at))?;
            Some((equation, side.node.is_leaf()))
        })
    }
}
