//! `assize doctor`: what is missing before a run can rest on this machine and this project, and how to get it.
//!
//! It sends nothing anywhere.

use std::collections::BTreeSet;
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

use harness::git;
use harness::project::{Project, ProjectError};
use harness::sitting::material::{Material, Shipped};
use model_matrix::{Model, Provider};
use reports::words::counted;

use super::checkout::other_than_committed;
use super::exit::Exit;
use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW};

/// Say what is missing before a run, and how to get it; sends nothing anywhere
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Another matrix than the project's
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
}

/// What to do with a file that is wrong.
const MEND: &str = "mend it; `assize lint` checks again";

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// As it should be.
    Good,
    /// Works, but a release will want it otherwise.
    Note,
    /// No run without it.
    Bad,
}

/// One thing that was looked at.
struct Finding {
    weight: Weight,
    what: String,
    /// What to do.
    help: Option<String>,
}

impl Finding {
    fn good(what: impl Into<String>) -> Self {
        Self { weight: Weight::Good, what: what.into(), help: None }
    }

    fn note(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { weight: Weight::Note, what: what.into(), help: Some(help.into()) }
    }

    fn bad(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { weight: Weight::Bad, what: what.into(), help: Some(help.into()) }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let mut findings =
        vec![Finding::good(format!("assize {}, {}", env!("CARGO_PKG_VERSION"), env::consts::OS))];
    match Project::find(project) {
        Err(ProjectError::Wrong(problem)) => {
            let text = problem.to_string();
            findings.push(Finding::bad(text.trim_start_matches("error: "), MEND));
        }
        Err(error) => findings.push(Finding::bad(error.to_string(), "`assize init` writes a project file")),
        Ok(project) => {
            let project = project.with(None, arguments.matrix.as_deref());
            findings.push(Finding::good(format!("project: {}", project.root.display())));
            findings.push(checkout(&project.root));
            findings.push(runs_folder(&project.root));
            match Material::load(project, Shipped::Yes) {
                Err(errors) => {
                    findings.extend(errors.texts().into_iter().map(|text| Finding::bad(text, MEND)));
                }
                Ok(material) => inspect(&material, &mut findings),
            }
        }
    }
    let mut out = say::page();
    for finding in &findings {
        print(&mut out, finding)?;
    }
    let bad = findings.iter().filter(|finding| finding.weight == Weight::Bad).count();
    let verdict = match bad {
        0 => format!("{GREEN}ready{RESET}"),
        1 => format!("{RED}one thing is missing{RESET}"),
        many => format!("{RED}{many} things are missing{RESET}"),
    };
    writeln!(out, "\n{BOLD}{verdict}")?;
    out.flush()?;
    Ok(if bad == 0 { Exit::Holds } else { Exit::No })
}

fn print(out: &mut impl Write, finding: &Finding) -> std::io::Result<()> {
    let (colour, mark) = match finding.weight {
        Weight::Good => (GREEN, "✓"),
        Weight::Note => (YELLOW, "!"),
        Weight::Bad => (RED, "✗"),
    };
    writeln!(out, "{colour}{mark}{RESET} {}", say::tame(&finding.what))?;
    match &finding.help {
        Some(help) => writeln!(out, "    {DIM}{help}{RESET}"),
        None => Ok(()),
    }
}

/// A release audit goes by commits.
fn checkout(root: &Path) -> Finding {
    match git::source(root) {
        Some(source) if source.dirty => Finding::note(
            format!("git: commit {}, with uncommitted changes", short(&source.commit)),
            "a release rests on a clean commit: commit before the run that counts",
        ),
        Some(source) => Finding::good(format!("git: commit {}, clean", short(&source.commit))),
        None => Finding::note(
            "this is no git checkout with a commit",
            "`git init` and commit: a release audit goes by commits",
        ),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

fn runs_folder(root: &Path) -> Finding {
    match tempfile::tempfile_in(root) {
        Ok(_) => Finding::good("runs can be written"),
        Err(error) => Finding::bad(
            format!("nothing can be written in {}: {error}", root.display()),
            "make it writable, or give `--out DIR`",
        ),
    }
}

fn inspect(material: &Material, findings: &mut Vec<Finding>) {
    let charter = &material.charter;
    let version =
        charter.version.as_deref().map_or("no version".to_owned(), |version| format!("version {version}"));
    let size = match charter.runtime.len() {
        bytes @ 0..1024 => counted(bytes, "byte"),
        bytes => format!("{} KiB", bytes.div_ceil(1024)),
    };
    findings.push(Finding::good(format!("charter: {version}, {size} of it sent")));
    if material.project.charter.runtime_end.is_none() {
        findings.push(Finding::note(
            "charter: the whole file is sent",
            "what models should not see, such as notes on tests, goes below a line `Runtime load ends here`",
        ));
    }
    let cases: Vec<_> = material.cases().collect();
    findings.push(Finding::good(format!("cases: {}", cases.len())));
    findings
        .extend(super::lint::traces(material).into_iter().map(|finding| Finding::bad(finding.text, MEND)));
    controls(material, findings);
    findings.extend(other_than_committed(material).map(|what| {
        Finding::note(what, "mend it before the run that counts: an audit reads the commit, not the checkout")
    }));
    models(material, |name| env::var_os(name).is_some_and(|value| !value.is_empty()), findings);
}

/// Every checker that a case names must judge its controls right.
fn controls(material: &Material, findings: &mut Vec<Finding>) {
    let named: BTreeSet<String> =
        material.cases().flat_map(|case| &case.variants).map(|variant| variant.checker.to_string()).collect();
    let mut wrong = 0;
    for checker in material.library.iter().filter(|checker| named.contains(&checker.label())) {
        for failure in checker.distrust() {
            wrong += 1;
            findings.push(Finding::bad(
                format!("checker {}: {}", checker.label(), failure.message),
                "mend the checker, or the control: a checker that misjudges one judges nothing",
            ));
        }
    }
    if wrong == 0 {
        let judge = if named.len() == 1 { "judges its" } else { "judge their" };
        findings.push(Finding::good(format!("{} {judge} controls right", counted(named.len(), "checker"))));
    }
}

/// Whether each model could be asked, as far as that can be known without asking.
fn models(material: &Material, is_set: impl Fn(&str) -> bool, findings: &mut Vec<Finding>) {
    let matrix = &material.matrix;
    for model in &matrix.models {
        findings.push(match &model.provider {
            Provider::Replay { .. } => Finding::good(format!("model {}: replays recorded traces", model.id)),
            provider => match provider.key_env() {
                Some(key) if !is_set(key) => Finding::bad(
                    format!("model {}: the variable {key} is not set", model.id),
                    format!(
                        "export {key}=… in the shell that runs assize, or leave the model out with --model"
                    ),
                ),
                _ => reached(model),
            },
        });
    }
    if matrix.models.iter().all(|model| matches!(model.provider, Provider::Replay { .. })) {
        findings.push(Finding::note(
            "every model replays recorded traces: such a run tries the harness, and can release nothing",
            "name real models in the matrix; `assize help matrix` shows how",
        ));
    }
}

/// By what a model is reached: an endpoint, or a program that must be on this machine.
fn reached(model: &Model) -> Finding {
    if let Some(program) = model.provider.program() {
        let name = program.run.first().map(String::as_str).unwrap_or_default();
        return match on_path(name) {
            true => Finding::good(format!("model {}: the program {name}", model.id)),
            false => Finding::bad(
                format!("model {}: there is no program {name} here", model.id),
                "install it, or give its path under `program: { run: [PATH] }`",
            ),
        };
    }
    let endpoint = model.provider.base_url().map(ToString::to_string).unwrap_or_default();
    Finding::good(format!("model {}: {endpoint}", model.id))
}

fn on_path(name: &str) -> bool {
    if Path::new(name).components().count() > 1 {
        return Path::new(name).is_file();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
