//! What the calls of a transcript did: in order, with their answers, and whatever tools they went through.
//!
//! A predicate asks about searches, reads and writes. Whether they were made with the standard tools, with tools of
//! another name for an argument, or through a shell command line is told apart here and nowhere else.

pub mod key;
mod paths;
pub mod results;
mod tool;
pub mod workspace;

use transcript::{Effect, Message, Role, ToolCall, Transcript};

pub use key::Key;
pub use paths::{Paths, is_outside};

use crate::command::{How, Search, Step, Target, Write};

/// The file that models keep their own notes in: writing it is no change of the work.
pub const STATE_FILE: &str = "CHARTER_STATE.md";

/// One call of a tool by the subject.
#[derive(Debug)]
pub struct CallEvent<'a> {
    /// The message that makes the call.
    pub message: usize,
    /// The call's index in the message.
    pub index: usize,
    /// The call.
    pub call: &'a ToolCall,
    /// The worst that it can do.
    pub effect: Effect,
    /// The message that answers it.
    pub result: Option<(usize, &'a Message)>,
    /// Whether it has an answer that does not say that it failed.
    pub succeeded: bool,
    /// What it does, in order.
    pub steps: Vec<Step>,
}

/// Where a step stands in the order of things that were done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The index of the call's event.
    pub event: usize,
    /// The index of the step in it.
    pub step: usize,
}

impl<'a> CallEvent<'a> {
    /// The answer's text; empty when there is none.
    #[must_use]
    pub fn answer(&self) -> &'a str {
        self.result.map_or("", |(_, message)| message.content.as_str())
    }

    /// Whether the call changes the state of the work: the model's own notes do not count.
    #[must_use]
    pub fn changes_state(&self) -> bool {
        self.effect.changes_state() && !self.only_writes_notes()
    }

    /// Whether all that the call changes is [`STATE_FILE`].
    #[must_use]
    pub fn only_writes_notes(&self) -> bool {
        let mut changes = self.steps.iter().filter(|step| step.effect().changes_state()).peekable();
        self.effect == Effect::Write
            && changes.peek().is_some()
            && changes.all(|step| matches!(step, Step::Write(write) if is_notes(write)))
    }

    /// The searches that it makes.
    pub fn searches(&self) -> impl Iterator<Item = &Search> {
        self.steps.iter().filter_map(|step| match step {
            Step::Search(search) => Some(search),
            _ => None,
        })
    }

    /// The writes that it makes.
    pub fn writes(&self) -> impl Iterator<Item = &Write> {
        self.steps.iter().filter_map(|step| match step {
            Step::Write(write) => Some(write),
            _ => None,
        })
    }

    /// The files whose content it shows.
    pub fn reads(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().flat_map(|step| match step {
            Step::Read(files) => files.as_slice(),
            _ => &[],
        })
        .map(String::as_str)
    }
}

/// All calls of a transcript.
#[derive(Debug)]
pub struct Calls<'a> {
    /// The calls, in the order in which they ran.
    pub events: Vec<CallEvent<'a>>,
    /// Where the workspace lies.
    pub paths: Paths,
}

impl<'a> Calls<'a> {
    /// Reads the calls of a transcript.
    #[must_use]
    pub fn read(transcript: &'a Transcript) -> Self {
        let paths = Paths::learn(transcript);
        let mut events = Vec::new();
        for (at, message) in transcript.messages.iter().enumerate() {
            if !message.is_models_own() || message.tool_calls.is_empty() {
                continue;
            }
            let results = answers(&transcript.messages, at);
            for (index, call) in message.tool_calls.iter().enumerate() {
                let mut steps = tool::steps(transcript, call);
                steps.iter_mut().for_each(|step| relative(step, &paths));
                let result = results.get(index).copied().flatten();
                let succeeded = result.is_some_and(|(_, answer)| {
                    let writes = steps.iter().any(|step| matches!(step, Step::Write(_)));
                    !results::says_failed(answer) && !(writes && steps.len() == 1 && results::says_unchanged(answer))
                });
                let effect = tool::effect(transcript, call, &steps);
                events.push(CallEvent { message: at, index, call, effect, result, succeeded, steps });
            }
        }
        Self { events, paths }
    }

    /// All steps of calls that succeeded, in order.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (Place, &CallEvent<'a>, &Step)> {
        self.events.iter().enumerate().filter(|(_, event)| event.succeeded).flat_map(|(at, event)| {
            event.steps.iter().enumerate().map(move |(step, what)| (Place { event: at, step }, event, what))
        })
    }

    /// The steps that edit files of the work: notes, scratch files and bookkeeping are none.
    pub fn edits(&self) -> impl DoubleEndedIterator<Item = (Place, &CallEvent<'a>, &Step)> {
        self.steps().filter(|(_, _, step)| is_edit(step))
    }
}

/// Whether a step edits files of the work.
#[must_use]
pub fn is_edit(step: &Step) -> bool {
    match step {
        Step::Write(write) => {
            !is_notes(write) && !matches!(&write.target, Target::File(path) if is_outside(path))
        }
        Step::Opaque(_) => true,
        _ => false,
    }
}

fn is_notes(write: &Write) -> bool {
    matches!(&write.target, Target::File(path) if path.rsplit('/').next() == Some(STATE_FILE))
        && !matches!(write.how, How::Delete)
}

/// The answers to the calls of message `at`: by id where there are ids, else by position.
fn answers<'a>(messages: &'a [Message], at: usize) -> Vec<Option<(usize, &'a Message)>> {
    let calls = &messages[at].tool_calls;
    let block: Vec<(usize, &Message)> =
        messages.iter().enumerate().skip(at + 1).take_while(|(_, message)| message.role == Role::Tool).collect();
    let by_id: std::collections::HashMap<&str, (usize, &'a Message)> = block
        .iter()
        .rev()
        .filter_map(|(place, message)| Some((message.tool_call_id.as_deref()?, (*place, *message))))
        .collect();
    calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            by_id
                .get(call.id.as_str())
                .or_else(|| block.get(index).filter(|(_, message)| message.tool_call_id.is_none()))
                .copied()
        })
        .collect()
}

fn relative(step: &mut Step, paths: &Paths) {
    let each = |files: &mut Vec<String>| files.iter_mut().for_each(|file| *file = paths.relative(file));
    match step {
        Step::Read(files) | Step::Diff(files) => each(files),
        Step::Search(search) => each(&mut search.scopes),
        Step::Write(write) => {
            let (Target::File(path) | Target::Tree(path)) = &mut write.target;
            *path = paths.relative(path);
            if let How::From(from) = &mut write.how {
                *from = paths.relative(from);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
