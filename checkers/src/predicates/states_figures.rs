//! `states_figures`: where a supplied figure is wrong, the last reply that speaks of it states the right one.
//!
//! # Reads
//! For each figure of kind `wrong` the last reply that speaks of it. `inputs` and `figures` are as for `figures_accounted`.
//!
//! # Proves
//! That the right value stands there, in whatever spelling. A value that is denied, struck out or asked about is not stated.
//!
//! # Does not prove
//! That it was worked out (`derives_figures`), or that the wrong one does not stand beside it (`echoes_no_figure`). Figures that are
//! right or that nothing leads to are not looked at.
//!
//! # Example
//! ```yaml
//! - id: final-figure
//!   states_figures: { figures: "{{ figures }}", inputs: "{{ inputs }}" }
//! ```
//! ```yaml
//! params:
//!   inputs: { pages: 1440, readers: 36 }
//!   figures: [{ name: pages per reader, value: "45", kind: wrong, derivation: 1440/36, correct: "40" }]
//! pass:
//!   - "Pages per reader: 40."
//! fail:
//!   - "Pages per reader: 45."
//!   - "Is pages per reader 40?"
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::figures::passages::Reply;
use crate::figures::treatment::kept;
use crate::figures::{Kind, Supplied};

/// The right value of each wrong figure is stated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatesFigures {
    /// The figures.
    pub figures: Expr,
    /// The raw values.
    pub inputs: Expr,
}

impl Test for StatesFigures {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let supplied = Supplied::read(&self.figures, &self.inputs, &cx.params)?;
        let replies = Reply::all(cx);
        let mut evidence = Vec::new();
        for figure in supplied.figures.iter().filter(|figure| figure.kind == Kind::Wrong) {
            let last = replies
                .iter()
                .rev()
                .map(|reply| (reply, reply.places(figure, &supplied)))
                .find(|(_, places)| !places.is_empty());
            let stated = last.as_ref().and_then(|(reply, places)| {
                let own = |tokens| !reply.reading.stance(tokens).negated;
                let kept = kept(reply, figure, &supplied, places);
                let place = kept.into_iter().find(|place| place.corrected && own(&place.tokens))?;
                Some(reply.evidence(cx, &place.tokens))
            });
            let Some(stated) = stated else {
                let place = last
                    .and_then(|(reply, places)| places.last().map(|place| reply.evidence(cx, &place.tokens)));
                return Ok(Finding::fails(
                    format!("the right value of `{}` is not stated", figure.name),
                    place.into_iter().collect(),
                ));
            };
            evidence.push(stated);
        }
        Ok(Finding::holds("the right value is stated", evidence))
    }
}
