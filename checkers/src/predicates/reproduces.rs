//! `reproduces`: the check in the other direction, from the start and the rate back to the value.
//!
//! # Reads
//! The equations in all replies.
//!
//! # Proves
//! That a true equation computes `value` from `start` and `rate`, to any common scale: by the rate or its factor, by factors that come
//! to it (`90 × 4/3`), or by adding the change once the rate has been stated.
//!
//! # Does not prove
//! That the rate was derived (`derivation`). An equation in which the value is itself an operand is circular and counts for nothing.
//!
//! # Example
//! ```yaml
//! - id: backward
//!   reproduces: { value: "{{ end }}", start: "{{ start }}", rate: "{{ (end - start) / start }}" }
//! ```
//! ```yaml
//! params: { start: 80000, end: 100000 }
//! pass:
//!   - "Check: 80,000 × 1.25 = 100,000."
//!   - "It is 25%: 80k + 25% of 80k = 100k."
//! fail:
//!   - "Check: 80,000 × 1.2 = 100,000."
//!   - "80,000 × 1.2 = 96,000, not 100,000."
//!   - "100,000 - 80,000 = 20,000"
//! ```

use serde::Deserialize;

use super::claims::is_rate;
use super::derivation::scale_of;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::reading::Reading;
use crate::reading::arithmetic::{Mode, Node};
use crate::reading::equation::Equation;
use crate::reading::quantity::printed_as;

/// A reply holds a true equation that computes `value` from `start` and `rate`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reproduces {
    /// The value to come to.
    pub value: Expr,
    /// Where to start.
    pub start: Expr,
    /// The rate, as a share.
    pub rate: Expr,
}

struct Wanted {
    value: f64,
    start: f64,
    rate: f64,
    /// The token after the first statement of the rate in the reply at hand.
    stated_from: Option<usize>,
}

impl Test for Reproduces {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let mut wanted = Wanted {
            value: self.value.number(&cx.params)?,
            start: self.start.number(&cx.params)?,
            rate: self.rate.number(&cx.params)?,
            stated_from: None,
        };
        for (at, reading) in cx.reply_readings() {
            wanted.stated_from = wanted.first_stated(reading);
            let found = reading.equations.iter().find(|equation| {
                equation.holds && !reading.struck(&equation.tokens()) && wanted.reproduced_by(equation)
            });
            if let Some(equation) = found {
                let evidence = cx.token_evidence(at, &equation.tokens());
                return Ok(Finding::holds(format!("reproduced by `{}`", evidence.text), vec![evidence]));
            }
        }
        let reason =
            format!("no equation goes from {} with the right rate to {}", wanted.start, wanted.value);
        Ok(Finding::fails(reason, Vec::new()))
    }
}

impl Wanted {
    fn first_stated(&self, reading: &Reading) -> Option<usize> {
        let stated = reading.quantities.iter().find(|quantity| {
            is_rate(reading, quantity, self.rate) && !reading.stance(&quantity.tokens).disowns()
        });
        stated.map(|quantity| quantity.tokens.end)
    }

    fn reproduced_by(&self, equation: &Equation) -> bool {
        let mode = equation.mode;
        equation.sides.iter().enumerate().any(|(index, side)| {
            if side.node.is_leaf() {
                return false;
            }
            let Some(scale) = self.scale(&side.node, mode) else { return false };
            let reached = equation.sides.iter().enumerate().any(|(other, end)| {
                let Node::Leaf(leaf) = &end.node else { return false };
                let (value, unit) = leaf.reading(mode);
                other != index
                    && printed_as(self.value * scale, value, unit.min(self.value * scale * 0.01))
                    && !leaf.percent
            });
            reached
                && (self.uses_rate(&side.node, mode)
                    || self.scaled(&side.node, mode, scale)
                    || self.adds_change(&side.node, side.tokens.start, mode, scale))
        })
    }

    /// The scale at which `start` is an operand, while `value` is none.
    fn scale(&self, node: &Node, mode: Mode) -> Option<f64> {
        let leaves = node.leaves();
        let scale = leaves
            .iter()
            .filter(|leaf| !leaf.percent)
            .find_map(|leaf| scale_of(leaf.reading(mode).0, self.start))?;
        let circular = leaves.iter().any(|leaf| scale_of(leaf.reading(mode).0, self.value) == Some(scale));
        (!circular).then_some(scale)
    }

    fn uses_rate(&self, node: &Node, mode: Mode) -> bool {
        node.leaves().iter().any(|leaf| {
            let (value, unit) = leaf.reading(mode);
            let rate = |exact: f64| exact > 0.0 && printed_as(exact, value, unit) && unit <= 0.1;
            rate(self.rate)
                || rate(1.0 + self.rate)
                || (printed_as(self.rate * 100.0, value, unit) && divided_by_hundred(node))
                || ((self.rate - self.rate.round()).abs() < 1e-9 && (value - 1.0 - self.rate).abs() < 1e-9)
        })
    }

    /// `90 × 4/3 = 120`: the start among the factors of a product, and the others come to the factor of the rate.
    fn scaled(&self, node: &Node, mode: Mode, scale: f64) -> bool {
        use crate::reading::arithmetic::Op;
        let mut factors = Vec::new();
        let mut pending = vec![(node, false)];
        while let Some((node, under)) = pending.pop() {
            match node {
                Node::Op(Op::Multiply, left, right) => pending.extend([(&**left, under), (&**right, under)]),
                Node::Op(Op::Divide, left, right) => pending.extend([(&**left, under), (&**right, !under)]),
                _ => factors.push((node, under)),
            }
        }
        let start = self.start * scale;
        let from = factors.iter().position(|(node, under)| {
            !under && node.is_leaf() && (node.value(mode) - start).abs() <= start.abs() * 1e-9
        });
        let Some(from) = from else { return false };
        factors.remove(from);
        let rest: f64 = factors
            .iter()
            .map(|(node, under)| if *under { 1.0 / node.value(mode) } else { node.value(mode) })
            .product();
        let exact = factors.len() > 1 || factors.iter().any(|(node, _)| !node.is_leaf());
        exact && (rest - 1.0 - self.rate).abs() <= 1e-6
    }

    /// `80 + 20 = 100`, once the rate has been stated.
    fn adds_change(&self, node: &Node, start: usize, mode: Mode, scale: f64) -> bool {
        let change = (self.value - self.start) * scale;
        let adds = matches!(node, Node::Op(crate::reading::arithmetic::Op::Add, left, right)
            if [left, right].iter().any(|side| (side.value(mode) - change).abs() <= change.abs() * 1e-9));
        adds && self.stated_from.is_some_and(|stated| stated <= start)
    }
}

fn divided_by_hundred(node: &Node) -> bool {
    use crate::reading::arithmetic::Op;
    let mut found = false;
    node.walk(&mut |node| {
        if let Node::Op(Op::Divide, _, right) = node {
            found |= (right.value(Mode::Likely) - 100.0).abs() < 1e-9;
        }
    });
    found
}
