//! `contains_verbatim`: a file that the model keeps holds a text, or each of some lines, word for word.
//!
//! # Reads
//! The file of that name, in whatever folder, as it was before anything else was changed, with the edits that completed it up to
//! then. `text` must stand in it as one piece; `lines` each by itself, in any order.
//!
//! # Proves
//! That the words are there, code point for code point once CRLF is made LF. A quotation mark, a heading or a code fence around a
//! text does not matter; a dropped word or another kind of apostrophe does. Lines may each carry a list marker (`1. `, `- `,
//! `* `, `> `), as may the lines that they are compared with.
//!
//! # Does not prove
//! That nothing else in the file contradicts them, that the file was kept afterwards, or that it was ever read again.
//!
//! # Example
//! ```yaml
//! - id: task-verbatim
//!   contains_verbatim: { file: CHARTER_STATE.md, text: "{{ task }}" }
//! ```
//! ```yaml
//! params: { task: "Rename spool_dir to queue_dir." }
//! pass:
//!   - - { call: write_file, with: { path: CHARTER_STATE.md, content: "# Task\nRename spool_dir to queue_dir.\n" }, answer: ok }
//!     - "CHARTER_STATE.md is written."
//! fail:
//!   - - { call: write_file, with: { path: CHARTER_STATE.md, content: "# Task\nRename spool_dir.\n" }, answer: ok }
//!     - "CHARTER_STATE.md is written."
//!   - "CHARTER_STATE.md says: Rename spool_dir to queue_dir."
//! ```

use serde::Deserialize;

use super::written_first::evidence;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::kept_file::KeptFile;
use crate::markers;

/// The file holds a text, and each of some lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContainsVerbatim {
    /// The file's name.
    pub file: Expr,
    /// A text that it must hold as one piece.
    pub text: Option<Expr>,
    /// Lines that it must hold, each by itself and in any order.
    pub lines: Option<Expr>,
}

impl Test for ContainsVerbatim {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let name = self.file.text(&cx.params)?;
        let text = self.text.as_ref().map(|text| text.text(&cx.params)).transpose()?;
        let lines = self.lines.as_ref().map(|lines| lines.texts(&cx.params)).transpose()?.unwrap_or_default();
        let kept = KeptFile::follow(cx, &name);
        let evidence = evidence(cx, kept.written);
        let Some(content) = &kept.content else {
            return Ok(Finding::fails(format!("what {name} holds is not to be seen"), evidence));
        };
        let content = content.replace("\r\n", "\n");
        let text = text.map(|text| text.replace("\r\n", "\n").trim().to_owned());
        if text.is_some_and(|text| !holds(&content, &text)) {
            return Ok(Finding::fails(format!("{name} does not hold the text word for word"), evidence));
        }
        for line in &lines {
            let line = markers::strip(line.trim());
            if !line.is_empty() && !content.lines().any(|held| holds_line(held, line)) {
                return Ok(Finding::fails(format!("{name} does not hold `{line}` word for word"), evidence));
            }
        }
        Ok(Finding::holds(format!("{name} holds it word for word"), evidence))
    }
}

/// Whether `text` stands in `content` and is not part of longer words.
fn holds(content: &str, text: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let (first, last) = (text.chars().next(), text.chars().next_back());
    !text.is_empty()
        && content.match_indices(text).any(|(at, _)| {
            let before = content[..at].chars().next_back();
            let mut after = content[at + text.len()..].chars();
            let (next, beyond) = (after.next(), after.next());
            let goes_on = next.is_some_and(joins)
                || (matches!(next, Some('-' | '.' | '/')) && beyond.is_some_and(joins));
            let runs_in = first.is_some_and(joins) && before.is_some_and(joins);
            let runs_on = last.is_some_and(joins) && goes_on;
            !runs_in && !runs_on
        })
}

/// Whether a line of the file is `text`, or holds it between a label and a mark.
fn holds_line(held: &str, text: &str) -> bool {
    let bare = markers::strip(held.trim());
    if bare == text {
        return true;
    }
    let opens = |c: char| ":.;)|>\"'`*_“‘«–—-".contains(c);
    let closes = |c: char| ";,)|\"'`*_”’»".contains(c);
    let whole = text.ends_with(['.', '!', '?']);
    bare.match_indices(text).any(|(at, _)| {
        let before = bare[..at].trim_end().chars().next_back();
        let after = &bare[at + text.len()..];
        let next = after.chars().next();
        before.is_none_or(opens) && next.is_none_or(|c| closes(c) || (whole && c.is_whitespace()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stands_as_one_piece() {
        assert!(holds("# Task\n> \"Rename a to b.\"\n", "Rename a to b."));
        assert!(holds("Task: rename a to b\n", "rename a to b"));
        assert!(!holds("rename a to bee", "rename a to b"));
        assert!(!holds("rename a to b-2", "rename a to b"));
        assert!(!holds("Rename a\nto b.", "Rename a to b."));
        assert!(!holds("", ""));
    }

    #[test]
    fn a_line_may_carry_a_marker_or_a_label() {
        for held in [
            "Close late.",
            "- Close late.",
            "  3. Close late.",
            "* **Close late.**",
            "> Close late.",
            "CI-2: Close late.",
        ] {
            assert!(holds_line(held, "Close late."), "{held}");
        }
        for held in ["Close later.", "Never Close late.", "close late.", "Close late", "Close  late."] {
            assert!(!holds_line(held, "Close late."), "{held}");
        }
        assert!(!holds_line("A line binds or not", "A line binds"));
    }
}
