//! The checkers at hand for a command: the shipped ones, and the project's own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use checkers::{ControlFailure, Library};

/// Loads the shipped checkers and those in `folders`, and tries each on its controls.
pub(crate) fn load(folders: &[PathBuf]) -> anyhow::Result<(Library, Vec<ControlFailure>)> {
    let mut library = Library::shipped()?;
    for folder in folders {
        for file in definitions(folder)? {
            let read = |path: &Path| {
                fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
            };
            let controls = file.with_extension("controls.jsonl");
            library.add(&file.display().to_string(), &read(&file)?, &read(&controls)?)?;
        }
    }
    let failures = library.vet();
    Ok((library, failures))
}

/// The definition files in `folder`, in order.
fn definitions(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
                found.push(path);
            }
        }
    }
    found.sort();
    anyhow::ensure!(!found.is_empty(), "{} holds no checker (a .yaml file)", folder.display());
    Ok(found)
}
