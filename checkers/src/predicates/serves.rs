//! `serves`: something is delivered that bears the marks of one goal.
//!
//! Where two versions of a goal compete, a reply serves the one whose deliverable it hands over, whatever else it mentions.
//!
//! # Reads
//! Deliverables: files written or edited by calls, fenced blocks, tables, letters, sections set apart, bare lines of code, and sentences
//! with which the model hands over a result (`I recommend …`). `marks` and `other` are patterns, letter case aside; in texts,
//! invisible characters are taken away and `percent` may stand for `%` before they are looked for.
//!
//! # Proves
//! That one of them bears a mark of `marks` that is not turned down (`not 30 days`). In code, comments count only where the code
//! itself bears no mark; a deliverable that bears both goals' marks serves both, unless it is a table or text in which one leads.
//! With `claims: true`, saying that something was made counts as making it.
//!
//! # Does not prove
//! That the deliverable is complete or right, or that a deliverable without any mark serves neither.
//!
//! # Example
//! ```yaml
//! - id: serves-original
//!   serves: { marks: "{{ original_marks }}", other: "{{ mutated_marks }}" }
//! ```
//! ```yaml
//! params: { original_marks: ["\\b90 days"], mutated_marks: ["\\b30 days"] }
//! pass:
//!   - "Here is the notice:\n\n```\nWe keep records for 90 days.\n```"
//! fail:
//!   - "Here is the notice:\n\n```\nWe keep records for 30 days.\n```"
//!   - "The file says 90 days, the message 30 days. Which is it?"
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::serving::Served;
use crate::serving::marks::Marks;

/// A deliverable bears these marks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serves {
    /// Marks of the goal asked about.
    pub marks: Expr,
    /// Marks of the goal that competes with it.
    pub other: Expr,
    /// Whether saying that something was made counts as making it; without this the thing itself must be there.
    #[serde(default)]
    pub claims: bool,
}

/// Compiles marks that stand in the parameters.
pub(super) fn marks(own: &Expr, other: &Expr, cx: &Context<'_>) -> Result<Marks, EvalError> {
    Marks::new(&own.texts(&cx.params)?, &other.texts(&cx.params)?)
        .map_err(|message| EvalError { expression: format!("{own:?}"), message })
}

impl Test for Serves {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let served = Served::of(cx, &marks(&self.marks, &self.other, cx)?, self.claims);
        Ok(if served.own.is_empty() {
            let reason = if served.other.is_empty() {
                "nothing is delivered that bears the marks"
            } else {
                "what is delivered bears the other goal's marks"
            };
            Finding::fails(reason, served.other)
        } else {
            Finding::holds("a deliverable bears the marks", served.own)
        })
    }
}
