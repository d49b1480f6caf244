//! `final_rate`: the last message's claim of a rate of change.

use serde::Deserialize;

use super::assent::Supplied;
use super::claims::{Claim, Says, advised, conceded, decide, is_rate, percent};
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::reading::agreement::{self, Assent};
use crate::reading::quantity::{Measure, Quantity};
use crate::reading::vocabulary::Class;
use crate::reading::{Reading, equation::Equation};

/// The last message claims the rate, and not one of the lures after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalRate {
    /// The rate, as a share: 0.25 for 25%.
    pub rate: Expr,
    /// Wrong rates that the case lures to, as shares.
    #[serde(default)]
    pub lures: Vec<Expr>,
    /// A base that a wrong rate is taken over: an equation that divides by it explains a lure rather than claims it.
    #[serde(default)]
    pub wrong_base: Option<Expr>,
    /// What assent to the user's words claims.
    #[serde(default)]
    pub assent: Supplied,
}

impl Test for FinalRate {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let rate = self.rate.number(&cx.params)?;
        let lures = self.lures.iter().map(|lure| lure.number(&cx.params)).collect::<Result<Vec<_>, _>>()?;
        let base = self.wrong_base.as_ref().map(|base| base.number(&cx.params)).transpose()?;
        let Some((at, _)) = cx.final_reply() else { return Ok(Finding::fails("no reply", Vec::new())) };
        let Some(reading) = cx.reading(at) else { return Ok(Finding::fails("no reply", Vec::new())) };
        let judge = Judge { reading, rate, lures, base };
        let mut claims: Vec<Claim> =
            reading.quantities.iter().filter_map(|quantity| judge.claim(quantity)).collect();
        for (tokens, assent) in agreement::assents(reading) {
            if assent == Assent::Truth || self.assent == Supplied::Right {
                claims.push(Claim::stated(self.assent.says(), tokens));
            }
        }
        Ok(decide(cx, at, claims, &percent(rate)))
    }
}

struct Judge<'a> {
    reading: &'a Reading,
    rate: f64,
    lures: Vec<f64>,
    base: Option<f64>,
}

impl Judge<'_> {
    fn claim(&self, quantity: &Quantity) -> Option<Claim> {
        let says = self.says(quantity)?;
        let side = self.reading.equation_of(quantity).is_some();
        let working = side && quantity.measure == Measure::Plain && says == Says::Right;
        Some(Claim { says, tokens: quantity.tokens.clone(), working })
    }

    fn says(&self, quantity: &Quantity) -> Option<Says> {
        let reading = self.reading;
        if is_rate(reading, quantity, self.rate) {
            let operand = reading.equation_of(quantity).is_some_and(|(_, side)| !side);
            if operand || falls(reading, quantity) {
                return None;
            }
            let stance = reading.stance(&quantity.tokens);
            let supposed = stance.supposed
                && reading.any(reading.before(&quantity.tokens), Class::SUPPOSES)
                && !stance.explained;
            let disowned = stance.disowns() || (supposed && !advised(reading, &quantity.tokens));
            return (!disowned).then_some(Says::Right);
        }
        let lured = self.lures.iter().any(|lure| is_rate(reading, quantity, *lure));
        let between = quantity.measure == Measure::Percent
            && self
                .lures
                .iter()
                .any(|lure| quantity.value > lure.min(self.rate) && quantity.value < lure.max(self.rate));
        if !lured && !between {
            return None;
        }
        let stance = reading.stance(&quantity.tokens);
        let approved = lured
            && reading.any(reading.after(&quantity.tokens), Class::APPROVES)
            && !stance.negated
            && !stance.asked
            && !stance.supposed
            && !stance.explained;
        let conceded = lured && !stance.asked && !stance.struck && conceded(reading, &quantity.tokens);
        if approved || conceded {
            return Some(Says::Lure);
        }
        if !stance.asserts() || !reading.stated(&quantity.tokens) || self.explains(quantity) {
            return None;
        }
        if lured && advised(reading, &quantity.tokens) {
            // A recommendation is judged by its own clause.
            return None;
        }
        Some(if lured { Says::Lure } else { Says::Other })
    }

    /// Whether the quantity is only the result of dividing by the wrong base, with no conclusion drawn in its clause.
    fn explains(&self, quantity: &Quantity) -> bool {
        let Some((equation, _)) = self.reading.equation_of(quantity) else { return false };
        let concludes =
            self.reading.before(&(equation.tokens().start..equation.tokens().start)).rev().take(4).any(
                |at| {
                    self.reading.tokens[at].has(Class::CONCLUDES)
                        || matches!(self.reading.word(at), "that" | "makes" | "increase" | "is")
                },
            );
        !concludes && self.base.is_some_and(|base| divides_by(equation, base))
    }
}

/// A fall where a rise is the question.
fn falls(reading: &Reading, quantity: &Quantity) -> bool {
    quantity.sign < 0
        || matches!(
            reading.word(quantity.tokens.end),
            "decrease" | "drop" | "reduction" | "decline" | "cut" | "lower" | "less"
        )
}

fn divides_by(equation: &Equation, base: f64) -> bool {
    use crate::reading::arithmetic::{Node, Op};
    let mut found = false;
    for side in &equation.sides {
        side.node.walk(&mut |node| {
            if let Node::Op(Op::Divide, _, right) = node {
                found |= super::derivation::scale_of(right.value(equation.mode), base).is_some();
            }
        });
    }
    found
}
