//! The trials, many at a time: each model has workers of its own, so that a slow endpoint never holds up another.

mod endpoint;
mod stop;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model_matrix::replay::{RecordedTurn, ReplayServer};
use model_matrix::{
    Charge, ConnectError, Model, Provider, RetryPolicy, Secrets, Subject, SubjectError, Subjects,
};
use reports::{Expectation, Plan, Standing, TrialKey};
use serde_json::json;
use tokio::task::JoinSet;
use transcript::{By, Message, Role, Transcript};

pub use stop::{BUDGET, Stop, StopFlag};

use endpoint::Endpoint;

use super::material::Material;
use super::rundir::{RunDir, RunDirError};
use super::sittings;
use super::unplayable::Unplayable;
use crate::agent::Agent;
use crate::agent::play::LOAD;
use crate::budget::{Budget, Meter};
use crate::case::{CaseErrors, Trace};
use crate::event::{Event, SharedReporter};
use crate::instance::{Playable, PlayableError};
use crate::journal::{Found, Journal, JournalError, JournalHandle};
use crate::judging;
use crate::redact;
use crate::replay;
use crate::workspace::Workspace;

/// What stands in a transcript for the charter, which is the same in all of a run and kept among its inputs.
pub const CHARTER_PLACEHOLDER: &str = "<charter>";

/// Trials of one model at a time, when neither the matrix nor the user says.
pub const DEFAULT_IN_FLIGHT: usize = 16;

/// Trials of one program at a time, when neither the matrix nor the user says.
pub const DEFAULT_PROGRAMS: usize = 2;

/// How often figures are told of, and the time is looked at.
const WATCH: Duration = Duration::from_millis(250);

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
    let traces = load_traces(plan, material)?;
    let meter = meter(&models, options.budget, &found);
    let unplayable = Unplayable::new(plan, material);
    let (handle, writer) = journal.start();
    let stage = Arc::new(Stage {
        plan: Arc::clone(plan),
        material: Arc::clone(material),
        found,
        traces,
        server,
        secrets: subjects.secrets().clone(),
        charge: material.charter.charge(),
        unplayable,
        instances: Mutex::default(),
        journal: handle,
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
        sittings::begin(&options.run, &options.budget)?;
    }
    let players = players(&stage, &subjects, &models).await;
    let lanes = run_lanes(&stage, players, options.concurrency);
    let result = tokio::select! {
        result = lanes => result,
        never = stage.watch(&subjects) => match never {},
    };
    stage.tell_figures(&subjects);
    drop(stage);
    // The writer ends once its last handle is gone. It does not panic, and it has answered for every line.
    let _ = writer.join();
    let ended = if plays { sittings::end(&options.run, stop.reason()) } else { Ok(()) };
    result.and(ended.map_err(PlayError::from))
}

/// A meter that starts from what the journal holds. Recorded traces use nothing up.
fn meter(models: &[&Model], budget: Budget, found: &Found) -> Meter {
    let asked = || models.iter().filter(|model| !model.provider.is_replay());
    let prices = asked().filter_map(|model| Some((model.id.clone(), model.prices.clone()?))).collect();
    let spent = asked().filter_map(|model| Some((model.id.clone(), *found.spent.get(&model.id)?))).collect();
    Meter::new(budget, prices, &spent)
}

/// Whoever plays: a model behind an endpoint, or a program.
#[derive(Clone)]
enum Player {
    Endpoint(Arc<Subject>),
    Program(Arc<Agent>),
}

impl Player {
    fn model(&self) -> &Model {
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
async fn players(stage: &Stage, subjects: &Subjects, models: &[&Model]) -> Vec<Player> {
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
async fn run_lanes(
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

/// A case and variant, for look-ups.
type Part = (String, Option<String>);

/// Makes sure that the traces of a plan's replayed models can be read, before a folder is made for their trials.
///
/// # Errors
/// Everything that is wrong with any of them.
pub fn check_traces(plan: &Plan, material: &Material) -> Result<(), PlayError> {
    load_traces(plan, material).map(drop)
}

/// The traces of each replayed model in the plan, by model id and part.
fn load_traces(plan: &Plan, material: &Material) -> Result<HashMap<(String, Part), Trace>, PlayError> {
    let mut traces = HashMap::new();
    let mut problems = Vec::new();
    for cell in &plan.cells {
        let key = (cell.model.clone(), (cell.case.clone(), cell.variant.clone()));
        let model = material.matrix.get(&cell.model);
        let Some(Provider::Replay { trace, .. }) = model.map(|model| &model.provider) else { continue };
        let Some(case) = material.cases().find(|case| case.id == cell.case) else { continue };
        let Some(variant) = case.variant(cell.variant.as_deref()) else { continue };
        if traces.contains_key(&key) {
            continue;
        }
        match Trace::load(case, variant, trace) {
            Ok(trace) => {
                traces.insert(key, trace);
            }
            Err(CaseErrors(found)) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(traces) } else { Err(CaseErrors(problems).into()) }
}

/// What all trials of a run share.
struct Stage {
    plan: Arc<Plan>,
    material: Arc<Material>,
    found: Found,
    traces: HashMap<(String, Part), Trace>,
    server: Option<Arc<ReplayServer>>,
    secrets: Secrets,
    charge: Charge,
    unplayable: Unplayable,
    instances: Mutex<HashMap<(Part, usize), Arc<Playable>>>,
    journal: JournalHandle,
    meter: Meter,
    reporter: SharedReporter,
    stop: StopFlag,
}

impl Stage {
    /// Whether there is nothing to play: it has an answer, or another shard plays it.
    fn is_settled(&self, key: &TrialKey) -> bool {
        !self.plan.owns(key)
            || self.found.trials.get(&key.to_string()).is_some_and(|attempts| attempts.settled)
    }

    /// Whether a further trial may be started.
    fn goes_on(&self) -> bool {
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
    async fn watch(&self, subjects: &Subjects) -> Infallible {
        loop {
            tokio::time::sleep(WATCH).await;
            self.goes_on();
            self.tell_figures(subjects);
        }
    }

    fn tell_figures(&self, subjects: &Subjects) {
        self.reporter.report(Event::Figures { spent: self.meter.spent(), pace: subjects.figures() });
    }

    /// The trials of a model that are still to be played, and can be.
    fn owed<'a>(&'a self, model: &'a str) -> impl Iterator<Item = TrialKey> + 'a {
        let open = |key: &TrialKey| !self.is_settled(key) && self.unplayable.why(&key.cell).is_none();
        self.plan.trials().filter(move |key| key.cell.model == model && open(key))
    }

    /// Plays one trial, writes it down, judges it, and tells of it.
    async fn trial(&self, key: &TrialKey, player: &Player) -> Result<(), PlayError> {
        let playable = self.playable(key)?;
        let id = key.to_string();
        self.register_trace(key, &id, &playable)?;
        let started = std::time::Instant::now();
        let record = self.blank(key, &id, player.model(), &playable);
        let steps = steps(&self.material.charter.runtime, &playable, player.model());
        let mut transcript = match player {
            Player::Endpoint(subject) => self.converse(record, &steps, &playable, subject).await,
            Player::Program(agent) => {
                let transcript = agent.play(record, &steps, &playable).await;
                self.meter.add(&agent.model().id, transcript.usage.as_ref());
                transcript
            }
        };
        if let Some(server) = &self.server {
            server.forget(&id);
        }
        hide_charter(&mut transcript);
        transcript.elapsed_ms = Some(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX));
        let transcript = redact::redact(transcript, &self.secrets);
        self.journal.keep(&transcript).await?;
        self.tell(key, &transcript);
        Ok(())
    }

    /// Plays one trial against an endpoint; each request is searched for the charter before it is sent.
    async fn converse(
        &self,
        record: Transcript,
        steps: &[replay::PlayStep],
        playable: &Playable,
        subject: &Subject,
    ) -> Transcript {
        let id = record.id.clone();
        let load = Mutex::new(None);
        let speaker = Endpoint {
            subject,
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

    fn playable(&self, key: &TrialKey) -> Result<Arc<Playable>, PlayError> {
        let cell = &key.cell;
        let index = ((cell.case.clone(), cell.variant.clone()), cell.row);
        let mut instances = self.instances.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(playable) = instances.get(&index) {
            return Ok(Arc::clone(playable));
        }
        let playable = Arc::new(Playable::new(&self.material, cell)?);
        instances.insert(index, Arc::clone(&playable));
        Ok(playable)
    }

    fn register_trace(&self, key: &TrialKey, id: &str, playable: &Playable) -> Result<(), PlayError> {
        let index = (key.cell.model.clone(), (key.cell.case.clone(), key.cell.variant.clone()));
        let (Some(server), Some(trace)) = (&self.server, self.traces.get(&index)) else { return Ok(()) };
        let turns = trace.turns(&playable.params).map_err(PlayableError::from)?;
        let turns = turns
            .into_iter()
            .map(|turn| RecordedTurn { content: turn.say, tool_calls: turn.calls, stop: None })
            .collect();
        server.register(id, turns);
        Ok(())
    }

    fn tell(&self, key: &TrialKey, transcript: &Transcript) {
        let verdict = judging::judge(self.material.library.for_transcript(transcript), transcript);
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
    }
}

/// What is played: the charter first, then the case's script, each turn of the subject for no more replies than the
/// matrix allows.
pub(crate) fn steps(charter: &str, playable: &Playable, model: &Model) -> Vec<replay::PlayStep> {
    let charter = Message::text(Role::System, By::Script, charter);
    let charter = replay::PlayStep::Say { message: charter, omitted: false };
    let most = model.limits.max_steps.unwrap_or(u32::MAX);
    let script = playable.steps.iter().map(|step| match step {
        replay::PlayStep::Reply { max_steps } => replay::PlayStep::Reply { max_steps: most.min(*max_steps) },
        said => said.clone(),
    });
    std::iter::once(charter).chain(script).collect()
}

/// Puts the placeholder where the charter stands: it is the first message, and the same in every trial.
pub(crate) fn hide_charter(transcript: &mut Transcript) {
    if let Some(first) = transcript.messages.first_mut().filter(|message| message.role == Role::System) {
        CHARTER_PLACEHOLDER.clone_into(&mut first.content);
    }
}

/// As [`hide_charter`], before anything is played.
pub(crate) fn hide_charter_in(steps: &mut [replay::PlayStep]) {
    if let Some(replay::PlayStep::Say { message, .. }) = steps.first_mut() {
        CHARTER_PLACEHOLDER.clone_into(&mut message.content);
    }
}
