//! The trials of a run, many at a time, and how a run begins and ends.

mod endpoint;
mod lanes;
mod player;
mod script;
mod stage;
mod stop;
mod traces;

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use model_matrix::replay::ReplayServer;
use model_matrix::{ConnectError, Model, RetryPolicy, Secrets, Subjects};
use reports::{Plan, TrialKey};
use tokio::sync::Semaphore;

pub use player::{DEFAULT_IN_FLIGHT, DEFAULT_PROGRAMS};
pub use script::CHARTER_PLACEHOLDER;
pub(crate) use script::{hide_charter_in, steps};
pub use stop::{BUDGET, Stop, StopFlag};

use player::players;
use stage::Stage;
use traces::Traces;

use super::material::Material;
use super::rundir::{RunDir, RunDirError};
use super::sittings;
use super::unplayable::Unplayable;
use crate::budget::{Budget, Meter};
use crate::case::CaseErrors;
use crate::event::{Event, SharedReporter};
use crate::instance::PlayableError;
use crate::journal::{Found, Journal, JournalError};

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// Keys are missing, or the matrix cannot be connected.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The loopback server for recorded traces did not start.
    #[error("the replay server cannot be started on 127.0.0.1: {0}")]
    Replay(std::io::Error),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Traces are missing or wrong.
    #[error(transparent)]
    Traces(#[from] CaseErrors),
    /// The record of sittings cannot be written.
    #[error(transparent)]
    Sitting(#[from] RunDirError),
    /// The plan has no digest.
    #[error("the plan cannot be written down: {0}")]
    Plan(#[from] serde_json::Error),
    /// An instance cannot be made.
    #[error(transparent)]
    Instance(#[from] PlayableError),
    /// A worker ended in a way it never should.
    #[error("a worker ended early: {0}; what it had finished is kept")]
    Worker(#[from] tokio::task::JoinError),
}

/// How a run is to be played.
#[derive(Debug, Clone)]
pub struct Options {
    /// The run's folder.
    pub run: RunDir,
    /// Trials of one model at a time; the matrix's `in_flight` when not given.
    pub concurrency: Option<usize>,
    /// How failed requests are repeated.
    pub retry: RetryPolicy,
    /// What the run may use up.
    pub budget: Budget,
    /// What is masked besides the keys of models.
    pub secrets: Secrets,
}

/// Plays every trial of `plan` that the journal does not already hold a verdict-worthy attempt of.
///
/// The journal is the run's, with what was found in it; whoever has it open is the only one to write in the run. `env` looks up environment variables, for keys. Trials that ended in an error are attempted again; their earlier
/// attempts stay in the journal.
///
/// # Errors
/// [`PlayError`]; what was finished before is on disk.
pub async fn play(
    plan: &Arc<Plan>,
    material: &Arc<Material>,
    options: &Options,
    (journal, found): (Journal, Found),
    env: impl Fn(&str) -> Option<String>,
    reporter: &SharedReporter,
    stop: &StopFlag,
) -> Result<(), PlayError> {
    if found.torn > 0 {
        reporter.report(Event::Note(format!(
            "the last line of the journal was torn ({} bytes); it never counted and was set aside",
            found.torn
        )));
    }
    let models: Vec<&Model> =
        material.matrix.models.iter().filter(|model| plan.model(&model.id).is_some()).collect();
    let server = if models.iter().any(|model| model.provider.is_replay()) {
        Some(Arc::new(ReplayServer::start().await.map_err(PlayError::Replay)?))
    } else {
        None
    };
    let base_url = server.as_ref().map(|server| server.base_url());
    let subjects = Subjects::connect(models.iter().copied(), env, base_url.as_ref(), options.retry)?;
    let traces = Traces::load(plan, material)?;
    let meter = meter(&models, options.budget, &found);
    let unplayable = Unplayable::new(plan, material);
    let (handle, writer) = journal.start();
    let stage = Arc::new(Stage {
        plan: Arc::clone(plan),
        material: Arc::clone(material),
        found,
        traces,
        server,
        secrets: subjects.secrets().clone().and(&options.secrets),
        charge: material.charter.charge(),
        unplayable,
        instances: Mutex::default(),
        judges: Semaphore::new(std::thread::available_parallelism().map_or(1, NonZeroUsize::get)),
        run: options.run.clone(),
        journal: handle,
        kept: AtomicBool::new(false),
        meter,
        reporter: Arc::clone(reporter),
        stop: stop.clone(),
    });
    let own: Vec<TrialKey> = plan.trials().filter(|key| plan.owns(key)).collect();
    let done = own.iter().filter(|key| stage.is_settled(key)).count();
    reporter.report(Event::Planned { owed: own.len(), done });
    // A sitting in which nothing is left to play leaves the folder as it was, signatures included.
    let plays = done < own.len();
    if plays {
        sittings::begin(&options.run, &options.budget, &stage.found.tail)?;
    }
    let players = players(&stage, &subjects, &models).await;
    let lanes = lanes::run(&stage, players, options.concurrency);
    let result = tokio::select! {
        result = lanes => result,
        never = stage.watch(&subjects) => match never {},
    };
    stage.tell_figures(&subjects);
    drop(stage);
    // The writer ends once its last handle is gone. It does not panic, and it has answered for every line.
    let tail = writer.join().ok();
    let ended = if plays { sittings::end(&options.run, stop.reason(), tail) } else { Ok(()) };
    result.and(ended.map_err(PlayError::from))
}

/// A meter that starts from what the journal holds. Recorded traces use nothing up.
fn meter(models: &[&Model], budget: Budget, found: &Found) -> Meter {
    let asked = || models.iter().filter(|model| !model.provider.is_replay());
    let prices = asked().filter_map(|model| Some((model.id.clone(), model.prices.clone()?))).collect();
    let spent = asked().filter_map(|model| Some((model.id.clone(), *found.spent.get(&model.id)?))).collect();
    Meter::new(budget, prices, &spent)
}

/// Makes sure that the traces of a plan's replayed models can be read, before a folder is made for their trials.
///
/// # Errors
/// Everything that is wrong with any of them.
pub fn check_traces(plan: &Plan, material: &Material) -> Result<(), PlayError> {
    Ok(Traces::load(plan, material).map(drop)?)
}
