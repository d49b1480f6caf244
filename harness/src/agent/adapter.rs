//! How each program is started, and how its output becomes messages.
//!
//! One start of a program is one turn of the user's; the next turn resumes the session that the first one named.

mod claude_code;
mod codex;
mod command;

use std::path::Path;

use model_matrix::{Adapter, Program, Relay};
use serde_json::{Map, Value};
use transcript::import::{self, Format, ImportAs};
use transcript::{Message, Role, Served, StopReason, Transcript, TrialError, Usage};

use super::offer;
use super::room::{Room, RoomError};

/// What a program is started with.
#[derive(Debug)]
pub(super) struct Set<'a> {
    pub(super) program: &'a Program,
    pub(super) room: &'a Room,
    pub(super) relay: Option<&'a Relay>,
    /// What the program sends where a key belongs, or the key where there is no relay.
    pub(super) token: Option<&'a str>,
    /// Whether files outside the trial's folders are out of reach already.
    pub(super) fenced: bool,
    /// Starts the MCP server of the case's tools, if the case has any that the program has not.
    pub(super) server: Option<Vec<String>>,
    /// The names of those tools.
    pub(super) offered: Vec<String>,
}

/// One turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// The program and its arguments.
    pub(super) argv: Vec<String>,
    /// What it reads.
    pub(super) input: String,
}

/// What a turn came to.
#[derive(Debug, Default)]
pub(super) struct Segment {
    /// What the program said and what its tools answered.
    pub(super) messages: Vec<Message>,
    /// Tokens.
    pub(super) usage: Option<Usage>,
    /// What it says of who served it.
    pub(super) served: Vec<Served>,
    /// Why the last reply ended.
    pub(super) stop: Option<StopReason>,
    /// Requests that it had to send again.
    pub(super) retries: Option<u32>,
    /// The tools that it had, if it says so.
    pub(super) tools: Vec<Value>,
    /// The session, to be resumed.
    pub(super) session: Option<String>,
    /// Notices and the like.
    pub(super) extra: Map<String, Value>,
    /// Why it is no answer.
    pub(super) error: Option<TrialError>,
}

/// The standard tools that a program has of its own.
#[must_use]
pub fn own_tools(program: &Program) -> Vec<&str> {
    match program.adapter {
        // What they have no tool for they do in the shell.
        Adapter::ClaudeCode | Adapter::Codex => {
            vec!["list_files", "read_file", "search", "write_file", "edit_file", "delete_file", "run_command"]
        }
        Adapter::Command => program.tools.iter().map(String::as_str).collect(),
    }
}

impl Set<'_> {
    /// The environment for all starts: nothing of the harness's own but PATH.
    pub(super) fn env(&self) -> Vec<(String, String)> {
        let home = self.room.home();
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned());
        let mut env = vec![
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), shown(&home)),
            ("TMPDIR".to_owned(), shown(&self.room.temp())),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("NO_PROXY".to_owned(), "127.0.0.1".to_owned()),
        ];
        env.extend(match self.program.adapter {
            Adapter::ClaudeCode => claude_code::env(self),
            Adapter::Codex => codex::env(self),
            Adapter::Command => command::env(self),
        });
        env
    }

    /// Writes the program's settings into its HOME.
    pub(super) fn prepare(&self) -> Result<(), RoomError> {
        match self.program.adapter {
            Adapter::ClaudeCode => claude_code::prepare(self),
            Adapter::Codex => codex::prepare(self),
            Adapter::Command => command::prepare(self),
        }
    }

    /// How the program is asked for turn `turn`, counted from 1.
    pub(super) fn call(&self, turn: usize, prompt: &str, session: Option<&str>) -> Call {
        let mut argv = self.program.run.clone();
        let (more, input) = match self.program.adapter {
            Adapter::ClaudeCode => (claude_code::arguments(self, session), prompt.to_owned()),
            Adapter::Codex => (codex::arguments(session), prompt.to_owned()),
            Adapter::Command => (Vec::new(), command::input(self.program, turn, prompt)),
        };
        argv.extend(more);
        Call { argv, input }
    }

    /// Reads what the program printed.
    pub(super) fn read(&self, stdout: &[u8]) -> Result<Segment, TrialError> {
        let mut segment = match self.program.adapter {
            Adapter::ClaudeCode => {
                imported(Format::ClaudeCode, stdout, &self.room.workspace(), "session_id")?
            }
            Adapter::Codex => imported(Format::Codex, stdout, &self.room.workspace(), "thread_id")?,
            Adapter::Command => command::read(self.program, stdout)?,
        };
        self.rename_offered(&mut segment);
        Ok(segment)
    }

    /// Programs call an MCP server's tools by the server's name as well; a case knows only its own names.
    fn rename_offered(&self, segment: &mut Segment) {
        let prefix = format!("mcp__{}__", offer::SERVER);
        let own = |name: &mut String| {
            if let Some(bare) =
                name.strip_prefix(&prefix).filter(|bare| self.offered.iter().any(|o| o == bare))
            {
                *name = bare.to_owned();
            }
        };
        for message in &mut segment.messages {
            message.tool_calls.iter_mut().for_each(|call| own(&mut call.name));
            message.name.iter_mut().for_each(own);
        }
        for tool in &mut segment.tools {
            if let Value::String(name) = tool {
                own(name);
            }
        }
    }
}

/// A turn from an event stream, by the importer of its format.
fn imported(format: Format, stdout: &[u8], workspace: &Path, session: &str) -> Result<Segment, TrialError> {
    let what =
        ImportAs { case: Some(String::new()), workspace: Some(shown(workspace)), ..ImportAs::default() };
    let bad = |message: String| TrialError { kind: "agent-output".to_owned(), message };
    let transcripts = import::import(format, stdout, &what)
        .map_err(|error| bad(format!("its output is not {}: {error}", format.describe())))?;
    let Some(transcript) = transcripts.into_iter().next() else {
        return Err(bad("it printed nothing".to_owned()));
    };
    let Transcript { messages, usage, served, stop, retries, tools, mut extra, error, .. } = transcript;
    let session = extra.get(session).and_then(Value::as_str).map(str::to_owned);
    // What it reports as said is in the messages.
    extra.remove("result");
    Ok(Segment { messages, usage, served, stop, retries, tools, session, extra, error })
}

impl Segment {
    /// Why the turn is no answer that can be judged, if it is none.
    pub(super) fn fault(&self, max_steps: u32) -> Option<TrialError> {
        let error = |kind: &str, message: String| Some(TrialError { kind: kind.to_owned(), message });
        if let Some(error) = &self.error {
            return Some(error.clone());
        }
        let strange = |message: &&Message| !matches!(message.role, Role::Assistant | Role::Tool);
        if let Some(message) = self.messages.iter().find(strange) {
            return error(
                "agent-output",
                format!("it puts words into the user's mouth: {}", start_of(&message.content)),
            );
        }
        let replies = self.messages.iter().filter(|message| message.is_models_own()).count();
        if replies > max_steps as usize {
            return error("step-limit", format!("it took {replies} replies; the case allows {max_steps}"));
        }
        match self.messages.iter().rfind(|message| message.is_models_own()) {
            None => error("bad-reply", "the model said nothing".to_owned()),
            Some(last) => crate::replay::check(last, self.stop.unwrap_or(StopReason::Stop)).err(),
        }
    }
}

fn start_of(text: &str) -> String {
    text.chars().take(80).collect()
}

/// A path for a program.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
