//! The project file `assize.yaml` and what it points to.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::Deserialize;
use transcript::document::{Problem, Source, yaml};

use crate::budget::Budget;
use crate::charter;

/// The project file's name.
pub const FILE: &str = "assize.yaml";

/// Why there is no project to work on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// No project file here or above.
    #[error("no {FILE} in {} or above it; change to a project's folder, or name one with --project", start.display())]
    Missing {
        /// Where the search began.
        start: PathBuf,
    },
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is not a project file.
    #[error(transparent)]
    Wrong(#[from] Problem),
}

/// Where the charter stands and how it is cut.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CharterConfig {
    /// The file, relative to the project.
    pub path: PathBuf,
    /// What the line begins with below which nothing is sent; `null` to send the whole file.
    #[serde(default = "default_runtime_end")]
    pub runtime_end: Option<String>,
    /// The heading of the section that is copied verbatim; `null` when there is none.
    #[serde(default = "default_invariants")]
    pub invariants: Option<String>,
}

#[expect(clippy::unnecessary_wraps, reason = "the type is the field's")]
fn default_runtime_end() -> Option<String> {
    Some(charter::RUNTIME_END.to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "the type is the field's")]
fn default_invariants() -> Option<String> {
    Some(charter::INVARIANTS.to_owned())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    charter: CharterConfig,
    #[serde(default)]
    cases: Vec<PathBuf>,
    #[serde(default)]
    fixtures: Vec<PathBuf>,
    #[serde(default)]
    ids: Option<PathBuf>,
    #[serde(default)]
    checkers: Vec<PathBuf>,
    matrix: PathBuf,
    #[serde(default = "default_trials")]
    trials: u32,
    #[serde(default)]
    budget: Budget,
}

fn default_trials() -> u32 {
    3
}

/// A project: its root and what its file says, with paths made whole.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder that holds the project file.
    pub root: PathBuf,
    /// The project file. Among a run's inputs it is the one that the run was made with, as its people wrote it.
    pub file: PathBuf,
    /// The charter.
    pub charter: CharterConfig,
    /// Folders of cases.
    pub cases: Vec<PathBuf>,
    /// Trees of fixtures.
    pub fixtures: Vec<PathBuf>,
    /// The list of ids that fixtures can bind to.
    pub ids: Option<PathBuf>,
    /// Whether the whole repository is at hand, not only a copy of what a run is made of.
    pub at_home: bool,
    /// Folders of the project's own checkers.
    pub checkers: Vec<PathBuf>,
    /// The matrix.
    pub matrix: PathBuf,
    /// Trials a cell.
    pub trials: u32,
    /// What a run may use up.
    pub budget: Budget,
}

impl Project {
    /// Finds the project: the one named, or the nearest one at or above the current folder.
    ///
    /// # Errors
    /// [`ProjectError`] when there is none or its file is wrong.
    pub fn find(named: Option<&Path>) -> Result<Self, ProjectError> {
        if let Some(path) = named {
            let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
            return Self::load(&file).map(Self::at_home);
        }
        let start =
            env::current_dir().map_err(|source| ProjectError::Io { path: PathBuf::from("."), source })?;
        match start.ancestors().map(|folder| folder.join(FILE)).find(|file| file.is_file()) {
            Some(file) => Self::load(&file).map(Self::at_home),
            None => Err(ProjectError::Missing { start }),
        }
    }

    fn at_home(self) -> Self {
        Self { at_home: true, ..self }
    }

    /// The same, with another charter and matrix where they are given.
    #[must_use]
    pub fn with(mut self, charter: Option<&Path>, matrix: Option<&Path>) -> Self {
        if let Some(charter) = charter {
            charter.clone_into(&mut self.charter.path);
        }
        if let Some(matrix) = matrix {
            matrix.clone_into(&mut self.matrix);
        }
        self
    }

    /// The files and folders that its file points to.
    pub fn parts(&self) -> impl Iterator<Item = &PathBuf> {
        let folders = self.cases.iter().chain(&self.checkers).chain(&self.fixtures).chain(&self.ids);
        folders.chain([&self.charter.path, &self.matrix])
    }

    /// Reads a project file.
    ///
    /// # Errors
    /// [`ProjectError`] when it cannot be read or is not one.
    pub fn load(file: &Path) -> Result<Self, ProjectError> {
        let bytes = fs::read(file).map_err(|source| ProjectError::Io { path: file.to_owned(), source })?;
        let source = Source::decode(file, &bytes)?;
        let config: Config = yaml::read(&source)?;
        let wrong = |key: &str, message: &str| source.problem(yaml::place(&source, &[key]), message);
        if config.trials == 0 {
            return Err(wrong("trials", "`trials: 0` would prove nothing; 3 is usual").into());
        }
        if config.cases.is_empty() && config.fixtures.is_empty() {
            let message =
                "`cases` names no folder, and there are no `fixtures`; without either nothing is tried";
            return Err(wrong("cases", message).into());
        }
        let root = file.parent().map(Path::to_owned).unwrap_or_default();
        let whole = |path: &PathBuf| root.join(path);
        Ok(Self {
            charter: CharterConfig { path: whole(&config.charter.path), ..config.charter.clone() },
            cases: config.cases.iter().map(whole).collect(),
            fixtures: config.fixtures.iter().map(whole).collect(),
            ids: config.ids.as_ref().map(whole),
            at_home: false,
            checkers: config.checkers.iter().map(whole).collect(),
            matrix: whole(&config.matrix),
            trials: config.trials,
            file: file.to_owned(),
            budget: config.budget,
            root,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Project, ProjectError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        fs::write(&file, text).unwrap();
        Project::load(&file)
    }

    const GOOD: &str = "charter: { path: CHARTER.md }\ncases: [cases]\nmatrix: matrix.yaml\n";

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let project = load(GOOD).unwrap();
        assert_eq!(project.trials, 3);
        assert_eq!(project.charter.runtime_end.as_deref(), Some("Runtime load ends here"));
        assert_eq!(project.charter.path, project.root.join("CHARTER.md"));
    }

    #[test]
    fn unknown_and_duplicate_keys_and_idle_values_are_refused() {
        for (bad, says) in [
            (format!("{GOOD}trails: 3\n"), "trails"),
            (format!("{GOOD}cases: [other]\n"), "twice"),
            (format!("{GOOD}trials: 0\n"), "prove nothing"),
            (GOOD.replace("[cases]", "[]"), "no folder"),
        ] {
            let error = load(&bad).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
