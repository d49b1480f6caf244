//! `assize schema`: the JSON Schema of a file, for editors.

use std::io::Write;

use harness::schema::File;

use super::exit::Exit;
use super::say;

/// Print the JSON Schema of a file
///
/// Editors check and complete YAML files by it, for example with a first line
/// `# yaml-language-server: $schema=matrix.schema.json`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Whose schema
    #[arg(value_enum)]
    file: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// The model matrix
    Matrix,
    /// A case's case.yaml
    Case,
    /// A checker's definition
    Checker,
    /// The project file assize.yaml
    Project,
    /// A run's manifest.json
    Manifest,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let file = match arguments.file {
        Kind::Matrix => File::Matrix,
        Kind::Case => File::Case,
        Kind::Checker => File::Checker,
        Kind::Project => File::Project,
        Kind::Manifest => File::Manifest,
    };
    let mut out = say::data();
    writeln!(out, "{:#}", file.schema()?)?;
    out.flush()?;
    Ok(Exit::Holds)
}
