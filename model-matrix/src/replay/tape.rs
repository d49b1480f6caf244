//! The recorded turns of one trial, and whether a request is the one that the next of them answers.

use std::collections::HashSet;

use serde_json::Value;
use transcript::{Message, Role, ToolCall};

use super::RecordedTurn;

/// The turns of one trial.
#[derive(Debug)]
pub(super) struct Tape {
    turns: Vec<RecordedTurn>,
}

impl Tape {
    pub(super) fn new(mut turns: Vec<RecordedTurn>) -> Self {
        for (turn, recorded) in turns.iter_mut().enumerate() {
            for (index, call) in recorded.tool_calls.iter_mut().enumerate() {
                if call.id.is_empty() {
                    call.id = format!("call_{turn}_{index}");
                }
                // In the form in which arguments come back.
                match &call.arguments {
                    Value::Object(_) | Value::String(_) => {}
                    Value::Null => call.arguments = Value::Object(serde_json::Map::new()),
                    other => call.arguments = Value::String(other.to_string()),
                }
            }
        }
        Self { turns }
    }

    /// The reply of `turn`, when `messages` is a conversation that it can answer.
    pub(super) fn turn(&self, turn: usize, messages: &[Message]) -> Result<&RecordedTurn, String> {
        let recorded = self.turns.get(turn).ok_or_else(|| {
            format!("the trace has no turn {}: it ends after {}", turn + 1, plural(self.turns.len(), "turn"))
        })?;
        if let Some(earlier) = turn.checked_sub(1).and_then(|before| self.turns.get(before))
            && !carries(messages, earlier)
        {
            return Err(format!("the conversation does not carry the reply of turn {turn}"));
        }
        answered(messages)?;
        Ok(recorded)
    }
}

/// Whether `messages` hold the recorded reply. An empty one leaves no mark on every wire.
fn carries(messages: &[Message], turn: &RecordedTurn) -> bool {
    if turn.content.is_empty() && turn.tool_calls.is_empty() {
        return true;
    }
    let said = messages.iter().filter(|message| message.role == Role::Assistant);
    said.rev()
        .any(|message| message.content == turn.content && same_calls(&message.tool_calls, &turn.tool_calls))
}

/// Whether these are the same calls, in order. Text that is sent as arguments is an object on the other side when
/// it reads as one.
fn same_calls(sent: &[ToolCall], recorded: &[ToolCall]) -> bool {
    sent.len() == recorded.len()
        && sent.iter().zip(recorded).all(|(sent, recorded)| {
            sent.id == recorded.id
                && sent.name == recorded.name
                && (sent.arguments == recorded.arguments
                    || recorded.arguments.as_str().is_some_and(|raw| {
                        serde_json::from_str::<Value>(raw).is_ok_and(|value| value == sent.arguments)
                    }))
        })
}

/// Checks that each call has exactly one result, after it and before anybody else speaks.
fn answered(messages: &[Message]) -> Result<(), String> {
    let mut open: HashSet<&str> = HashSet::new();
    for message in messages {
        if message.role == Role::Tool {
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            if !open.remove(id) {
                return Err(format!("the result for `{id}` answers no open tool call"));
            }
            continue;
        }
        all_answered(&open)?;
        open.extend(message.tool_calls.iter().map(|call| call.id.as_str()));
    }
    all_answered(&open)
}

fn all_answered(open: &HashSet<&str>) -> Result<(), String> {
    match open.iter().min() {
        None => Ok(()),
        Some(id) => Err(format!("the tool call `{id}` has no result")),
    }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
