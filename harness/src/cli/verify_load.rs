//! `assize verify-load`: whether each model gets the charter, by one tiny prompt through a relay that looks at requests.

use std::io::Write;
use std::path::{Path, PathBuf};

use harness::project::Project;
use harness::sitting::material::{Material, Shipped};
use harness::sitting::verifying;
use reports::{LoadRecord, LoadVerdict};

use super::exit::Exit;
use super::say::{self, BOLD, DIM, RESET, harmless};
use super::summary;

/// Say for each model whether the charter arrives, and nothing from below its marker
///
/// Sends one tiny prompt to each model, through a relay on 127.0.0.1, and searches the requests for every line of the
/// charter's runtime part and for a line from below its marker. The requests are not kept.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only these models of the matrix; repeatable
    #[arg(long = "model", value_name = "ID")]
    models: Vec<String>,
    /// Another matrix than the project's
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let project = Project::find(project)?.with(None, arguments.matrix.as_deref());
    let material = Material::load(project, Shipped::Yes)?;
    for id in &arguments.models {
        let known: Vec<&str> = material.matrix.models.iter().map(|model| model.id.as_str()).collect();
        anyhow::ensure!(
            material.matrix.get(id).is_some(),
            "--model {id} matches no model of the matrix; there are {}",
            known.join(", ")
        );
    }
    let chosen = material
        .matrix
        .models
        .iter()
        .filter(|model| arguments.models.is_empty() || arguments.models.contains(&model.id));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut verdicts = Vec::new();
    let mut out = say::page();
    for model in chosen {
        let env = |name: &str| std::env::var(name).ok();
        let record = runtime.block_on(verifying::verify(model, &material.charter, env));
        print(&mut out, &model.id, &record)?;
        out.flush()?;
        verdicts.push(record.verdict);
    }
    Ok(exit(&verdicts))
}

fn print(out: &mut impl Write, id: &str, record: &LoadRecord) -> std::io::Result<()> {
    let (colour, word) = summary::loaded(record.verdict);
    writeln!(out, "{BOLD}{id}{RESET}: {colour}{word}{RESET} {DIM}({}){RESET}", harmless(&record.how, 500))
}

fn exit(verdicts: &[LoadVerdict]) -> Exit {
    if verdicts.iter().any(|verdict| matches!(verdict, LoadVerdict::Missing | LoadVerdict::Leaked)) {
        Exit::No
    } else if verdicts.contains(&LoadVerdict::NotRun) {
        Exit::Incomplete
    } else {
        Exit::Holds
    }
}
