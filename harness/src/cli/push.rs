//! `assize push`: a run's folder, sent to a store.

use std::path::PathBuf;

use harness::journal::Journal;
use harness::sitting::rundir::RunDir;
use harness::store::{Place, Sender};

use super::exit::Exit;
use super::kept::{Kept, runtime};
use super::say;

/// Send a run's folder to an object store, or what the store lacks of it
///
/// What `assize run --store` does while it plays, for a run that was played without it, or whose store did not take
/// everything. Only builds with the feature `object-store` know stores.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The run's folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The place: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER
    #[arg(value_name = "URL")]
    store: String,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let kept = Kept::at(arguments.store.parse::<Place>()?);
    let run = RunDir::open(&arguments.run)?;
    let plan = run.plan()?;
    // Nobody writes there meanwhile.
    let _journal = Journal::open(&run.journal(), &plan.digest()?)?;
    runtime()?.block_on(async {
        let mut sender = Sender::begin(kept.remote()?, run.clone(), &plan).await?;
        sender.finish().await
    })?;
    say::note(&format!("all of {} is in {}", run.path().display(), kept.place()));
    Ok(Exit::Holds)
}
