//! `before`: one thing was done ahead of another.

use serde::Deserialize;

use super::selector::Selector;
use super::{Finding, Test};
use crate::closing;
use crate::context::Context;
use crate::expr::EvalError;

/// A call that fits `first` comes ahead of every call, or reply, that `then` names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// What must come first.
    pub first: Selector,
    /// What it must come ahead of. If there is none of it, `first` must still have been done.
    pub then: Then,
}

/// What must come later.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The first call that fits.
    Call(Selector),
    /// The first reply of this kind.
    Reply(Reply),
}

/// A kind of reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// One that ends the turn and claims that the work is done.
    Closing,
    /// The last one.
    Final,
}

impl Test for Before {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let first = self.first.resolve(cx)?;
        let events = &cx.call_events().events;
        let later = match &self.then {
            Then::Call(selector) => {
                let then = selector.resolve(cx)?;
                events.iter().find(|event| then.fits(event)).map(|event| (event.message, event.index))
            }
            Then::Reply(Reply::Closing) => closing::first_closing(cx, 0).map(|at| (at, 0)),
            Then::Reply(Reply::Final) => cx.final_reply().map(|(at, _)| (at, 0)),
        };
        let earlier = events.iter().find(|event| first.fits(event));
        let place = |event: &crate::calls::CallEvent<'_>| (event.message, event.index);
        Ok(match (earlier, later) {
            (Some(event), Some(later)) if place(event) >= later => Finding::fails(
                "it came too late",
                vec![cx.call_evidence(event.message, event.index), cx.call_evidence(later.0, later.1)],
            ),
            (Some(event), _) => {
                Finding::holds("it came first", vec![cx.call_evidence(event.message, event.index)])
            }
            (None, _) => Finding::fails("it was never done", Vec::new()),
        })
    }
}
