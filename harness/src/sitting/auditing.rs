//! Whether a run's plan and journal follow from its own inputs.
//!
//! A verdict rests on parameters, on what the script said and on what tools answered. All of it can be derived again,
//! save for the model's own words: so it is, and a journal that says otherwise is not believed.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;

use model_matrix::{Model, drift};
use reports::{Cell, LoadRecord, LoadVerdict, Plan, digest};
use transcript::jsonl::{self, Lines};
use transcript::{Message, StopReason, Transcript, TrialError, Usage};

use super::concluding::ConcludeError;
use super::fixtures;
use super::material::Material;
use super::planning;
use super::playing;
use super::rundir::{RunDir, RunDirError};
use crate::agent::retrace;
use crate::instance::Playable;
use crate::replay::{self, Failure, Reply};
use crate::workspace::Workspace;

/// Why a run cannot be audited.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] ConcludeError),
    /// The manifest cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// Replies cannot be played again.
    #[error("the journal cannot be played again: {0}")]
    Runtime(#[from] std::io::Error),
}

/// What in `plan` differs from what the inputs come to.
#[must_use]
pub fn inputs(plan: &Plan, material: &Material) -> Vec<String> {
    let mut differs = Vec::new();
    let charter = &material.charter;
    if plan.charter.sha256 != charter.whole_sha256
        || plan.charter.runtime_sha256 != charter.runtime_sha256
        || plan.charter.version != charter.version
    {
        differs.push("the charter".to_owned());
    }
    if plan.matrix.sha256 != material.matrix.digest() {
        differs.push("the matrix".to_owned());
    }
    for model in &plan.models {
        // What is expected of a model, and whether it is one at all, is not the plan's to say.
        if material.matrix.get(&model.id).is_none_or(|known| planning::pin(known) != *model) {
            differs.push(format!("model {}", model.id));
        }
    }
    for cell in plan.cells.iter().filter(|cell| plan.model(&cell.model).is_none()) {
        differs.push(format!("model {} of {cell}", cell.model));
    }
    for case in &plan.cases {
        if material.cases().find(|c| c.id == case.name).is_none_or(|c| c.digest != case.sha256) {
            differs.push(format!("case {}", case.name));
        }
    }
    for checker in &plan.checkers {
        let found = material.library.iter().find(|c| c.label() == checker.name);
        if found.is_none_or(|c| c.sha256 != checker.sha256) {
            differs.push(format!("checker {}", checker.name));
        }
    }
    if plan.fixtures != fixtures::pins(material) {
        differs.push("a fixture, or the list of ids,".to_owned());
    }
    differs.extend(unpinned(plan, material));
    differs
}

/// Cases and checkers that the cells need and the plan does not pin.
fn unpinned(plan: &Plan, material: &Material) -> Vec<String> {
    let mut missing = Vec::new();
    for cell in &plan.cells {
        let case = material.cases().find(|case| case.id == cell.case);
        let Some(variant) = case.and_then(|case| case.variant(cell.variant.as_deref())) else {
            missing.push(format!("case {}", cell.case_label()));
            continue;
        };
        if !plan.cases.iter().any(|input| input.name == cell.case) {
            missing.push(format!("case {}", cell.case));
        }
        let label = variant.checker.to_string();
        if !plan.checkers.iter().any(|input| input.name == label) {
            missing.push(format!("checker {label}"));
        }
    }
    missing.dedup();
    missing
}

/// What in the journal of `run` cannot have been written by playing `plan`.
///
/// # Errors
/// [`AuditError`] when something cannot be read.
pub fn journal(run: &RunDir, plan: &Plan, material: &Material) -> Result<Vec<String>, AuditError> {
    let path = run.journal();
    let recorded = recorded_lines(run)?;
    if !path.exists() {
        return Ok(vanished(&recorded));
    }
    let io_error = |source| ConcludeError::Io { path: path.clone(), source };
    let mut audit = Audit::new(plan, material)?;
    let mut lines = HashMap::new();
    let mut torn = None;
    for line in Lines::new(BufReader::new(File::open(&path).map_err(io_error)?)) {
        let Ok(line) = line else { break };
        if !line.complete {
            // It never counted: a resume sets it aside and plays it again, and a gate finds the manifest not to follow.
            torn = Some(line.number);
            break;
        }
        // One that is no transcript is reported by whoever concludes.
        let Ok(transcript) = jsonl::parse(&line) else { continue };
        lines.insert(line.number, digest::sha256_hex(line.text.as_bytes()));
        if let Some(why) = audit.fault(&transcript) {
            audit.faults.push(format!("line {}: {}: {why}", line.number, transcript.id));
        }
    }
    let mut faults = audit.faults;
    for (line, sha256) in &recorded {
        if lines.get(line) != Some(sha256) && torn != Some(*line) {
            faults.push(format!("line {line} is not the one that the manifest records"));
        }
    }
    Ok(faults)
}

/// The journal's lines as the manifest records them, if the run came that far.
fn recorded_lines(run: &RunDir) -> Result<Vec<(usize, String)>, RunDirError> {
    let Some(manifest) = run.manifest()? else { return Ok(Vec::new()) };
    let trials = manifest.cells.into_iter().flat_map(|cell| cell.trials);
    let mut lines: Vec<_> = trials
        .flat_map(|trial| trial.attempts)
        .map(|attempt| (attempt.line, attempt.transcript_sha256))
        .collect();
    lines.sort();
    Ok(lines)
}

fn vanished(recorded: &[(usize, String)]) -> Vec<String> {
    if recorded.is_empty() {
        return Vec::new();
    }
    vec![format!("the manifest records {} lines, and the journal is gone", recorded.len())]
}

/// What is known while the lines are read.
struct Audit<'m> {
    material: &'m Material,
    owed: HashSet<&'m Cell>,
    /// The plan's format: records before 2 do not speak of load verification.
    format: u32,
    runtime: tokio::runtime::Runtime,
    instances: HashMap<Cell, Option<Playable>>,
    /// Attempts so far by trial, and whether one of them ended without an error.
    attempts: HashMap<String, (u32, bool)>,
    faults: Vec<String>,
}

impl<'m> Audit<'m> {
    fn new(plan: &'m Plan, material: &'m Material) -> Result<Self, std::io::Error> {
        Ok(Self {
            owed: plan.cells.iter().collect(),
            format: plan.format,
            material,
            runtime: tokio::runtime::Builder::new_current_thread().build()?,
            instances: HashMap::new(),
            attempts: HashMap::new(),
            faults: Vec::new(),
        })
    }

    /// Why `transcript` cannot be what this program wrote at this place.
    fn fault(&mut self, transcript: &Transcript) -> Option<String> {
        let (before, settled) = self.attempts.get(&transcript.id).copied().unwrap_or_default();
        self.attempts.insert(transcript.id.clone(), (before + 1, settled || transcript.error.is_none()));
        if settled {
            return Some("it is played again after it had an answer".to_owned());
        }
        if transcript.attempt != Some(before + 1) {
            return Some(format!("it should be attempt {}", before + 1));
        }
        let (row, model) = (transcript.row?, transcript.model.clone()?);
        let cell = Cell { case: transcript.case.clone(), variant: transcript.variant.clone(), row, model };
        if !self.owed.contains(&cell) {
            // A stranger: the manifest lists it.
            return None;
        }
        let Some(model) = self.material.matrix.get(&cell.model) else {
            return Some("its model is not in the matrix".to_owned());
        };
        if !same(&Some(&model.decoding), &transcript.decoding.as_ref()) {
            return Some("it was sampled with other parameters than the matrix's".to_owned());
        }
        let material = self.material;
        let playable =
            self.instances.entry(cell.clone()).or_insert_with(|| Playable::new(material, &cell).ok());
        let Some(playable) = playable else {
            return Some("its instance cannot be made from the inputs".to_owned());
        };
        if transcript.case_sha256.as_deref() != Some(playable.case_sha256.as_str()) {
            return Some("it was played on another case than the inputs'".to_owned());
        }
        if !same(&playable.params, &transcript.params) {
            return Some("its parameters are not those of the case's row".to_owned());
        }
        if transcript.error.is_some() {
            return None;
        }
        if model.provider.program().is_some() {
            let mut steps = playing::steps(&material.charter.runtime, playable, model);
            playing::hide_charter_in(&mut steps);
            return retrace::difference(transcript, playable, model, &material.charter.runtime, &steps);
        }
        let load = LoadRecord::of(transcript);
        if self.format >= 2 && load.is_none_or(|load| load.verdict != LoadVerdict::Verified) {
            return Some("it has a verdict, but its charter was not verified".to_owned());
        }
        let again = self.runtime.block_on(play_again(transcript, playable, material, model));
        difference(&again, transcript).or_else(|| not_served_as_pinned(model, transcript))
    }
}

/// What the endpoint said of itself that would have ended the trial, were the record true.
fn not_served_as_pinned(model: &Model, transcript: &Transcript) -> Option<String> {
    let replies = transcript.messages.iter().filter(|message| message.is_models_own()).count();
    if transcript.served.len() != replies {
        return Some(format!("{replies} replies and {} words on who served them", transcript.served.len()));
    }
    let fault = transcript.served.iter().find_map(|served| drift::fault(model, served))?;
    Some(format!("it has no error, but {}", fault.message))
}

/// Plays the trial once more, with the model's own words from the record.
async fn play_again(
    transcript: &Transcript,
    playable: &Playable,
    material: &Material,
    model: &Model,
) -> Transcript {
    let mut own: Vec<Message> =
        transcript.messages.iter().filter(|message| message.is_models_own()).cloned().collect();
    own.reverse();
    let last = transcript.stop.unwrap_or(StopReason::Stop);
    let speaker = move |_: &[Message], _: usize| {
        let Some(message) = own.pop() else {
            let message = "the script asks for more replies than the record holds".to_owned();
            return Err(Failure::from(TrialError { kind: "audit".to_owned(), message }));
        };
        // Only the last reply's reason is on record; the others went on, whatever theirs was.
        let stop = if own.is_empty() { last } else { StopReason::Refusal };
        Ok(Reply {
            message,
            stop,
            usage: Usage::default(),
            served: transcript::Served::default(),
            retries: 0,
            fault: None,
        })
    };
    let record = Transcript::new(transcript.id.clone(), transcript.case.clone());
    let steps = playing::steps(&material.charter.runtime, playable, model);
    let workspace = Workspace::new(std::sync::Arc::clone(&playable.files));
    let mut again = replay::play(record, &steps, &playable.tools, workspace, speaker).await;
    playing::hide_charter(&mut again);
    again
}

/// The first part in which the record differs from the trial played again.
fn difference(again: &Transcript, recorded: &Transcript) -> Option<String> {
    if let Some(error) = &again.error {
        return Some(format!(
            "by its messages it ends in an error ({}), by its record it does not",
            error.message
        ));
    }
    if !same(&again.tools, &recorded.tools) {
        return Some("the tools offered are not the case's".to_owned());
    }
    let pairs = again.messages.iter().zip(&recorded.messages);
    if let Some(index) = pairs.clone().position(|(a, b)| !same(a, b)) {
        return Some(format!("message {index} is not what the case's script or its tools say there"));
    }
    if again.messages.len() != recorded.messages.len() {
        return Some(format!(
            "it has {} messages; the case's script makes {} of them",
            recorded.messages.len(),
            again.messages.len()
        ));
    }
    if !same(&again.workspace, &recorded.workspace) {
        return Some("the workspace is not what the calls make of it".to_owned());
    }
    if again.extra.get(replay::OMITTED) != recorded.extra.get(replay::OMITTED) {
        return Some("the turns left out are not the script's".to_owned());
    }
    None
}

/// Equal once both have been through JSON: what is on disk has been.
fn same<A: serde::Serialize, B: serde::Serialize>(left: &A, right: &B) -> bool {
    let through = |text: Result<String, serde_json::Error>| -> Option<serde_json::Value> {
        serde_json::from_str(&text.ok()?).ok()
    };
    let (left, right) = (through(serde_json::to_string(left)), through(serde_json::to_string(right)));
    left.is_some() && left == right
}
