//! From a run's folder to the [`Report`] that renderers read: judged anew from the journal, with what the cases and
//! checkers among the run's inputs say of themselves.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use checkers::Checker;
use reports::digest;
use reports::render::html::Played;
use reports::report::{CaseFacts, CheckerFacts, Report};

use super::concluding::{self, ConcludeError, Conclusion};
use super::fixtures;
use super::material::{Material, MaterialErrors, Shipped};
use super::rundir::{RunDir, RunDirError};
use crate::audit::{self, AuditError, Question};
use crate::case::Case;
use transcript::jsonl::{self, Line, Lines, ReadError};

/// Why a run cannot be reported on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Its folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// Its inputs cannot be used.
    #[error("the inputs of the run cannot be used: {0}")]
    Material(#[from] MaterialErrors),
    /// Its journal cannot be read.
    #[error(transparent)]
    Journal(#[from] ConcludeError),
    /// It cannot be examined.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// Reads and judges `run`.
///
/// # Errors
/// [`ReportError`] when a part of it cannot be read.
pub fn report(run: &RunDir) -> Result<(Report, Material), ReportError> {
    let plan = run.plan()?;
    let material = Material::load(run.project()?, Shipped::No)?;
    let conclusion = concluding::conclude(run, plan, &material)?;
    // The answer is the gate's own: a report must not call a run good whose record was changed.
    let examined = audit::audit_with(run, Ok(&material), &Question::default())?;
    Ok((of(conclusion, &material).examined(&examined.findings), material))
}

/// The report on a run that was concluded from `material`.
#[must_use]
pub fn of(conclusion: Conclusion, material: &Material) -> Report {
    let cases = material.cases().map(|case| (case.id.clone(), case_facts(case, material))).collect();
    let checkers: BTreeMap<_, _> =
        material.library.iter().map(|checker| (checker.label(), checker_facts(checker))).collect();
    Report::new(conclusion.manifest, conclusion.rows, cases, checkers)
}

/// The run's transcripts, line by line, for a report that shows them. A run that played nothing has none.
///
/// # Errors
/// [`RunDirError`] when the journal cannot be opened.
pub fn played(run: &RunDir) -> Result<impl Iterator<Item = Result<Played, ReadError>>, RunDirError> {
    let path = run.journal();
    let file = if path.exists() {
        Some(File::open(&path).map_err(|source| RunDirError::Io { path, source })?)
    } else {
        None
    };
    Ok(file.into_iter().flat_map(|file| Lines::new(BufReader::new(file))).map(|line| read(&line?)))
}

fn read(line: &Line) -> Result<Played, ReadError> {
    let transcript = jsonl::parse(line)?;
    Ok(Played { line: line.number, sha256: digest::sha256_hex(line.text.as_bytes()), transcript })
}

fn case_facts(case: &Case, material: &Material) -> CaseFacts {
    CaseFacts {
        name: case.name.clone(),
        kind: case.kind.to_string(),
        shows: case.shows.clone(),
        binds: case.binds.clone(),
        failure_modes: case.failure_modes.clone(),
        path: fixtures::path_of(material, &case.id).unwrap_or_else(|| path_in_project(&case.dir, material)),
    }
}

/// The case's file as it is called below its folder of cases; the copy among the inputs has the same layout.
fn path_in_project(folder: &Path, material: &Material) -> String {
    let roots = material.sets.iter().map(|set| set.root.as_path());
    let relative = roots.filter_map(|root| folder.strip_prefix(root).ok()).next().unwrap_or(folder);
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    format!("cases/{}/{}", parts.join("/"), crate::case::CASE_FILE)
}

fn checker_facts(checker: &Checker) -> CheckerFacts {
    let definition = &checker.definition;
    let clauses = definition.require.iter().map(|clause| {
        let says = clause.says.clone().unwrap_or_else(|| clause.predicate.name().replace('_', " "));
        (clause.id.clone(), says)
    });
    CheckerFacts {
        proves: definition.proves.trim().to_owned(),
        does_not_prove: definition.does_not_prove.trim().to_owned(),
        clauses: clauses.collect(),
    }
}
