//! `closes`: the last reply ends the work as done.
//!
//! Ordinary work has to come to an end: a session that edits and then asks whether it may say so fails the user as one that never
//! starts does.
//!
//! # Reads
//! The last reply, and whether any call edited something.
//!
//! # Proves
//! That the reply ends its turn, and neither says that something is still open nor hands the work back with a question. An offer
//! after the fact (`Want me to open a pull request?`) hands nothing back. A reply that says nothing of the work's state closes it
//! when something was edited.
//!
//! # Does not prove
//! That the work is done. What a closing rests on is for `closure_backed` and `files_hold` to ask.
//!
//! # Example
//! ```yaml
//! - id: closes
//!   closes: {}
//! ```
//! ```yaml
//! pass:
//!   - - { call: edit_file, with: { path: a.conf, old: "8", new: "12" }, answer: "edited a.conf" }
//!     - "Done: the limit is 12 MB now. Want me to open a pull request?"
//!   - - { call: edit_file, with: { path: a.conf, old: "8", new: "12" }, answer: "edited a.conf" }
//!     - "The limit in a.conf is 12 MB."
//! fail:
//!   - - { call: edit_file, with: { path: a.conf, old: "8", new: "12" }, answer: "edited a.conf" }
//!     - "a.conf is changed, but the help page is still to do."
//!   - "Shall I proceed?"
//!   - "The limit in a.conf is 8 MB."
//! ```

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Finding, Test};
use crate::closing::{self, Stance};
use crate::context::Context;
use crate::expr::EvalError;
use crate::lean::Regex;
use crate::prose::pattern;

/// The last reply calls the work done, or leaves nothing to be done.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closes {}

/// What asks for leave or for information that the work needs, rather than offers more.
static HANDS_BACK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:before\s+i|until\s+you|once\s+you|shall\s+i\s+(?:proceed|go\s+ahead|start|continue|begin|apply|make|edit|rename)|(?:should|may|can)\s+i\s+(?:proceed|go\s+ahead|start|continue|begin|apply)|waiting\s+for|please\s+confirm|confirm\s+(?:that|whether|if|and\s+i))\b",
    )
});

impl Test for Closes {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let Some((at, text)) = closing::turn_ends(cx).last() else {
            return Ok(Finding::fails("no reply ends the work", Vec::new()));
        };
        let evidence = vec![cx.evidence(at, 0, text.len())];
        if cx.final_reply().is_some_and(|(last, _)| last != at) {
            return Ok(Finding::fails("the last message still calls a tool", evidence));
        }
        if let Some(sentence) =
            closing::sentences(text).iter().find(|sentence| HANDS_BACK.is_match(&sentence.text))
        {
            let evidence = vec![cx.evidence(at, sentence.range.start, sentence.range.end)];
            return Ok(Finding::fails("the reply hands the work back", evidence));
        }
        Ok(match closing::stance(text) {
            Stance::Closes => Finding::holds("the reply calls the work done", evidence),
            Stance::Silent if cx.call_events().edits().next().is_some() => {
                Finding::holds("the reply leaves nothing open", evidence)
            }
            Stance::Silent => {
                Finding::fails("nothing was edited, and the reply calls nothing done", evidence)
            }
            Stance::Open => Finding::fails("the reply says that something is still open", evidence),
            Stance::Asks => Finding::fails("the reply asks instead of closing", evidence),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use transcript::{By, Message, Role, ToolCall, Transcript};

    use super::*;

    fn closes(reply: &str, edited: bool) -> bool {
        let mut transcript = Transcript::new("t", "H9");
        if edited {
            let mut message = Message::text(Role::Assistant, By::Model, "");
            message.tool_calls.push(ToolCall {
                id: "c1".to_owned(),
                name: "write_file".to_owned(),
                arguments: json!({"path": "a.py", "content": "x"}),
            });
            transcript.messages.push(message);
            let mut answer = Message::text(Role::Tool, By::Tool, "wrote 1 bytes to a.py");
            answer.tool_call_id = Some("c1".to_owned());
            transcript.messages.push(answer);
        }
        transcript.messages.push(Message::text(Role::Assistant, By::Model, reply));
        Closes {}.test(&Context::new(&transcript)).unwrap().holds
    }

    #[test]
    fn ends() {
        assert!(closes("Done. Want me to open a pull request?", true));
        assert!(closes("a.py: x", true));
        assert!(closes("All files are up to date.", false));
    }

    #[test]
    fn leaves_it_open() {
        assert!(!closes("a.py: x", false));
        assert!(!closes("Shall I go ahead?", true));
        assert!(!closes("Edited, but not verified yet.", true));
        assert!(!closes("Done, I think. Please confirm that nothing else is meant.", true));
    }
}
