//! A streamed reply: each event is a response of its own, with the parts that are new.

use serde_json::Value;

use super::{Candidate, Content, PromptFeedback, Response, TokenCount, reply_of};
use crate::exchange::Reply;
use crate::sse::Event;
use crate::wire::{WireError, parse, said_error};

/// The reply as far as it has come.
#[derive(Default)]
pub(in crate::wire) struct Fold {
    started: bool,
    response_id: Option<String>,
    model: Option<String>,
    parts: Vec<Value>,
    candidate: Option<Candidate>,
    feedback: Option<PromptFeedback>,
    usage: Option<TokenCount>,
}

impl Fold {
    /// Takes the next event; nothing tells the last one but the end of the stream.
    pub(in crate::wire) fn event(&mut self, event: &Event) -> Result<bool, WireError> {
        if event.data.trim_ascii() == b"[DONE]" {
            return Ok(true);
        }
        let response: Response = parse(&event.data)?;
        if event.name == b"error" || !response.error.is_null() {
            return Err(said_error(&event.data));
        }
        self.started = true;
        self.response_id = self.response_id.take().or(response.response_id);
        self.model = self.model.take().or(response.model_version);
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
        for part in candidate.content.and_then(|content| content.parts).unwrap_or_default() {
            self.part(part);
        }
        let kept = self.candidate.get_or_insert_default();
        kept.finish_reason = candidate.finish_reason.or(kept.finish_reason.take());
        kept.finish_message = candidate.finish_message.or(kept.finish_message.take());
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
            model_version: self.model,
            candidates: Some(candidate.into_iter().collect()),
            prompt_feedback: self.feedback,
            usage_metadata: self.usage,
            error: Value::Null,
        })
    }
}
