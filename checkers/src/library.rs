//! The checkers at hand: the shipped ones and those of the user's repository, with equal rights.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use transcript::Transcript;
use transcript::document::{Source, yaml};

use crate::checker::{Checker, sha256_hex};
use crate::control::{self, ControlFailure};
use crate::definition::{Definition, DefinitionError};
use crate::external::{Commands, NoCommands};

/// File, definition, controls.
const SHIPPED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// Whether `file` is one of the shipped definitions.
pub(crate) fn is_shipped(file: &str) -> bool {
    SHIPPED.iter().any(|(shipped, ..)| *shipped == file)
}

/// A set of checkers, by name and version.
#[derive(Debug)]
pub struct Library {
    checkers: BTreeMap<(String, u32), Checker>,
    commands: Arc<dyn Commands>,
}

impl Default for Library {
    fn default() -> Self {
        Self::with_commands(Arc::new(NoCommands))
    }
}

/// The answer to a look-up.
#[derive(Debug)]
pub enum Lookup<'a> {
    /// Here it is.
    Found(&'a Checker),
    /// There is no checker of that name.
    UnknownName,
    /// There is, but not in that version; these are the ones there are.
    UnknownVersion(Vec<u32>),
}

impl Library {
    /// An empty library whose checkers can ask external programs.
    #[must_use]
    pub fn with_commands(commands: Arc<dyn Commands>) -> Self {
        Self { checkers: BTreeMap::new(), commands }
    }

    /// The checkers that ship with the program.
    ///
    /// # Errors
    /// [`DefinitionError`] when a shipped definition is broken, which the tests rule out.
    pub fn shipped() -> Result<Self, DefinitionError> {
        let mut library = Self::default();
        library.add_shipped()?;
        Ok(library)
    }

    /// Adds the checkers that ship with the program.
    ///
    /// # Errors
    /// As for [`Self::shipped`].
    pub fn add_shipped(&mut self) -> Result<(), DefinitionError> {
        SHIPPED.iter().try_for_each(|(file, definition, controls)| self.add(file, definition, controls))
    }

    /// Adds one checker.
    ///
    /// # Errors
    /// [`DefinitionError`] when its files are broken, or when the name and version are taken by another text.
    pub fn add(&mut self, file: &str, definition: &str, controls: &str) -> Result<(), DefinitionError> {
        let parsed = Definition::parse(file, definition)?;
        let sha256 = sha256_hex(definition);
        let key = (parsed.id.clone(), parsed.version);
        if let Some(other) = self.checkers.get(&key) {
            if other.sha256 == sha256 {
                return Ok(());
            }
            let source = Source::new(file, definition);
            let message =
                format!("{}@{} is taken by {}; a new text needs a new version", key.0, key.1, other.file);
            return Err(source.problem(yaml::place(&source, &["version"]), message).into());
        }
        let controls_file = file.replace(".yaml", ".controls.jsonl");
        let parsed_controls = control::parse(&Source::new(controls_file, controls))?;
        let checker = Checker {
            definition: parsed,
            sha256,
            controls: parsed_controls,
            text: definition.to_owned(),
            controls_text: controls.to_owned(),
            file: file.to_owned(),
            trial: OnceLock::new(),
            commands: Arc::clone(&self.commands),
        };
        self.checkers.insert(key, checker);
        Ok(())
    }

    /// Looks a checker up.
    #[must_use]
    pub fn get(&self, name: &str, version: u32) -> Lookup<'_> {
        if let Some(checker) = self.checkers.get(&(name.to_owned(), version)) {
            return Lookup::Found(checker);
        }
        let versions: Vec<u32> =
            self.iter().filter(|c| c.definition.id == name).map(|c| c.definition.version).collect();
        if versions.is_empty() { Lookup::UnknownName } else { Lookup::UnknownVersion(versions) }
    }

    /// The checker for a transcript: the one it names, else the newest that judges its case.
    #[must_use]
    pub fn for_transcript(&self, transcript: &Transcript) -> Option<&Checker> {
        if let Some(label) = &transcript.checker {
            let (name, version) = label.split_once('@')?;
            return self.checkers.get(&(name.to_owned(), version.parse().ok()?));
        }
        self.iter().filter(|checker| checker.definition.cases.contains(&transcript.case)).last()
    }

    /// What is wrong with the controls of any checker; tries those that have not been tried yet.
    #[must_use]
    pub fn vet(&self) -> Vec<ControlFailure> {
        self.iter().flat_map(|checker| checker.distrust().iter().cloned()).collect()
    }

    /// All checkers, by name and version.
    pub fn iter(&self) -> impl Iterator<Item = &Checker> {
        self.checkers.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_checkers_load_and_get_their_controls_right() {
        let library = Library::shipped().unwrap();
        let failures: Vec<_> =
            library.iter().filter_map(|checker| checker.check_controls().err()).flatten().collect();
        assert!(failures.is_empty(), "{failures:#?}");
    }
}
