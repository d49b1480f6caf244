//! Puts a conversation together so that each answer of a tool stands where its call can find it.
//!
//! Judges look for a call's answer among the tool messages right behind it. Foreign logs interleave answers with a
//! subagent's messages or leave ids out; here they are brought into that order, but never across a later message of
//! the same thread: a claim made before the answer came must not look as if it rested on it.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::{By, Message, Role, ToolCall};

/// Where a message keeps the model's reasoning.
const REASONING: &str = "reasoning";

/// Where a message of a subagent's keeps its thread.
const THREAD: &str = "thread";

/// A message, and behind it the answers to its calls.
#[derive(Debug)]
struct Turn {
    message: Message,
    answers: Vec<Message>,
    thread: Option<String>,
}

/// Where a call was made.
#[derive(Debug)]
struct Made {
    turn: usize,
    name: String,
}

/// A tool's answer.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) content: String,
    pub(super) is_error: bool,
    pub(super) extra: Map<String, Value>,
}

/// A conversation in the making.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    turns: Vec<Turn>,
    made: HashMap<String, Made>,
    /// The last turn of each thread; the main one is `None`.
    last: HashMap<Option<String>, usize>,
    /// The thread that speaks now.
    thread: Option<String>,
    unnamed: usize,
}

impl Conversation {
    /// What follows is said in `thread`; `None` is the main one.
    pub(super) fn enter(&mut self, thread: Option<&str>) {
        self.thread = thread.map(str::to_owned);
    }

    /// Adds a message, with its calls.
    ///
    /// Reasoning that came as a message of its own, ahead of what it led to, becomes a part of that.
    pub(super) fn say(&mut self, mut message: Message) {
        if let Some(thread) = &self.thread {
            message.extra.insert(THREAD.to_owned(), Value::String(thread.clone()));
        }
        if message.is_models_own()
            && let Some(before) = self.open(By::Model).filter(|before| is_only_reasoning(before))
        {
            message
                .extra
                .entry(REASONING)
                .or_insert_with(|| before.extra.remove(REASONING).unwrap_or_default());
            let calls = std::mem::take(&mut message.tool_calls);
            *before = message;
            for call in calls {
                self.call(By::Model, call);
            }
            return;
        }
        let turn = self.turns.len();
        let calls = std::mem::take(&mut message.tool_calls);
        self.turns.push(Turn { message, answers: Vec::new(), thread: self.thread.clone() });
        self.last.insert(self.thread.clone(), turn);
        for call in calls {
            self.add_call(turn, call);
        }
    }

    /// Adds a call to the message of `by`'s that is being made, or to a new one when an answer or another speaker came
    /// between.
    pub(super) fn call(&mut self, by: By, call: ToolCall) {
        match self.open_turn(by) {
            Some(turn) => self.add_call(turn, call),
            None => {
                let mut message = Message::text(Role::Assistant, by, "");
                message.tool_calls.push(call);
                self.say(message);
            }
        }
    }

    /// The assistant's message of `by`'s that is still being made, to be continued.
    pub(super) fn open(&mut self, by: By) -> Option<&mut Message> {
        let turn = self.open_turn(by)?;
        self.turns.get_mut(turn).map(|turn| &mut turn.message)
    }

    fn open_turn(&self, by: By) -> Option<usize> {
        let index = *self.last.get(&self.thread)?;
        let turn = self.turns.get(index)?;
        let same = turn.message.role == Role::Assistant && turn.message.by == by;
        let open = same && turn.answers.is_empty() && index + 1 == self.turns.len();
        open.then_some(index)
    }

    fn add_call(&mut self, turn: usize, mut call: ToolCall) {
        if call.id.is_empty() {
            self.unnamed += 1;
            call.id = format!("unnamed_{}", self.unnamed);
        }
        self.made.insert(call.id.clone(), Made { turn, name: call.name.clone() });
        if let Some(turn) = self.turns.get_mut(turn) {
            turn.message.tool_calls.push(call);
        }
    }

    /// Adds a tool's answer: behind its call when nothing was said in that thread since, else at the end.
    pub(super) fn answer(&mut self, answer: Answer) {
        let Answer { id, name, content, is_error, extra } = answer;
        let made = id.as_ref().and_then(|id| self.made.get(id));
        let mut message = Message::text(Role::Tool, By::Tool, content);
        message.name = made.map(|made| made.name.clone()).or(name);
        message.is_error = is_error;
        message.extra = extra;
        let place = match (&id, made) {
            (Some(_), Some(made)) => Some(made.turn),
            // Without an id the order tells, and that is the order of the thread.
            (None, _) => self.last.get(&self.thread).copied(),
            (Some(_), None) => None,
        };
        message.tool_call_id = id;
        let current = place.filter(|place| {
            self.turns.get(*place).is_some_and(|turn| self.last.get(&turn.thread) == Some(place))
        });
        match current.and_then(|place| self.turns.get_mut(place)) {
            Some(turn) => turn.answers.push(message),
            None => self.say(message),
        }
    }

    /// The messages in order.
    pub(super) fn finish(self) -> Vec<Message> {
        self.turns.into_iter().flat_map(|turn| std::iter::once(turn.message).chain(turn.answers)).collect()
    }
}

fn is_only_reasoning(message: &Message) -> bool {
    let only = message.extra.keys().all(|key| key == REASONING || key == THREAD);
    message.content.is_empty()
        && message.tool_calls.is_empty()
        && only
        && message.extra.contains_key(REASONING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: format!("tool-{id}"), arguments: Value::Null }
    }

    fn answer(id: Option<&str>, content: &str) -> Answer {
        Answer { id: id.map(str::to_owned), content: content.to_owned(), ..Answer::default() }
    }

    fn contents(conversation: Conversation) -> Vec<String> {
        conversation.finish().into_iter().map(|message| message.content).collect()
    }

    fn says(text: &str) -> Message {
        Message::text(Role::Assistant, By::Model, text)
    }

    #[test]
    fn answers_stand_behind_their_calls_and_bear_their_names() {
        let mut conversation = Conversation::default();
        conversation.call(By::Model, call("a"));
        conversation.call(By::Model, call("b"));
        conversation.answer(answer(Some("b"), "of b"));
        conversation.answer(answer(Some("a"), "of a"));
        let messages = conversation.finish();
        assert_eq!(messages[0].tool_calls.len(), 2);
        assert_eq!(
            (messages[1].name.as_deref(), messages[2].name.as_deref()),
            (Some("tool-b"), Some("tool-a"))
        );
    }

    #[test]
    fn an_answer_never_moves_ahead_of_what_was_said_before_it_came() {
        let mut conversation = Conversation::default();
        conversation.call(By::Model, call("a"));
        conversation.say(says("all tests pass"));
        conversation.answer(answer(Some("a"), "2 failed"));
        assert_eq!(contents(conversation), ["", "all tests pass", "2 failed"]);
    }

    #[test]
    fn another_thread_does_not_come_between_a_call_and_its_answer() {
        let mut conversation = Conversation::default();
        conversation.call(By::Model, call("a"));
        conversation.enter(Some("sub"));
        conversation.say(says("aside"));
        conversation.enter(None);
        conversation.answer(answer(Some("a"), "of a"));
        assert_eq!(contents(conversation), ["", "of a", "aside"]);
    }

    #[test]
    fn reasoning_ahead_of_a_message_becomes_a_part_of_it() {
        let mut conversation = Conversation::default();
        conversation.enter(Some("sub"));
        let mut reasoning = says("");
        reasoning.extra.insert(REASONING.to_owned(), "look".into());
        conversation.say(reasoning);
        let mut message = says("I look");
        message.tool_calls.push(call("a"));
        conversation.say(message);
        conversation.answer(answer(Some("a"), "of a"));
        let messages = conversation.finish();
        assert_eq!(messages.len(), 2);
        assert_eq!(
            (&messages[0].extra[REASONING], &messages[0].extra[THREAD]),
            (&"look".into(), &"sub".into())
        );
        assert_eq!(messages[0].tool_calls, [call("a")]);
        assert_eq!(messages[1].name.as_deref(), Some("tool-a"));
    }

    #[test]
    fn calls_without_ids_get_some_and_their_answers_keep_their_order() {
        let mut conversation = Conversation::default();
        conversation.call(By::Model, ToolCall { id: String::new(), ..call("x") });
        conversation.call(By::Model, ToolCall { id: String::new(), ..call("y") });
        conversation.answer(answer(None, "first"));
        conversation.answer(answer(None, "second"));
        conversation.answer(answer(Some("nobody"), "stray"));
        let messages = conversation.finish();
        assert_ne!(messages[0].tool_calls[0].id, messages[0].tool_calls[1].id);
        let texts: Vec<&str> = messages.iter().map(|message| message.content.as_str()).collect();
        assert_eq!(texts, ["", "first", "second", "stray"]);
    }
}
