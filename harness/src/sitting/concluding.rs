//! From the journal to verdicts and the manifest. Everything is computed from what is on disk: a resumed run, a
//! straight one and an auditor's re-reading come to the same.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use reports::manifest::{ControlRecord, Evidence};
use reports::row::Rows;
use reports::{Manifest, Plan, Row, digest};
use sha2::{Digest as _, Sha256};
use transcript::Transcript;

use super::material::Material;
use super::rundir::{RunDir, RunDirError, VERDICTS};
use super::sittings;
use super::unplayable::Unplayable;
use crate::case::digest::hex;
use crate::judging::{self, Judged};

/// Why no conclusion can be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConcludeError {
    /// The journal cannot be opened.
    #[error("{}: {source}", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// A line of the journal is no transcript.
    #[error("{}: {message}", path.display())]
    Line {
        /// The journal.
        path: PathBuf,
        /// Which line, and what is wrong.
        message: String,
    },
}

/// A run's verdicts and its manifest.
#[derive(Debug)]
pub struct Conclusion {
    /// One row an attempt, in the order of the plan.
    pub rows: Vec<Row>,
    /// The record.
    pub manifest: Manifest,
}

/// Judges the journal of `run` and draws up the manifest.
///
/// # Errors
/// [`ConcludeError`] when the journal cannot be read whole.
pub fn conclude(run: &RunDir, plan: Plan, material: &Material) -> Result<Conclusion, ConcludeError> {
    let path = run.journal();
    let mut rows: Vec<Row> = Vec::new();
    let mut problem = None;
    if path.exists() {
        let file = File::open(&path).map_err(|source| ConcludeError::Io { path: path.clone(), source })?;
        let Ok(()) = judging::judge_lines(BufReader::new(file), &material.library, |judged| {
            match judged {
                Judged::Transcript { line, transcript, verdict, checker } => {
                    if let Some(message) = misplaced(&transcript, &plan, material) {
                        problem.get_or_insert(format!("line {}: {message}", line.number));
                    }
                    let sha256 = digest::sha256_hex(line.text.as_bytes());
                    let checker = checker.map(|checker| checker.sha256.as_str()).unwrap_or_default();
                    rows.push(Row::new(&transcript, verdict, checker, line.number, sha256));
                }
                Judged::Unreadable(error) => {
                    problem.get_or_insert(error.to_string());
                }
            }
            Ok::<(), Infallible>(())
        });
    }
    if let Some(message) = problem {
        return Err(ConcludeError::Line { path, message });
    }
    let order = PlanOrder::new(&plan);
    rows.sort_by_cached_key(|row| order.of(row));
    let mut verdicts = Sha256::new();
    let mut size = 0;
    for row in &rows {
        let line = row
            .to_line()
            .map_err(|error| ConcludeError::Line { path: path.clone(), message: error.to_string() })?;
        size += line.len() as u64;
        verdicts.update(line);
    }
    let verdicts =
        Evidence { path: VERDICTS.to_owned(), size, sha256: hex(&verdicts.finalize()), executable: false };
    let grouped = Rows::new(rows.iter().cloned().map(Row::slim));
    let manifest = draw_up(run, plan, &grouped, Some(verdicts), material)?;
    Ok(Conclusion { manifest, rows })
}

/// The manifest, from the rows and what lies in the folder; `verdicts` is the file of verdicts that is about to be written,
/// in place of the one in the folder.
pub(crate) fn draw_up(
    run: &RunDir,
    plan: Plan,
    rows: &Rows,
    verdicts: Option<Evidence>,
    material: &Material,
) -> Result<Manifest, ConcludeError> {
    let (_, mut evidence) = run.evidence()?;
    if let Some(verdicts) = verdicts {
        evidence.retain(|file| file.path != VERDICTS);
        evidence.push(verdicts);
        evidence.sort_by(|a, b| a.path.cmp(&b.path));
    }
    let controls = control_records(&plan, material);
    let unplayable = Unplayable::new(&plan, material);
    let mut manifest = Manifest::new(plan, rows, controls, evidence);
    if let Some(reason) = sittings::last_stop(run) {
        manifest.say_why_not_run(|_| Some(reason.clone()));
    }
    // What could not have been played at all is no matter of when the run stopped.
    manifest.say_why_not_run(|cell| unplayable.why(cell).map(|why| format!("unsupported: {why}")));
    Ok(manifest)
}

/// The order of the file of verdicts: that of the plan, and of the journal within a trial.
#[derive(Debug)]
pub(crate) struct PlanOrder(HashMap<String, usize>);

impl PlanOrder {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self(plan.trials().enumerate().map(|(index, key)| (key.to_string(), index)).collect())
    }

    pub(crate) fn of(&self, row: &Row) -> (usize, usize) {
        (self.0.get(&row.id).copied().unwrap_or(usize::MAX), row.line)
    }
}

/// How a transcript contradicts the trial it says it is, if it does.
pub(crate) fn misplaced(transcript: &Transcript, plan: &Plan, material: &Material) -> Option<String> {
    let (Some(row), Some(model), Some(trial)) = (transcript.row, transcript.model.clone(), transcript.trial)
    else {
        return Some(format!("the transcript {} does not say which trial it is", transcript.id));
    };
    let cell =
        reports::Cell { case: transcript.case.clone(), variant: transcript.variant.clone(), row, model };
    let id = reports::TrialKey { cell: cell.clone(), trial }.to_string();
    if id != transcript.id {
        return Some(format!("the transcript {} holds the trial {id}", transcript.id));
    }
    if transcript.charter_sha256.as_deref() != Some(plan.charter.runtime_sha256.as_str()) {
        return Some(format!("{id} was played with another charter than the plan's"));
    }
    let case = material.cases().find(|case| case.id == cell.case);
    let Some(variant) = case.and_then(|case| case.variant(cell.variant.as_deref())) else {
        return Some(format!("{id} is of a case that is not among the inputs"));
    };
    if transcript.checker.as_deref() != Some(variant.checker.to_string().as_str()) {
        return Some(format!("{id} names another checker than its case"));
    }
    None
}

/// How the controls of the checkers in `plan` went.
fn control_records(plan: &Plan, material: &Material) -> Vec<ControlRecord> {
    plan.checkers
        .iter()
        .map(|input| {
            let checker = material.library.iter().find(|checker| checker.label() == input.name);
            ControlRecord {
                checker: input.name.clone(),
                controls: checker.map_or(0, |checker| checker.controls.len()),
                failures: match checker {
                    Some(checker) => {
                        checker.distrust().iter().map(|failure| failure.message.clone()).collect()
                    }
                    None => vec!["the checker is not among the inputs".to_owned()],
                },
            }
        })
        .collect()
}
