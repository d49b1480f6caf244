//! Shell completions and man pages, made from the command line's own definition.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Command, CommandFactory};

use super::Arguments as Program;
use super::exit::Exit;
use super::say;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

/// Write man pages, one a command
#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The folder to write them to
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// The command line without what is hidden: that is for the program itself to call, and nobody should be offered it.
fn shown() -> Command {
    let whole = Program::command();
    let mut shown = Command::new("assize")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(super::exit::HELP)
        .disable_help_subcommand(true)
        .args(whole.get_arguments().cloned())
        .subcommands(whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
    if let Some(about) = whole.get_about() {
        shown = shown.about(about.clone());
    }
    shown
}

/// Prints the completion script.
pub(crate) fn completions(arguments: &Completions) -> anyhow::Result<Exit> {
    // Into memory first: the generator panics when its output is closed.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut shown(), "assize", &mut script);
    let mut out = say::data();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Exit::Holds)
}

/// Writes the man pages.
pub(crate) fn man(arguments: &Man) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    clap_mangen::generate_to(shown(), folder)
        .with_context(|| format!("{} cannot be written to", folder.display()))?;
    say::note(&format!("wrote man pages to {}", folder.display()));
    Ok(Exit::Holds)
}
