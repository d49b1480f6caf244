//! `reads_file`: a call shows the content of a file.
//!
//! # Reads
//! The calls that succeeded, through whatever tool: `read_file`, `cat`, `head`, a search in that file. A name without a folder is meant
//! wherever the file lies.
//!
//! # Proves
//! That one of them shows what the file at `path` holds. A checksum or a listing shows no content. With `shows`, searches and
//! command lines count only when their answer holds that text, so that `wc -c` or a look at the first line is no read.
//!
//! # Does not prove
//! That what was read was heeded.
//!
//! # Example
//! ```yaml
//! - id: reads-file
//!   reads_file: { path: CHARTER_STATE.md, shows: "{{ task }}" }
//! ```
//! ```yaml
//! params: { task: "Rename spool_dir." }
//! pass:
//!   - - { call: run_command, with: { command: "cat CHARTER_STATE.md" }, answer: "# Task\nRename spool_dir.\n" }
//!     - "I have it."
//! fail:
//!   - - { call: run_command, with: { command: "head -1 CHARTER_STATE.md" }, answer: "# Task" }
//!     - "I have it."
//!   - - { call: read_file, with: { path: CHARTER_STATE.md }, answer: "no such file", failed: true }
//!     - "I have it."
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::calls::CallEvent;
use crate::command::Step;
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// A call that succeeded shows what a file holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadsFile {
    /// The file; a name without a folder is meant wherever the file lies.
    pub path: Expr,
    /// A text that the answer of a search or a command line must hold to count as a read of the file.
    pub shows: Option<Expr>,
}

impl Test for ReadsFile {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let calls = cx.call_events();
        let path = calls.paths.relative(&self.path.text(&cx.params)?);
        let shows = self.shows.as_ref().map(|shows| shows.text(&cx.params)).transpose()?;
        let names = |file: &str| {
            file == path || (!path.contains('/') && file.rsplit('/').next() == Some(path.as_str()))
        };
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let showing =
            |event: &CallEvent<'_>| shows.as_ref().map(|text| folded(event.answer()).contains(&folded(text)));
        let direct =
            |event: &CallEvent<'_>| matches!(event.steps.as_slice(), [Step::Read(_)]) && !by_command(event);
        let searched = |event: &CallEvent<'_>| {
            event.answer().contains(path.as_str())
                || event.searches().any(|search| search.scopes.iter().any(|scope| names(scope)))
        };
        let read = calls.events.iter().filter(|event| event.succeeded).find(|event| {
            if event.reads().any(names) {
                direct(event) || showing(event) != Some(false)
            } else {
                event.searches().next().is_some() && searched(event) && showing(event) == Some(true)
            }
        });
        Ok(match read {
            Some(event) => {
                Finding::holds(format!("{path} is read"), vec![cx.call_evidence(event.message, event.index)])
            }
            None => Finding::fails(format!("no call shows the content of {path}"), Vec::new()),
        })
    }
}

/// Whether the call is of a tool that runs command lines.
fn by_command(event: &CallEvent<'_>) -> bool {
    ["command", "cmd", "script", "bash", "line", "input"]
        .iter()
        .any(|name| event.call.arguments.get(*name).is_some())
}
