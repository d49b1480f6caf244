//! Which trials are played at the same time: each model has places of its own, so that a slow endpoint never holds up
//! another. A trial whose request was refused gives its place to another one while it waits, as long as the endpoint takes
//! what others send.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model_matrix::Waiting;
use reports::TrialKey;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::PlayError;
use super::player::Player;
use super::stage::Stage;
use super::stop::Stop;
use crate::event::Event;

/// For each place, so many trials may have been begun: one that is played, and others that wait. Enough for one refusal
/// in ten with waits of a second and replies of a twentieth; and no more, since each is a workspace in memory, and one
/// that may have been paid for in part.
const BEGUN: usize = 4;

/// A trial's place among those that are played at the same time.
pub(super) struct Place {
    places: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Place {
    fn held(&self) -> MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting for Place {
    /// Another trial goes on meanwhile. Whoever comes back stands in line before those who come later, the next new
    /// trial among them.
    async fn wait(&self, time: Duration) {
        drop(self.held().take());
        tokio::time::sleep(time).await;
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        *self.held() = place;
    }
}

/// Plays what each player has to play, and waits for all of it.
pub(super) async fn run(
    stage: &Arc<Stage>,
    players: Vec<Player>,
    concurrency: Option<usize>,
) -> Result<(), PlayError> {
    let mut lanes: JoinSet<Result<(), PlayError>> = JoinSet::new();
    for player in players {
        lanes.spawn(lane(Arc::clone(stage), player, concurrency));
    }
    let mut first_error = None;
    while let Some(ended) = lanes.join_next().await {
        keep_first(stage, &mut first_error, ended);
    }
    first_error.map_or(Ok(()), Err)
}

/// Begins one trial after the other, each as soon as there is a place.
async fn lane(stage: Arc<Stage>, player: Player, concurrency: Option<usize>) -> Result<(), PlayError> {
    let keys: Vec<TrialKey> = stage.owed(&player.model().id).collect();
    let in_flight = concurrency.or(player.model().limits.in_flight).unwrap_or(player.usual_in_flight());
    let count = in_flight.clamp(1, keys.len().max(1));
    let (places, begun) = (Arc::new(Semaphore::new(count)), Arc::new(Semaphore::new(count * BEGUN)));
    let mut trials: JoinSet<Result<(), PlayError>> = JoinSet::new();
    let mut first_error = None;
    for key in keys {
        let room = Arc::clone(&begun).acquire_owned().await;
        let place = Arc::clone(&places).acquire_owned().await;
        while let Some(ended) = trials.try_join_next() {
            keep_first(&stage, &mut first_error, ended);
        }
        if !stage.goes_on() {
            break;
        }
        if let Some(closed) = player.closed() {
            let id = &player.model().id;
            let note = format!("no further trials of {id} are started: {}", closed.message);
            stage.reporter.report(Event::Note(note));
            break;
        }
        let place = Place { places: Arc::clone(&places), held: Mutex::new(place.ok()) };
        let (stage, player) = (Arc::clone(&stage), player.clone());
        trials.spawn(async move {
            let _room = room;
            let played = stage.trial(&key, &player, &place).await;
            if let Err(error) = &played {
                // The others finish what they have begun: it is paid for.
                stage.stop.raise(Stop::Broken(error.to_string()));
            }
            played
        });
    }
    while let Some(ended) = trials.join_next().await {
        keep_first(&stage, &mut first_error, ended);
    }
    first_error.map_or(Ok(()), Err)
}

fn keep_first(
    stage: &Stage,
    first: &mut Option<PlayError>,
    ended: Result<Result<(), PlayError>, tokio::task::JoinError>,
) {
    if let Err(error) = ended.map_err(PlayError::from).and_then(|result| result) {
        stage.stop.raise(Stop::Broken(error.to_string()));
        first.get_or_insert(error);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    async fn place(places: &Arc<Semaphore>) -> Place {
        let held = Arc::clone(places).acquire_owned().await.unwrap();
        Place { places: Arc::clone(places), held: Mutex::new(Some(held)) }
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_that_waits_gives_its_place_away_and_gets_one_back() {
        let places = Arc::new(Semaphore::new(1));
        let waiting = place(&places).await;
        let start = Instant::now();
        let other = async {
            let other = place(&places).await;
            assert_eq!(start.elapsed(), Duration::ZERO, "the place is free at once");
            tokio::time::sleep(Duration::from_secs(3)).await;
            drop(other);
        };
        tokio::join!(waiting.wait(Duration::from_secs(1)), other);
        assert_eq!(start.elapsed(), Duration::from_secs(3), "there is only one place");
        assert_eq!(places.available_permits(), 0);
        drop(waiting);
        assert_eq!(places.available_permits(), 1);
    }
}
