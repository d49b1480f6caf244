//! `before`: one thing was done ahead of another.
//!
//! # Reads
//! The calls in the order in which they ran, and the replies among them. `first` is a selector; `then` is another call
//! (`call: …`), the first reply that ends the turn and claims that the work is done (`reply: closing`), or the last reply
//! (`reply: final`).
//!
//! # Proves
//! That a call that fits `first` was made, ahead of the first thing that `then` means. If there is none of that, `first` must
//! have been made all the same.
//!
//! # Does not prove
//! That the earlier call told anything, or that its answer was heeded. Calls of one message are in the order in which the message
//! has them.
//!
//! # Example
//! ```yaml
//! - id: search-first
//!   before: { first: { does: search, finds: "{{ key }}" }, then: { call: { does: edit } } }
//! ```
//! ```yaml
//! params: { key: spool_dir }
//! pass:
//!   - - { call: search, with: { pattern: spool_dir }, answer: "a.conf:1: spool_dir = x" }
//!     - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "edited a.conf" }
//!     - "Done."
//! fail:
//!   - - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "edited a.conf" }
//!     - { call: search, with: { pattern: spool_dir }, answer: "no matches" }
//!     - "Done."
//!   - "I searched first, then edited."
//! ```

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
    Call(Box<Selector>),
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
