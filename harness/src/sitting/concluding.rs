//! From the journal to verdicts and the manifest. Everything is computed from what is on disk: a resumed run, a
//! straight one and an auditor's re-reading come to the same.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use reports::manifest::Evidence;
use reports::row::Rows;
use reports::{Cell, Manifest, Plan, Row, TrialKey, digest};
use sha2::{Digest as _, Sha256};
use transcript::Transcript;

use super::drawing::Drawing;
use super::material::Material;
use super::rundir::{RunDir, RunDirError, VERDICTS};
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
    rows.sort_by_cached_key(|row| (order.of(&row.id).unwrap_or(usize::MAX), row.line));
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
    // The file of verdicts is about to be written, in place of one that may be in the folder.
    let (_, mut evidence) = run.evidence()?;
    evidence.retain(|file| file.path != VERDICTS);
    evidence.push(verdicts);
    evidence.sort_by(|a, b| a.path.cmp(&b.path));
    let manifest = draw_up(run, plan, &Rows::new(&rows), evidence, material)?;
    Ok(Conclusion { manifest, rows })
}

/// The manifest, from the rows and what lies in the folder.
fn draw_up(
    run: &RunDir,
    plan: Plan,
    rows: &Rows<'_>,
    evidence: Vec<Evidence>,
    material: &Material,
) -> Result<Manifest, RunDirError> {
    let strangers = rows.strangers(&plan).into_iter().map(str::to_owned).collect();
    let (owed, trials) = (plan.cells.clone(), plan.trials);
    let mut drawing = Drawing::new(run, plan, material);
    let cells = owed.iter().map(|cell| {
        let mut record = drawing.cell(cell);
        for trial in 1..=trials {
            let key = TrialKey { cell: cell.clone(), trial };
            record.trials.push(drawing.trial(&key, rows.attempts(&key)));
        }
        record
    });
    let cells = cells.collect();
    drawing.finish(run, cells, strangers, evidence, material)
}

/// The order of the file of verdicts: that of the plan, and of the journal within a trial.
#[derive(Debug)]
pub(crate) struct PlanOrder {
    /// The place of each cell, by how it is written.
    cells: HashMap<String, usize>,
    trials: u32,
}

impl PlanOrder {
    pub(crate) fn new(plan: &Plan) -> Self {
        let cells = plan.cells.iter().enumerate().map(|(place, cell)| (cell.to_string(), place)).collect();
        Self { cells, trials: plan.trials }
    }

    /// The number of a trial in the plan, counted from 0, by its id; `None` for one that is not in it.
    pub(crate) fn of(&self, id: &str) -> Option<usize> {
        let (cell, trial) = id.rsplit_once("/t")?;
        let number: u32 = trial.parse().ok()?;
        // `t01` and `t+1` are the ids of no trial.
        if number == 0 || number > self.trials || number.to_string() != trial {
            return None;
        }
        Some(self.cells.get(cell)? * self.trials as usize + (number as usize - 1))
    }
}

/// How a transcript contradicts the trial it says it is, if it does.
pub(crate) fn misplaced(transcript: &Transcript, plan: &Plan, material: &Material) -> Option<String> {
    let (Some(row), Some(model), Some(trial)) = (transcript.row, transcript.model.clone(), transcript.trial)
    else {
        return Some(format!("the transcript {} does not say which trial it is", transcript.id));
    };
    let cell = Cell { case: transcript.case.clone(), variant: transcript.variant.clone(), row, model };
    let id = TrialKey { cell: cell.clone(), trial }.to_string();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_has_the_number_that_the_plan_counts() {
        let cell = |case: &str, variant: Option<&str>| Cell {
            case: case.to_owned(),
            variant: variant.map(str::to_owned),
            row: 1,
            model: "m/t1".to_owned(),
        };
        let cells = [cell("E1", None), cell("E6", Some("i"))];
        let order = PlanOrder {
            cells: cells.iter().enumerate().map(|(place, cell)| (cell.to_string(), place)).collect(),
            trials: 12,
        };
        let mut number = 0;
        for cell in cells {
            for trial in 1..=12 {
                assert_eq!(order.of(&TrialKey { cell: cell.clone(), trial }.to_string()), Some(number));
                number += 1;
            }
        }
        for id in ["E1/r1/m/t1/t0", "E1/r1/m/t1/t13", "E1/r1/m/t1/t01", "E1/r1/m/t1/t+1", "E1/r1/m/t1", ""] {
            assert_eq!(order.of(id), None, "{id}");
        }
    }
}
