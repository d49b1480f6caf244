//! `--reuse`: finished trials of identical cells are taken from another run rather than played again. Each says so in
//! the journal and in the manifest, and a gate refuses them: repeats that were copied are no repeats.
//!
//! Identical is: the same charter, the same case to the byte, the same row and parameters, a model entry that sends the
//! same request to the same place and pins the same, and the same number of the trial. Checkers may differ: what is
//! taken is judged anew.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use checkers::Outcome;
use model_matrix::{Model, Provider};
use reports::{Cell, Plan, TrialKey, digest};
use transcript::jsonl::{self, Lines};
use transcript::{ReusedFrom, Transcript};

use super::material::{Material, MaterialErrors, Shipped};
use super::rundir::{RunDir, RunDirError};
use crate::audit::{self, AuditError, inputs};
use crate::instance::Playable;
use crate::journal::{Journal, JournalError};
use crate::judging;

/// Why nothing can be taken from a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReuseError {
    /// It is no run, or cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// Its inputs cannot be used.
    #[error("the inputs of {} cannot be used: {source}", path.display())]
    Inputs {
        /// The run.
        path: PathBuf,
        /// What is wrong.
        source: MaterialErrors,
    },
    /// It cannot be audited.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// It is not as it was written.
    #[error("{} is not as this program wrote it, so nothing is taken from it:\n  {}", path.display(), faults.join("\n  "))]
    Changed {
        /// The run.
        path: PathBuf,
        /// In what.
        faults: Vec<String>,
    },
    /// Its journal cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A line of its journal cannot be read.
    #[error("{}: {source}", path.display())]
    Line {
        /// The journal.
        path: PathBuf,
        /// What is wrong.
        source: jsonl::ReadError,
    },
    /// The plan has no digest.
    #[error("the plan cannot be written down: {0}")]
    Plan(#[from] serde_json::Error),
    /// The new journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What was taken from a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many trials.
    pub trials: usize,
    /// Of how many: those of another shard are not asked for.
    pub of: usize,
    /// Why the others have to be played, with how many.
    pub others: BTreeMap<&'static str, usize>,
}

/// A run from which trials can be taken: read, and found to be as it was written.
#[derive(Debug)]
pub struct Source {
    run: RunDir,
    plan: Plan,
    material: Material,
}

impl Source {
    /// Opens the run at `path` and audits it.
    ///
    /// # Errors
    /// [`ReuseError`] when it is no run, or not as it was written.
    pub fn open(path: &Path) -> Result<Self, ReuseError> {
        let run = RunDir::open(path)?;
        let plan = run.plan()?;
        let material = Material::load(run.project()?, Shipped::No)
            .map_err(|source| ReuseError::Inputs { path: path.to_owned(), source })?;
        let mut findings = inputs::compare(&plan, &material, inputs::OWN).map_err(AuditError::from)?;
        findings.extend(audit::foreign(&run, &plan, &material)?);
        let faults: Vec<String> = findings.iter().map(ToString::to_string).collect();
        if faults.is_empty() {
            Ok(Self { run, plan, material })
        } else {
            Err(ReuseError::Changed { path: path.to_owned(), faults })
        }
    }

    /// Writes into the journal at `to` every trial that `plan` has to play itself and this run has finished in an identical
    /// cell.
    ///
    /// # Errors
    /// [`ReuseError`] when a journal cannot be read or written.
    pub async fn take(&self, to: &Path, plan: &Plan, material: &Material) -> Result<Taken, ReuseError> {
        let mut taken = Taken::default();
        let mut owed: HashSet<String> = HashSet::new();
        let mut reasons: HashMap<&Cell, Option<&'static str>> = HashMap::new();
        let mut trials: HashMap<String, TrialKey> = HashMap::new();
        for key in plan.trials().filter(|key| plan.owns(key)) {
            trials.insert(key.to_string(), key);
        }
        taken.of = trials.len();
        for cell in &plan.cells {
            reasons.insert(cell, self.difference(cell, plan, material));
        }
        for (id, key) in &trials {
            match reasons.get(&key.cell).copied().flatten() {
                Some(why) => *taken.others.entry(why).or_default() += 1,
                None => drop(owed.insert(id.clone())),
            }
        }
        let (journal, _) = Journal::open(to, &plan.digest()?)?;
        let (handle, writer) = journal.start();
        let path = self.run.journal();
        let io_error = |source| ReuseError::Io { path: path.clone(), source };
        if path.exists() {
            for line in Lines::new(BufReader::new(File::open(&path).map_err(io_error)?)) {
                let line = line.map_err(|source| ReuseError::Line { path: path.clone(), source })?;
                if !line.complete {
                    break;
                }
                let transcript =
                    jsonl::parse(&line).map_err(|source| ReuseError::Line { path: path.clone(), source })?;
                if owed.contains(&transcript.id) && is_finished(&transcript, material) {
                    owed.remove(&transcript.id);
                    let sha256 = digest::sha256_hex(line.text.as_bytes());
                    handle.keep(self.marked(transcript, sha256)).await?;
                    taken.trials += 1;
                }
            }
        }
        drop(handle);
        // It does not panic, and it has answered for every line.
        let _ = writer.join();
        if !owed.is_empty() {
            taken.others.insert("not finished there", owed.len());
        }
        Ok(taken)
    }

    fn marked(&self, mut transcript: Transcript, transcript_sha256: String) -> Transcript {
        transcript.attempt = Some(1);
        // It stood on another chain.
        transcript.prev = None;
        transcript.reused_from = Some(ReusedFrom { run: self.plan.run.clone(), transcript_sha256 });
        transcript
    }

    /// In what a cell of the new run differs from the one here.
    fn difference(&self, cell: &Cell, plan: &Plan, material: &Material) -> Option<&'static str> {
        if self.plan.charter.sha256 != plan.charter.sha256
            || self.plan.charter.runtime_sha256 != plan.charter.runtime_sha256
        {
            return Some("another charter");
        }
        let (Some(here), Some(there)) =
            (self.material.matrix.get(&cell.model), material.matrix.get(&cell.model))
        else {
            return Some("another model");
        };
        if !asks_alike(here, there) {
            return Some("another model entry");
        }
        if !self.plan.cells.contains(cell) {
            return Some("not owed there");
        }
        let (Ok(here), Ok(there)) = (Playable::new(&self.material, cell), Playable::new(material, cell))
        else {
            return Some("another case");
        };
        let same = here.case_sha256 == there.case_sha256 && here.params == there.params;
        (!same).then_some("another case")
    }
}

/// Whether both entries send the same requests to the same place and pin the same.
fn asks_alike(one: &Model, other: &Model) -> bool {
    let same_place = match (&one.provider, &other.provider) {
        // The key's variable may have another name: the request says nothing of it.
        (
            Provider::Api { wire: w1, model: m1, base_url: u1, auth: a1, .. },
            Provider::Api { wire: w2, model: m2, base_url: u2, auth: a2, .. },
        ) => (w1, m1, u1, a1) == (w2, m2, u2, a2),
        (one, other) => one == other,
    };
    same_place
        && one.pin == other.pin
        && one.decoding == other.decoding
        && one.stream == other.stream
        && one.limits.max_steps == other.limits.max_steps
}

/// Whether a trial has a verdict on the model, by the checkers of the new run.
fn is_finished(transcript: &Transcript, material: &Material) -> bool {
    transcript.error.is_none()
        && judging::judge(material.library.for_transcript(transcript), transcript).outcome != Outcome::Error
}
