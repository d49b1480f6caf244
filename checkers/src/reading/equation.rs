//! Equations: expressions that the text says are equal, and whether they are.
//!
//! The sides may be joined by a sign (`=`, `≈`, `→`), by words (`is`, `gives`, `works out to`), by the layout (a bracket
//! after the value, the next table cell, the answer of a prompt), with a few words between. A chain
//! `a / b = c / d = 0.25 = 25%` is one equation. An equation holds when all its sides agree to the precision they are
//! printed in; one that does not hold is kept as such and counts for nothing.

use std::collections::HashMap;
use std::ops::Range;

use super::arithmetic::{Mode, Node, Op, Parser};
use super::lexer::{Kind, Token};
use super::quantity::{Quantity, printed_as};
use super::vocabulary::Class;

/// The most sides of one chain.
const MAX_SIDES: usize = 12;
/// The most tokens between two sides.
const MAX_GAP: usize = 18;

/// One side of an equation.
#[derive(Debug, Clone)]
pub struct Side {
    /// What stands there.
    pub node: Node,
    /// The tokens it takes.
    pub tokens: Range<usize>,
}

/// Sides that the text says are equal.
#[derive(Debug, Clone)]
pub struct Equation {
    /// The sides, at least two.
    pub sides: Vec<Side>,
    /// How its numbers are read.
    pub mode: Mode,
    /// Whether the sides agree.
    pub holds: bool,
}

impl Equation {
    /// The tokens from the first side to the last.
    #[must_use]
    pub fn tokens(&self) -> Range<usize> {
        let start = self.sides.first().map_or(0, |side| side.tokens.start);
        start..self.sides.last().map_or(start, |side| side.tokens.end)
    }
}

enum Link {
    /// A sign that claims equality.
    Strong,
    /// Words or layout that may mean something else.
    Weak,
}

/// Finds the equations of a text. `in_code` tells whether a token is in a code block.
#[must_use]
pub fn equations(
    text: &str,
    tokens: &[Token],
    quantities: &[Quantity],
    at_token: &[Option<u32>],
    in_code: &dyn Fn(usize) -> bool,
) -> Vec<Equation> {
    let mut parser = Parser { text, tokens, quantities, at_token, names: HashMap::new() };
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        assignment(&mut parser, at);
        if !parser.may_start(at) {
            at += 1;
            continue;
        }
        let Some((node, range)) = parser.expression(at) else {
            at += 1;
            continue;
        };
        let first_end = range.end.max(at + 1);
        let colon = (at + 1..first_end).find(|&i| parser.sign(i) == ':');
        let mut chain = chain(&parser, Side { node, tokens: range }, in_code);
        if !chain.holds || chain.sides.len() == 1 {
            chain = as_item(&parser, at, in_code).filter(|item| item.holds).unwrap_or(chain);
        }
        let computes = chain.sides.iter().any(|side| !side.node.is_leaf());
        // `et non 7 : 10 − 3 + 1 = 8`: the colon led in what follows it, and divided nothing.
        if let Some(colon) = colon.filter(|_| !chain.holds) {
            at = colon + 1;
            continue;
        }
        let next = if chain.holds { chain.tokens().end.max(first_end) } else { first_end };
        if chain.sides.len() > 1 && computes {
            found.push(chain);
        }
        at = next;
    }
    found
}

/// `-1440 / 36 = 40` at the start of a line: a list's dash and no minus.
fn as_item(parser: &Parser<'_>, at: usize, in_code: &dyn Fn(usize) -> bool) -> Option<Equation> {
    let line_starts = at.checked_sub(1).is_none_or(|before| parser.tokens[before].kind == Kind::Newline);
    if !line_starts || !matches!(parser.sign(at), '-' | '–') {
        return None;
    }
    let (node, tokens) = match parser.quantity(at) {
        Some(_) => parser.expression(at).map(|(node, tokens)| (node.unsigned(), tokens))?,
        None => parser.expression(at + 1)?,
    };
    Some(chain(parser, Side { node, tokens }, in_code)).filter(|item| item.sides.len() > 1)
}

/// `name = number` at the start of a statement gives the name a value.
fn assignment<'a>(parser: &mut Parser<'a>, at: usize) {
    let name = parser.word(at);
    if name.is_empty() || parser.sign(at + 1) != '=' {
        return;
    }
    let Some(quantity) = parser.quantity(at + 2) else { return };
    let end = quantity.tokens.end;
    let ends = parser.tokens.get(end).is_none_or(|token| token.kind == Kind::Newline)
        || matches!(parser.sign(end), ';' | ',' | '#' | '.');
    if ends
        && parser.names.len() < 64
        && let Some((Node::Leaf(leaf), _)) = parser.expression(at + 2)
    {
        parser.names.insert(name, leaf);
    }
}

fn chain(parser: &Parser<'_>, first: Side, in_code: &dyn Fn(usize) -> bool) -> Equation {
    let mut equation = Equation { sides: vec![first], mode: Mode::Likely, holds: true };
    while equation.sides.len() < MAX_SIDES {
        let Some(last) = equation.sides.last() else { break };
        let Some((next, link)) = link(parser, last.tokens.end, in_code) else { break };
        let Some((node, tokens)) = parser.expression(next) else { break };
        equation.sides.push(Side { node, tokens });
        let mode =
            [Mode::Likely, Mode::Other, Mode::Bare].into_iter().find(|&mode| agree(&equation.sides, mode));
        match (mode, link) {
            (Some(mode), _) => equation.mode = mode,
            (None, Link::Weak) => {
                equation.sides.pop();
                break;
            }
            (None, Link::Strong) => {
                equation.holds = false;
                break;
            }
        }
    }
    equation
}

/// Whether an expression starting after `at` is said to equal what ends there: where it starts, and how it is said.
fn link(parser: &Parser<'_>, at: usize, in_code: &dyn Fn(usize) -> bool) -> Option<(usize, Link)> {
    let (mut strong, mut weak, mut words, mut comment) = (false, false, 0, false);
    for i in at..(at + MAX_GAP).min(parser.tokens.len()) {
        let token = &parser.tokens[i];
        let starts = parser.quantity(i).is_some()
            || (matches!(token.kind, Kind::Sign('(')) && parser.expression(i).is_some());
        if starts && (strong || weak) && !(comment && parser.word(i) == "a") {
            return Some((i, if strong { Link::Strong } else { Link::Weak }));
        }
        match token.kind {
            Kind::Sign('=') => strong = true,
            Kind::Sign('≈' | '→' | '~' | ':' | '|' | '(' | '>' | '"' | '*' | '\'') => weak = true,
            Kind::Sign('#') => {
                comment = true;
                weak = true;
            }
            // `30 / 50. That's 0.6.`
            Kind::Sign('.') | Kind::Newline if refers_back(parser, i + 1) => weak = true,
            Kind::Sign('?' | '.' | '/') if comment => {}
            Kind::Sign('/') if parser.sign(i + 1) == '/' => {
                comment = true;
                weak = true;
            }
            Kind::Sign(',' | ')' | ']' | '-' | '—' | '–' | '$' | '[' | '{' | '}' | '•') => {}
            Kind::Newline if in_code(i) => {
                weak = true;
                comment = false;
            }
            Kind::Newline if strong || opens_line(parser, i + 1) => {}
            Kind::Word(_) if token.has(Class::NEGATES) => return None,
            Kind::Word(_) => {
                weak |= token.has(Class::EQUATES);
                words += 1;
                let limit = if weak || strong { 9 } else { 4 };
                if starts || words > limit {
                    return None;
                }
            }
            Kind::Number(_) | Kind::Newline | Kind::Sign(_) => return None,
        }
    }
    None
}

/// Whether the line from `at` goes on with an equality sign.
fn opens_line(parser: &Parser<'_>, at: usize) -> bool {
    (at..at + 3)
        .find(|&i| parser.tokens.get(i).is_none_or(|t| t.kind != Kind::Newline))
        .is_some_and(|i| matches!(parser.sign(i), '=' | '≈' | '→'))
}

/// Whether the next sentence says what the expression before it comes to: `That's 0.6`.
fn refers_back(parser: &Parser<'_>, at: usize) -> bool {
    match parser.word(at) {
        "that's" | "thats" | "which's" => true,
        "that" | "this" | "which" | "it" => {
            parser.tokens.get(at + 1).is_some_and(|token| token.has(Class::EQUATES))
        }
        _ => false,
    }
}

fn agree(sides: &[Side], mode: Mode) -> bool {
    sides.windows(2).all(|pair| same(&pair[0].node, &pair[1].node, mode))
}

/// Whether two sides are equal to the precision they are printed in.
fn same(left: &Node, right: &Node, mode: Mode) -> bool {
    let (a, b) = (left.value(mode), right.value(mode));
    if !a.is_finite() || !b.is_finite() {
        return false;
    }
    let close = |a: f64, b: f64| -> bool {
        match (left, right) {
            (_, Node::Leaf(leaf)) => {
                let unit = leaf.reading(mode).1;
                printed_as(a.abs(), b.abs(), unit) && (a * b >= 0.0 || a.abs() < unit)
            }
            (Node::Leaf(leaf), _) => {
                let unit = leaf.reading(mode).1;
                printed_as(b.abs(), a.abs(), unit) && (a * b >= 0.0 || b.abs() < unit)
            }
            _ => (a - b).abs() <= a.abs().max(b.abs()) * 1e-9,
        }
    };
    if close(a, b) {
        return true;
    }
    let percent = |node: &Node| matches!(node, Node::Leaf(leaf) if leaf.percent);
    // `20 / 80 * 100 = 25%`, `1.25 → 25%`.
    (percent(right) && (close(a / 100.0, b) && times_hundred(left) || close(a - 1.0, b) || close(1.0 - a, b)))
        || (percent(left) && right.is_leaf() && close(a, b - 1.0))
}

/// Whether a side is a share that was multiplied by a hundred.
fn times_hundred(node: &Node) -> bool {
    let hundred = |node: &Node| matches!(node, Node::Leaf(leaf) if !leaf.percent && (leaf.reading(Mode::Likely).0 - 100.0).abs() < 1e-9);
    let mut found = node.is_leaf();
    node.walk(&mut |node| {
        if let Node::Op(Op::Multiply, left, right) = node {
            found |= hundred(left) || hundred(right);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::super::Reading;

    /// Whether the text has an equation with an operation in it that holds.
    fn holds(text: &str) -> bool {
        Reading::of(text).equations.iter().any(|equation| equation.holds)
    }

    #[test]
    fn true_equations_in_every_dress() {
        for text in [
            "(100−80)/80 = 0.25",
            "20/80 = 25%",
            "20,000 ÷ 80,000 = 25 %",
            "100/80 − 1 = .25",
            "\\frac{20}{80} = 0.25",
            "$$\\frac{105{,}000 - 84{,}000}{84{,}000} = \\frac{21{,}000}{84{,}000} = 0.25$$",
            "$20k / $80k = 25%",
            "80 × 1.25 = 100",
            "80k * 1.25 = 100k",
            "80 + 25% of 80 = 100",
            "80 + 25% = 100",
            "1 250 000 € × 1,20 = 1 500 000 €",
            "60 divided by 240 is 0.25",
            "240 times 1.25 gives 300",
            "a 25% increase on 80 is 100",
            "80 increased by 25% comes to 100",
            "twenty over eighty is a quarter",
            ">>> (575 - 500) / 500  # change over the OLD bill\n0.15",
            "20/80 × 100 = 25%",
            "a 25% rise ($20k/$80k)",
            "| 18 / 73 | 0.2466 |",
            "250 000 ÷ 1 500 000 ≈ 0,167",
            "Fifteen minus eight is seven",
            "15/50: 30%",
            "It should be 30 / 50. That's 0.6.",
            "9 ÷ 45 = a fifth, so 20%",
            "nine is a fifth of 45",
            "one quarter of 80 is 20",
            "90 × 1⅓ = 120",
            "five quarters of 80 is 100",
            "Rs 2,50,000 / Rs 12,50,000 × 100 = 20 per cent",
            "\\left(\\frac{20}{80}\\right) \\times 100\\% = 25\\%",
        ] {
            let text = if text.starts_with(">>>") { format!("```\n{text}\n```") } else { text.to_owned() };
            assert!(holds(&text), "{text}");
        }
    }

    #[test]
    fn the_dash_of_a_list_is_no_minus() {
        for text in [
            "- 1440/36 = 40",
            "-1440/36 = 40",
            "Pages:\n-1,440 / 36 = 40\n-27/36 = 75%",
            "– 1440/36 = 40",
            "-(100 - 80) / 80 = 25%",
            "-20 + 100 = 80",
            "-4 * 3 = -12",
        ] {
            let found = Reading::of(text).equations;
            assert!(!found.is_empty() && found.iter().all(|equation| equation.holds), "{text}: {found:?}");
        }
        assert!(!holds("It is -1440/36 = 40"));
    }

    #[test]
    fn false_equations_never_hold() {
        for text in [
            "-1440/36 = 41",
            "-4 * 3 = 13",
            "42/182 = 30%",
            "11 − 4 + 1 = 7",
            "0.56 × 1.44 = 0.96",
            "56 × 1.20 = 70",
            "20/80 = 0.25 = 30%",
            "20/80 is not 30%",
            "80 * 1.2 gives 100",
        ] {
            assert!(!holds(text), "{text}");
        }
    }
}
