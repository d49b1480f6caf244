//! `assize init`: from a repository with a charter to a first green run, in one step.
//!
//! Everything it writes is a file to be read and changed; nothing that is there already is touched.

pub(super) mod charter;
mod ci;
mod matrix;

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use harness::project::{self, Project};
use harness::schema::{self, File};

use super::exit::Exit;
use super::{new, say};
use charter::Found;

/// Set a repository up: project file, matrix, a first case, and CI on request
///
/// It looks for a CHARTER.md, CONSTITUTION.md, AGENTS.md or CLAUDE.md, puts the providers whose key variables are set
/// into the matrix, and writes a first case with its checker. Nothing that is there already is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The repository; the current folder when not given
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// The charter, when it has another name
    #[arg(long, value_name = "FILE")]
    charter: Option<PathBuf>,
    /// Also write CI files: change gate, nightly run, release audit
    #[arg(long, value_name = "SERVICE")]
    ci: Option<ci::Service>,
}

/// Where the matrix goes.
const MATRIX: &str = "model-matrix.yaml";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let root = &arguments.folder;
    anyhow::ensure!(root.is_dir(), "{} is no folder", root.display());
    if let (Some(service), true) = (arguments.ci, root.join(project::FILE).is_file()) {
        return add_ci(root, service);
    }
    let charter = charter::find(root, arguments.charter.as_deref())?;
    let providers = matrix::with_keys(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    let line = |kind, file| schema::first_line(kind, file);
    let mut files = vec![
        (root.join(project::FILE), line(File::Project, project::FILE) + &project_file(&charter)),
        (root.join(MATRIX), line(File::Matrix, MATRIX) + &matrix::render(&providers)),
    ];
    let schemas = super::schema::texts()?;
    files.extend(schemas.into_iter().map(|(name, text)| (root.join(schema::FOLDER).join(name), text)));
    if let Some(service) = arguments.ci {
        files.extend(
            ci::files(service, &charter.name, &providers)
                .into_iter()
                .map(|(path, text)| (root.join(path), text)),
        );
    }
    let mut case = new::Scaffold::plan(
        &root.join("cases"),
        &root.join("checkers"),
        "my-first-case",
        "X1",
        &charter.bind,
    );
    case.refer_to_schemas(root);
    let taken = files.iter().chain(&case.files).map(|(path, _)| path).find(|path| path.exists());
    if let Some(taken) = taken {
        anyhow::bail!("{} is there already; nothing was written", taken.display());
    }
    for (path, text) in &files {
        new::write(path, text)?;
        say::note(&format!("wrote {}", path.display()));
    }
    case.write().context("the first case")?;
    tell(&charter, &providers);
    Ok(Exit::Holds)
}

/// CI files for a repository that is set up already.
fn add_ci(root: &Path, service: ci::Service) -> anyhow::Result<Exit> {
    let project = Project::load(&root.join(project::FILE))?;
    let charter = slashed(project.charter.path.strip_prefix(&project.root).unwrap_or(&project.charter.path));
    let providers = matrix::with_keys(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    let files = ci::files(service, &charter, &providers);
    if let Some((taken, _)) = files.iter().find(|(path, _)| root.join(path).exists()) {
        anyhow::bail!("{} is there already; nothing was written", root.join(taken).display());
    }
    for (path, text) in files {
        let path = root.join(path);
        new::write(&path, &text)?;
        say::note(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Holds)
}

/// What was found, and what to do next.
fn tell(charter: &Found, providers: &[&matrix::Provider]) {
    say::note(&format!("\ncharter: {}", charter.name));
    if charter.runtime_end.is_none() {
        say::note("  it has no line `Runtime load ends here`, so the whole file is sent to models");
    }
    match providers {
        [] => say::note(
            "models: no key variable is set, so the matrix replays recorded traces; model-matrix.yaml shows how to name real ones",
        ),
        found => {
            let names: Vec<&str> = found.iter().map(|provider| provider.key).collect();
            say::note(&format!("models: by {}; check the names and pins in {MATRIX}", names.join(", ")));
        }
    }
    say::note(
        "\nnext:\n  assize lint\n  assize run                # plays the first case; it is yours to change\n  assize report RUN         # what came of it\n  assize new case NAME      # another case",
    );
}

fn project_file(charter: &Found) -> String {
    let cut = |value: &Option<String>| value.as_ref().map_or("null".to_owned(), |value| format!("{value:?}"));
    PROJECT
        .replace("@CHARTER@", &charter.name)
        .replace("@END@", &cut(&charter.runtime_end))
        .replace("@INVARIANTS@", &cut(&charter.invariants))
        .replace("@MATRIX@", MATRIX)
}

const PROJECT: &str = r#"# What `assize` works on. Every path is relative to this file.
charter:
  path: @CHARTER@
  # Nothing from the line that begins with this on is sent to models; null sends the whole file.
  runtime_end: @END@
  # The heading of the section that cases may compare copies with; null when there is none.
  invariants: @INVARIANTS@
cases: [cases]            # folders of cases; each holds a registry.csv of failure modes
checkers: [checkers]      # your own checkers, beside the shipped ones
matrix: @MATRIX@
trials: 3                 # trials a cell; a gate asks for at least 3
"#;

#[cfg(test)]
mod tests;

/// A path as it is written in files: with forward slashes.
pub(super) fn slashed(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
