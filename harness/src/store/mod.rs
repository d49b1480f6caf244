//! A run that is kept in an object store as it grows: S3 and what speaks like it, Google Cloud Storage, Azure, or a
//! folder somewhere else. A machine that is taken away then takes some seconds of the run with it, and no more.
//!
//! The run's own folder comes first: a trial counts once it is on disk there, and the store is sent copies. What is sent
//! of the journal is never written over: each piece is an object of its own, which is only ever created. So two machines
//! that take themselves for the same shard find out about each other, and neither can undo what the other has paid for.
//!
//! - [`place`]: how a place in a store is written
//! - [`credentials`]: which variables hold keys, and masking them
//! - `required`: without which of them a store is not asked
//! - [`layout`]: which objects a run is made of
//! - [`sending`]: from the folder to the store
//! - [`fetching`]: from the store to a folder
//! - [`remote`]: the store itself; in a build without the feature `object-store` there is none

mod credentials;
mod fetching;
mod layout;
mod place;
#[cfg_attr(not(feature = "object-store"), path = "absent.rs")]
mod remote;
#[cfg(feature = "object-store")]
mod required;
mod sending;

use std::future::Future;
use std::io;
use std::path::PathBuf;

use tokio::task::JoinSet;

use crate::journal::JournalError;
use crate::sitting::rundir::RunDirError;

pub use credentials::secrets;
pub use fetching::{bring, catch_up, found, parts};
pub use place::Place;
pub use remote::Remote;
pub use sending::Sender;

/// Why a run cannot be kept in, or had from, a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// That is no place in a store.
    #[error("{0}")]
    Place(String),
    /// This build knows of no store.
    #[error("{0}: this build has no object store; build with --features object-store")]
    NotBuilt(String),
    /// Nothing says who is asking.
    #[error("{place}: no credentials; they are taken from the environment: set {wanted}")]
    Credentials {
        /// The place.
        place: String,
        /// The variables.
        wanted: &'static str,
    },
    /// The store did not do it.
    #[error("{object} cannot be {what}: {why}")]
    Failed {
        /// The object.
        object: String,
        /// `read`, `written` or `listed`.
        what: &'static str,
        /// What the store said; keys are masked.
        why: String,
    },
    /// Something else is there.
    #[error("{place} is taken: {why}; give this run a place of its own")]
    Taken {
        /// The place.
        place: String,
        /// By what.
        why: String,
    },
    /// Two machines play the same trials.
    #[error(
        "{0}: another machine has sent other trials of this same run; what was played here is in this folder only"
    )]
    Forked(String),
    /// The folder lacks what was sent from another one.
    #[error("{place} has trials that {folder} has not; get them with: assize run --resume {folder} --store {place}", folder = folder.display())]
    Ahead {
        /// The place.
        place: String,
        /// The folder.
        folder: PathBuf,
    },
    /// There is no run.
    #[error("{0}: no run is kept there")]
    NoRun(String),
    /// What is there is not what was sent.
    #[error("{object}: damaged: {why}")]
    Damaged {
        /// The object.
        object: String,
        /// What is wrong.
        why: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The run's folder cannot be used.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// The run's journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Something cannot be written down.
    #[error("it cannot be written down: {0}")]
    Json(#[from] serde_json::Error),
}

impl StoreError {
    /// Whether trying again is of no use, and playing on would be paid for twice.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Forked(_) | Self::Ahead { .. } | Self::Taken { .. })
    }

    fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

/// Requests that are made at the same time.
const AT_ONCE: usize = 16;

/// Does `jobs`, [`AT_ONCE`] at a time, and gives what came of them in their order.
async fn all<T: Send + 'static>(
    jobs: impl Iterator<Item = impl Future<Output = Result<T, StoreError>> + Send + 'static>,
) -> Result<Vec<T>, StoreError> {
    let mut running = JoinSet::new();
    let mut done = Vec::new();
    for (number, job) in jobs.enumerate() {
        if running.len() >= AT_ONCE {
            done.extend(running.join_next().await);
        }
        running.spawn(async move { (number, job.await) });
    }
    while let Some(ended) = running.join_next().await {
        done.push(ended);
    }
    // A job neither panics nor is it aborted; were one to, its failure must not be passed over.
    let lost = |error| StoreError::Io { path: PathBuf::new(), source: io::Error::other(error) };
    let mut done = done.into_iter().collect::<Result<Vec<_>, _>>().map_err(lost)?;
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
