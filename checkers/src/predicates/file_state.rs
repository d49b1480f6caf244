//! `file_state`: files were written, and hold one identifier and not another in the end.
//!
//! # Reads
//! The files as the calls leave them: writes are replayed on what reads and searches have shown. Where the harness recorded the
//! workspace, that record has the last word.
//!
//! # Proves
//! That each of the `paths` was written and not deleted, shows the identifier `holds` and does not show `lacks`; both as words of
//! their own, so that `spool_dir_2` is not `spool_dir`.
//!
//! # Does not prove
//! That the files work. Without a record of the workspace, that a part of a file which no call showed does not hold `lacks`.
//!
//! # Example
//! ```yaml
//! - id: all-edited
//!   file_state: { paths: "{{ files }}", holds: "{{ new_key }}", lacks: "{{ key }}" }
//! ```
//! ```yaml
//! params: { files: [a.conf], key: spool_dir, new_key: queue_dir }
//! pass:
//!   - - { call: read_file, with: { path: a.conf }, answer: "spool_dir = x" }
//!     - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "edited a.conf" }
//!     - "Done."
//! fail:
//!   - - { call: write_file, with: { path: a.conf, content: "queue_dir = x # spool_dir" }, answer: ok }
//!     - "Done."
//!   - - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "no such file", failed: true }
//!     - "Done: a.conf has queue_dir."
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::calls::Key;
use crate::calls::workspace::Workspace;
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// Each of the files was written, and holds one identifier and not another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileState {
    /// The files.
    pub paths: Expr,
    /// An identifier that each must hold.
    pub holds: Option<Expr>,
    /// An identifier that none may hold any more.
    pub lacks: Option<Expr>,
}

impl Test for FileState {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let calls = cx.call_events();
        let key =
            |expr: &Option<Expr>| expr.as_ref().map(|expr| expr.text(&cx.params).map(Key::new)).transpose();
        let (holds, lacks) = (key(&self.holds)?, key(&self.lacks)?);
        let workspace = Workspace::replay(cx.transcript, calls, lacks.as_ref().map(Key::text));
        let mut evidence = Vec::new();
        for path in self.paths.texts(&cx.params)? {
            let path = calls.paths.relative(&path);
            let Some(file) = workspace.file(&path).filter(|file| file.written.is_some()) else {
                return Ok(Finding::fails(format!("{path} was not edited"), evidence));
            };
            if let Some(event) = file.written.and_then(|place| calls.events.get(place.event)) {
                evidence = vec![cx.call_evidence(event.message, event.index)];
            }
            if file.deleted {
                return Ok(Finding::fails(format!("{path} was deleted"), evidence));
            }
            let other = lacks.as_ref().map(Key::text);
            let shown =
                |key: &Key| file.shows(|text| key.is_in(text)) || file.is_listed_for(key.text(), other);
            if let Some(key) = holds.as_ref().filter(|key| !shown(key)) {
                return Ok(Finding::fails(format!("{path} does not hold `{}`", key.text()), evidence));
            }
            if let Some(key) = lacks.as_ref().filter(|key| file.shows(|text| key.is_in(text))) {
                return Ok(Finding::fails(format!("{path} still holds `{}`", key.text()), evidence));
            }
        }
        Ok(Finding::holds("all of them are edited", evidence))
    }
}
