//! Git: which commit a run was made from, and what a repository holds at a commit.
//!
//! A project outside a checkout has no commit, and the record says so. What is believed of a commit is read in one way
//! only, by [`Tree`]: each object is held against its own hash, and nothing is read that is not UTF-8 where text is meant.
//!
//! - [`names`]: from what people call a commit to its hash
//! - `objects`: git's objects, each held against its hash
//! - [`tree`]: files and folders at a commit, links followed as a checkout would

pub mod names;
mod objects;
pub mod tree;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use reports::plan::Source;

use crate::programs;
pub use names::Named;
pub use tree::Tree;

/// Why something cannot be read from a repository.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// Git is not there, or refused.
    #[error("git: {0}")]
    Refused(String),
    /// The repository has no such commit.
    #[error("{} has no {what}", root.display())]
    Missing {
        /// The project's folder.
        root: PathBuf,
        /// What was asked for.
        what: String,
    },
    /// An object's content is not what its hash stands for.
    #[error(
        "{what}: the object {hash} is not what its hash says; the repository is damaged or was forged, take a fresh clone"
    )]
    Forged {
        /// The path of the file or folder.
        what: String,
        /// The hash.
        hash: String,
    },
    /// The session with git broke off.
    #[error("git: {0}")]
    Io(#[from] io::Error),
}

/// The commit, its tree, and whether anything differs from it. `None` outside a git checkout.
#[must_use]
pub fn source(root: &Path) -> Option<Source> {
    let hashes = ask(root, &["rev-parse", "HEAD^{commit}", "HEAD^{tree}"])?;
    let (commit, tree) = hashes.split_once('\n')?;
    let dirty = !changes(root)?.is_empty();
    Some(Source { commit: commit.to_owned(), tree: tree.trim().to_owned(), dirty })
}

/// The files that differ from the last commit, relative to the checkout. `None` outside of one.
#[must_use]
pub fn changes(root: &Path) -> Option<Vec<String>> {
    // What runs and nights leave behind is no change of what they are made from.
    let own = [":/", ":(exclude)runs", ":(exclude)nights"];
    // What counts as a change is not for somebody's settings to say.
    let all = ["--untracked-files=all", "--ignore-submodules=none"];
    let listed =
        ask(root, &[&["status", "--porcelain", "--no-renames", "-z"][..], &all, &["--"], &own].concat())?;
    // Each is two letters for what happened, a space, and the path; the first one's space may be trimmed.
    let paths = listed.split('\0').filter_map(|entry| entry.trim_start().split_once(' '));
    Some(paths.map(|(_, path)| path.trim_start().to_owned()).collect())
}

/// The files below `folders` that git ignores, so that no commit ever holds them. `None` outside of a checkout.
#[must_use]
pub fn ignored(root: &Path, folders: &[&Path]) -> Option<Vec<PathBuf>> {
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let root = root.canonicalize().ok()?;
    let mut arguments: Vec<OsString> =
        ["ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--"].map(OsString::from).into();
    // What lies outside of the checkout is not for git to say.
    let inner = folders.iter().filter_map(|folder| folder.canonicalize().ok());
    arguments.extend(inner.filter(|folder| folder.starts_with(&root)).map(OsString::from));
    if arguments.last().is_some_and(|last| last == "--") {
        return Some(Vec::new());
    }
    let output = command(&root).args(arguments).output().ok().filter(|output| output.status.success())?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(listed.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from).collect())
}

/// `git` in the folder `root`. Of the environment it gets what it works by, and no key.
#[must_use]
pub fn command(root: &Path) -> Command {
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let mut command = Command::new("git");
    programs::keep_only(&mut command, &PASSED_ON);
    // A replaced object would be other content under the same hash.
    command.arg("--no-replace-objects").arg("-C").arg(root);
    command
}

/// The variables that `git` gets.
const PASSED_ON: [&str; 16] = [
    "PATH",
    "HOME",
    "USERPROFILE",
    "SystemRoot",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "XDG_CONFIG_HOME",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// What `git` answers, when it answers in UTF-8.
///
/// # Errors
/// [`GitError::Refused`] with what it says when it does not answer.
fn run(root: &Path, arguments: &[&str]) -> Result<String, GitError> {
    let output = command(root)
        .args(arguments)
        .output()
        .map_err(|error| GitError::Refused(format!("cannot be started: {error}")))?;
    if !output.status.success() {
        return Err(GitError::Refused(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| GitError::Refused("its answer is not valid UTF-8".to_owned()))
}

/// The files below `root` that git knows or would take in: all but those that it ignores. Relative to `root`.
///
/// # Errors
/// [`GitError`] outside of a checkout, or when a name is not UTF-8.
pub fn known(root: &Path) -> Result<Vec<String>, GitError> {
    let listed = run(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard", "."])?;
    Ok(listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn ask(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = command(root).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
