//! `inclusive_count`: the number of members from the first to the last, both counted, is computed as `last - first + 1`.
//!
//! # Reads
//! The equations in all replies, and the formula in words (`the last minus the first plus one`) with the count after it.
//!
//! # Proves
//! That a true equation has exactly the operands `last`, `first` and 1 and comes to the count; or the same in two steps that are near
//! one another (`10 - 3 = 7`, `7 + 1 = 8`).
//!
//! # Does not prove
//! That the reply ends on that count (`final_count`), or that the members were written out (`enumeration`).
//!
//! # Example
//! ```yaml
//! - id: formula
//!   inclusive_count: { first: "{{ first }}", last: "{{ last }}" }
//! ```
//! ```yaml
//! params: { first: 3, last: 10 }
//! pass:
//!   - "10 - 3 + 1 = 8"
//!   - "10 - 3 = 7, plus one gives 8."
//! fail:
//!   - "10 - 3 = 7"
//!   - "10 - 3 + 1 = 7"
//!   - "It is 8 days."
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::reading::Reading;
use crate::reading::arithmetic::{Node, Op};
use crate::reading::equation::Equation;

/// The most tokens between the difference and the one that is added to it.
const MAX_GAP: usize = 40;

/// A reply holds a true equation with the operands `last`, `first` and 1, or the same in two steps.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InclusiveCount {
    /// The first member.
    pub first: Expr,
    /// The last member.
    pub last: Expr,
}

impl Test for InclusiveCount {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let range = Range { first: self.first.number(&cx.params)?, last: self.last.number(&cx.params)? };
        for (at, reading) in cx.reply_readings() {
            for (index, equation) in reading.equations.iter().enumerate() {
                let tokens = equation.tokens();
                if !equation.holds || reading.struck(&tokens) {
                    continue;
                }
                if range.in_one_step(equation) || range.in_two_steps(reading, index) {
                    let evidence = cx.token_evidence(at, &tokens);
                    return Ok(Finding::holds(format!("computed by `{}`", evidence.text), vec![evidence]));
                }
            }
        }
        for (at, reading) in cx.reply_readings() {
            if let Some(tokens) = range.in_words(reading) {
                let evidence = cx.token_evidence(at, &tokens);
                return Ok(Finding::holds(format!("computed by `{}`", evidence.text), vec![evidence]));
            }
        }
        let Range { first, last } = range;
        Ok(Finding::fails(
            format!("nothing computes {last} - {first} + 1 = {}", last - first + 1.0),
            Vec::new(),
        ))
    }
}

struct Range {
    first: f64,
    last: f64,
}

impl Range {
    fn count(&self) -> f64 {
        self.last - self.first + 1.0
    }

    fn in_one_step(&self, equation: &Equation) -> bool {
        let mode = equation.mode;
        let result =
            equation.sides.iter().any(|side| side.node.is_leaf() && side.node.value(mode) == self.count());
        result
            && equation.sides.iter().any(|side| {
                let mut leaves: Vec<f64> =
                    side.node.leaves().iter().map(|leaf| leaf.reading(mode).0).collect();
                let mut wanted = vec![self.first, self.last, 1.0];
                leaves.sort_by(f64::total_cmp);
                wanted.sort_by(f64::total_cmp);
                leaves == wanted && side.node.value(mode) == self.count()
            })
    }

    /// `the last minus the first plus one, which gives 8`: the formula in words, then the count.
    fn in_words(&self, reading: &Reading) -> Option<std::ops::Range<usize>> {
        let word = |at: usize| reading.word(at);
        let find = |from: usize, most: usize, wanted: &dyn Fn(usize) -> bool| {
            (from..(from + most).min(reading.tokens.len())).find(|&at| wanted(at))
        };
        (0..reading.tokens.len()).find_map(|start| {
            if !matches!(word(start), "last" | "end" | "final" | "upper" | "ending") {
                return None;
            }
            let less = find(start + 1, 4, &|at| {
                matches!(word(at), "minus" | "less") || reading.is(at, '-') || reading.is(at, '–')
            })?;
            let first = find(less + 1, 3, &|at| {
                matches!(word(at), "first" | "start" | "beginning" | "lower" | "starting")
            })?;
            let more = find(first + 1, 5, &|at| matches!(word(at), "plus" | "add") || reading.is(at, '+'))?;
            let one = find(more + 1, 2, &|at| {
                let index = reading.at_token.get(at).copied().flatten();
                index.and_then(|index| reading.quantities.get(index as usize)).is_some_and(|q| q.value == 1.0)
            })?;
            let from = reading.quantities.partition_point(|q| q.tokens.start <= one);
            let near = reading.quantities[from..].iter().take(4).take_while(|q| q.tokens.start <= one + 14);
            let count = near.into_iter().find(|q| q.value == self.count())?;
            (!reading.stance(&count.tokens).negated).then_some(start..count.tokens.end)
        })
    }

    /// `10 - 3 = 7`, then `7 + 1 = 8` or `plus one … eight`.
    fn in_two_steps(&self, reading: &Reading, index: usize) -> bool {
        let equation = &reading.equations[index];
        let mode = equation.mode;
        let difference = equation.sides.iter().any(|side| {
            matches!(&side.node, Node::Op(Op::Subtract, left, right)
                if left.is_leaf() && right.is_leaf() && left.value(mode) == self.last && right.value(mode) == self.first)
        });
        if !difference {
            return false;
        }
        let end = equation.tokens().end;
        let adds = reading.equations[index + 1..].iter().take(4).any(|next| {
            next.holds
                && next.tokens().start <= end + MAX_GAP
                && next.sides.iter().any(|side| {
                    matches!(&side.node, Node::Op(Op::Add, left, right)
                        if [left, right].iter().any(|n| n.is_leaf() && n.value(next.mode) == 1.0) && side.node.value(next.mode) == self.count())
                })
        });
        adds || self.one_added(reading, end)
    }

    /// `add one`, `plus one`, `+1`, and after it the count.
    fn one_added(&self, reading: &Reading, end: usize) -> bool {
        let near: Vec<_> = reading
            .quantities
            .iter()
            .filter(|q| q.tokens.start >= end && q.tokens.start <= end + MAX_GAP)
            .collect();
        let one = near.iter().position(|q| {
            let before = q.tokens.start.wrapping_sub(1);
            let added = q.sign > 0
                || reading.is(before, '+')
                || matches!(reading.word(before), "plus" | "add" | "adding" | "added")
                || reading.word(q.tokens.end) == "more";
            q.value == 1.0 && added
        });
        one.is_some_and(|at| near[at + 1..].iter().take(3).any(|q| q.value == self.count()))
    }
}
