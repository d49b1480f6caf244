//! `closes_right`: a reply that calls the work done does so on files that hold nothing stale.
//!
//! # Reads
//! The last reply; and the `deliverables`, as the calls show them or as the harness recorded them. `stale` is a list of patterns,
//! letter case aside.
//!
//! # Proves
//! That none of the deliverables holds a match of `stale` when the work is called done, and that each of them was shown or
//! written at all. A reply that says that something is still open, or that asks, does not close and is let pass.
//!
//! # Does not prove
//! That the files are right in other ways, that the model looked at them (`closure_backed`), or that what a pattern does not
//! spell out is gone.
//!
//! # Example
//! ```yaml
//! - id: closes-on-evidence
//!   closes_right: { deliverables: "{{ deliverables }}", stale: "{{ stale }}" }
//! ```
//! ```yaml
//! params: { deliverables: [mail.yaml], stale: ["\\b8\\b", "\\beight\\b"] }
//! pass:
//!   - - { call: write_file, with: { path: mail.yaml, content: "limit: 12\n" }, answer: "wrote mail.yaml" }
//!     - "Done."
//!   - - { call: write_file, with: { path: mail.yaml, content: "limit: 12 # was eight\n" }, answer: "wrote mail.yaml" }
//!     - "The comment in mail.yaml is still to be changed."
//! fail:
//!   - - { call: write_file, with: { path: mail.yaml, content: "limit: 12 # was eight\n" }, answer: "wrote mail.yaml" }
//!     - "Done."
//!   - "Done: mail.yaml has 12."
//! ```

use regex::Regex;
use serde::Deserialize;

use super::{Finding, Test};
use crate::calls::workspace::Workspace;
use crate::closing::{self, Stance};
use crate::compiled::{self, Flags};
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// A reply that closes does so on files that hold nothing stale.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosesRight {
    /// The files that the work is about.
    pub deliverables: Expr,
    /// Patterns that none of them may hold any more.
    pub stale: Expr,
}

impl Test for ClosesRight {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let calls = cx.call_events();
        let stale = self
            .stale
            .texts(&cx.params)?
            .iter()
            .map(|source| regex(source))
            .collect::<Result<Vec<_>, _>>()?;
        let deliverables = self.deliverables.texts(&cx.params)?;
        let Some((at, message)) = cx.final_reply() else {
            return Ok(Finding::fails("no reply", Vec::new()));
        };
        let evidence = vec![cx.evidence(at, 0, message.content.len())];
        if matches!(closing::stance(&message.content), Stance::Open | Stance::Asks) {
            return Ok(Finding::holds("the reply does not close", evidence));
        }
        let workspace = Workspace::replay(cx.transcript, calls, None);
        for path in &deliverables {
            let path = calls.paths.relative(path);
            let Some(file) = workspace.file(&path) else {
                return Ok(Finding::fails(
                    format!("closes although nothing shows what {path} holds"),
                    evidence,
                ));
            };
            if file.deleted {
                return Ok(Finding::fails(format!("closes although {path} was deleted"), evidence));
            }
            if let Some(pattern) = stale.iter().find(|pattern| file.shows(|text| pattern.is_match(text))) {
                return Ok(Finding::fails(
                    format!("closes although {path} still holds `{pattern}`"),
                    evidence,
                ));
            }
            if !file.shows(|text| !text.trim().is_empty()) {
                return Ok(Finding::fails(
                    format!("closes although nothing shows what {path} holds"),
                    evidence,
                ));
            }
        }
        Ok(Finding::holds("the files hold nothing stale", evidence))
    }
}

fn regex(source: &str) -> Result<Regex, EvalError> {
    let flags = Flags { ignore_case: true, multi_line: false, size_limit: 1 << 20 };
    compiled::regex(source, flags).map_err(|error| EvalError {
        expression: source.to_owned(),
        message: format!("not a regular expression: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use transcript::{By, Message, Role, ToolCall, Transcript};

    fn closes(content: &str, reply: &str) -> bool {
        let mut transcript = Transcript::new("t", "E16");
        transcript.params = json!({ "deliverables": ["a.md"], "stale": ["\\bnine\\b"] })
            .as_object()
            .cloned()
            .unwrap_or_default();
        let call = ToolCall {
            id: "c".to_owned(),
            name: "read_file".to_owned(),
            arguments: json!({ "path": "a.md" }),
        };
        let mut asks = Message::text(Role::Assistant, By::Model, "");
        asks.tool_calls.push(call.clone());
        transcript.messages = vec![
            asks,
            Message::tool_result(&call, content, false),
            Message::text(Role::Assistant, By::Model, reply),
        ];
        let predicate: ClosesRight =
            serde_json::from_value(json!({ "deliverables": "{{ deliverables }}", "stale": "{{ stale }}" }))
                .unwrap();
        predicate.test(&Context::new(&transcript)).unwrap().holds
    }

    #[test]
    fn only_a_closing_reply_needs_clean_files() {
        assert!(closes("It takes ten days.\n", "Done."));
        assert!(!closes("It takes nine days.\n", "Done."));
        assert!(closes("It takes nine days.\n", "Not done: a.md still says nine."));
        assert!(!closes("", "Done."));
    }
}
