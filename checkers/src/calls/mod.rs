//! What the calls of a transcript did: in order, with their answers, and whatever tools they went through.
//!
//! A predicate asks about searches, reads and writes. Whether they were made with the standard tools, with tools of
//! another name for an argument, or through a shell command line is told apart here and nowhere else.

pub mod key;
mod parts;
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
    /// For each step the lines of the answer that may be its own.
    parts: Vec<std::ops::Range<usize>>,
}

/// Where a step stands in the order of things that were done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    /// The lines of the answer that may be those of one of its steps.
    #[must_use]
    pub fn lines_of(&self, step: usize) -> Vec<String> {
        let lines = results::lines(self.answer());
        match self.parts.get(step) {
            Some(part) if self.steps.len() > 1 => lines.into_iter().take(part.end).skip(part.start).collect(),
            _ => lines,
        }
    }

    /// Whether no other step prints among the lines of this one.
    #[must_use]
    pub fn prints_alone(&self, step: usize) -> bool {
        let part = self.parts.get(step);
        self.steps.len() <= 256
            && self.steps.iter().zip(&self.parts).enumerate().all(|(at, (other, lines))| {
                let prints = matches!(
                    other,
                    Step::Read(_)
                        | Step::Diff(_)
                        | Step::Look
                        | Step::Search(_)
                        | Step::TestRun
                        | Step::Opaque(_)
                );
                at == step || !prints || Some(lines) != part
            })
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
        self.steps
            .iter()
            .flat_map(|step| match step {
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
                    let came_to_nothing = writes && steps.len() == 1 && results::says_unchanged(answer);
                    let only_reads =
                        !steps.is_empty() && steps.iter().all(|step| matches!(step, Step::Read(_)));
                    let failed = if only_reads {
                        results::says_not_read(answer)
                    } else {
                        results::says_failed(answer)
                    };
                    !(failed || came_to_nothing)
                });
                let effect = tool::effect(transcript, call, &steps);
                let parts = parts::of(&steps, result.map_or("", |(_, answer)| answer.content.as_str()));
                events.push(CallEvent { message: at, index, call, effect, result, succeeded, steps, parts });
            }
        }
        let mut calls = Self { events, paths };
        calls.learn_what_is_hidden();
        calls
    }

    /// ripgrep passes over hidden files unless told otherwise by a flag or a setting: once it has listed one, it does not.
    fn learn_what_is_hidden(&mut self) {
        let is_hidden = |path: &str| path.split('/').any(|part| part.len() > 1 && part.starts_with('.'));
        let shown =
            self.events.iter().filter(|event| event.succeeded).any(|event| {
                let skips = event.searches().any(|search| search.skips_hidden && search.is_whole_tree());
                let alone = event.searches().count() == 1;
                skips
                    && alone
                    && event.answer().lines().take(1_000).any(|line| {
                        results::listed(line, &self.paths).is_some_and(|(path, _)| is_hidden(&path))
                    })
            });
        if shown {
            for step in self.events.iter_mut().flat_map(|event| &mut event.steps) {
                if let Step::Search(search) = step {
                    search.skips_hidden = false;
                }
            }
        }
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
    let block: Vec<(usize, &Message)> = messages
        .iter()
        .enumerate()
        .skip(at + 1)
        .take_while(|(_, message)| message.role == Role::Tool)
        .collect();
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
