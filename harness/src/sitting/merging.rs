//! The shards of a run, joined. What comes out is as if one machine had played all of it, or nothing comes out: shards
//! that differ in anything but their part, that overlap, or that leave a hole are refused by name.

mod journals;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reports::{Plan, Shard};

use super::alike;
use super::evidence;
use super::material::{Material, MaterialErrors, Shipped};
use super::planning::PlanError;
use super::rundir::{RunDir, RunDirError};
use crate::audit::inputs;

/// Why shards cannot be joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A folder cannot be read or written.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// The inputs cannot be used.
    #[error("the inputs of the shards cannot be used: {0}")]
    Material(#[from] MaterialErrors),
    /// The inputs cannot be read again.
    #[error(transparent)]
    Inputs(#[from] PlanError),
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// They do not make up one run.
    #[error("these folders do not make up one run:\n  {}", .0.join("\n  "))]
    Refused(Vec<String>),
    /// The joined plan cannot be written down.
    #[error("the plan cannot be written down: {0}")]
    Json(#[from] serde_json::Error),
}

/// A shard's folder with its plan.
#[derive(Debug)]
struct Part {
    run: RunDir,
    plan: Plan,
    shard: Shard,
}

/// What may differ between the plans of shards.
const OF_A_SHARD: [&str; 3] = [alike::OWN[0], alike::OWN[1], "shard"];

/// Findings shown; the rest is counted.
const SHOWN: usize = 20;

/// Joins the runs in `folders` into a new one at `out`, with the name `name`.
///
/// # Errors
/// [`MergeError`]; then nothing is at `out` but perhaps a folder that is no run.
pub fn merge(folders: &[PathBuf], out: &Path, name: String) -> Result<(RunDir, Plan, Material), MergeError> {
    let parts = open(folders)?;
    let Some(first) = parts.first() else {
        return Err(MergeError::Refused(vec!["no folder is named".to_owned()]));
    };
    refuse(differences(&parts)?)?;
    let mut faults = coverage(&parts);
    faults.extend(differing_inputs(&parts)?);
    refuse(faults)?;
    let material = Material::load(first.run.project()?, Shipped::No)?;
    let unplanned = inputs::compare(&first.plan, &material, inputs::OWN)?;
    refuse(unplanned.iter().map(ToString::to_string).collect())?;
    let journals = journals::read(&parts)?;
    refuse(journals.faults)?;
    let planned = parts.iter().map(|part| part.plan.planned.clone()).min().unwrap_or_default();
    let plan = Plan { run: name, planned, shard: None, ..first.plan.clone() };
    let run = RunDir::adopt(out, &first.run)?;
    journals::write(&parts, &journals.places, &plan.digest()?, &run.journal())?;
    // The first shard's machine runs the static fixtures for all.
    let statics = first.run.statics()?;
    if !statics.is_empty() {
        run.record_statics(&statics)?;
    }
    // Last: a folder without a plan is no run, so that a merge that was cut off is never taken for one to go on with.
    run.begin(&plan)?;
    Ok((run, plan, material))
}

fn refuse(mut faults: Vec<String>) -> Result<(), MergeError> {
    if faults.is_empty() {
        return Ok(());
    }
    if faults.len() > SHOWN {
        let more = faults.len() - SHOWN;
        faults.truncate(SHOWN);
        faults.push(format!("… and {more} more"));
    }
    Err(MergeError::Refused(faults))
}

/// Opens the folders, in the order of their parts.
fn open(folders: &[PathBuf]) -> Result<Vec<Part>, MergeError> {
    let mut parts = Vec::new();
    let mut whole = Vec::new();
    for folder in folders {
        let run = RunDir::open(folder)?;
        let plan = run.plan()?;
        match plan.shard {
            Some(shard) => parts.push(Part { run, plan, shard }),
            None => whole.push(format!(
                "{} was planned whole, not as a shard (`assize run --shard k/n`)",
                folder.display()
            )),
        }
    }
    refuse(whole)?;
    parts.sort_by_key(|part| part.shard.index);
    Ok(parts)
}

impl Part {
    fn shown(&self) -> String {
        format!("{} (shard {})", self.run.path().display(), self.shard)
    }
}

/// In what the plans differ from the first one.
fn differences(parts: &[Part]) -> Result<Vec<String>, MergeError> {
    let mut faults = Vec::new();
    let Some((first, rest)) = parts.split_first() else { return Ok(faults) };
    match Plan::digest_of(&first.plan.cells, first.plan.trials) {
        Ok(sha256) if sha256 == first.plan.expected_sha256 => {}
        _ => faults.push(format!("{}: the expected set does not have its digest", first.shown())),
    }
    for part in rest {
        if part.shard.of != first.shard.of {
            faults.push(format!("{} is not of as many shards as {}", part.shown(), first.shown()));
        }
        let words = alike::differences(&first.plan, &part.plan, &OF_A_SHARD)?;
        faults.extend(
            words.iter().map(|words| format!("{} and {} differ in {words}", first.shown(), part.shown())),
        );
    }
    Ok(faults)
}

/// Parts that are there twice, and parts that are not there.
fn coverage(parts: &[Part]) -> Vec<String> {
    let mut faults = Vec::new();
    let Some(of) = parts.first().map(|part| part.shard.of) else { return faults };
    for pair in parts.windows(2).filter(|pair| pair[0].shard == pair[1].shard) {
        let (one, other) = (pair[0].run.path().display(), pair[1].run.path().display());
        faults.push(format!("shard {} is there twice, in {one} and in {other}", pair[0].shard));
    }
    let there = |index: u32| parts.binary_search_by_key(&index, |part| part.shard.index).is_ok();
    faults.extend(
        (1..=of).filter(|index| !there(*index)).map(|index| format!("shard {index}/{of} is missing")),
    );
    faults
}

/// Files among the inputs that are not the first shard's.
fn differing_inputs(parts: &[Part]) -> Result<Vec<String>, MergeError> {
    let mut faults = Vec::new();
    let mut known: Option<BTreeMap<PathBuf, [u8; 32]>> = None;
    for part in parts {
        let mut files = BTreeMap::new();
        for file in part.run.input_files()? {
            let path = part.run.path().join(&file);
            let (_, sha256) = evidence::sha256_of(&path).map_err(|source| MergeError::Io { path, source })?;
            files.insert(file, sha256);
        }
        let Some(first) = &known else {
            known = Some(files);
            continue;
        };
        let mut names: Vec<&PathBuf> = first.keys().chain(files.keys()).collect();
        names.sort();
        names.dedup();
        for name in names.into_iter().filter(|name| first.get(*name) != files.get(*name)) {
            faults.push(format!("{}: {} is not the first shard's", part.shown(), name.display()));
        }
    }
    Ok(faults)
}
