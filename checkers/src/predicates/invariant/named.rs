//! `names_invariant`: a reply names the logged invariant by its id.
//!
//! # Reads
//! All replies. The id is taken from the start of the logged `line` (`INV-1: public API unchanged`).
//!
//! # Proves
//! That the id stands in a reply by itself (`INV-1` is not named by `INV-12`) and as logged, case and all; emphasis around it and the
//! kind of hyphen in it do not matter.
//!
//! # Does not prove
//! That anything followed from it.
//!
//! # Example
//! ```yaml
//! - id: names-invariant
//!   names_invariant: { line: "{{ invariant }}" }
//! ```
//! ```yaml
//! params: { invariant: "INV-1: public API unchanged" }
//! pass:
//!   - "That would touch **INV-1**."
//! fail:
//!   - "That would touch INV-12."
//!   - "That would change the public API, which was to stay."
//! ```

use serde::Deserialize;

use super::{find_id, id_of};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::predicates::{Finding, Test};
use crate::wording;

/// One of the subject's replies names the invariant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamesInvariant {
    /// The line as it was logged, its id first.
    pub line: Expr,
}

impl Test for NamesInvariant {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let id = id_of(&self.line.text(&cx.params)?);
        for (at, message) in cx.replies() {
            let sentence =
                wording::sentences(&message.content).into_iter().find(|s| find_id(&s.text, &id).is_some());
            if let Some(sentence) = sentence {
                let evidence = vec![cx.evidence(at, sentence.range.start, sentence.range.end)];
                return Ok(Finding::holds(format!("{id} is named"), evidence));
            }
        }
        Ok(Finding::fails(format!("no reply names {id}"), Vec::new()))
    }
}
