//! What a release audit will say of a project's checkout, told before trials are paid for: an audit reads the files of a
//! commit, and nothing that git does not hold.

use std::path::Path;

use harness::git;
use harness::project::Project;
use reports::words::counted;

/// Files named before the rest is counted.
const NAMED: usize = 5;

/// That files differ from the last commit.
pub(super) fn uncommitted(project: &Project) -> Option<String> {
    let changes = git::changes(&project.root)?;
    let first = changes.first()?;
    let differ = if changes.len() == 1 { "differs" } else { "differ" };
    Some(format!(
        "note: a release audit will refuse this run: {} {differ} from the last commit, first {first}; commit first",
        counted(changes.len(), "file")
    ))
}

/// That folders of cases, fixtures or checkers hold files that git ignores.
pub(super) fn ignored(project: &Project) -> Option<String> {
    let below = |folders: &[std::path::PathBuf]| {
        let folders: Vec<&Path> = folders.iter().map(std::path::PathBuf::as_path).collect();
        git::ignored(&project.root, &folders).unwrap_or_default()
    };
    let mut files = below(&[project.cases.as_slice(), project.fixtures.as_slice()].concat());
    // Folders of checkers are read without hidden files.
    let hidden = |file: &Path| file.iter().any(|part| part.to_string_lossy().starts_with('.'));
    files.extend(below(&project.checkers).into_iter().filter(|file| !hidden(file)));
    if files.is_empty() {
        return None;
    }
    let mut named: Vec<String> = files.iter().take(NAMED).map(|file| file.display().to_string()).collect();
    if files.len() > NAMED {
        named.push(format!("{} more", files.len() - NAMED));
    }
    Some(format!(
        "git ignores files that belong to cases or checkers by where they lie, so a release audit, which reads the \
         commit, will refuse a run with them: {}; delete them, or commit them",
        named.join(", ")
    ))
}
