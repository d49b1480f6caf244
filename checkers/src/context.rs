//! What a predicate sees of a transcript: its messages, its parameters, and readings of its texts made once and shared.

use std::cell::OnceCell;

use minijinja::Value;
use minijinja::value::Serde;
use transcript::{Message, ToolCall, Transcript};

use crate::calls::Calls;
use crate::verdict::Evidence;

/// A transcript under judgement.
pub struct Context<'a> {
    /// The transcript.
    pub transcript: &'a Transcript,
    /// Its parameters, as expressions see them.
    pub params: Value,
    calls: OnceCell<Calls<'a>>,
}

impl<'a> Context<'a> {
    /// Prepares `transcript` for judging.
    #[must_use]
    pub fn new(transcript: &'a Transcript) -> Self {
        Self { transcript, params: Value::from(Serde(&transcript.params)), calls: OnceCell::new() }
    }

    /// The subject's own messages, with their indices.
    pub fn own(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Message)> {
        self.transcript.messages.iter().enumerate().filter(|(_, message)| message.is_models_own())
    }

    /// The subject's own messages that say something to the user.
    pub fn replies(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Message)> {
        self.own().filter(|(_, message)| !message.content.trim().is_empty())
    }

    /// The last message that says something to the user.
    #[must_use]
    pub fn final_reply(&self) -> Option<(usize, &'a Message)> {
        self.replies().next_back()
    }

    /// The first message that says something to the user.
    #[must_use]
    pub fn first_reply(&self) -> Option<(usize, &'a Message)> {
        self.replies().next()
    }

    /// The subject's calls in the order in which they ran: message index, index in the message, call.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = (usize, usize, &'a ToolCall)> {
        self.own().flat_map(|(at, message)| {
            message.tool_calls.iter().enumerate().map(move |(index, call)| (at, index, call))
        })
    }

    /// The subject's calls with what they did, read once.
    pub fn call_events(&self) -> &Calls<'a> {
        self.calls.get_or_init(|| Calls::read(self.transcript))
    }

    /// The message that answers the call `index` of message `at`.
    ///
    /// Ids are matched among the tool messages that directly follow; recorded transcripts without ids are matched by
    /// position.
    #[must_use]
    pub fn result_of(&self, at: usize, index: usize) -> Option<(usize, &'a Message)> {
        let messages = &self.transcript.messages;
        let call = messages.get(at)?.tool_calls.get(index)?;
        let answers = || {
            messages
                .iter()
                .enumerate()
                .skip(at + 1)
                .take_while(|(_, message)| message.role == transcript::Role::Tool)
        };
        answers()
            .find(|(_, message)| message.tool_call_id.as_deref() == Some(call.id.as_str()))
            .or_else(|| answers().nth(index).filter(|(_, message)| message.tool_call_id.is_none()))
    }

    /// Evidence for bytes `start..end` of message `at`.
    #[must_use]
    pub fn evidence(&self, at: usize, start: usize, end: usize) -> Evidence {
        let text = self.transcript.messages.get(at).and_then(|message| message.content.get(start..end));
        Evidence { message: at, start, end, text: text.unwrap_or_default().to_owned(), call: None }
    }

    /// Evidence for the call `index` of message `at`.
    #[must_use]
    pub fn call_evidence(&self, at: usize, index: usize) -> Evidence {
        let call = self.transcript.messages.get(at).and_then(|message| message.tool_calls.get(index));
        let text = call.map(|call| format!("{} {}", call.name, call.arguments)).unwrap_or_default();
        Evidence { message: at, start: 0, end: 0, text, call: Some(index) }
    }
}
