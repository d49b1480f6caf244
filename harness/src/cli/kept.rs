//! `--store`: a run that is kept in an object store too, for machines that may be taken away.

use std::path::{Path, PathBuf};

use harness::event::SharedReporter;
use harness::sitting::alike;
use harness::sitting::playing::StopFlag;
use harness::sitting::rundir::{PLAN, RunDir};
use harness::store::{self, Place, Remote, Sender, StoreError};
use model_matrix::Secrets;
use reports::Plan;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A place in a store, and what gives access to it.
#[derive(Debug)]
pub(super) struct Kept {
    place: Place,
    secrets: Secrets,
}

impl Kept {
    /// The place that was asked for.
    pub(super) fn at(place: Place) -> Self {
        let variables = std::env::vars_os();
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self { place, secrets: store::secrets(variables.filter_map(text)) }
    }

    /// The place.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// What is masked wherever it turns up.
    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Connections belong to the runtime they were made in, so each gets its own.
    pub(super) fn remote(&self) -> Result<Remote, StoreError> {
        Remote::connect(&self.place, &self.secrets)
    }

    /// Whether the run of `plan` was begun, here or on another machine: then it is in the folder now, with all that the
    /// store has of it.
    pub(super) fn begun(&self, path: &Path, plan: &Plan) -> anyhow::Result<bool> {
        let there = runtime()?.block_on(async { store::found(&self.remote()?).await })?;
        let here = path.join(PLAN).exists();
        let begun = match &there {
            Some(there) => Some(there.clone()),
            None if here => Some(RunDir::open(path)?.plan()?),
            None => None,
        };
        let Some(begun) = begun else { return Ok(false) };
        let differs = alike::differences(&begun, plan, &alike::OWN)?;
        if !differs.is_empty() {
            let place = if there.is_some() { self.place.to_string() } else { path.display().to_string() };
            let why = format!("the run in it differs from this one in {}", differs.join(", "));
            return Err(StoreError::Taken { place, why }.into());
        }
        if there.is_some() {
            self.fetch(path)?;
        }
        Ok(true)
    }

    /// Puts the run that the store keeps into the folder, or what the folder lacks of it.
    pub(super) fn fetch(&self, path: &Path) -> anyhow::Result<()> {
        runtime()?.block_on(async {
            let remote = self.remote()?;
            if !path.exists() {
                return Ok(store::bring(&remote, path).await?);
            }
            let run = RunDir::open(path)?;
            let plan = run.plan()?;
            let Some(there) = store::found(&remote).await? else { return Ok(()) };
            if there.digest()? != plan.digest()? {
                let why = format!("the run in it is not the one in {}", path.display());
                return Err(StoreError::Taken { place: self.place.to_string(), why }.into());
            }
            store::catch_up(&remote, &run, &plan).await?;
            Ok(())
        })
    }

    /// The folder for a run that is only in the store: called as it was, below `runs/`.
    pub(super) fn folder(&self) -> anyhow::Result<PathBuf> {
        let found = runtime()?.block_on(async { store::found(&self.remote()?).await })?;
        let plan = found.ok_or_else(|| StoreError::NoRun(self.place.to_string()))?;
        // A name comes from a file that anyone may have written.
        let name = Path::new(&plan.run).file_name().unwrap_or(self.place.name().as_ref());
        Ok(Path::new("runs").join(name))
    }
}

/// A runtime for a few requests.
pub(super) fn runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

/// A run that is sent while it is played.
#[derive(Debug)]
pub(super) struct Following {
    task: JoinHandle<Sender>,
    end: oneshot::Sender<()>,
}

impl Following {
    /// Begins to send; within a runtime.
    pub(super) fn start(sender: Sender, reporter: &SharedReporter, stop: &StopFlag) -> Self {
        let (end, over) = oneshot::channel();
        Self { task: tokio::spawn(sender.follow(over, reporter.clone(), stop.clone())), end }
    }

    /// Gives the sender back, once nothing is on its way.
    pub(super) async fn end(self) -> anyhow::Result<Sender> {
        drop(self.end);
        Ok(self.task.await?)
    }
}
