//! Whether a run can be tonight's. A night's figures are read as those of the project as it is now, all of it, so a run
//! that played less, something else, or earlier is no night, however it came to be.

use std::collections::HashSet;
use std::path::Path;

use harness::audit::inputs::{self, Origin};
use harness::project::Project;
use harness::sitting::material::{Material, Shipped};
use harness::sitting::planning::{self, Request, Rows};
use reports::Plan;
use reports::nightly::History;

/// The project's files, for messages.
const PROJECT: Origin<'static> = Origin { name: "the project's files", shipped_folders: 0 };

/// Refuses a run that is not exactly what a night of `project` plays, or older than the last night on record.
pub(super) fn check(path: &Path, plan: &Plan, project: Project, history: &History) -> anyhow::Result<()> {
    let mut faults = Vec::new();
    if let Some(shard) = plan.shard {
        faults.push(format!("it is shard {shard}, and a night is played whole"));
    }
    // An incomplete night is on record, and may be completed as long as no other night followed.
    if let Some(last) = history.nights().last().filter(|last| last.run != plan.run)
        && last.planned > plan.planned
    {
        faults.push(format!(
            "it was planned on {}, before night {} ({})",
            plan.planned, last.number, last.planned
        ));
    }
    let material = Material::load(project, Shipped::Yes)?;
    let differs = inputs::compare(plan, &material, PROJECT)?;
    if differs.is_empty() {
        faults.extend(narrowed(plan, &material));
    } else {
        faults.extend(differs.iter().map(ToString::to_string));
    }
    anyhow::ensure!(
        faults.is_empty(),
        "{} cannot be tonight's run:\n  {}\nplay a new night, without --resume",
        path.display(),
        faults.join("\n  ")
    );
    Ok(())
}

/// In what the plan is not that of a night: a night chooses rows and trials, and nothing else.
fn narrowed(plan: &Plan, material: &Material) -> Vec<String> {
    let one = plan.cells.first().map(|cell| Rows::One(cell.row));
    let rows = one.into_iter().chain([Rows::Canonical, Rows::All]);
    let nights: Vec<Plan> = rows
        .filter_map(|rows| {
            let request = Request { rows, trials: Some(plan.trials), ..Request::default() };
            // A row that some case lacks makes no plan, and so no night.
            planning::plan(material, &request, plan.run.clone(), plan.planned.clone()).ok()
        })
        .collect();
    let same =
        |night: &Plan| night.expected_sha256 == plan.expected_sha256 && night.narrowed == plan.narrowed;
    if nights.iter().any(same) {
        return Vec::new();
    }
    let usual: HashSet<&String> = nights.iter().flat_map(|night| &night.narrowed).collect();
    let narrowed: Vec<&str> =
        plan.narrowed.iter().filter(|what| !usual.contains(what)).map(String::as_str).collect();
    vec![if narrowed.is_empty() {
        "the trials it owes are not those that a night of this project plays".to_owned()
    } else {
        format!("it is narrowed: {}", narrowed.join("; "))
    }]
}
