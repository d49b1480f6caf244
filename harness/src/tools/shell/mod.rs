//! The emulation behind `run_command`: the commands that models use to look around and edit, on the workspace and nowhere else.
//!
//! There is no process and no file system behind it. What it does not know it refuses by name with exit status 127, so that a model sees at
//! once that it must go another way. Work and output are bounded, whatever the command line says.
//!
//! - [`lex`], [`word`], [`parse`]: the command line
//! - [`exec`]: pipelines and redirections
//! - [`options`], [`pattern`]: what several commands share
//! - the commands: [`text`], [`grep`], [`find`], [`sed`], [`files`], [`git`]

use super::{ToolOutcome, excerpt};
use crate::workspace::Workspace;

mod exec;
mod files;
mod find;
mod git;
mod grep;
mod lex;
mod options;
mod parse;
mod pattern;
mod sed;
mod text;
mod word;

/// The longest command line, in bytes.
const MAX_COMMAND_BYTES: usize = 256 << 10;
/// The most output that the model gets, in bytes.
const MAX_OUTPUT_BYTES: usize = 16 << 10;

/// Answers a command line.
pub fn run(command: &str, workspace: &mut Workspace) -> ToolOutcome {
    if command.trim().is_empty() {
        return ToolOutcome::error("the command is empty");
    }
    if command.len() > MAX_COMMAND_BYTES {
        return ToolOutcome::error(format_args!("the command is longer than {MAX_COMMAND_BYTES} bytes"));
    }
    let list = match lex::tokens(command).and_then(parse::parse) {
        Ok(list) => list,
        Err(what) => {
            let content =
                format!("command not available here: {} ({what})\nexit status 127", excerpt(command));
            return ToolOutcome { content, is_error: true };
        }
    };
    let mut shell = exec::Shell::new(workspace);
    let status = shell.list(&list);
    let mut content = cut(&shell.terminal.bytes);
    if content.is_empty() {
        content.push_str("(no output)");
    }
    if status != 0 {
        content.push_str(&format!("\nexit status {status}"));
    }
    // A search that finds nothing ends with status 1 and has not failed; whoever fails says so.
    ToolOutcome { content, is_error: status != 0 && shell.complained }
}

/// The output as text, without the last line end, at most [`MAX_OUTPUT_BYTES`] of it.
fn cut(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches('\n');
    if text.len() <= MAX_OUTPUT_BYTES {
        return text.to_owned();
    }
    let mut end = MAX_OUTPUT_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n… the output is cut here, {} more bytes", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests;
