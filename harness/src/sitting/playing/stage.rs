//! What all trials of a run share, and one trial from its instance to its line in the journal and the word on it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model_matrix::replay::{RecordedTurn, ReplayServer};
use model_matrix::{Charge, Model, Secrets, Subject, Subjects};
use reports::{Expectation, Plan, Standing, TrialKey};
use serde_json::json;
use tokio::sync::{OnceCell, Semaphore};
use transcript::Transcript;

use super::PlayError;
use super::endpoint::Endpoint;
use super::lanes::Place;
use super::player::Player;
use super::script::{hide_charter, steps};
use super::stop::{Stop, StopFlag};
use super::traces::{Part, Traces, part};
use crate::agent::play::LOAD;
use crate::budget::{Meter, Taken};
use crate::event::{Event, SharedReporter};
use crate::instance::{Playable, PlayableError};
use crate::journal::{Found, JournalHandle};
use crate::judging;
use crate::redact;
use crate::replay;
use crate::sitting::material::Material;
use crate::sitting::rundir::RunDir;
use crate::sitting::sittings;
use crate::sitting::unplayable::Unplayable;
use crate::workspace::Workspace;

/// How often figures are told of, and the time is looked at.
const WATCH: Duration = Duration::from_millis(250);

/// An instance that is being made, or is there.
pub(super) type Making = Arc<OnceCell<Arc<Playable>>>;

/// What all trials of a run share.
pub(super) struct Stage {
    pub(super) plan: Arc<Plan>,
    pub(super) material: Arc<Material>,
    pub(super) found: Found,
    pub(super) traces: Traces,
    pub(super) server: Option<Arc<ReplayServer>>,
    pub(super) secrets: Secrets,
    pub(super) charge: Charge,
    pub(super) unplayable: Unplayable,
    /// Made once each, by the first trial that needs it; the others wait for it, and hold up no thread.
    pub(super) instances: Mutex<HashMap<(Part, usize), Making>>,
    /// So many judge at a time: what is waited for is the machine, or programs that need it.
    pub(super) judges: Semaphore,
    pub(super) run: RunDir,
    pub(super) journal: JournalHandle,
    /// Whether an attempt of this sitting is in the journal.
    pub(super) kept: AtomicBool,
    pub(super) meter: Meter,
    pub(super) reporter: SharedReporter,
    pub(super) stop: StopFlag,
}

impl Stage {
    /// Whether there is nothing to play: it has an answer, or another shard plays it.
    pub(super) fn is_settled(&self, key: &TrialKey) -> bool {
        !self.plan.owns(key)
            || self.found.trials.get(&key.to_string()).is_some_and(|attempts| attempts.settled)
    }

    /// Whether a further trial may be started.
    pub(super) fn goes_on(&self) -> bool {
        if !self.stop.is_raised()
            && let Some(why) = self.meter.used_up()
        {
            let reason = format!("budget: {why}; finishing the trials under way, which are paid for");
            if self.stop.raise(Stop::Budget(why)) {
                self.reporter.report(Event::Stopping { reason });
            }
        }
        !self.stop.is_raised()
    }

    /// Tells of figures, and looks whether time is up, until it is dropped.
    pub(super) async fn watch(&self, subjects: &Subjects) -> Infallible {
        loop {
            tokio::time::sleep(WATCH).await;
            self.goes_on();
            self.tell_figures(subjects);
        }
    }

    pub(super) fn tell_figures(&self, subjects: &Subjects) {
        self.reporter.report(Event::Figures { spent: self.meter.spent(), pace: subjects.figures() });
    }

    /// The trials of a model that are still to be played, and can be.
    pub(super) fn owed<'a>(&'a self, model: &'a str) -> impl Iterator<Item = TrialKey> + 'a {
        let open = |key: &TrialKey| !self.is_settled(key) && self.unplayable.why(&key.cell).is_none();
        self.plan.trials().filter(move |key| key.cell.model == model && open(key))
    }

    /// Plays one trial, writes it down, judges it, and tells of it.
    pub(super) async fn trial(
        &self,
        key: &TrialKey,
        player: &Player,
        place: &Place,
    ) -> Result<(), PlayError> {
        let playable = self.playable(key).await?;
        let id = key.to_string();
        self.register_trace(key, &id, &playable)?;
        let started = std::time::Instant::now();
        let record = self.blank(key, &id, player.model(), &playable);
        let steps = steps(&self.material.charter.runtime, &playable, player.model());
        let mut transcript = match player {
            Player::Endpoint(subject) => self.converse(record, &steps, &playable, (subject, place)).await,
            Player::Program(agent) => {
                let transcript = agent.play(record, &steps, &playable).await;
                self.meter.add(&agent.model().id, &Taken::by(&transcript));
                transcript
            }
        };
        if let Some(server) = &self.server {
            server.forget(&id);
        }
        hide_charter(&mut transcript);
        transcript.elapsed_ms = Some(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX));
        let transcript = redact::redact(transcript, &self.secrets);
        let transcript = self.journal.keep(transcript).await?;
        if !self.kept.swap(true, Ordering::Relaxed) {
            sittings::kept(&self.run)?;
        }
        self.tell(key, transcript).await
    }

    /// Plays one trial against an endpoint; each request is searched for the charter before it is sent.
    async fn converse(
        &self,
        record: Transcript,
        steps: &[replay::PlayStep],
        playable: &Playable,
        (subject, place): (&Subject, &Place),
    ) -> Transcript {
        let id = record.id.clone();
        let load = Mutex::new(None);
        let speaker = Endpoint {
            subject,
            place,
            tools: &playable.specs,
            trial: &id,
            secrets: &self.secrets,
            meter: &self.meter,
            charge: &self.charge,
            load: &load,
        };
        let workspace = Workspace::new(Arc::clone(&playable.files));
        let mut transcript = replay::play(record, steps, &playable.tools, workspace, speaker).await;
        let load = load.into_inner().unwrap_or_else(PoisonError::into_inner);
        let load = match load {
            Some(load) => json!({ "verdict": load, "how": self.charge.how("requests as sent") }),
            None => json!({ "verdict": "not-run", "how": "no request was made" }),
        };
        transcript.extra.insert(LOAD.to_owned(), load);
        transcript
    }

    /// The transcript before anything is said.
    fn blank(&self, key: &TrialKey, id: &str, model: &Model, playable: &Playable) -> Transcript {
        let mut record = Transcript::new(id, key.cell.case.clone());
        record.variant.clone_from(&key.cell.variant);
        record.params = playable.params.clone();
        record.row = Some(key.cell.row);
        record.trial = Some(key.trial);
        record.attempt = Some(self.found.trials.get(id).map_or(0, |attempts| attempts.count) + 1);
        record.model = Some(model.id.clone());
        record.decoding = Some(model.decoding.clone());
        record.charter_sha256 = Some(self.plan.charter.runtime_sha256.clone());
        record.case_sha256 = Some(playable.case_sha256.clone());
        record.checker = Some(playable.checker.clone());
        record.started = Some(Timestamp::now().to_string());
        record
    }

    async fn playable(&self, key: &TrialKey) -> Result<Arc<Playable>, PlayError> {
        let cell = &key.cell;
        let index = (part(cell), cell.row);
        let place = {
            let mut instances = self.instances.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(instances.entry(index).or_default())
        };
        let make = || async {
            let (material, cell) = (Arc::clone(&self.material), cell.clone());
            let made = tokio::task::spawn_blocking(move || Playable::new(&material, &cell)).await??;
            Ok::<_, PlayError>(Arc::new(made))
        };
        Ok(Arc::clone(place.get_or_try_init(make).await?))
    }

    fn register_trace(&self, key: &TrialKey, id: &str, playable: &Playable) -> Result<(), PlayError> {
        let (Some(server), Some(trace)) = (&self.server, self.traces.of(&key.cell)) else { return Ok(()) };
        let turns = trace.turns(&playable.params).map_err(PlayableError::from)?;
        let turns = turns
            .into_iter()
            .map(|turn| RecordedTurn { content: turn.say, tool_calls: turn.calls, stop: None })
            .collect();
        server.register(id, turns);
        Ok(())
    }

    /// Judges a transcript and tells of it. A checker may ask a program that takes its time: were it waited for here, the
    /// other trials' replies would not be read meanwhile, and end as timeouts that never were.
    async fn tell(&self, key: &TrialKey, transcript: Transcript) -> Result<(), PlayError> {
        // It is never closed, so there is always a turn to wait for.
        let _turn = self.judges.acquire().await;
        let material = Arc::clone(&self.material);
        let judge = move || judging::judge(material.library.for_transcript(&transcript), &transcript);
        let verdict = tokio::task::spawn_blocking(judge).await?;
        let standing = match verdict.outcome {
            checkers::Outcome::Pass => Standing::Passed,
            checkers::Outcome::Fail => Standing::Failed,
            checkers::Outcome::Error => Standing::Error,
        };
        let expect = self.plan.model(&key.cell.model).map_or(Expectation::Pass, |model| model.expect);
        let detail = match verdict.first_failure() {
            Some(clause) => Some(format!("{}: {}", clause.id, clause.reason)),
            None => verdict.reason.clone(),
        };
        self.reporter.report(Event::Finished {
            key: key.to_string(),
            standing,
            as_expected: matches!(
                (standing, expect),
                (Standing::Passed, Expectation::Pass) | (Standing::Failed, Expectation::Fail)
            ),
            detail,
        });
        Ok(())
    }
}
