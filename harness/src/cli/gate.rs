//! `assize gate`: may a release rest on a run? Everything is derived anew from the run's folder.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use harness::sitting::auditing;
use harness::sitting::concluding::{self, Conclusion};
use harness::sitting::material::{Material, Shipped};
use harness::sitting::planning::{self, Request};
use harness::sitting::rundir::RunDir;
use reports::{Answer, Decision, Plan, gate};

use super::exit::Exit;
use super::say::{self, BOLD, GREEN, RED, RESET, YELLOW, harmless};

/// Say whether a release may rest on a run
///
/// Verdicts, counts and the expected set are derived anew from the run's folder. There is no way to waive a failure.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The run's folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
}

/// Reasons shown; the rest is counted.
const SHOWN: usize = 50;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let decision = decide(&arguments.run)?;
    let mut out = say::page();
    let (colour, word, exit) = match decision.answer {
        Answer::Yes => (GREEN, "✓ yes: every expected trial of every model passed", Exit::Holds),
        Answer::No => (RED, "✗ no", Exit::No),
        Answer::Incomplete => {
            (YELLOW, "! incomplete: nothing failed, but not everything owed has a verdict", Exit::Incomplete)
        }
    };
    writeln!(out, "{colour}{BOLD}{word}{RESET}")?;
    for reason in decision.reasons.iter().take(SHOWN) {
        writeln!(out, "  - {}", harmless(reason, 400))?;
    }
    if decision.reasons.len() > SHOWN {
        writeln!(out, "  … and {} more", decision.reasons.len() - SHOWN)?;
    }
    for remark in &decision.remarks {
        writeln!(out, "  {YELLOW}note{RESET}: {}", harmless(remark, 400))?;
    }
    out.flush()?;
    Ok(exit)
}

fn decide(path: &Path) -> anyhow::Result<Decision> {
    let run = RunDir::open(path)?;
    let plan = run.plan()?;
    let material = Material::load(run.project()?, Shipped::No)
        .with_context(|| format!("the inputs of {} cannot be used", path.display()))?;
    let mut objections: Vec<String> = auditing::inputs(&plan, &material)
        .into_iter()
        .map(|what| format!("{what} among the run's inputs is not the one it was planned with"))
        .collect();
    objections.extend(shortfalls(&plan, &material)?);
    objections.extend(auditing::journal(&run, &plan, &material)?);
    let written = run.manifest()?;
    let Conclusion { manifest, .. } = concluding::conclude(&run, plan, &material)?;
    match written {
        None => objections.push("there is no manifest: the run was not concluded; resume it".to_owned()),
        Some(written) if written != manifest => objections
            .push("the manifest does not follow from the transcripts: one of them was changed, or another version judged".to_owned()),
        Some(_) => {}
    }
    let mut decision = gate::decide(&manifest);
    if !objections.is_empty() {
        decision.answer = Answer::No;
        objections.append(&mut decision.reasons);
        decision.reasons = objections;
    }
    Ok(decision)
}

/// What the plan owes less than its own inputs ask for.
fn shortfalls(plan: &Plan, material: &Material) -> anyhow::Result<Vec<String>> {
    let full = planning::plan(material, &Request::default(), plan.run.clone(), plan.planned.clone())?;
    let planned: std::collections::HashSet<_> = plan.cells.iter().collect();
    let mut missing: Vec<String> = full
        .cells
        .iter()
        .filter(|cell| !planned.contains(cell))
        .map(|cell| format!("{cell} is not among the trials planned"))
        .collect();
    if planned.len() != plan.cells.len() {
        missing.push("a cell is planned twice".to_owned());
    }
    let least = material.project.trials.max(planning::GATE_TRIALS);
    if plan.trials < least {
        missing.push(format!("a gate needs {least} trials a cell; this run planned {}", plan.trials));
    }
    Ok(missing)
}
