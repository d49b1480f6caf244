//! A streamed reply: each event is a response of its own, with the parts that are new.

use serde_json::Value;

use super::{Candidate, Content, PromptFeedback, Response, TokenCount, reply_of};
use crate::exchange::Reply;
use crate::sse::Event;
use crate::wire::stream::once::{self, Names};
use crate::wire::stream::said;
use crate::wire::{WireError, said_error};

/// The reply as far as it has come.
#[derive(Default)]
pub(in crate::wire) struct Fold {
    started: bool,
    response_id: Option<String>,
    model: Names,
    parts: Vec<Value>,
    candidate: Option<Candidate>,
    feedback: Option<PromptFeedback>,
    usage: Option<TokenCount>,
}

impl Fold {
    /// Takes the next event; nothing tells the last one but the end of the stream.
    pub(in crate::wire) fn event(&mut self, event: &Event) -> Result<bool, WireError> {
        let Some(response) = said::<Response>(event)? else { return Ok(true) };
        if !response.error.is_null() {
            return Err(said_error(&event.data));
        }
        self.started = true;
        once::same_reply(&mut self.response_id, response.response_id)?;
        self.model.hear(response.model_version);
        self.feedback = response.prompt_feedback.or(self.feedback.take());
        self.usage = response.usage_metadata.or(self.usage.take());
        for candidate in response.candidates.unwrap_or_default() {
            self.candidate(candidate)?;
        }
        Ok(false)
    }

    fn candidate(&mut self, candidate: Candidate) -> Result<(), WireError> {
        if candidate.index.is_some_and(|index| index > 0) {
            return Err(WireError::new("the stream has several candidates, one was asked for"));
        }
        let kept = self.candidate.get_or_insert_default();
        let parts = candidate.content.and_then(|content| content.parts).unwrap_or_default();
        if let Some(reason) = kept.finish_reason.as_deref().filter(|_| parts.iter().any(says_something)) {
            return Err(once::after_the_end(reason));
        }
        once::end(&mut kept.finish_reason, candidate.finish_reason, &["STOP"]);
        kept.finish_message = candidate.finish_message.or(kept.finish_message.take());
        for part in parts {
            self.part(part);
        }
        Ok(())
    }

    /// Text goes on with the text before it, except around a signature, which must stay where it is.
    fn part(&mut self, part: Value) {
        let plain = |part: &Value| part.get("text").is_some() && part.get("thoughtSignature").is_none();
        match self.parts.last_mut() {
            Some(last) if plain(last) && plain(&part) && last.get("thought") == part.get("thought") => {
                if let (Some(Value::String(text)), Some(more)) = (last.get_mut("text"), part["text"].as_str())
                {
                    text.push_str(more);
                }
            }
            _ => self.parts.push(part),
        }
    }

    /// The reply, once the stream has ended.
    pub(in crate::wire) fn finish(self) -> Result<Reply, WireError> {
        if !self.started {
            return Err(WireError::new("the stream ended before it said anything"));
        }
        let candidate = self.candidate.map(|mut candidate| {
            candidate.content = Some(Content { parts: Some(self.parts) });
            candidate
        });
        reply_of(Response {
            response_id: self.response_id,
            model_version: self.model.told(),
            candidates: Some(candidate.into_iter().collect()),
            prompt_feedback: self.feedback,
            usage_metadata: self.usage,
            error: Value::Null,
        })
    }
}

/// Whether a part is more than an empty text, which may bring the signature of what came before.
fn says_something(part: &Value) -> bool {
    match part.get("text") {
        Some(text) => text.as_str().is_none_or(|text| !text.is_empty()),
        None => part.as_object().is_none_or(|fields| fields.keys().any(|name| name != "thoughtSignature")),
    }
}
