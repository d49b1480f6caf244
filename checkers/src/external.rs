//! External checkers: a program that gets the transcript and answers. This crate only says what is asked and how the
//! answer is read; whoever uses it brings the means to start programs, or none.

use std::fmt::Debug;
use std::time::Duration;

/// What is asked of an external program.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// The file of the definition that asks; the program runs in its folder.
    pub definition: &'a str,
    /// What it gets on standard input: the transcript as one line of JSON.
    pub input: &'a [u8],
    /// How long it may take.
    pub time_limit: Duration,
    /// How many bytes it may write.
    pub output_limit: usize,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// Starts programs.
pub trait Commands: Debug + Send + Sync {
    /// Runs one to its end, or stops it with its children at a limit.
    ///
    /// # Errors
    /// Why there is no answer. The verdict is then an error.
    fn run(&self, request: &Request<'_>) -> Result<Answer, String>;
}

/// Starts nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCommands;

impl Commands for NoCommands {
    fn run(&self, request: &Request<'_>) -> Result<Answer, String> {
        let program = request.argv.first().map_or("", String::as_str);
        Err(format!("external checkers are not run here, so `{program}` was not asked"))
    }
}
