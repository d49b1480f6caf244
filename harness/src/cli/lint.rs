//! `assize lint`: cases, tables, traces, matrix, registry and controls, without playing anything.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use harness::case::{CaseErrors, Problem, Trace};
use harness::lint::{self, LintFinding};
use harness::project::{Project, ProjectError};
use harness::sitting::material::{Material, Shipped};
use model_matrix::Provider;
use reports::words::counted;
use serde_json::json;

use super::exit::Exit;
use super::say::{self, RED, RESET, YELLOW};
use super::talk::{Format, Talk};

/// Check cases, tables, traces, matrix, registry and controls; plays nothing
///
/// Every `exemplar` trace must pass and every `naive` one must fail, on every row; they are judged where they lie. Exit code
/// 0: nothing must be mended, though there may be warnings; 1: something in the files must be mended; 2: the command line is
/// wrong, or what it names cannot be read at all.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Another matrix than the project's
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// Also say what the change since this commit does to cases, checkers and the registry that it may not
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The form of the findings
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    #[command(flatten)]
    talk: Talk,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    if let Some(matrix) = &arguments.matrix {
        File::open(matrix).with_context(|| format!("--matrix {} cannot be read", matrix.display()))?;
    }
    let project = match Project::find(project) {
        Ok(project) => project.with(None, arguments.matrix.as_deref()),
        Err(ProjectError::Wrong(problem)) => return unloaded(&[Finding::from(&problem)], arguments),
        Err(error) => return Err(error.into()),
    };
    let material = match Material::load(project, Shipped::Yes) {
        Ok(material) => material,
        Err(errors) => {
            let findings: Vec<Finding> = errors.texts().into_iter().map(Finding::error).collect();
            return unloaded(&findings, arguments);
        }
    };
    let findings = look(&material, arguments.base.as_deref())?;
    print(&findings, arguments.format)?;
    let wrong = findings.iter().filter(|finding| finding.wrong).count();
    if !arguments.talk.quiet {
        say::note(&totals(&material, wrong, findings.len() - wrong));
    }
    if arguments.talk.verbose {
        looked_at(&material);
    }
    Ok(if wrong > 0 { Exit::No } else { Exit::Holds })
}

/// What is found in a project whose files can be read.
fn look(material: &Material, base: Option<&str>) -> anyhow::Result<Vec<Finding>> {
    let mut findings: Vec<Finding> = material
        .sets
        .iter()
        .flat_map(|set| lint::lint_cases(set, &set.registry))
        .map(Finding::from)
        .collect();
    findings.extend(lint::lint_fixtures(&material.fixtures).into_iter().map(Finding::from));
    findings.extend(material.vet().iter().map(|failure| Finding::error(failure.to_string())));
    let today = jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date();
    let matrix = model_matrix::lint::lint(&material.matrix);
    let ends = model_matrix::lint::shutdowns(&material.matrix, today);
    findings.extend(matrix.into_iter().chain(ends).map(|finding| Finding {
        wrong: finding.severity == model_matrix::lint::Severity::Error,
        text: match finding.line {
            // About the file as a whole.
            0 => format!("{}: {}", material.matrix.path.display(), finding.message),
            line => format!("{}:{line}: {}", material.matrix.path.display(), finding.message),
        },
    }));
    let told: HashSet<String> = findings.iter().map(|finding| finding.text.clone()).collect();
    findings.extend(traces(material).into_iter().filter(|finding| !told.contains(&finding.text)));
    findings.extend(lint::lint_traces(material).into_iter().map(Finding::from));
    findings.extend(super::lock::differences(&material.project.checkers)?.into_iter().map(Finding::error));
    findings.extend(super::checkout::ignored(&material.project).map(Finding::warning));
    findings.extend(super::checkout::other_than_committed(material).map(Finding::warning));
    if let Some(base) = base {
        findings.extend(super::base::differences(&material.project, base)?);
        findings.extend(super::base::examination(material, base)?);
    }
    Ok(findings)
}

/// What is wrong with files that keep the project from being looked at.
fn unloaded(findings: &[Finding], arguments: &Arguments) -> anyhow::Result<Exit> {
    print(findings, arguments.format)?;
    if !arguments.talk.quiet {
        say::note(&format!(
            "{}; the rest is looked at once they are mended",
            counted(findings.len(), "error")
        ));
    }
    Ok(Exit::No)
}

fn print(findings: &[Finding], format: Format) -> anyhow::Result<()> {
    match format {
        Format::Text => Ok(text(findings)?),
        Format::Json => {
            let list: Vec<_> = findings
                .iter()
                .map(|finding| json!({ "severity": finding.severity(), "message": finding.text }))
                .collect();
            say::json(&list)
        }
    }
}

fn text(findings: &[Finding]) -> std::io::Result<()> {
    let mut out = say::page();
    for finding in findings {
        let colour = if finding.wrong { RED } else { YELLOW };
        writeln!(out, "{colour}{}{RESET}: {}", finding.severity(), say::tame(&finding.text))?;
    }
    out.flush()
}

fn totals(material: &Material, errors: usize, warnings: usize) -> String {
    format!(
        "{}, {}, {}: {}, {}",
        counted(material.cases().count(), "case"),
        counted(material.library.iter().count(), "checker"),
        counted(material.matrix.models.len(), "model"),
        counted(errors, "error"),
        counted(warnings, "warning")
    )
}

/// Names what was looked at, for those who wonder whether it was all.
fn looked_at(material: &Material) {
    for case in material.cases() {
        say::note(&format!("  case {} {}  {}", case.id, case.name, case.dir.display()));
    }
    for checker in material.library.iter() {
        say::note(&format!("  checker {}: {}", checker.label(), counted(checker.controls.len(), "control")));
    }
    for model in &material.matrix.models {
        say::note(&format!("  model {}", model.id));
    }
}

/// Something to say about the project.
pub(crate) struct Finding {
    /// Whether it must be mended.
    pub(crate) wrong: bool,
    /// What is to be said.
    pub(crate) text: String,
}

impl Finding {
    /// The word for how bad it is.
    fn severity(&self) -> &'static str {
        if self.wrong { "error" } else { "warning" }
    }

    /// Something that must be mended.
    pub(crate) fn error(text: String) -> Self {
        Self { wrong: true, text }
    }

    /// Something that should be looked at.
    pub(crate) fn warning(text: String) -> Self {
        Self { wrong: false, text }
    }
}

impl From<&Problem> for Finding {
    fn from(problem: &Problem) -> Self {
        Self::error(problem.to_string().trim_start_matches("error: ").to_owned())
    }
}

impl From<LintFinding> for Finding {
    fn from(finding: LintFinding) -> Self {
        let wrong = finding.severity == lint::Severity::Error;
        let path = finding.path.display();
        let text = match (&finding.problem, finding.line) {
            (Some(problem), _) => Self::from(problem).text,
            (None, Some(line)) => format!("{path}:{line}: {}", finding.message),
            (None, None) => format!("{path}: {}", finding.message),
        };
        Self { wrong, text }
    }
}

/// Missing or wrong traces of the matrix's replayed subjects.
pub(crate) fn traces(material: &Material) -> Vec<Finding> {
    let mut findings = Vec::new();
    for model in &material.matrix.models {
        let Provider::Replay { trace, .. } = &model.provider else { continue };
        for case in material.cases() {
            for variant in &case.variants {
                if let Err(CaseErrors(problems)) = Trace::load(case, variant, trace) {
                    findings.extend(problems.iter().map(Finding::from));
                }
            }
        }
    }
    findings
}
