//! The checkers at hand: the shipped ones and those of the user's repository, with equal rights.

use std::collections::BTreeMap;
use std::path::Path;
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

/// Why no checker judges a transcript.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unjudged {
    /// The transcript names a checker that is not at hand.
    #[error("the checker {0} is not here")]
    NotHere(String),
    /// No checker says that it judges the case.
    #[error("no checker is known for case {0}")]
    Unknown(String),
    /// Several do.
    #[error(
        "case {case} is judged by {}, and the transcript does not say which is meant: give it a `checker`, such as `{}@1`",
        names.join(" and by "),
        names.first().map(String::as_str).unwrap_or_default()
    )]
    Several {
        /// The case.
        case: String,
        /// The names of the checkers.
        names: Vec<String>,
    },
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
            if other.sha256 == sha256 && other.controls_text == controls {
                return Ok(());
            }
            let source = Source::new(file, definition);
            let (id, version) = &key;
            let message = if other.sha256 == sha256 {
                format!(
                    "{id}@{version} stands in {} too, with other controls, and it would be a matter of chance on which of \
                     them it was tried: keep one of the two",
                    other.file
                )
            } else {
                format!("{id}@{version} is taken by {}; a new text needs a new version", other.file)
            };
            return Err(source.problem(yaml::place(&source, &["version"]), message).into());
        }
        let controls_file = Path::new(file).with_extension("controls.jsonl").to_string_lossy().into_owned();
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

    /// The checker for a transcript: the one it names, else the newest version of the one that judges its case.
    ///
    /// # Errors
    /// [`Unjudged`] when there is none, or when several judge the case and the transcript does not say which is meant.
    pub fn for_transcript(&self, transcript: &Transcript) -> Result<&Checker, Unjudged> {
        if let Some(label) = &transcript.checker {
            let key = label
                .split_once('@')
                .and_then(|(name, version)| Some((name.to_owned(), version.parse().ok()?)));
            return key
                .and_then(|key| self.checkers.get(&key))
                .ok_or_else(|| Unjudged::NotHere(label.clone()));
        }
        let case = &transcript.case;
        // In the order of names, then of versions.
        let judges: Vec<&Checker> =
            self.iter().filter(|checker| checker.definition.cases.contains(case)).collect();
        let mut names: Vec<&str> = judges.iter().map(|checker| checker.definition.id.as_str()).collect();
        names.dedup();
        match (judges.last(), &names[..]) {
            (Some(newest), [_]) => Ok(newest),
            (Some(_), names) => {
                let names = names.iter().map(|name| (*name).to_owned()).collect();
                Err(Unjudged::Several { case: case.clone(), names })
            }
            (None, _) => Err(Unjudged::Unknown(case.clone())),
        }
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

    fn definition(id: &str, version: u32) -> String {
        format!(
            "id: {id}\nversion: {version}\nengine: 1\ncases: [W1]\nproves: It is said.\ndoes_not_prove: That it is meant.\n\
             require:\n  - id: word\n    matches: {{ pattern: piano }}\n"
        )
    }

    fn control(id: &str, expect: &str, reply: &str) -> String {
        format!(
            "{{\"id\":\"{id}\",\"case\":\"W1\",\"params\":{{}},\"messages\":[{{\"role\":\"assistant\",\"by\":\"model\",\"content\":\"{reply}\"}}],\"expect\":{expect}}}\n"
        )
    }

    fn library(checkers: &[(&str, u32)]) -> Library {
        let mut library = Library::default();
        for (id, version) in checkers {
            library.add(&format!("{id}/v{version}.yaml"), &definition(id, *version), "").unwrap();
        }
        library
    }

    #[test]
    fn a_transcript_that_names_no_checker_is_judged_by_the_newest_of_one_name() {
        let mut transcript = Transcript::new("t", "W1");
        let newest = library(&[("word", 9), ("word", 10), ("word", 2)]);
        assert_eq!(newest.for_transcript(&transcript).unwrap().definition.version, 10);
        let two = library(&[("word", 9), ("zz-lenient", 1)]);
        let told = two.for_transcript(&transcript).unwrap_err().to_string();
        assert!(told.contains("judged by word and by zz-lenient") && told.contains("`word@1`"), "{told}");
        transcript.checker = Some("word@9".to_owned());
        assert_eq!(two.for_transcript(&transcript).unwrap().definition.id, "word");
        for label in ["word@3", "word", "word@x"] {
            transcript.checker = Some(label.to_owned());
            assert_eq!(two.for_transcript(&transcript).unwrap_err(), Unjudged::NotHere(label.to_owned()));
        }
        assert_eq!(
            two.for_transcript(&Transcript::new("t", "W2")).unwrap_err(),
            Unjudged::Unknown("W2".to_owned())
        );
    }

    #[test]
    fn the_same_definition_may_stand_twice_with_the_same_controls_only() {
        let mut library = library(&[("word", 1)]);
        library.add("other/v1.yaml", &definition("word", 1), "").unwrap();
        let more = control("c1", "\"pass\"", "piano");
        let told = library.add("other/v1.yaml", &definition("word", 1), &more).unwrap_err().to_string();
        assert!(
            told.contains("other/v1.yaml") && told.contains("word/v1.yaml too, with other controls"),
            "{told}"
        );
        let told = library.add("word/v2.yml", &definition("word", 2), "{}\n").unwrap_err().to_string();
        assert!(told.contains("word/v2.controls.jsonl"), "{told}");
    }

    #[test]
    fn shipped_checkers_load_and_get_their_controls_right() {
        let library = Library::shipped().unwrap();
        let failures: Vec<_> =
            library.iter().filter_map(|checker| checker.check_controls().err()).flatten().collect();
        assert!(failures.is_empty(), "{failures:#?}");
    }
}
