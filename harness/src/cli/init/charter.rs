//! Finding the charter of a repository, and how it is cut.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use harness::charter::{Charter, INVARIANTS, RUNTIME_END};
use harness::project::Project;

/// The names that charters go by, the most telling first.
const NAMES: [&str; 8] = [
    "CHARTER.md",
    "CONSTITUTION.md",
    "AGENTS.md",
    "CLAUDE.md",
    "docs/CHARTER.md",
    "docs/CONSTITUTION.md",
    ".github/copilot-instructions.md",
    "GEMINI.md",
];

/// A charter, and how it is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Its path in the repository, with forward slashes.
    pub(super) name: String,
    /// The marker, when it has one.
    pub(super) runtime_end: Option<String>,
    /// The heading of its invariants, when it has some.
    pub(super) invariants: Option<String>,
    /// A clause of it that a first case can bind to.
    pub(super) bind: String,
}

/// Finds the charter: the one that was named, or the first of the usual names.
pub(super) fn find(root: &Path, named: Option<&Path>) -> anyhow::Result<Found> {
    let name = match named {
        Some(path) => {
            let inside = path.strip_prefix(root).unwrap_or(path);
            anyhow::ensure!(
                root.join(inside).is_file(),
                "there is no file {} in {}",
                inside.display(),
                root.display()
            );
            super::slashed(inside)
        }
        None => NAMES.into_iter().find(|name| root.join(name).is_file()).map(str::to_owned).with_context(
            || {
                format!(
                    "{} holds none of {}; name the charter with --charter FILE",
                    root.display(),
                    NAMES.join(", ")
                )
            },
        )?,
    };
    let path = root.join(&name);
    let text = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    // A marker or a section that does not stand there exactly once is for the user to sort out: the loader refuses it.
    let with = |end, invariants| Charter::parse(&path, &text, end, invariants);
    let mentions = |phrase: &str| String::from_utf8_lossy(&text).contains(phrase);
    let end = mentions(RUNTIME_END).then_some(RUNTIME_END);
    let invariants = Some(INVARIANTS).filter(|heading| with(end, Some(heading)).is_ok());
    let charter = with(end, invariants)?;
    Ok(Found {
        name,
        runtime_end: end.map(str::to_owned),
        invariants: invariants.map(str::to_owned),
        bind: bind(&charter, &path)?,
    })
}

/// A clause that a first case can bind to.
fn bind(charter: &Charter, path: &Path) -> anyhow::Result<String> {
    let first = charter.ids.iter().find(|id| *id == "charter:inv-1").or_else(|| charter.ids.first());
    first.cloned().with_context(|| {
        format!(
            "{} has no heading that a case could bind to; give it one, such as `## Working rules`",
            path.display()
        )
    })
}

/// A clause of a project's charter that a new case can bind to.
pub(in crate::cli) fn bind_in(project: &Project) -> anyhow::Result<String> {
    let cut = &project.charter;
    let charter = Charter::load(&cut.path, cut.runtime_end.as_deref(), cut.invariants.as_deref())?;
    bind(&charter, &cut.path)
}
