//! `call`: a call of this kind was made.

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
