//! `assize merge`: joins the shards of a run.

use std::io::Write as _;
use std::path::PathBuf;

use harness::sitting::concluding;
use harness::sitting::{merging, reporting};

use super::exit::Exit;
use super::fetched::Fetched;
use super::{run, say, summary};

/// Join the shards of a run, played with `assize run --shard k/n`
///
/// The joined run is as if one machine had played it. Shards that differ in charter, cases, checkers, matrix or expected
/// set, that overlap, or that leave a hole are refused.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The shards' folders, in any order; or places in a store, each of one shard or of all below it
    #[arg(value_name = "DIR|URL", required = true)]
    shards: Vec<PathBuf>,
    /// The joined run's folder; it must not be there yet
    #[arg(long, short, value_name = "RUN")]
    out: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let name = super::perform::name_of(&arguments.out);
    let shards = Fetched::all(&arguments.shards)?;
    let merged = merging::merge(shards.paths(), &arguments.out, name);
    let (run, plan, material) = merged.map_err(|error| shards.named(error.into()))?;
    let conclusion = concluding::conclude(&run, plan, &material)?;
    run.conclude(&conclusion.rows, &conclusion.manifest)?;
    let report = reporting::of(conclusion, &material);
    let mut out = say::page();
    summary::print(&mut out, run.path(), &report, say::columns(&std::io::stdout()))?;
    out.flush()?;
    Ok(run::exit(&report))
}
