//! The change gate: whether an edit of the charter, its cases or its policy may land, given a run of exactly what is to
//! land and the project as it was at the base.

use std::collections::{BTreeMap, BTreeSet};

use reports::{Finding, Manifest, Plan, Rule, Standing};

use super::commit::AtCommit;
use super::edits::{self, Edits};
use super::inputs::{self, Origin};
use super::{AuditError, less};
use crate::charter::edit::{self, Classified, Edit};
use crate::sitting::material::Material;

/// What a change comes to.
#[derive(Debug)]
pub struct Change {
    /// What the edit amounts to.
    pub classified: Classified,
    /// What forbids it.
    pub findings: Vec<Finding>,
    /// What it asks for less than the base did, or of somebody else, when that is all it does.
    pub policy_edits: Vec<String>,
    /// What else it does to the examination that was there.
    pub examination: Examination,
}

/// What a change does to the cases and fixtures that were there, and to what judges them.
#[derive(Debug, Default)]
pub struct Examination {
    /// What forbids it.
    pub findings: Vec<Finding>,
    /// What is not as it was, when the charter is as it was.
    pub edits: Vec<String>,
    /// What came, and takes nothing away.
    pub additions: Vec<String>,
}

/// Weighs the change from `base` to `head`, of which `plan` is the plan of the run that speaks for it.
///
/// # Errors
/// When the expected set cannot be computed, or a folder of checkers cannot be read again.
pub fn weigh(base: &AtCommit, head: &Material, plan: &Plan) -> Result<Change, AuditError> {
    let origin = Origin { name: "the project's files", shipped_folders: 0 };
    let mut findings = inputs::compare(plan, head, origin)?;
    findings.extend(inputs::shortfalls(plan, head, origin)?);
    let before = &base.material;
    let classified = classified(before, head);
    if let Some((expected, found)) = edit::step_fault(&before.charter, &head.charter, classified.edit) {
        let message = format!("the version does not say what the edit is ({})", classified.edit);
        findings.push(Finding::new(Rule::Version, message).of(&plan.charter.path).but(expected, found));
    }
    findings.extend(unregistered(before, head));
    let less = less::asked(before, head);
    let edited = before.charter.whole_sha256 != head.charter.whole_sha256;
    let policy_edits = if edited && classified.edit != Edit::None {
        findings.extend(less.into_iter().map(|what| {
            let message = format!(
                "the change asks for less than the base did, or of somebody else ({what}), in the same change that edits the charter; make it a change of its own"
            );
            Finding::new(Rule::Policy, message).of(&plan.policy.name)
        }));
        Vec::new()
    } else {
        less
    };
    let mut examination = examination(base, head)?;
    findings.append(&mut examination.findings);
    Ok(Change { classified, findings, policy_edits, examination })
}

/// What the change from `base` to `head` does to the examination that was there. Beside an edit of the charter any of it
/// could be what makes the edit pass, so there it is refused.
///
/// # Errors
/// When a folder of checkers cannot be read again.
pub fn examination(base: &AtCommit, head: &Material) -> Result<Examination, AuditError> {
    let before = &base.material;
    let Edits { changed, added, swapped } = edits::between(before, head)?;
    let mut found = Examination { findings: swapped, edits: Vec::new(), additions: added };
    if edits_charter(before, head) {
        found.findings.extend(changed.into_iter().map(|finding| {
            let message = format!(
                "{}, in the same change that edits the charter; make it a change of its own, and land that first",
                finding.message
            );
            Finding { message, ..finding }
        }));
    } else {
        found.edits.extend(changed.iter().map(ToString::to_string));
    }
    Ok(found)
}

/// Whether models are sent another charter than before, or a step of its version is asked for.
fn edits_charter(before: &Material, head: &Material) -> bool {
    let (then, now) = (&before.charter, &head.charter);
    then.runtime_sha256 != now.runtime_sha256
        || (then.whole_sha256 != now.whole_sha256 && classified(before, head).edit != Edit::None)
}

fn classified(before: &Material, head: &Material) -> Classified {
    edit::classify(&before.charter, &head.charter, &case_ids(before), &case_ids(head))
}

fn case_ids(material: &Material) -> BTreeSet<String> {
    material.cases().map(|case| case.id.clone()).collect()
}

/// New cases that no row of the registry names: the registry takes the step too.
fn unregistered(before: &Material, head: &Material) -> Vec<Finding> {
    let known = case_ids(before);
    let mut findings = Vec::new();
    for set in &head.sets {
        for case in set.cases.iter().filter(|case| !known.contains(&case.id)) {
            if !set.registry.modes.iter().any(|mode| mode.cases.contains(&case.id)) {
                let message = format!("the new case {} is in no row of the registry", case.id);
                findings
                    .push(Finding::new(Rule::Change, message).of(set.registry.path.display().to_string()));
            }
        }
    }
    findings
}

/// The registry rows that a run asks for: cases that fail on the weakest model deployed and on no other. Such a case
/// blocks the change as any other does; the row says why it is there. Each is a line of CSV.
#[must_use]
pub fn rows_to_add(manifest: &Manifest, material: &Material) -> Vec<String> {
    let weakest: BTreeSet<&str> = manifest
        .plan
        .models
        .iter()
        .filter(|model| model.role == "weakest-deployed")
        .map(|model| model.id.as_str())
        .collect();
    let mut failed: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for cell in
        manifest.cells.iter().filter(|cell| manifest.plan.model(&cell.cell.model).is_some_and(|m| !m.replay))
    {
        for trial in cell.trials.iter().filter(|trial| trial.standing == Standing::Failed) {
            let (models, clauses) = failed.entry(&cell.cell.case).or_default();
            models.insert(&cell.cell.model);
            clauses.extend(trial.failed_clauses.iter().map(String::as_str));
        }
    }
    let others =
        manifest.plan.models.iter().any(|model| !model.replay && !weakest.contains(model.id.as_str()));
    failed
        .into_iter()
        .filter(|(_, (models, _))| others && models.is_subset(&weakest))
        .filter_map(|(id, (models, clauses))| {
            let name = &material.cases().find(|case| case.id == id)?.name;
            let models = models.into_iter().collect::<Vec<_>>().join(" ");
            let clauses = clauses.into_iter().collect::<Vec<_>>().join(", ");
            csv_row(&[
                &format!("{name}-on-the-weakest-model"),
                &format!("{} on the weakest model", name.replace('-', " ")),
                &format!("fails {clauses} on {models} and on no other model"),
                "none yet: the charter must reach this model too",
                id,
            ])
        })
        .collect()
}

fn csv_row(cells: &[&str]) -> Option<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells).ok()?;
    let line = String::from_utf8(writer.into_inner().ok()?).ok()?;
    Some(line.trim_end().to_owned())
}
