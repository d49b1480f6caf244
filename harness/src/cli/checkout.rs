//! What a release audit will say of a project's checkout, told before trials are paid for: an audit reads the files of a
//! commit, and nothing that git does not hold.

use std::path::Path;

use harness::audit::rehearsal;
use harness::git;
use harness::project::Project;
use harness::sitting::material::Material;
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

/// That the checkout is clean, and an audit of its commit would refuse a run of it all the same.
pub(super) fn other_than_committed(material: &Material) -> Option<String> {
    let refusals = match rehearsal::refusals(material) {
        Ok(refusals) => refusals,
        Err(error) => {
            return Some(format!("whether a release audit will take a run cannot be told: {error}"));
        }
    };
    if refusals.is_empty() {
        return None;
    }
    let mut named: Vec<String> = refusals.iter().take(NAMED).cloned().collect();
    if refusals.len() > NAMED {
        named.push(format!("and {} more", refusals.len() - NAMED));
    }
    Some(format!("the checkout is clean, and a release audit will refuse a run of it: {}", named.join("; ")))
}
