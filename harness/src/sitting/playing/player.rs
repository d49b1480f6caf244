//! Who plays: a model behind an endpoint, or a program; and how many trials of it at a time when nobody says.

use std::sync::Arc;

use model_matrix::{Model, Subject, SubjectError, Subjects};

use super::stage::Stage;
use crate::agent::Agent;

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
    pub(super) fn closed(&self) -> Option<&SubjectError> {
        match self {
            Self::Endpoint(subject) => subject.closed(),
            Self::Program(_) => None,
        }
    }

    /// Trials at a time, when nobody says: a program needs a machine's memory, a request does not.
    pub(super) fn usual_in_flight(&self) -> usize {
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
