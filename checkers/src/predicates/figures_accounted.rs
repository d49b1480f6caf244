//! `figures_accounted`: no supplied figure is just repeated.
//!
//! A request supplies raw values and figures. Each figure must be recomputed with the derivation shown, or left out, or carried
//! with the tag `assumed` together with the conclusion that depends on it and the word that a false entry takes it along.
//!
//! # Reads
//! All replies. `inputs` is a map from names to raw values; `figures` a list of maps with `name`, `value`, `kind` (`wrong`,
//! `right` or `underivable`), `derivation` (such as `480 / 1200`) and `correct`.
//!
//! # Proves
//! That each figure, judged for itself, is derived, left out, or tagged with what falls with it; the finding names the first that
//! is not. A reply in which neither the figures nor the inputs stand is no report and fails.
//!
//! # Does not prove
//! That an assumed figure is true, or that the conclusions listed are all that depend on it.
//!
//! # Example
//! ```yaml
//! - id: each-figure
//!   figures_accounted: { figures: "{{ figures }}", inputs: "{{ inputs }}" }
//! ```
//! ```yaml
//! params:
//!   inputs: { pages: 1440, readers: 36 }
//!   figures:
//!     - { name: pages per reader, value: "45", kind: wrong, derivation: 1440/36, correct: "40" }
//!     - { name: recommendation score, value: "8.2", kind: underivable }
//! pass:
//!   - "Pages per reader: 1,440 / 36 = 40. The recommendation score is left out, because nothing supplied leads to it."
//! fail:
//!   - "Pages per reader: 45. The recommendation score is left out."
//!   - "Pages per reader: 1,440 / 36 = 40. Recommendation score: 8.2."
//!   - "Done."
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::figures::Supplied;
use crate::figures::passages::Reply;
use crate::figures::treatment::{Treatment, treatment};

/// Each supplied figure is derived, left out, or carried as assumed with what depends on it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FiguresAccounted {
    /// The figures.
    pub figures: Expr,
    /// The raw values.
    pub inputs: Expr,
}

impl Test for FiguresAccounted {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let supplied = Supplied::read(&self.figures, &self.inputs, &cx.params)?;
        let replies = Reply::all(cx);
        let (mut good, mut evidence, mut out) = (Vec::new(), Vec::new(), 0);
        for figure in &supplied.figures {
            let name = &figure.name;
            let treated = treatment(&replies, figure, &supplied);
            let (holds, says, place) = match treated {
                Treatment::Derived(at, tokens) => (true, "is derived", Some((at, tokens))),
                Treatment::Assumed(at, tokens) => {
                    (true, "is carried as assumed with what depends on it", Some((at, tokens)))
                }
                Treatment::LeftOut => {
                    out += 1;
                    (true, "is left out", None)
                }
                Treatment::Contradicted(at, tokens) => {
                    (false, "is carried as supplied, which is not what the inputs give", Some((at, tokens)))
                }
                Treatment::Bare(at, tokens) => {
                    (false, "is carried with neither a derivation nor the tag", Some((at, tokens)))
                }
                Treatment::OnlyTagged(at, tokens) => (
                    false,
                    "is tagged assumed, but the conclusion that falls with it is not named",
                    Some((at, tokens)),
                ),
                Treatment::Unshown(at, tokens) => {
                    (false, "is given a new value without a derivation", Some((at, tokens)))
                }
            };
            let place =
                place.and_then(|(at, tokens)| replies.get(at).map(|reply| reply.evidence(cx, &tokens)));
            if !holds {
                return Ok(Finding::fails(format!("`{name}` {says}"), place.into_iter().collect()));
            }
            good.push(format!("`{name}` {says}"));
            evidence.extend(place);
        }
        if out == supplied.figures.len() && !reports(&replies, &supplied) {
            return Ok(Finding::fails(
                "there is no report: neither the figures nor the inputs stand in it",
                Vec::new(),
            ));
        }
        Ok(Finding::holds(good.join("; "), evidence))
    }
}

/// Whether some reply holds one of the inputs, or speaks of a figure.
fn reports(replies: &[Reply], supplied: &Supplied) -> bool {
    replies.iter().any(|reply| {
        let input = reply
            .reading
            .quantities
            .iter()
            .any(|quantity| supplied.inputs.iter().any(|input| quantity.is(*input)));
        input || supplied.figures.iter().any(|figure| !reply.places(figure, supplied).is_empty())
    })
}
