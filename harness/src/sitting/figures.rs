//! A run brought down to what comparisons need: which experiment each cell is, and what came of it. Everything is
//! derived from the run's inputs and transcripts; nothing that its manifest says is believed.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use model_matrix::drift::{self, Drift};
use model_matrix::{Model, Provider};
use reports::compare::{self, Comparison, Pins};
use reports::figures::{Identity, Part};
use reports::plan::ModelPin;
use reports::row::Rows;
use reports::{Cell, Figures, Manifest, Plan, Row, digest};
use transcript::jsonl::{self, Lines};

use super::concluding::{self, ConcludeError};
use super::material::{Material, MaterialErrors, Shipped};
use super::planning;
use super::rundir::{RunDir, RunDirError};
use crate::audit::{self, AuditError, inputs};
use crate::case::InstanceError;
use crate::judging;

/// Why a run cannot be brought down to figures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FiguresError {
    /// Its folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// Its inputs cannot be used.
    #[error("the inputs cannot be used: {0}")]
    Material(#[from] MaterialErrors),
    /// It was changed since it was written.
    #[error("it is not as this program wrote it:\n  {}", .0.join("\n  "))]
    Changed(Vec<String>),
    /// It cannot be audited.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// It cannot be judged.
    #[error(transparent)]
    Conclude(#[from] ConcludeError),
    /// A cell's case is not among the inputs.
    #[error("{0}: there is no such case among the inputs")]
    NoCase(Cell),
    /// A cell's row cannot be filled in.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// An identity cannot be written down.
    #[error("an identity cannot be written down: {0}")]
    Json(#[from] serde_json::Error),
}

/// A run that has been read, audited and judged.
#[derive(Debug)]
pub struct Judged {
    /// The folder.
    pub run: RunDir,
    /// What went into it.
    pub material: Material,
    /// What came of it.
    pub manifest: Manifest,
    /// The same, reduced.
    pub figures: Figures,
}

impl Judged {
    /// Reads the run in a folder, makes sure that it is as it was written, and judges its transcripts.
    ///
    /// # Errors
    /// [`FiguresError`].
    pub fn open(path: &Path) -> Result<Self, FiguresError> {
        let run = RunDir::open(path)?;
        let plan = run.plan()?;
        let material = Material::load(run.project()?, Shipped::No)?;
        let mut changed = inputs::compare(&plan, &material, inputs::OWN).map_err(AuditError::from)?;
        changed.extend(audit::foreign(&run, &plan, &material)?);
        if !changed.is_empty() {
            return Err(FiguresError::Changed(changed.iter().map(ToString::to_string).collect()));
        }
        let manifest = concluding::conclude(&run, plan, &material)?.manifest;
        let figures = figures(&manifest, &material)?;
        Ok(Self { run, material, manifest, figures })
    }

    /// The same transcripts, judged by the checkers that `material` names for the same cases.
    ///
    /// # Errors
    /// [`FiguresError`].
    pub fn judged_by(&self, material: &Material) -> Result<Figures, FiguresError> {
        let plan = self.manifest.plan.clone();
        let rows = rows_by(&self.run, material)?;
        figures(&Manifest::new(plan, &Rows::new(&rows), Vec::new(), Vec::new()), &self.material)
    }
}

/// Sets one run against another. Where a checker changed, the earlier transcripts are judged again by the later one.
///
/// # Errors
/// [`FiguresError`] when they cannot be judged again.
pub fn compare(before: &Judged, after: &Judged, pins: Pins) -> Result<Comparison, FiguresError> {
    let comparison = compare::compare(&before.figures, &after.figures, None, pins);
    if !comparison.changed.contains(&Part::Checker) {
        return Ok(comparison);
    }
    let again = before.judged_by(&after.material)?;
    Ok(compare::compare(&before.figures, &after.figures, Some(&again), pins))
}

/// The rows of a run's journal under another project's checkers. Transcripts of cases that it does not know have none.
fn rows_by(run: &RunDir, material: &Material) -> Result<Vec<Row>, FiguresError> {
    let path = run.journal();
    let io_error = |source| ConcludeError::Io { path: path.clone(), source };
    let mut rows = Vec::new();
    if !path.exists() {
        return Ok(rows);
    }
    let unreadable = |message: String| ConcludeError::Line { path: path.clone(), message };
    for line in Lines::new(BufReader::new(File::open(&path).map_err(io_error)?)) {
        let line = line.map_err(|error| unreadable(error.to_string()))?;
        let transcript = jsonl::parse(&line).map_err(|error| unreadable(error.to_string()))?;
        let case = material.cases().find(|case| case.id == transcript.case);
        let variant = case.and_then(|case| case.variant(transcript.variant.as_deref()));
        let Some(checker) = variant.and_then(|variant| material.checker(&variant.checker)) else { continue };
        let verdict = judging::judge(Ok(checker), &transcript);
        let sha256 = digest::sha256_hex(line.text.as_bytes());
        rows.push(Row::new(&transcript, verdict, &checker.sha256, line.number, sha256));
    }
    Ok(rows)
}

/// Reduces a manifest whose inputs are `material`.
///
/// # Errors
/// [`FiguresError`] when a cell is not of these inputs.
pub fn figures(manifest: &Manifest, material: &Material) -> Result<Figures, FiguresError> {
    Ok(Figures::new(manifest, identities(&manifest.plan, material)?))
}

/// Which experiment each cell is.
fn identities(plan: &Plan, material: &Material) -> Result<Vec<Identity>, FiguresError> {
    let mut pins: HashMap<&str, String> = HashMap::new();
    for model in &material.matrix.models {
        pins.insert(&model.id, pin_digest(model)?);
    }
    let mut params: HashMap<(&str, Option<&str>, usize), String> = HashMap::new();
    let mut identities = Vec::with_capacity(plan.cells.len());
    for cell in &plan.cells {
        let no_case = || FiguresError::NoCase(cell.clone());
        let case = material.cases().find(|case| case.id == cell.case).ok_or_else(no_case)?;
        let variant = case.variant(cell.variant.as_deref()).ok_or_else(no_case)?;
        let place = (cell.case.as_str(), cell.variant.as_deref(), cell.row);
        let params_sha256 = match params.get(&place) {
            Some(known) => known.clone(),
            None => {
                let instance = variant.instance(cell.row.saturating_sub(1))?;
                let sha256 = digest::sha256_hex(&digest::canonical(&instance.params)?);
                params.insert(place, sha256.clone());
                sha256
            }
        };
        let checker = material.checker(&variant.checker);
        identities.push(Identity {
            case_sha256: case.digest.clone(),
            params_sha256,
            pin_sha256: pins.get(cell.model.as_str()).cloned().unwrap_or_default(),
            charter_sha256: plan.charter.runtime_sha256.clone(),
            checker: variant.checker.to_string(),
            checker_sha256: checker.map(|checker| checker.sha256.clone()).unwrap_or_default(),
        });
    }
    Ok(identities)
}

/// The digest of all that decides which model answers, and how: the name in the matrix and the role are not part of it.
fn pin_digest(model: &Model) -> Result<String, serde_json::Error> {
    // What it is called here and what it costs make it no other model.
    let pin = ModelPin { id: String::new(), role: String::new(), prices: None, ..planning::pin(model) };
    let whole = (pin, model.provider.wire(), &model.pin, &model.decoding, model.stream);
    digest::canonical(&whole).map(|bytes| digest::sha256_hex(&bytes))
}

/// Where another model answered than the one that is pinned, each kind of it once.
#[must_use]
pub fn pin_mismatches(manifest: &Manifest, material: &Material) -> Vec<String> {
    let mut mismatches = Vec::new();
    for record in &manifest.cells {
        let Some(model) = material.matrix.get(&record.cell.model) else { continue };
        if !matches!(model.provider, Provider::Api { .. }) {
            continue;
        }
        for trial in &record.trials {
            let served = trial.attempts.iter().flat_map(|attempt| &attempt.served);
            let reported = served.map(|served| drift::compare(&model.pin, served));
            let told = trial.reason.as_deref().and_then(|reason| reason.strip_prefix(Drift::KIND));
            let told = told.map(|rest| rest.trim_start_matches([':', ' ']).to_owned());
            let different = reported.filter(|drift| matches!(drift, Drift::Different { .. }));
            for what in different.map(|drift| drift.to_string()).chain(told) {
                let mismatch = format!("{}: {what}", model.id);
                if !mismatches.contains(&mismatch) {
                    mismatches.push(mismatch);
                }
            }
        }
    }
    mismatches
}
