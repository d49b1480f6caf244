//! `no_call`: no call of this kind was made.

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
