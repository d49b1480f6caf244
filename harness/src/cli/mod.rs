//! The command line: one file a subcommand, and what they share.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

mod audit;
mod base;
mod case_tools;
mod check;
mod checkout;
mod compare;
mod doctor;
mod exit;
mod explain;
mod fence;
mod fetched;
mod findings;
mod fixtures;
mod foreign;
mod gate;
mod init;
mod kept;
mod keygen;
mod lint;
mod lock;
mod merge;
mod models;
mod new;
mod nightly;
mod pack;
mod perform;
mod progress;
mod push;
#[cfg(test)]
mod reference;
mod report;
mod run;
mod say;
mod schema;
mod shell;
mod sign;
mod summary;
mod talk;
mod topics;
mod verify_load;
mod wrap;

pub(crate) use exit::Exit;

/// CI for agent charters: replays scripted cases on pinned models, judges the transcripts, and keeps the record that a
/// release can rest on.
#[derive(Debug, Parser)]
#[command(name = "assize", version, max_term_width = 100, after_help = exit::HELP, disable_help_subcommand = true)]
struct Arguments {
    /// The project's folder or assize.yaml; found from the current folder upwards when not given
    #[arg(long, global = true, value_name = "PATH")]
    project: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play cases on the matrix, judge the transcripts, write the record
    Run(run::Arguments),
    /// Judge recorded transcripts, offline
    Check(check::Arguments),
    /// Say whether a release, or a change, may rest on a run
    Gate(gate::Arguments),
    /// Derive a run's record anew, for exactly one commit, and say whether a release may rest on it
    Audit(audit::Arguments),
    /// Make a key pair to sign records with
    Keygen(keygen::Arguments),
    /// Sign a run's record
    Sign(sign::Arguments),
    /// Put a run's folder into one file
    Pack(pack::Arguments),
    /// Write a run's report for a pull request, a build server, a spreadsheet or a program
    Report(report::Arguments),
    /// Say what is worse in one run than in another
    Compare(compare::Arguments),
    /// Run the matrix fresh and say whether a model has regressed
    Nightly(nightly::Arguments),
    /// Join the shards of a run
    Merge(merge::Arguments),
    /// Send a run's folder to an object store
    Push(push::Arguments),
    /// Check cases, tables, traces, matrix, registry and controls; plays nothing
    Lint(lint::Arguments),
    /// Run the static fixtures of a constitution and list all; asks no model
    Fixtures(fixtures::Arguments),
    /// Show the matrix, and try its endpoints out
    Models(models::Arguments),
    /// Take checkers into `checkers.lock`, so that they cannot be changed in place
    Lock(lock::Arguments),
    /// Show what a case requires and proves, or why a trial came out as it did
    Explain(explain::Arguments),
    /// Print the JSON Schema of a file, for editors
    Schema(schema::Arguments),
    /// Say for each model whether the charter arrives, and nothing from below its marker
    VerifyLoad(verify_load::Arguments),
    /// Fence this process in and start a program; how agent programs are run
    #[command(hide = true)]
    Fence(fence::Arguments),
    /// Serve a case's tools to an agent program
    #[command(hide = true)]
    CaseTools(case_tools::Arguments),
    /// Scaffold a case with its table, traces, checker and controls
    New(new::Arguments),
    /// Set a repository up: project file, matrix, a first case, and CI on request
    Init(init::Arguments),
    /// Say what is missing before a run, and how to get it; sends nothing anywhere
    Doctor(doctor::Arguments),
    /// Print a completion script for a shell
    Completions(shell::Completions),
    /// Write man pages, one a command
    Man(shell::Man),
    /// Explain a command or a topic
    Help(topics::Arguments),
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
        Command::Run(arguments) => run::run(&arguments, project),
        Command::Check(arguments) => check::run(&arguments, project),
        Command::Gate(arguments) => gate::run(&arguments, project),
        Command::Audit(arguments) => audit::run(&arguments, project),
        Command::Keygen(arguments) => keygen::run(&arguments),
        Command::Sign(arguments) => sign::run(&arguments),
        Command::Pack(arguments) => pack::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Nightly(arguments) => nightly::run(&arguments, project),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Push(arguments) => push::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments, project),
        Command::Fixtures(arguments) => fixtures::run(&arguments, project),
        Command::Models(arguments) => models::run(&arguments, project),
        Command::Lock(arguments) => lock::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments, project),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::VerifyLoad(arguments) => verify_load::run(&arguments, project),
        Command::Fence(arguments) => fence::run(&arguments),
        Command::CaseTools(arguments) => case_tools::run(&arguments),
        Command::New(arguments) => new::run(&arguments, project),
        Command::Init(arguments) => init::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments, project),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
        Command::Help(arguments) => topics::run(&arguments),
    };
    result.unwrap_or_else(|error| {
        say::error(&error);
        Exit::after(&error)
    })
}
