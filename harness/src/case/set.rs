//! A tree of cases: found, read, and checked against one another.

use std::path::{Path, PathBuf};

use super::folder::entries;
use super::problem::{CaseErrors, Problem, Problems};
use super::read;
use super::registry::{REGISTRY_FILE, Registry};
use super::{CASE_FILE, Case, Surroundings};

/// All cases under a folder.
#[derive(Debug, Clone)]
pub struct CaseSet {
    /// The cases, in the order of their ids: `E2` before `E10`, wherever their folders lie.
    pub cases: Vec<Case>,
    /// The failure modes they may name.
    pub registry: Registry,
    /// The folder.
    pub root: PathBuf,
}

impl CaseSet {
    /// Loads every case under `root`.
    ///
    /// # Errors
    /// Everything that is wrong with any of them, in one go.
    pub fn load(root: &Path, around: &Surroundings<'_>) -> Result<Self, CaseErrors> {
        let mut problems = Problems::default();
        let registry = Registry::read(&root.join(REGISTRY_FILE), &mut problems);
        let mut dirs = Vec::new();
        find(root, &mut dirs, &mut problems);
        if dirs.is_empty() {
            let problem = Problem::whole(root, format!("there is no `{CASE_FILE}` under this folder"));
            problems.add(problem);
        }
        let mut cases = Vec::new();
        let mut seen: Vec<(&str, String, Problem)> = Vec::new();
        for dir in &dirs {
            let read = read::case(dir, &registry, around, &mut problems);
            for (key, text, twice) in read.identity {
                match seen.iter().find(|(seen_key, seen_text, _)| *seen_key == key && *seen_text == text) {
                    Some((.., first)) => {
                        let place = format!("{}:{}", first.file.display(), first.line);
                        problems.add(twice.help(format!("it is first used in {place}")));
                    }
                    None => seen.push((key, text, twice)),
                }
            }
            cases.extend(read.case);
        }
        cases.sort_by(|one, other| alphanumeric_sort::compare_str(&one.id, &other.id));
        problems.settle(Some(Self { cases, registry, root: root.to_owned() }))
    }

    /// The case with the id `id`.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }
}

/// The folders under `dir` that hold a case; what is inside a case's folder belongs to the case.
fn find(dir: &Path, found: &mut Vec<PathBuf>, problems: &mut Problems) {
    let entries = entries(dir, problems);
    if entries.iter().any(|entry| entry.file_name().is_some_and(|name| name == CASE_FILE)) {
        found.push(dir.to_owned());
        return;
    }
    for entry in entries {
        let name = entry.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // A folder that is passed over in silence is a case that is never played.
        if ["case.yml", "case.json"].contains(&name.as_str()) || name.eq_ignore_ascii_case(CASE_FILE) {
            let problem = Problem::whole(&entry, "this file is not read");
            problems.add(problem.help(format!("a case's file is called `{CASE_FILE}`")));
        }
        match std::fs::symlink_metadata(&entry) {
            Ok(data) if data.is_symlink() => {
                let problem = Problem::whole(&entry, "symbolic links among the cases are not followed");
                problems.add(problem.help("put the case's folder here"));
            }
            Ok(data) if data.is_dir() && !name.starts_with('.') => find(&entry, found, problems),
            Ok(_) => {}
            Err(error) => problems.add(Problem::whole(&entry, format!("cannot be read: {error}"))),
        }
    }
}
