//! `written_first`: a file of the model's own was written before anything else was changed.
//!
//! # Reads
//! All calls in their order. The file may lie in any folder. Through a shell, a redirect or a here-document creates it; whatever
//! else a command line does counts as a change unless it is known to look only.
//!
//! # Proves
//! That the `file` was created ahead of the first change of anything else. Looks, searches and test runs ahead of it are fine. A
//! write that failed creates nothing, and a change that was only tried came all the same.
//!
//! # Does not prove
//! That the file says anything of use: ask that with `contains_verbatim` and `file_line`.
//!
//! # Example
//! ```yaml
//! - id: written-first
//!   written_first: { file: CHARTER_STATE.md }
//! ```
//! ```yaml
//! pass:
//!   - - { call: search, with: { pattern: spool_dir }, answer: "a.conf:1: spool_dir" }
//!     - { call: write_file, with: { path: CHARTER_STATE.md, content: "# Task" }, answer: ok }
//!     - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "edited a.conf" }
//!     - "Done."
//! fail:
//!   - - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "edited a.conf" }
//!     - { call: write_file, with: { path: CHARTER_STATE.md, content: "# Task" }, answer: ok }
//!     - "Done."
//!   - "CHARTER_STATE.md is written."
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::calls::Place;
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::kept_file::KeptFile;
use crate::verdict::Evidence;

/// The file exists before the first change of anything else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenFirst {
    /// The file's name; it may lie in any folder of the workspace.
    pub file: Expr,
}

impl Test for WrittenFirst {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let name = self.file.text(&cx.params)?;
        let kept = KeptFile::follow(cx, &name);
        Ok(match (kept.created, kept.change) {
            (Some(created), _) if kept.came_first() => Finding::holds(
                format!("{name} is written before anything is changed"),
                evidence(cx, [created]),
            ),
            (Some(created), Some(change)) => Finding::fails(
                format!("something is changed before {name} is written"),
                evidence(cx, [change, created]),
            ),
            (_, change) => Finding::fails(format!("{name} is never written"), evidence(cx, change)),
        })
    }
}

/// Evidence for the calls at these places.
pub(super) fn evidence(cx: &Context<'_>, places: impl IntoIterator<Item = Place>) -> Vec<Evidence> {
    let events = &cx.call_events().events;
    let event = |place: Place| events.get(place.event);
    places.into_iter().filter_map(event).map(|event| cx.call_evidence(event.message, event.index)).collect()
}
