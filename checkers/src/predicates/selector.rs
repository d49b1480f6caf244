//! `selector`: which calls a predicate means.
//!
//! All that is given must fit one call; what is left out asks nothing. `tool`: one of these names. `does`: `search`, `read`, `write`,
//! `edit` (files of the work: the model's notes and scratch files are none), `test_run` or `state_change` (of the work in any way;
//! writing the notes is none). `paths`: reads or writes one of these. `finds`: looks for this text. `holds`: writes content with this
//! text. `answer`: its answer matches this pattern. `failed_too: true`: calls that failed are meant as well.
//!
//! # Used by
//! `call`, `no_call`, `before` and `listed_in_result`.
//!
//! # Example
//! ```yaml
//! - id: searches-docs
//!   call: { does: search, finds: "{{ key }}", answer: "docs/" }
//! ```
//! ```yaml
//! params: { key: spool_dir }
//! pass:
//!   - - { call: run_command, with: { command: "rg -n spool_dir" }, answer: "docs/a.md:3: `spool_dir`" }
//!     - "Found."
//! fail:
//!   - - { call: run_command, with: { command: "rg -n other" }, answer: "docs/a.md:3: other" }
//!     - "Found."
//! ```

use serde::Deserialize;

use super::matches::Pattern;
use crate::calls::{CallEvent, STATE_FILE, is_edit};
use crate::command::{How, Step, Target};
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// Looks for text in files.
    Search,
    /// Shows a file's content.
    Read,
    /// Writes a file.
    Write,
    /// Edits the files of the work: the model's notes and scratch files are none.
    Edit,
    /// Runs tests.
    TestRun,
    /// Changes the state of the work in any way; writing the notes does not.
    StateChange,
}

/// Calls, by what they do. What is left out asks nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Selector {
    /// The tool has one of these names.
    pub tool: Option<Expr>,
    /// The call does this.
    pub does: Option<Does>,
    /// It reads or writes one of these files.
    pub paths: Option<Expr>,
    /// It looks for this text, by itself or among others.
    pub finds: Option<Expr>,
    /// It writes content that holds this text.
    pub holds: Option<Expr>,
    /// Its answer matches.
    pub answer: Option<Pattern>,
    /// Calls that failed are meant as well.
    pub failed_too: bool,
}

impl Selector {
    /// The selector with its expressions worked out for this transcript.
    ///
    /// # Errors
    /// [`EvalError`] when the parameters do not fit.
    pub fn resolve(&self, cx: &Context<'_>) -> Result<Resolved<'_>, EvalError> {
        let texts = |expr: &Option<Expr>| expr.as_ref().map(|expr| expr.texts(&cx.params)).transpose();
        let text = |expr: &Option<Expr>| expr.as_ref().map(|expr| expr.text(&cx.params)).transpose();
        let paths = texts(&self.paths)?;
        let paths = paths.map(|all| all.iter().map(|path| cx.call_events().paths.relative(path)).collect());
        Ok(Resolved {
            selector: self,
            tools: texts(&self.tool)?,
            paths,
            finds: text(&self.finds)?,
            holds: text(&self.holds)?,
        })
    }
}

/// A selector ready to be asked.
#[derive(Debug)]
pub struct Resolved<'s> {
    selector: &'s Selector,
    tools: Option<Vec<String>>,
    paths: Option<Vec<String>>,
    finds: Option<String>,
    holds: Option<String>,
}

impl Resolved<'_> {
    /// Whether `event` is meant.
    #[must_use]
    pub fn fits(&self, event: &CallEvent<'_>) -> bool {
        let selector = self.selector;
        (event.succeeded || selector.failed_too)
            && self.tools.as_ref().is_none_or(|tools| tools.contains(&event.call.name))
            && selector.does.is_none_or(|does| does_it(does, event))
            && self.paths.as_ref().is_none_or(|paths| paths.iter().any(|path| touches(event, path)))
            && self.finds.as_ref().is_none_or(|text| event.searches().any(|search| search.finds(text)))
            && self
                .holds
                .as_ref()
                .is_none_or(|text| event.writes().any(|write| writes_text(&write.how, text)))
            && selector.answer.as_ref().is_none_or(|pattern| pattern.0.is_match(event.answer()))
    }
}

fn does_it(does: Does, event: &CallEvent<'_>) -> bool {
    match does {
        Does::Search => event.searches().next().is_some(),
        Does::Read => event.reads().next().is_some(),
        Does::Write => event.writes().next().is_some(),
        Does::Edit => event.steps.iter().any(is_edit),
        Does::TestRun => event.steps.iter().any(|step| matches!(step, Step::TestRun)),
        Does::StateChange => event.changes_state(),
    }
}

/// Whether the call reads or writes the file: by its path, or for the notes by its name anywhere.
fn touches(event: &CallEvent<'_>, path: &str) -> bool {
    let same =
        |other: &str| other == path || (path == STATE_FILE && other.rsplit('/').next() == Some(STATE_FILE));
    event.reads().any(same)
        || event.writes().any(|write| match &write.target {
            Target::File(file) => same(file),
            Target::Tree(folder) => folder.is_empty() || path.starts_with(&format!("{folder}/")),
        })
}

fn writes_text(how: &How, text: &str) -> bool {
    match how {
        How::Whole(content) | How::Append(content) => content.contains(text),
        How::Replace { new, .. } => new.contains(text),
        How::Substitute(_) | How::From(_) | How::Delete | How::Unknown => false,
    }
}
