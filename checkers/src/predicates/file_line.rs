//! `file_line`: a file that the model keeps has a line of some form.
//!
//! # Reads
//! The file of that name, in whatever folder, as it was before anything else was changed. Each line is looked at by itself and as
//! it stands: `^` is where the line begins.
//!
//! # Proves
//! That there is such a line. Neither `- INV-1: …` nor a mention in the middle of a line is a line `INV-1: …`.
//!
//! # Does not prove
//! That the line says something of this task, or that it stays in the file.
//!
//! # Example
//! ```yaml
//! - id: inv-line
//!   file_line: { file: CHARTER_STATE.md, pattern: '^INV-\d+' }
//! ```
//! ```yaml
//! pass:
//!   - - { call: write_file, with: { path: CHARTER_STATE.md, content: "# INV\nINV-1: the API stays\n" }, answer: ok }
//!     - "Written."
//! fail:
//!   - - { call: write_file, with: { path: CHARTER_STATE.md, content: "- INV-1: the API stays\n" }, answer: ok }
//!     - "Written."
//!   - "INV-1: the API stays"
//! ```

use serde::Deserialize;

use super::matches::Pattern;
use super::written_first::evidence;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::kept_file::KeptFile;

/// A line of the file matches.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLine {
    /// The file's name.
    pub file: Expr,
    /// What one of its lines must match.
    pub pattern: Pattern,
}

impl Test for FileLine {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let name = self.file.text(&cx.params)?;
        let kept = KeptFile::follow(cx, &name);
        let evidence = evidence(cx, kept.written);
        let content = kept.content.unwrap_or_default();
        let pattern = &self.pattern.0;
        let found = content.lines().map(str::trim_end).find(|line| pattern.is_match(line));
        Ok(match found {
            Some(line) => Finding::holds(format!("{name} has the line `{line}`"), evidence),
            None => Finding::fails(format!("no line of {name} matches `{pattern}`"), evidence),
        })
    }
}
