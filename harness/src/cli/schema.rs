//! `assize schema`: the JSON Schema of a file, for editors.

use std::path::PathBuf;

use anyhow::Context as _;
use harness::schema::File;

use super::exit::Exit;
use super::{new, say};

/// Print the JSON Schema of a file
///
/// Editors check and complete YAML files by it, for example with a first line
/// `# yaml-language-server: $schema=.assize/schema/matrix.json`. `assize init` writes the schemas and these lines; after an
/// upgrade, `assize schema --write .assize/schema` brings the schemas up to date.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Whose schema
    #[arg(value_enum, required_unless_present = "write")]
    file: Option<File>,
    /// Write the schemas of all files that people write into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    write: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(folder) = &arguments.write {
        for (name, text) in texts()? {
            let path = folder.join(name);
            new::write(&path, &text)?;
            say::note(&format!("wrote {}", path.display()));
        }
        return Ok(Exit::Holds);
    }
    let file = arguments.file.context("name a file, or a folder with --write")?;
    say::json(&file.schema()?)?;
    Ok(Exit::Holds)
}

/// The schemas of all files that people write: names and texts.
pub(super) fn texts() -> anyhow::Result<Vec<(&'static str, String)>> {
    File::WRITTEN.iter().map(|file| Ok((file.name(), format!("{:#}\n", file.schema()?)))).collect()
}
