//! `no_call`: no call of this kind was made.
//!
//! # Reads
//! The calls of the subject, with what they did. What is asked of them is a [selector](#selector).
//!
//! # Proves
//! That no call fits all that the selector asks. A call that failed is let pass unless `failed_too` is set.
//!
//! # Does not prove
//! That a command line which could not be read, or a program of unknown effect, did not do it: such a call counts as a change of
//! state (`does: state_change`) and as nothing else.
//!
//! # Example
//! ```yaml
//! - id: nothing-changed
//!   no_call: { does: state_change, failed_too: true }
//! ```
//! ```yaml
//! pass:
//!   - - { call: run_command, with: { command: "cat a.conf | head -3" }, answer: "x" }
//!     - "Here it is."
//!   - "I changed a.conf."
//! fail:
//!   - - { call: edit_file, with: { path: a.conf, old: a, new: b }, answer: "no match", failed: true }
//!     - "Nothing came of it."
//! ```

use serde::Deserialize;

use super::selector::Selector;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::EvalError;

/// No call that fits the selector was made.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct NoCall(Selector);

impl Test for NoCall {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let unwanted = self.0.resolve(cx)?;
        Ok(match cx.call_events().events.iter().find(|event| unwanted.fits(event)) {
            Some(event) => Finding::fails(
                format!("`{}` was called", event.call.name),
                vec![cx.call_evidence(event.message, event.index)],
            ),
            None => Finding::holds("no such call was made", Vec::new()),
        })
    }
}
