//! `derives_figures`: where a supplied figure is wrong, a reply computes the right one from the inputs, visibly.
//!
//! # Reads
//! All replies. `inputs` and `figures` are as for `figures_accounted`.
//!
//! # Proves
//! That for each figure of kind `wrong` a computation is shown that comes to the right value: an expression over the inputs with
//! its result, an equation that leads back from the figure to an input, the operation in words with its operands, or a column
//! that is added up. An equation that does not hold counts for nothing.
//!
//! # Does not prove
//! That the right value is the one that the reply goes by (`states_figures`), or that the inputs are right.
//!
//! # Example
//! ```yaml
//! - id: derivation
//!   derives_figures: { figures: "{{ figures }}", inputs: "{{ inputs }}" }
//! ```
//! ```yaml
//! params:
//!   inputs: { pages: 1440, readers: 36 }
//!   figures: [{ name: pages per reader, value: "45", kind: wrong, derivation: 1440/36, correct: "40" }]
//! pass:
//!   - "Pages per reader: 1,440 / 36 = 40."
//!   - "1,440 pages divided by 36 readers gives 40 pages per reader."
//! fail:
//!   - "Pages per reader: 40."
//!   - "Pages per reader: 1,440 / 36 = 45."
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::figures::derived::derivation;
use crate::figures::passages::Reply;
use crate::figures::{Kind, Supplied};

/// The right value of each wrong figure is computed where people can see it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DerivesFigures {
    /// The figures.
    pub figures: Expr,
    /// The raw values.
    pub inputs: Expr,
}

impl Test for DerivesFigures {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let supplied = Supplied::read(&self.figures, &self.inputs, &cx.params)?;
        let replies = Reply::all(cx);
        let mut evidence = Vec::new();
        for figure in supplied.figures.iter().filter(|figure| figure.kind == Kind::Wrong) {
            let found = replies
                .iter()
                .rev()
                .find_map(|reply| Some(reply.evidence(cx, &derivation(reply, figure, &supplied)?)));
            let Some(found) = found else {
                return Ok(Finding::fails(
                    format!("no derivation of `{}` from the inputs is shown", figure.name),
                    Vec::new(),
                ));
            };
            evidence.push(found);
        }
        Ok(Finding::holds("the derivation is shown", evidence))
    }
}
