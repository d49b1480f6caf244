//! Streamed replies: events are put together into the response that would have come in one piece, and read as one.
//! So what is a reply and what is not is decided in one place, however it came.

pub(in crate::wire) mod once;

use serde::de::DeserializeOwned;

use super::{Wire, WireError, anthropic, gemini, openai_chat, openai_responses, parse, said_error};
use crate::exchange::Reply;
use crate::sse::{Event, Parser};

/// The most bytes of a stream that count towards its reply: what an endpoint sends is not trusted with our memory.
const LONGEST_REPLY: usize = 16 << 20;

/// The most bytes of a whole stream. Each token comes in a few hundred bytes of wrapping, none of which is kept.
const LONGEST_STREAM: usize = 512 << 20;

/// What an event says, in the formats whose streams end with `[DONE]`: nothing, once that has come.
pub(in crate::wire) fn said<T: DeserializeOwned>(event: &Event) -> Result<Option<T>, WireError> {
    if event.data.trim_ascii() == b"[DONE]" {
        return Ok(None);
    }
    if event.name == b"error" {
        return Err(said_error(&event.data));
    }
    parse(&event.data).map(Some)
}

/// A streamed reply as far as it has come.
pub(crate) struct Streamed {
    parser: Parser,
    fold: Fold,
    received: usize,
    kept: usize,
    done: bool,
}

enum Fold {
    OpenaiChat(openai_chat::Fold),
    OpenaiResponses(openai_responses::Fold),
    Gemini(gemini::Fold),
    Anthropic(anthropic::Fold),
}

impl Streamed {
    /// The start of a reply in the format `wire`.
    pub(crate) fn new(wire: Wire) -> Self {
        let fold = match wire {
            Wire::OpenaiChat => Fold::OpenaiChat(openai_chat::Fold::default()),
            Wire::OpenaiResponses => Fold::OpenaiResponses(openai_responses::Fold::default()),
            Wire::Gemini => Fold::Gemini(gemini::Fold::default()),
            Wire::Anthropic => Fold::Anthropic(anthropic::Fold::default()),
        };
        Self { parser: Parser::default(), fold, received: 0, kept: 0, done: false }
    }

    /// Takes the next bytes; says whether the reply is whole, so that nothing more is to be read.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<bool, WireError> {
        self.received += bytes.len();
        if self.received > LONGEST_STREAM {
            return Err(WireError::new(format!("the stream is longer than {} MiB", LONGEST_STREAM >> 20)));
        }
        let events = self.parser.push(bytes).map_err(|error| WireError::new(error.to_string()))?;
        for event in events {
            self.event(&event)?;
        }
        Ok(self.done)
    }

    fn event(&mut self, event: &Event) -> Result<(), WireError> {
        if self.done {
            return Ok(());
        }
        self.kept += event.data.len().saturating_sub(WRAPPING);
        if self.kept > LONGEST_REPLY {
            return Err(WireError::new(format!(
                "the streamed reply is longer than {} MiB",
                LONGEST_REPLY >> 20
            )));
        }
        self.done = match &mut self.fold {
            Fold::OpenaiChat(fold) => fold.event(event)?,
            Fold::OpenaiResponses(fold) => fold.event(event)?,
            Fold::Anthropic(fold) => fold.event(event)?,
            Fold::Gemini(fold) => fold.event(event)?,
        };
        Ok(())
    }

    /// The reply, once the stream has ended.
    pub(crate) fn finish(mut self) -> Result<Reply, WireError> {
        if let Some(event) = std::mem::take(&mut self.parser).finish() {
            self.event(&event)?;
        }
        match self.fold {
            Fold::OpenaiChat(fold) => fold.finish(),
            Fold::OpenaiResponses(fold) => fold.finish(),
            Fold::Anthropic(fold) => fold.finish(),
            Fold::Gemini(fold) => fold.finish(),
        }
    }
}

/// Bytes of an event that are taken to be wrapping, not reply.
const WRAPPING: usize = 128;

#[cfg(test)]
mod tests;
