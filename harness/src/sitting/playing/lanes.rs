//! Who plays, and how many trials at a time: each model has workers of its own, so that a slow endpoint never holds up
//! another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use model_matrix::{Model, Subject, SubjectError, Subjects};
use reports::TrialKey;
use tokio::task::JoinSet;

use super::PlayError;
use super::stage::Stage;
use super::stop::Stop;
use crate::agent::Agent;
use crate::event::Event;

/// Trials of one model at a time, when neither the matrix nor the user says.
pub const DEFAULT_IN_FLIGHT: usize = 16;

/// Trials of one program at a time, when neither the matrix nor the user says.
pub const DEFAULT_PROGRAMS: usize = 2;

/// Whoever plays: a model behind an endpoint, or a program.
#[derive(Clone)]
pub(super) enum Player {
    Endpoint(Arc<Subject>),
    Program(Arc<Agent>),
}

impl Player {
    pub(super) fn model(&self) -> &Model {
        match self {
            Self::Endpoint(subject) => subject.model(),
            Self::Program(agent) => agent.model(),
        }
    }

    /// Why there is no use in asking on, where one was found.
    fn closed(&self) -> Option<&SubjectError> {
        match self {
            Self::Endpoint(subject) => subject.closed(),
            Self::Program(_) => None,
        }
    }

    /// Trials at a time, when nobody says: a program needs a machine's memory, a request does not.
    fn usual_in_flight(&self) -> usize {
        match self {
            Self::Endpoint(_) => DEFAULT_IN_FLIGHT,
            Self::Program(_) => DEFAULT_PROGRAMS,
        }
    }
}

/// The players that have something to play.
pub(super) async fn players(stage: &Stage, subjects: &Subjects, models: &[&Model]) -> Vec<Player> {
    let mut players: Vec<Player> = subjects.iter().cloned().map(Player::Endpoint).collect();
    for model in models {
        let Some(program) = model.provider.program().filter(|_| stage.owed(&model.id).next().is_some())
        else {
            continue;
        };
        let key = program.key_env.as_deref().and_then(|name| stage.secrets.get(name)).cloned();
        let charter = (stage.material.charter.runtime.as_str(), stage.charge.clone());
        players.push(Player::Program(Arc::new(Agent::meet(model, program, key, charter).await)));
    }
    players
}

/// Starts each model's workers and waits for all of them.
pub(super) async fn run_lanes(
    stage: &Arc<Stage>,
    players: Vec<Player>,
    concurrency: Option<usize>,
) -> Result<(), PlayError> {
    let mut workers: JoinSet<Result<(), PlayError>> = JoinSet::new();
    for player in players {
        let keys: Vec<TrialKey> = stage.owed(&player.model().id).collect();
        let in_flight = concurrency.or(player.model().limits.in_flight).unwrap_or(player.usual_in_flight());
        let count = in_flight.clamp(1, keys.len().max(1));
        let queue = Arc::new(Mutex::new(keys.into_iter()));
        let told = Arc::new(AtomicBool::new(false));
        for _ in 0..count {
            let (stage, player, queue) = (Arc::clone(stage), player.clone(), Arc::clone(&queue));
            let told = Arc::clone(&told);
            workers.spawn(async move {
                while stage.goes_on() {
                    if let Some(closed) = player.closed() {
                        if !told.swap(true, Ordering::Relaxed) {
                            let id = &player.model().id;
                            let note = format!("no further trials of {id} are started: {}", closed.message);
                            stage.reporter.report(Event::Note(note));
                        }
                        break;
                    }
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(key) = next else { break };
                    stage.trial(&key, &player).await?;
                }
                Ok(())
            });
        }
    }
    let mut first_error = None;
    while let Some(ended) = workers.join_next().await {
        if let Err(error) = ended.map_err(PlayError::from).and_then(|result| result)
            && first_error.is_none()
        {
            // The others finish what they have begun: it is paid for.
            stage.stop.raise(Stop::Broken(error.to_string()));
            first_error = Some(error);
        }
    }
    first_error.map_or(Ok(()), Err)
}
