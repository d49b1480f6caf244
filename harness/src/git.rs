//! Which commit a run was made from. Asks `git`; a project outside a checkout has none, and the record says so.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use reports::plan::Source;

use crate::programs;

/// The commit, its tree, and whether anything differs from it. `None` outside a git checkout.
#[must_use]
pub fn source(root: &Path) -> Option<Source> {
    let commit = ask(root, &["rev-parse", "--verify", "HEAD^{commit}"])?;
    let tree = ask(root, &["rev-parse", "--verify", "HEAD^{tree}"])?;
    let dirty = !changes(root)?.is_empty();
    Some(Source { commit, tree, dirty })
}

/// The files that differ from the last commit, relative to the checkout. `None` outside of one.
#[must_use]
pub fn changes(root: &Path) -> Option<Vec<String>> {
    // What runs and nights leave behind is no change of what they are made from.
    let own = [":/", ":(exclude)runs", ":(exclude)nights"];
    let listed = ask(root, &[&["status", "--porcelain", "--no-renames", "-z", "--"][..], &own].concat())?;
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

fn ask(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = command(root).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
