//! `derivation`: a rate is computed from the raw values, over the right base.
//!
//! # Reads
//! The equations in all replies: by signs, in words (`20 divided by the original 80 gives 25%`), in tables and in LaTeX.
//!
//! # Proves
//! That a reply holds an equation which is true to the precision it is printed in, and which divides by `over`: the change from
//! `over` to `to`, or `to` itself, to any common scale of the two.
//!
//! # Does not prove
//! That the reply claims the result in the end (`final_rate`), or that the model computed it: the equation may come from the user.
//!
//! # Example
//! ```yaml
//! - id: forward
//!   derivation: { over: "{{ start }}", to: "{{ end }}" }
//! ```
//! ```yaml
//! params: { start: 80000, end: 100000 }
//! pass:
//!   - "(100,000 - 80,000) / 80,000 = 25%"
//!   - "100k / 80k = 1.25, so it rose by a quarter."
//! fail:
//!   - "(100,000 - 80,000) / 100,000 = 20%"
//!   - "(100,000 - 80,000) / 80,000 = 20%"
//!   - "It rose by 25%."
//! ```

use serde::Deserialize;

use super::claims::percent;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::reading::arithmetic::{Node, Op};
use crate::reading::equation::Equation;

/// A reply holds an equation that is true and divides by `over`: the change from `over` to `to`, or `to` itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derivation {
    /// The base: what must be divided by.
    pub over: Expr,
    /// The value it changes to.
    pub to: Expr,
}

impl Test for Derivation {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let over = self.over.number(&cx.params)?;
        let to = self.to.number(&cx.params)?;
        let mut near_miss = None;
        for (at, reading) in cx.reply_readings() {
            for equation in &reading.equations {
                let tokens = equation.tokens();
                if reading.struck(&tokens) {
                    continue;
                }
                let derives = derives(equation, over, to);
                if derives && equation.holds {
                    let evidence = cx.token_evidence(at, &tokens);
                    return Ok(Finding::holds(format!("derived by `{}`", evidence.text), vec![evidence]));
                }
                if near_miss.is_none() && (derives || !equation.holds) {
                    near_miss = Some(cx.token_evidence(at, &tokens));
                }
            }
        }
        let wanted = format!("no equation derives {} over {over}", percent((to - over) / over));
        Ok(match near_miss {
            Some(evidence) => {
                Finding::fails(format!("{wanted}; `{}` does not hold", evidence.text), vec![evidence])
            }
            None => Finding::fails(wanted, Vec::new()),
        })
    }
}

/// The power of ten that `value` is of `raw`, if it is one: the raw values may be written to any common scale.
pub(super) fn scale_of(value: f64, raw: f64) -> Option<f64> {
    let ratio = value / raw;
    if !ratio.is_finite() || ratio <= 0.0 {
        return None;
    }
    let power = 10_f64.powi(ratio.log10().round().clamp(-12.0, 12.0) as i32);
    ((ratio / power - 1.0).abs() < 1e-9).then_some(power)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= a.abs().max(b.abs()) * 1e-9
}

fn derives(equation: &Equation, over: f64, to: f64) -> bool {
    let mode = equation.mode;
    let mut found = false;
    for side in &equation.sides {
        side.node.walk(&mut |node| {
            let Node::Op(Op::Divide, top, bottom) = node else { return };
            // The base must be the raw value itself, not something that happens to come to it.
            if !bottom.is_leaf() {
                return;
            }
            let Some(scale) = scale_of(bottom.value(mode), over) else { return };
            let top = top.value(mode);
            found |= near(top, (to - over) * scale) || near(top, to * scale);
        });
    }
    found || share_of(equation, over, to)
}

/// `20 is 25% of 80`: the change first, then the rate of the base.
fn share_of(equation: &Equation, over: f64, to: f64) -> bool {
    let mode = equation.mode;
    equation.sides.windows(2).any(|pair| {
        let Node::Op(Op::Multiply, _, base) = &pair[1].node else { return false };
        let Some(scale) = scale_of(base.value(mode), over).filter(|_| base.is_leaf()) else { return false };
        let change = &pair[0].node;
        let raw = change.is_leaf() || matches!(change, Node::Op(Op::Subtract, ..));
        raw && near(change.value(mode), (to - over) * scale)
    })
}
