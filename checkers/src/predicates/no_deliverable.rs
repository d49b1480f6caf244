//! `no_deliverable`: nothing is handed over.
//!
//! # Reads
//! The files that calls write or edit, and all replies. `marks` and `other` are patterns for the deliverables of two goals.
//!
//! # Proves
//! That no file of the work is written, and that no reply holds a code block, a table, a letter, a section set apart, a list, a
//! paragraph or a row of items led in as the work, bare code, code that computes or compares, a sentence that hands over a result
//! with a mark of either goal, words in quotation marks or below a colon that bear such a mark and stand nowhere else, or a clause
//! whose marks nobody had said to the model. What only quotes the conversation, a file or a token, a form for the user to fill in,
//! and the model's own notes are no deliverables.
//!
//! # Does not prove
//! That a deliverable in plain prose without any of the marks was not given.
//!
//! # Example
//! ```yaml
//! - id: no-deliverable
//!   no_deliverable: { marks: "{{ original_marks }}", other: "{{ mutated_marks }}" }
//! ```
//! ```yaml
//! params: { original_marks: ["\\b90 days"], mutated_marks: ["\\b30 days"] }
//! pass:
//!   - "I cannot see the task any more. Please restate it."
//! fail:
//!   - "Here is the notice:\n\n```\nWe keep records for 30 days.\n```"
//!   - - { call: write_file, with: { path: notice.md, content: "We keep records for 90 days." }, answer: ok }
//!     - "Please restate the task."
//! ```

use serde::Deserialize;

use super::serves::marks;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::serving::prose::{self, Weight};
use crate::serving::{artifacts, quoted};

/// Nothing is delivered.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoDeliverable {
    /// Marks of one goal's deliverables.
    pub marks: Expr,
    /// Marks of the other's.
    pub other: Expr,
}

impl Test for NoDeliverable {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let marks = marks(&self.marks, &self.other, cx)?;
        if let Some(artifact) = artifacts::of(cx).first() {
            return Ok(Finding::fails("something is delivered", vec![artifact.evidence(cx)]));
        }
        for (at, message) in cx.replies() {
            if let Some(remark) =
                prose::remarks(&message.content, &marks).iter().find(|remark| remark.weight != Weight::Plain)
            {
                return Ok(Finding::fails(
                    "a result is stated",
                    vec![cx.evidence(at, remark.range.start, remark.range.end)],
                ));
            }
        }
        let seen = quoted::Seen::of(cx);
        for (at, message) in cx.replies() {
            let made = prose::made_here(&message.content, &marks, &seen)
                .or_else(|| prose::slipped_in(&message.content, &marks, &seen))
                .or_else(|| prose::below_a_colon(&message.content, &marks, &seen))
                .or_else(|| prose::in_a_row(&message.content, &seen));
            if let Some(range) = made {
                let place = cx.evidence(at, range.start, range.end);
                return Ok(Finding::fails("a piece of the result stands in the text", vec![place]));
            }
        }
        Ok(Finding::holds("nothing is delivered", Vec::new()))
    }
}
