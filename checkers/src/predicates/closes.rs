//! `closes`: the last reply ends the work as done.
//!
//! **What it asks.** That the last reply ends its turn, and neither says that something is still open nor hands the work
//! back with a question. An offer after the fact (`Want me to open a pull request?`) hands nothing back. A reply that says
//! nothing of the work's state closes it when something was edited.
//!
//! **Why.** Ordinary work has to come to an end: a session that edits and then asks whether it may say so fails the user as
//! one that never starts does. What a closing rests on is for `closure_backed` to ask.
//!
//! ```yaml
//! - id: closes
//!   closes: {}
//! ```

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::{Finding, Test};
use crate::closing::{self, Stance};
use crate::context::Context;
use crate::expr::EvalError;
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
