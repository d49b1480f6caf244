//! `call`: a call of this kind was made.
//!
//! # Reads
//! The calls of the subject, with what they did: by the tool's declared effect, by its arguments, and for command lines by
//! reading the shell. What is asked of them is a [selector](#selector).
//!
//! # Proves
//! That one call fits all that the selector asks. A call that failed does not, unless `failed_too` is set.
//!
//! # Does not prove
//! That the call was needed, came at the right time (`before`), or was understood. What a reply says that it did is no call.
//!
//! # Example
//! ```yaml
//! - id: deploys
//!   call: { tool: deploy, answer: "deployed" }
//! ```
//! ```yaml
//! pass:
//!   - - { call: deploy, with: { target: lab }, answer: "deployed to lab" }
//!     - "It is out."
//! fail:
//!   - - { call: deploy, with: { target: lab }, answer: "no such target", failed: true }
//!     - "It is out."
//!   - "I deployed it: deployed to lab."
//! ```

use serde::Deserialize;

use super::selector::Selector;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::EvalError;

/// A call that fits the selector was made.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Call(Selector);

impl Test for Call {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let wanted = self.0.resolve(cx)?;
        Ok(match cx.call_events().events.iter().find(|event| wanted.fits(event)) {
            Some(event) => {
                Finding::holds("the call was made", vec![cx.call_evidence(event.message, event.index)])
            }
            None => Finding::fails("no such call was made", Vec::new()),
        })
    }
}
