//! Expressions in running text: what is computed, with the operands' values.
//!
//! ```text
//! sum     = product { (+ | - | plus | minus) product }
//! product = factor { (* | / | x | times | over | of | divided by | multiplied by | out of) factor }
//! factor  = ( sum ) | - factor | quantity [units] [grown] | rate [noun] (on | to | above | on top of …) quantity
//! grown   = [increased | raised | grown | up …] by rate
//! ```
//! Unit words and short remarks in brackets may stand after an operand (`60 ms / 240 ms`, `100 (new) - 80 (old)`), and a
//! few words after an operator in words (`20 divided by the original 80`). `80 + 25%` grows 80 by a quarter of itself, as
//! people mean it. A name stands for the number it was given (`old = 80000`).

use std::collections::HashMap;
use std::ops::Range;

use super::lexer::{Kind, Token};
use super::quantity::{Measure, Quantity};
use super::vocabulary::{Class, is_month};

/// How deep brackets may nest.
const MAX_DEPTH: usize = 24;
/// The most operators in one expression.
const MAX_OPERATORS: usize = 64;

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Addition.
    Add,
    /// Subtraction.
    Subtract,
    /// Multiplication.
    Multiply,
    /// Division.
    Divide,
    /// The left side made larger by the right side's share of it.
    Grow,
    /// The left side made smaller by the right side's share of it.
    Shrink,
}

/// How the literals of an equation are read; tried in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As they most likely are.
    Likely,
    /// Ambiguous separators the other way.
    Other,
    /// Without `k` and its like: `80k * 1.25 = 100`.
    Bare,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A number in the text.
    Leaf(Leaf),
    /// An operation.
    Op(Op, Box<Node>, Box<Node>),
}

/// A number in the text, as an operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leaf {
    value: f64,
    unit: f64,
    other: Option<(f64, f64)>,
    magnitude: f64,
    /// Whether it is written as a percentage.
    pub percent: bool,
}

impl Leaf {
    fn of(quantity: &Quantity) -> Self {
        let sign = if quantity.sign < 0 { -1.0 } else { 1.0 };
        Self {
            value: quantity.value * sign,
            unit: quantity.unit,
            other: quantity.other.map(|(value, unit)| (value * sign, unit)),
            magnitude: quantity.magnitude,
            percent: matches!(quantity.measure, Measure::Percent | Measure::Points),
        }
    }

    /// Value and unit of the last place.
    #[must_use]
    pub fn reading(&self, mode: Mode) -> (f64, f64) {
        match mode {
            Mode::Likely => (self.value, self.unit),
            Mode::Other => self.other.unwrap_or((self.value, self.unit)),
            Mode::Bare if self.percent => (self.value, self.unit),
            Mode::Bare => (self.value / self.magnitude, self.unit / self.magnitude),
        }
    }
}

impl Node {
    /// The value.
    #[must_use]
    pub fn value(&self, mode: Mode) -> f64 {
        match self {
            Self::Leaf(leaf) => leaf.reading(mode).0,
            Self::Op(op, left, right) => {
                let (left, right) = (left.value(mode), right.value(mode));
                match op {
                    Op::Add => left + right,
                    Op::Subtract => left - right,
                    Op::Multiply => left * right,
                    Op::Divide => left / right,
                    Op::Grow => left * (1.0 + right),
                    Op::Shrink => left * (1.0 - right),
                }
            }
        }
    }

    /// The same with a minus in front of its first number taken away.
    #[must_use]
    pub fn unsigned(self) -> Self {
        match self {
            Self::Leaf(leaf) => Self::Leaf(Leaf {
                value: leaf.value.abs(),
                other: leaf.other.map(|(value, unit)| (value.abs(), unit)),
                ..leaf
            }),
            Self::Op(op, left, right) => Self::Op(op, Box::new(left.unsigned()), right),
        }
    }

    /// Whether it is a number and nothing is computed.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        matches!(self, Self::Leaf(_))
    }

    /// Calls `visit` for the node and everything under it.
    pub fn walk<'n>(&'n self, visit: &mut dyn FnMut(&'n Node)) {
        visit(self);
        if let Self::Op(_, left, right) = self {
            left.walk(visit);
            right.walk(visit);
        }
    }

    /// Its numbers, in the order of the text.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Leaf> {
        let mut leaves = Vec::new();
        self.walk(&mut |node| {
            if let Self::Leaf(leaf) = node {
                leaves.push(leaf);
            }
        });
        leaves
    }
}

/// Reads expressions from tokens.
pub struct Parser<'a> {
    /// The folded text.
    pub text: &'a str,
    /// Its tokens.
    pub tokens: &'a [Token],
    /// Its quantities.
    pub quantities: &'a [Quantity],
    /// For each token, the quantity that starts there.
    pub at_token: &'a [Option<u32>],
    /// What names stand for.
    pub names: HashMap<&'a str, Leaf>,
}

impl<'a> Parser<'a> {
    /// The word at `at`, or nothing.
    #[must_use]
    pub fn word(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .filter(|token| token.is_word())
            .map_or("", |token| &self.text[token.start..token.end])
    }

    /// The sign at `at`, or NUL.
    #[must_use]
    pub fn sign(&self, at: usize) -> char {
        match self.tokens.get(at).map(|token| token.kind) {
            Some(Kind::Sign(sign)) => sign,
            _ => '\0',
        }
    }

    /// The quantity that starts at `at`.
    #[must_use]
    pub fn quantity(&self, at: usize) -> Option<&'a Quantity> {
        let index = (*self.at_token.get(at)?)?;
        self.quantities.get(index as usize)
    }

    /// The expression that starts at `at`, and the token after it.
    #[must_use]
    pub fn expression(&self, at: usize) -> Option<(Node, Range<usize>)> {
        let mut budget = MAX_OPERATORS;
        let (node, end) = self.sum(at, 0, &mut budget)?;
        Some((node, at..end))
    }

    fn sum(&self, at: usize, depth: usize, budget: &mut usize) -> Option<(Node, usize)> {
        let (mut left, mut end) = self.product(at, depth, budget)?;
        loop {
            // `24 minus 19, plus 1, equals 6`.
            let spoken = matches!(self.word(end + 1), "plus" | "minus");
            let pause = usize::from(self.sign(end) == ',' && spoken && !left.is_leaf());
            let Some((op, next)) = self.additive(end + pause) else { break };
            if *budget == 0 {
                break;
            }
            let Some((right, after)) = self.product(next, depth, budget) else { break };
            *budget -= 1;
            let grows = matches!(&right, Node::Leaf(leaf) if leaf.percent) && !is_rate(&left);
            let op = match (op, grows) {
                (Op::Add, true) => Op::Grow,
                (_, true) => Op::Shrink,
                _ => op,
            };
            left = Node::Op(op, Box::new(left), Box::new(right));
            end = after;
        }
        Some((left, end))
    }

    fn product(&self, at: usize, depth: usize, budget: &mut usize) -> Option<(Node, usize)> {
        let (mut left, mut end) = self.factor(at, depth, budget)?;
        while let Some((op, next)) = self.multiplicative(end, &left) {
            if *budget == 0 {
                break;
            }
            let Some((right, after)) = self.factor(next, depth, budget) else { break };
            *budget -= 1;
            left = Node::Op(op, Box::new(left), Box::new(right));
            end = after;
        }
        Some((left, end))
    }

    fn factor(&self, at: usize, depth: usize, budget: &mut usize) -> Option<(Node, usize)> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.sign(at) {
            '(' | '[' => {
                let (node, end) = self.sum(at + 1, depth + 1, budget)?;
                if !matches!(self.sign(end), ')' | ']') {
                    return None;
                }
                let end = end + 1;
                // `(20/80)%` is not a thing, but `(0.25)(80)` and `(20/80) 100%` are left to the operators.
                return Some((node, self.after_units(end)));
            }
            '-' if self.quantity(at).is_none() && self.tokens.get(at + 1).is_some_and(|next| next.glued) => {
                let (node, end) = self.factor(at + 1, depth + 1, budget)?;
                let zero =
                    Node::Leaf(Leaf { value: 0.0, unit: 1.0, other: None, magnitude: 1.0, percent: false });
                return Some((Node::Op(Op::Subtract, Box::new(zero), Box::new(node)), end));
            }
            _ => {}
        }
        if let Some(found) = self.verb_form(at) {
            return Some(found);
        }
        // `March 10 - March 3`: the noun that a member is named with.
        let at = if is_noun(self.word(at)) && self.quantity(at).is_none() && self.quantity(at + 1).is_some() {
            at + 1
        } else {
            at
        };
        let Some(quantity) = self.quantity(at) else {
            let leaf = self.names.get(self.word(at)).filter(|_| !self.word(at).is_empty())?;
            return Some((Node::Leaf(*leaf), at + 1));
        };
        let leaf = Node::Leaf(Leaf::of(quantity));
        let end = quantity.tokens.end;
        if quantity.measure == Measure::Percent
            && let Some((base, after)) = self.rate_on(end)
        {
            return Some((Node::Op(Op::Grow, Box::new(base), Box::new(leaf)), after));
        }
        let end = self.after_units(end);
        if let Some((op, rate, after)) = self.grown(end) {
            return Some((Node::Op(op, Box::new(leaf), Box::new(rate)), after));
        }
        Some((leaf, end))
    }

    /// `subtract 3 from 10`, `divide 20 by 80`, `add 25% to 80`, `increase 80 by 25%`.
    fn verb_form(&self, at: usize) -> Option<(Node, usize)> {
        let (op, joint, swapped) = match self.word(at) {
            "subtract" | "subtracting" | "deduct" | "take" | "taking" => (Op::Subtract, "from", true),
            "divide" | "dividing" => (Op::Divide, "by", false),
            "multiply" | "multiplying" => (Op::Multiply, "by", false),
            "add" | "adding" | "apply" | "applying" => (Op::Add, "to", true),
            _ => return None,
        };
        let first = self.quantity(self.skip_words(at + 1, 3))?;
        let after = (first.tokens.end..first.tokens.end + 4).find(|&i| self.word(i) == joint)?;
        let second = self.quantity(self.skip_words(after + 1, 3))?;
        let (left, right) = if swapped { (second, first) } else { (first, second) };
        let grows = op == Op::Add && first.measure == Measure::Percent;
        let op = if grows { Op::Grow } else { op };
        let node = Node::Op(op, Box::new(Node::Leaf(Leaf::of(left))), Box::new(Node::Leaf(Leaf::of(right))));
        Some((node, self.after_units(second.tokens.end)))
    }

    /// Whether an expression can start at `at`.
    #[must_use]
    pub fn may_start(&self, at: usize) -> bool {
        self.quantity(at).is_some()
            || matches!(self.sign(at), '(' | '[' | '-')
            || self.names.contains_key(self.word(at))
            || matches!(
                self.word(at),
                "subtract"
                    | "subtracting"
                    | "deduct"
                    | "take"
                    | "taking"
                    | "divide"
                    | "dividing"
                    | "multiply"
                    | "multiplying"
                    | "add"
                    | "adding"
                    | "apply"
                    | "applying"
            )
    }

    /// `increase on 80`, `on top of 80`, `more than 80`, `to 80` after a rate.
    fn rate_on(&self, at: usize) -> Option<(Node, usize)> {
        let mut i = at;
        let noun = self.tokens.get(i)?.has(Class::CHANGES);
        if noun {
            i += 1;
        }
        i = match (self.word(i), self.word(i + 1), self.word(i + 2)) {
            ("on", "top", "of") => i + 3,
            ("on" | "onto" | "above" | "over" | "to", _, _) => i + 1,
            ("than" | "from", _, _) if noun => i + 1,
            ("applied" | "added", "to", _) => i + 2,
            _ => return None,
        };
        let i = self.skip_words(i, 3);
        let base = self.quantity(i)?;
        if matches!(base.measure, Measure::Percent | Measure::Points | Measure::Factor | Measure::Ordinal) {
            return None;
        }
        Some((Node::Leaf(Leaf::of(base)), self.after_units(base.tokens.end)))
    }

    /// `increased by 25%`, `up 25%`, `by 25%` after an amount.
    fn grown(&self, at: usize) -> Option<(Op, Node, usize)> {
        let mut i = at;
        let (op, verb) = match self.word(i) {
            "increased" | "raised" | "grown" | "marked" | "bumped" | "growing" | "rising" | "up"
            | "rises" | "grows" => (Op::Grow, true),
            "decreased" | "reduced" | "cut" | "down" | "falling" | "lowered" | "shrunk" => (Op::Shrink, true),
            _ => (Op::Grow, false),
        };
        i += usize::from(verb);
        i += usize::from(verb && self.word(i) == "up");
        let by = self.word(i) == "by";
        i += usize::from(by);
        if !verb && !by {
            return None;
        }
        let rate = self.quantity(self.skip_words(i, 1))?;
        (rate.measure == Measure::Percent).then(|| (op, Node::Leaf(Leaf::of(rate)), rate.tokens.end))
    }

    fn additive(&self, at: usize) -> Option<(Op, usize)> {
        match (self.sign(at), self.word(at)) {
            ('+', _) => Some((Op::Add, at + 1)),
            ('-' | '–', _) => Some((Op::Subtract, at + 1)),
            (_, "plus") => Some((Op::Add, self.skip_words(at + 1, 3))),
            (_, "minus") => Some((Op::Subtract, self.skip_words(at + 1, 3))),
            _ => None,
        }
    }

    fn multiplicative(&self, at: usize, left: &Node) -> Option<(Op, usize)> {
        match (self.sign(at), self.word(at), self.word(at + 1)) {
            ('*', _, _) => Some((Op::Multiply, at + 1)),
            ('/', _, _) if self.sign(at + 1) != '/' => Some((Op::Divide, at + 1)),
            ('(', _, _) if self.tokens[at].glued => Some((Op::Multiply, at)),
            // `15 : 75`, as a division is written in much of Europe.
            (':', _, _)
                if !self.tokens[at].glued
                    && self.tokens.get(at + 1).is_some_and(|next| !next.glued)
                    && self.quantity(at + 1).is_some() =>
            {
                Some((Op::Divide, at + 1))
            }
            (_, "x" | "times", _) => Some((Op::Multiply, self.skip_words(at + 1, 2))),
            (_, "over", _) => Some((Op::Divide, self.skip_words(at + 1, 3))),
            (_, "divided" | "divide", "by") => Some((Op::Divide, self.skip_words(at + 2, 4))),
            (_, "multiplied" | "multiply", "by") => Some((Op::Multiply, self.skip_words(at + 2, 3))),
            (_, "out", "of") => Some((Op::Divide, self.skip_words(at + 2, 3))),
            (_, "of", _) if is_share(left) => Some((Op::Multiply, self.skip_words(at + 1, 3))),
            _ => None,
        }
    }

    /// Skips up to `most` words that are no numbers, so that an operand comes next; stays if none does.
    fn skip_words(&self, at: usize, most: usize) -> usize {
        let mut i = at;
        while i - at <= most {
            let starts = self.quantity(i).is_some() || matches!(self.sign(i), '(' | '$');
            if starts || self.names.contains_key(self.word(i)) {
                return i;
            }
            if self.word(i).is_empty() || self.word(i).len() < 2 && self.word(i) != "a" {
                return at;
            }
            i += 1;
        }
        at
    }

    /// Skips unit words or a remark in brackets, if an operator, a bracket or an equals sign follows.
    fn after_units(&self, at: usize) -> usize {
        let mut i = at;
        if self.sign(i) == '(' && !self.word(i + 1).is_empty() {
            let close = (i + 2..i + 6).find(|&close| self.word(close).is_empty());
            match close {
                Some(close)
                    if self.sign(close) == ')' && (i + 1..close).all(|w| self.quantity(w).is_none()) =>
                {
                    i = close + 1;
                }
                _ => return at,
            }
        }
        for _ in 0..4 {
            let word = self.word(i);
            let sign = self.sign(i);
            if matches!(sign, '+' | '-' | '–' | '*' | '/' | ')' | '=' | '≈' | '→') {
                return i;
            }
            let operator = matches!(
                word,
                "plus" | "minus" | "times" | "over" | "divided" | "multiplied" | "increased" | "by" | "up"
            );
            if operator {
                return i;
            }
            let token = self.tokens.get(i);
            let skippable = !word.is_empty()
                && self.quantity(i).is_none()
                && token.is_some_and(|token| !token.has(Class::EQUATES.or(Class::PARTS)))
                && !matches!(word, "and" | "x" | "to" | "or")
                && (word != "of" || !self.word(i + 1).is_empty() && self.quantity(i + 1).is_none());
            if !skippable {
                break;
            }
            i += 1;
        }
        at
    }
}

/// What a member of a range may be called, before its number.
fn is_noun(word: &str) -> bool {
    is_month(word) || matches!(word, "day" | "page" | "p" | "no" | "the")
}

/// A leaf that `%` after a plus adds to as it is: `1 + 25%`, `100% + 25%`.
fn is_rate(node: &Node) -> bool {
    match node {
        Node::Leaf(leaf) => leaf.percent || (leaf.value - 1.0).abs() < 1e-9,
        Node::Op(_, left, right) => is_rate(left) && is_rate(right),
    }
}

/// Something that one can take `of` an amount.
fn is_share(node: &Node) -> bool {
    match node {
        Node::Leaf(leaf) => leaf.percent || leaf.value.abs() < 1.0 || leaf.value.fract() != 0.0,
        Node::Op(op, ..) => *op == Op::Divide,
    }
}
