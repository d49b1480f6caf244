//! Which commit a run was made from. Asks `git`; a project outside a checkout has none, and the record says so.

use std::path::Path;
use std::process::Command;

use reports::plan::Source;

/// The commit, its tree, and whether anything differs from it. `None` outside a git checkout.
#[must_use]
pub fn source(root: &Path) -> Option<Source> {
    let commit = ask(root, &["rev-parse", "--verify", "HEAD^{commit}"])?;
    let tree = ask(root, &["rev-parse", "--verify", "HEAD^{tree}"])?;
    // What runs leave behind is no change of what they are made from.
    let changes = ask(root, &["status", "--porcelain", "--", ":/", ":(exclude)runs"])?;
    Some(Source { commit, tree, dirty: !changes.is_empty() })
}

fn ask(root: &Path, arguments: &[&str]) -> Option<String> {
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
