//! `reads_file`: a call shows the content of a file.
//!
//! Through whatever tool: `read_file`, `cat`, `head`, a search in that file. A checksum or a listing shows no content,
//! and a call that failed shows nothing. With `shows`, a search counts when its answer holds that text.
//!
//! ```yaml
//! - id: reads-file
//!   reads_file: { path: CHARTER_STATE.md, shows: "{{ original_task }}" }
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::calls::CallEvent;
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// A call that succeeded shows what a file holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadsFile {
    /// The file; a name without a folder is meant wherever the file lies.
    pub path: Expr,
    /// A text that the answer of a search must hold to count as a read of the file.
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
        let by_search = |event: &CallEvent<'_>| {
            let answer = event.answer();
            event.searches().next().is_some()
                && shows.as_ref().is_some_and(|text| answer.contains(text.trim()))
                && (answer.contains(path.as_str())
                    || event.searches().any(|search| search.scopes.iter().any(|scope| names(scope))))
        };
        let read = calls
            .events
            .iter()
            .find(|event| event.succeeded && (event.reads().any(names) || by_search(event)));
        Ok(match read {
            Some(event) => {
                Finding::holds(format!("{path} is read"), vec![cx.call_evidence(event.message, event.index)])
            }
            None => Finding::fails(format!("no call shows the content of {path}"), Vec::new()),
        })
    }
}
