//! `assize lock`: takes checkers into `checkers.lock`. Lines are only ever added.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use checkers::{Library, lock};
use harness::programs::Programs;
use harness::sitting::material;

use super::exit::Exit;
use super::say;

/// Take checkers into `checkers.lock`, so that they cannot be changed in place
///
/// A checker that is locked already and has changed is refused: it needs a new version file.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of checkers
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut library = Library::with_commands(Arc::new(Programs::of([arguments.folder.clone()])));
    material::add_checkers(&mut library, &arguments.folder)?;
    if let Some(failure) = library.vet().first() {
        anyhow::bail!(
            "a checker that misjudges its controls is not locked; mend it, or the control: {failure}"
        );
    }
    let path = arguments.folder.join("checkers.lock");
    let text = if path.exists() {
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?
    } else {
        String::new()
    };
    let locked = match lock::parse(&text) {
        Ok(locked) => locked,
        Err(failures) => anyhow::bail!("{}: {}", path.display(), list(&failures)),
    };
    let changed: Vec<_> = lock::compare(&locked, library.iter())
        .into_iter()
        .filter(|failure| !matches!(failure, lock::LockFailure::Missing(_)))
        .collect();
    if !changed.is_empty() {
        anyhow::bail!("{}", list(&changed));
    }
    let added = lock::additions(&locked, &library);
    let mut file = fs::OpenOptions::new().append(true).create(true).open(&path)?;
    file.write_all(added.as_bytes())?;
    say::note(&format!(
        "{}: {} locked, {} of them new",
        path.display(),
        library.iter().count(),
        added.lines().count()
    ));
    Ok(Exit::Holds)
}

/// What differs from a project's locks, for `assize lint`.
pub(crate) fn differences(folders: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in folders {
        let path = folder.join("checkers.lock");
        if !path.exists() {
            continue;
        }
        let mut library = Library::with_commands(Arc::new(Programs::of([folder.clone()])));
        material::add_checkers(&mut library, folder)?;
        let failures = match lock::parse(&fs::read_to_string(&path)?) {
            Ok(locked) => lock::compare(&locked, library.iter()),
            Err(failures) => failures,
        };
        found.extend(failures.iter().map(|failure| format!("{}: {failure}", path.display())));
    }
    Ok(found)
}

fn list(failures: &[lock::LockFailure]) -> String {
    failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
