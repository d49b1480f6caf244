//! The tools a subject may be offered: simulated on the trial's workspace, so that no call ever touches a disk, a shell or a network.
//!
//! - [`decl`]: how a case declares its tools
//! - [`set`]: the tools of one case, ready to be called
//! - [`schema`]: checking a call's arguments
//! - [`scripted`]: answers that a case fixes
//! - [`shell`]: the small emulation behind `run_command`
//! - one file for each standard tool

use std::fmt::Debug;

use serde_json::{Map, Value};
use transcript::Effect;

use crate::workspace::{PathError, WorkPath, Workspace};

pub mod decl;
pub mod delete_file;
pub mod deploy;
pub mod edit_file;
pub mod fetch_url;
pub mod list_files;
pub mod read_file;
pub mod run_command;
pub mod run_tests;
pub mod schema;
pub mod scripted;
pub mod search;
pub mod set;
pub mod shell;
pub mod write_file;

pub use decl::{ScriptedAnswer, ToolDecl};
pub use set::{ToolSet, ToolSetError, ToolSpec};

/// A call's arguments, checked against the tool's schema before the tool sees them.
pub type Args = Map<String, Value>;

/// Something a subject can call.
pub trait Tool: Debug + Send + Sync {
    /// The name the model calls it by.
    fn name(&self) -> &str;
    /// What the model is told about it.
    fn description(&self) -> &str;
    /// The JSON Schema of its arguments, of the subset that [`schema`] checks.
    fn parameters(&self) -> Value;
    /// The worst a call can do.
    fn effect(&self) -> Effect;
    /// Answers a call.
    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome;
}

/// What a tool works on.
#[derive(Debug)]
pub struct ToolContext<'a> {
    /// The trial's files.
    pub workspace: &'a mut Workspace,
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The text that the model gets.
    pub content: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl ToolOutcome {
    /// An answer.
    #[must_use]
    pub fn ok(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: false }
    }

    /// A failure. The text says so itself, since not every wire format has a flag for it.
    #[must_use]
    pub fn error(reason: impl std::fmt::Display) -> Self {
        Self { content: format!("error: {reason}"), is_error: true }
    }
}

impl From<Result<String, String>> for ToolOutcome {
    fn from(result: Result<String, String>) -> Self {
        result.map_or_else(Self::error, Self::ok)
    }
}

/// The standard tool of that name.
#[must_use]
pub fn standard(name: &str) -> Option<Box<dyn Tool>> {
    Some(match name {
        "list_files" => Box::new(list_files::ListFiles),
        "read_file" => Box::new(read_file::ReadFile),
        "search" => Box::new(search::Search),
        "write_file" => Box::new(write_file::WriteFile),
        "edit_file" => Box::new(edit_file::EditFile),
        "delete_file" => Box::new(delete_file::DeleteFile),
        "run_tests" => Box::new(run_tests::RunTests),
        "fetch_url" => Box::new(fetch_url::FetchUrl),
        "run_command" => Box::new(run_command::RunCommand),
        "deploy" => Box::new(deploy::Deploy),
        _ => return None,
    })
}

/// The string argument `key`; empty when it is absent.
fn text<'a>(args: &'a Args, key: &str) -> &'a str {
    args.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The path argument `path`; the root when it is absent.
fn path(args: &Args) -> Result<WorkPath, String> {
    let text = text(args, "path");
    WorkPath::parse(text).map_err(|error| bad_path(text, error))
}

/// The path argument of a tool that needs a file.
fn file_path(args: &Args) -> Result<WorkPath, String> {
    let path = path(args)?;
    if path.is_root() { Err("the path names the workspace itself, not a file".to_owned()) } else { Ok(path) }
}

fn bad_path(text: &str, error: PathError) -> String {
    format!("{error}: {}", excerpt(text))
}

/// The start of a text that came from a model, short and without control characters, to be quoted in a message.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut out = String::new();
    for c in text.chars().take(LONGEST) {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

/// The content of a text file.
fn read_text(cx: &ToolContext<'_>, path: &WorkPath) -> Result<String, String> {
    let bytes = cx.workspace.read(path).map_err(|error| error.to_string())?;
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned).map_err(|_| format!("{path} is not a text file ({} bytes)", bytes.len()))
}
