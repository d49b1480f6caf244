//! Whether a plan is what its inputs come to: those in the run's own folder, or those of a commit.

use std::collections::{HashMap, HashSet};

use reports::plan::Input;
use reports::{Finding, Plan, Rule};

use crate::case::Case;
use crate::sitting::material::Material;
use crate::sitting::planning::{self, PlanError, Request};
use crate::sitting::rundir::PLAN;

/// Where inputs come from, for messages.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'o> {
    /// What they are called, such as `the run's inputs`.
    pub name: &'o str,
    /// How many folders of checkers come before the project's own: a run keeps the shipped ones in one.
    pub shipped_folders: usize,
}

/// The inputs in a run's own folder.
pub const OWN: Origin<'static> = Origin { name: "the run's inputs", shipped_folders: 1 };

/// How `plan` differs from what `material` comes to.
///
/// # Errors
/// When the material cannot be read again.
pub fn compare(plan: &Plan, material: &Material, origin: Origin<'_>) -> Result<Vec<Finding>, PlanError> {
    let mut findings = Vec::new();
    let mut tell = |rule, what: &str, planned: &str, here: &str| {
        if planned != here {
            let message =
                format!("{what} among {} is not the one that the run was planned with", origin.name);
            findings.push(Finding::new(rule, message).of(PLAN).but(planned, here));
        }
    };
    let charter = &material.charter;
    tell(Rule::Charter, "the charter", &plan.charter.sha256, &charter.whole_sha256);
    tell(Rule::Charter, "the charter's runtime part", &plan.charter.runtime_sha256, &charter.runtime_sha256);
    let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "none".to_owned());
    tell(Rule::Charter, "the charter's version", &version(&plan.charter.version), &version(&charter.version));
    tell(Rule::Matrix, "the matrix", &plan.matrix.sha256, material.matrix.digest());
    let policy = planning::policy(material)?;
    tell(Rule::Policy, "the project file", &plan.policy.sha256, &policy.sha256);
    let folders = planning::checker_folders(material)?;
    let folders = folders.get(origin.shipped_folders..).unwrap_or_default();
    let digests =
        |folders: &[Input]| folders.iter().map(|folder| folder.sha256.as_str()).collect::<Vec<_>>().join(" ");
    tell(Rule::Checker, "a folder of checkers", &digests(&plan.checker_folders), &digests(folders));
    findings.extend(models(plan, material, origin));
    findings.extend(cases(plan, material, origin));
    findings.extend(checkers(plan, material, origin));
    Ok(findings)
}

fn differs(rule: Rule, what: &str, origin: Origin<'_>) -> Finding {
    let message = format!("{what} among {} is not the one that the run was planned with", origin.name);
    Finding::new(rule, message).of(PLAN)
}

/// What is expected of a model, and whether it is one at all, is not the plan's to say.
fn models(plan: &Plan, material: &Material, origin: Origin<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for model in &plan.models {
        match material.matrix.get(&model.id).map(planning::pin) {
            Some(known) if known == *model => {}
            Some(known) => findings.push(
                differs(Rule::Matrix, &format!("model {}", model.id), origin).but(json(model), json(&known)),
            ),
            None => findings
                .push(differs(Rule::Matrix, &format!("model {}", model.id), origin).but("a model", "none")),
        }
    }
    let named: HashSet<&str> = plan.cells.iter().map(|cell| cell.model.as_str()).collect();
    let mut unknown: Vec<_> = named.into_iter().filter(|id| plan.model(id).is_none()).collect();
    unknown.sort_unstable();
    findings.extend(unknown.into_iter().map(|id| {
        Finding::new(Rule::Matrix, format!("model {id} is owed trials and is not pinned")).of(PLAN)
    }));
    findings
}

/// A part of a record as it stands in its file.
fn json<T: serde::Serialize>(part: &T) -> String {
    serde_json::to_string(part).unwrap_or_default()
}

fn cases(plan: &Plan, material: &Material, origin: Origin<'_>) -> Vec<Finding> {
    let known: HashMap<&str, &Case> = material.cases().map(|case| (case.id.as_str(), case)).collect();
    let mut findings = Vec::new();
    for pin in &plan.cases {
        let what = format!("case {}", pin.name);
        match known.get(pin.name.as_str()).map(|case| planning::case_pin(case)) {
            Some(here) if here == *pin => {}
            Some(here) if here.sha256 != pin.sha256 => {
                findings.push(differs(Rule::Case, &what, origin).but(&pin.sha256, here.sha256));
            }
            Some(here) => findings.push(
                differs(Rule::Case, &format!("who judges {what}"), origin)
                    .but(json(&pin.judged_by), json(&here.judged_by)),
            ),
            None => findings.push(differs(Rule::Case, &what, origin).but(&pin.sha256, "no such case")),
        }
    }
    let mut unpinned: Vec<String> = plan
        .cells
        .iter()
        .filter(|cell| {
            let variant =
                known.get(cell.case.as_str()).and_then(|case| case.variant(cell.variant.as_deref()));
            plan.case(&cell.case).is_none()
                || variant.is_none_or(|variant| cell.row == 0 || cell.row > variant.rows())
        })
        .map(|cell| format!("{} row {}", cell.case_label(), cell.row))
        .collect();
    unpinned.dedup();
    findings.extend(unpinned.into_iter().map(|what| {
        Finding::new(
            Rule::Case,
            format!("case {what} is owed trials and is not pinned, or not among {}", origin.name),
        )
        .of(PLAN)
    }));
    findings
}

fn checkers(plan: &Plan, material: &Material, origin: Origin<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for pin in &plan.checkers {
        let what = format!("checker {}", pin.name);
        let here =
            material.library.iter().find(|checker| checker.label() == pin.name).map(planning::checker_pin);
        match here {
            Some(here) if here == *pin => {}
            Some(here) if here.sha256 != pin.sha256 => {
                findings.push(differs(Rule::Checker, &what, origin).but(&pin.sha256, here.sha256));
            }
            Some(here) => findings.push(
                differs(Rule::Checker, &format!("the controls of {what}"), origin)
                    .but(&pin.controls_sha256, here.controls_sha256),
            ),
            None => findings.push(differs(Rule::Checker, &what, origin).but(&pin.sha256, "no such checker")),
        }
    }
    let mut unpinned: Vec<String> = plan
        .cases
        .iter()
        .flat_map(|case| &case.judged_by)
        .filter(|judge| !plan.checkers.iter().any(|checker| checker.name == judge.checker))
        .map(|judge| format!("checker {} judges and is not pinned", judge.checker))
        .collect();
    unpinned.sort();
    unpinned.dedup();
    findings.extend(unpinned.into_iter().map(|what| Finding::new(Rule::Checker, what).of(PLAN)));
    findings
}

/// What `plan` owes less than `material` asks for: the expected set is computed anew, never taken from the record.
///
/// # Errors
/// When the material asks for nothing at all.
pub fn shortfalls(plan: &Plan, material: &Material, origin: Origin<'_>) -> Result<Vec<Finding>, PlanError> {
    let full = planning::plan(material, &Request::default(), plan.run.clone(), plan.planned.clone())?;
    let planned: HashSet<_> = plan.cells.iter().collect();
    let short = |message: String| Finding::new(Rule::ExpectedSet, message).of(PLAN);
    let mut findings: Vec<Finding> = full
        .cells
        .iter()
        .filter(|cell| !planned.contains(cell))
        .map(|cell| short(format!("{cell} is not among the trials planned, and {} ask for it", origin.name)))
        .collect();
    if planned.len() != plan.cells.len() {
        findings.push(short("a cell is planned twice".to_owned()));
    }
    let least = material.project.trials.max(planning::GATE_TRIALS);
    if plan.trials < least {
        findings.push(short(format!("a gate needs {least} trials a cell; this run planned {}", plan.trials)));
    }
    Ok(findings)
}
