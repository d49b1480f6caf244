//! Which commit a run was made from. Asks `git`; a project outside a checkout has none, and the record says so.

use std::path::Path;
use std::process::Command;

use reports::plan::Source;

use crate::programs;

/// The commit, its tree, and whether anything differs from it. `None` outside a git checkout.
#[must_use]
pub fn source(root: &Path) -> Option<Source> {
    let commit = ask(root, &["rev-parse", "--verify", "HEAD^{commit}"])?;
    let tree = ask(root, &["rev-parse", "--verify", "HEAD^{tree}"])?;
    // What runs leave behind is no change of what they are made from.
    let changes = ask(root, &["status", "--porcelain", "--", ":/", ":(exclude)runs"])?;
    Some(Source { commit, tree, dirty: !changes.is_empty() })
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
