//! `assize lint`: cases, tables, traces, matrix, registry and controls, without playing anything.

use std::io::Write;
use std::path::Path;

use harness::case::{CaseErrors, Trace};
use harness::lint::{self, LintFinding};
use harness::project::Project;
use harness::sitting::material::{Material, Shipped};
use model_matrix::Provider;
use reports::words::counted;
use serde_json::json;

use super::exit::Exit;
use super::say::{self, RED, RESET, YELLOW};
use super::talk::{Format, Talk};

/// Check cases, tables, traces, matrix, registry and controls; plays nothing
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
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
    let material = Material::load(Project::find(project)?, Shipped::Yes)?;
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
    findings.extend(traces(&material));
    findings.extend(super::lock::differences(&material.project.checkers)?.into_iter().map(Finding::error));
    findings.extend(super::checkout::ignored(&material.project).map(|text| Finding { wrong: false, text }));
    findings.extend(super::checkout::other_than_committed(&material).map(Finding::warning));
    if let Some(base) = &arguments.base {
        findings.extend(super::base::differences(&material.project, base)?);
        findings.extend(super::base::examination(&material, base)?);
    }
    match arguments.format {
        Format::Text => print(&findings)?,
        Format::Json => {
            let list: Vec<_> = findings
                .iter()
                .map(|finding| json!({ "severity": finding.severity(), "message": finding.text }))
                .collect();
            say::json(&list)?;
        }
    }
    let wrong = findings.iter().filter(|finding| finding.wrong).count();
    if !arguments.talk.quiet {
        say::note(&totals(&material, wrong, findings.len() - wrong));
    }
    if arguments.talk.verbose {
        looked_at(&material);
    }
    Ok(if wrong > 0 { Exit::No } else { Exit::Holds })
}

fn print(findings: &[Finding]) -> std::io::Result<()> {
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

impl From<LintFinding> for Finding {
    fn from(finding: LintFinding) -> Self {
        Self { wrong: finding.severity == lint::Severity::Error, text: finding.to_string() }
    }
}

/// Missing or wrong traces of the matrix's replayed subjects.
fn traces(material: &Material) -> Vec<Finding> {
    let mut findings = Vec::new();
    for model in &material.matrix.models {
        let Provider::Replay { trace, .. } = &model.provider else { continue };
        for case in material.cases() {
            for variant in &case.variants {
                if let Err(CaseErrors(problems)) = Trace::load(case, variant, trace) {
                    findings.extend(problems.iter().map(|problem| Finding::error(problem.to_string())));
                }
            }
        }
    }
    findings
}
