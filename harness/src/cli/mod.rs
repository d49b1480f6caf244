//! The command line: one file a subcommand, and what they share.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

mod check;
mod exit;
mod library;
mod say;

pub(crate) use exit::Exit;

/// CI for agent charters: replays scripted cases on pinned models, judges the transcripts, and keeps the record that a
/// release can rest on.
#[derive(Debug, Parser)]
#[command(name = "assize", version, max_term_width = 100, after_help = exit::HELP)]
struct Arguments {
    /// The project's folder or assize.yaml; found from the current folder upwards when not given
    #[arg(long, global = true, value_name = "PATH")]
    project: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge recorded transcripts, offline
    Check(check::Arguments),
}

/// Runs the program.
pub(crate) fn main() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // A closed pipe is no reason to fail on the way out.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Holds };
        }
    };
    let project = arguments.project.as_deref();
    let result = match arguments.command {
        Command::Check(arguments) => check::run(&arguments, project),
    };
    result.unwrap_or_else(|error| {
        say::error(&error);
        Exit::Usage
    })
}
