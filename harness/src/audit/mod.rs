//! Whether a run's record is what it says it is: everything that can be derived is derived anew, from the expected set
//! to each verdict, and held against what was written down. Nothing is sent anywhere.
//!
//! - [`inputs`]: whether the plan is what its inputs, or a commit's files, come to
//! - [`change`]: whether an edit of the charter may land
//! - `edits`: what a change does to cases, fixtures and judges that were there
//! - `less`: what a change asks for less than its base
//! - [`commit`]: a project's files at a commit
//! - `journal`: the transcripts, judged and played again
//! - `draft`: the manifest that they come to
//! - `again`: one trial played again with the model's own words
//! - [`rehearsal`]: what an audit will say of a checkout, before a run of it
//! - `witness`: whether the journal is the one that the sittings left
//! - `records`: whether plan, manifest and verdicts have their form and follow from the transcripts
//!
//! All findings are told, not the first: whoever mends a record wants the whole list.

mod again;
pub mod change;
pub mod commit;
mod draft;
mod edits;
pub mod inputs;
mod instances;
mod journal;
mod less;
mod records;
pub mod rehearsal;
mod witness;

use std::io;
use std::path::Path;

use model_matrix::Role;
use reports::attestation::PublicKey;
use reports::manifest::Evidence;
use reports::{Answer, Finding, Manifest, Plan, Rule, gate};
use tempfile::TempDir;

use crate::pack::{self, PackError};
use crate::sitting::attesting::{self, AttestError};
use crate::sitting::material::{Material, Shipped};
use crate::sitting::planning::PlanError;
use crate::sitting::rundir::{self, RunDir, RunDirError};
use commit::{AtCommit, CommitError};
use draft::{Drawn, Sources};
use journal::Journal;

/// Why no audit can be made. What is wrong with the record itself is no error but a [`Finding`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// A pack cannot be opened at all.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The journal cannot be opened.
    #[error("the journal cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The statements cannot be read.
    #[error(transparent)]
    Attest(#[from] AttestError),
    /// The expected set cannot be computed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The commit cannot be read.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// A run, from its folder or unpacked from a pack.
#[derive(Debug)]
pub struct Opened {
    /// The run.
    pub run: RunDir,
    /// Keeps an unpacked run alive.
    _unpacked: Option<TempDir>,
}

/// Opens a run's folder or a pack of one.
///
/// # Errors
/// When `path` is neither, or the pack is damaged.
pub fn open(path: &Path) -> Result<Opened, AuditError> {
    if pack::is_pack(path) {
        let unpacked = pack::unpack(path)?;
        return Ok(Opened { run: RunDir::open(unpacked.path())?, _unpacked: Some(unpacked) });
    }
    Ok(Opened { run: RunDir::open(path)?, _unpacked: None })
}

/// What is asked of an audit besides the record's own truth.
#[derive(Debug, Default)]
pub struct Question<'q> {
    /// The commit that the run must be of.
    pub commit: Option<&'q AtCommit>,
    /// The keys that must have signed, each of them.
    pub keys: &'q [PublicKey],
    /// Whether the matrix must span from the strongest model to the weakest one deployed.
    pub whole_matrix: bool,
}

/// What an audit comes to.
#[derive(Debug)]
pub struct Report {
    /// Everything that is wrong.
    pub findings: Vec<Finding>,
    /// The manifest as it was derived, when the record could be read that far. The only attempt at a trial is told of in
    /// the findings and not kept, unless a statement was signed over it.
    pub manifest: Option<Manifest>,
    /// The keys that the run names as its signers, whether or not they were held against it.
    pub signers: Vec<String>,
}

impl Report {
    /// The answer.
    #[must_use]
    pub fn answer(&self) -> Answer {
        Answer::to(&self.findings)
    }
}

/// Audits a run.
///
/// # Errors
/// [`AuditError`] when something cannot be read at all.
pub fn audit(run: &RunDir, question: &Question<'_>) -> Result<Report, AuditError> {
    let material = own_material(run);
    audit_with(run, material.as_ref().map_err(String::as_str), question)
}

/// Audits a run whose own inputs are loaded already, or cannot be, and why.
///
/// # Errors
/// As for [`audit`].
pub fn audit_with(
    run: &RunDir,
    material: Result<&Material, &str>,
    question: &Question<'_>,
) -> Result<Report, AuditError> {
    let (listing, evidence) = run.evidence()?;
    let mut of_plan = Vec::new();
    let derived = match records::plan(run, &mut of_plan)? {
        Some(plan) => derive(run, &plan, material, &evidence, question)?,
        None => Derived::default(),
    };
    let Derived { of_inputs, of_verdicts, mut journal, drawn } = derived;
    let mut findings = Vec::new();
    // A file that is what was derived, byte for byte, has nothing more to tell.
    let same = drawn.as_ref().filter(|drawn| drawn.is_written).map(|drawn| &drawn.manifest);
    let written = if same.is_some() { None } else { records::manifest(run, &mut findings)? };
    if let Some(recorded) = same.or(written.as_ref()) {
        findings.extend(attesting::compare_files(recorded, listing, &evidence));
    }
    findings.extend(of_plan);
    findings.extend(of_inputs);
    if let (Some(written), Some(journal)) = (&written, &journal) {
        findings.extend(records::lines(written, journal));
    }
    findings.extend(of_verdicts);
    if let (Some(written), Some(drawn), Some(journal), Ok(material)) =
        (&written, &drawn, &mut journal, material)
    {
        let sources = Sources { run, plan: &drawn.manifest.plan, material };
        findings.extend(records::differences(sources, &drawn.manifest, written, &mut journal.rows)?);
    }
    let derived = drawn.map(|drawn| {
        findings.extend(gate::findings_with(&drawn.manifest, drawn.trials));
        drawn.manifest
    });
    if let Some(manifest) = derived.as_ref().or(written.as_ref()) {
        findings.extend(attesting::check(run, manifest, question.keys)?);
    }
    Ok(Report { findings: in_order(findings), manifest: derived, signers: attesting::signers(run)? })
}

/// What follows from plan, inputs and journal.
#[derive(Default)]
struct Derived {
    /// What is wrong with the inputs, and with each line of the journal by itself.
    of_inputs: Vec<Finding>,
    of_verdicts: Vec<Finding>,
    /// The journal and the manifest, when the inputs can be used.
    journal: Option<Journal>,
    drawn: Option<Drawn>,
}

/// Derives the record from plan, inputs and journal.
fn derive(
    run: &RunDir,
    plan: &Plan,
    material: Result<&Material, &str>,
    evidence: &[Evidence],
    question: &Question<'_>,
) -> Result<Derived, AuditError> {
    let mut derived = Derived::default();
    let material = match material {
        Ok(material) => material,
        Err(message) => {
            derived.of_inputs.push(Finding::new(Rule::Unreadable, message).of(rundir::INPUTS));
            return Ok(derived);
        }
    };
    let findings = &mut derived.of_inputs;
    findings.extend(inputs::compare(plan, material, inputs::OWN)?);
    if question.whole_matrix {
        findings.extend(span(plan, material));
    }
    match question.commit {
        Some(commit) => findings.extend(commit.compare(plan)?),
        // What the commit asks for says more than what the run's own copies do.
        None => findings.extend(inputs::shortfalls(plan, material, inputs::OWN)?),
    }
    let mut journal = journal::read(run, plan, material)?;
    findings.append(&mut journal.findings);
    findings.extend(witness::against(&journal, run)?);
    records::verdicts(run, &mut journal.rows, &mut derived.of_verdicts)?;
    // Only a statement over the whole manifest needs all of it at once.
    let is_signed = !question.keys.is_empty() || run.path().join(attesting::FOLDER).exists();
    let sources = Sources { run, plan, material };
    derived.drawn = Some(sources.draw_up(&mut journal, evidence.to_vec(), is_signed)?);
    derived.journal = Some(journal);
    Ok(derived)
}

/// What in a run's journal cannot have been written by playing its plan: with any of it, the run cannot go on, and
/// nothing may be concluded from it. A torn last line is none: it never counted, and is played again.
///
/// # Errors
/// [`AuditError`] when something cannot be read.
pub fn foreign(run: &RunDir, plan: &Plan, material: &Material) -> Result<Vec<Finding>, AuditError> {
    let journal = journal::read(run, plan, material)?;
    let mut foreign = journal.findings.clone();
    foreign.retain(|finding| finding.rule != Rule::Reused);
    if let Some(manifest) = run.manifest()? {
        foreign.extend(records::lines(&manifest, &journal));
    }
    foreign.retain(|finding| finding.line.is_none_or(|line| Some(line) != journal.torn));
    foreign.extend(witness::against(&journal, run)?);
    Ok(foreign)
}

/// The run's own inputs.
fn own_material(run: &RunDir) -> Result<Material, String> {
    let project = run.project().map_err(|error| error.to_string())?;
    Material::load(project, Shipped::No).map_err(|error| format!("the run's inputs cannot be used: {error}"))
}

/// What a matrix lacks that does not reach from the strongest model to the weakest one deployed, all of them models.
fn span(plan: &Plan, material: &Material) -> Vec<Finding> {
    [(Role::FrontierReference, "frontier-reference"), (Role::WeakestDeployed, "weakest-deployed")]
        .into_iter()
        .filter(|(role, _)| {
            !material.matrix.models.iter().any(|model| {
                model.role == *role && !model.provider.is_replay() && plan.model(&model.id).is_some()
            })
        })
        .map(|(_, name)| {
            let message =
                format!("no model in the role `{name}` was tried; a release needs both ends of the matrix");
            Finding::new(Rule::Matrix, message).of(&plan.matrix.name)
        })
        .collect()
}

/// Without repetitions; what says no before what is only missing.
fn in_order(findings: Vec<Finding>) -> Vec<Finding> {
    let mut seen = std::collections::HashSet::new();
    let mut findings: Vec<Finding> =
        findings.into_iter().filter(|finding| seen.insert(finding.to_string())).collect();
    findings.sort_by_key(|finding| finding.rule.is_incomplete());
    findings
}
