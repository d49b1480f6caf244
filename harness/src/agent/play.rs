//! One trial of a program: a room of its own, a relay in front of its endpoint, one start for each of the user's turns,
//! and a transcript like any other's.

use std::path::Path;
use std::sync::Arc;

use model_matrix::drift::{self, Drift};
use model_matrix::{Adapter, Charge, Model, Program, Relay};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use transcript::{Message, Served, StopReason, Transcript, TrialError};

use super::adapter::{self, Segment, Set};
use super::faults::{cut, error, exit_fault, load_error, room_error};
use super::fence::{Fence, Fenced};
use super::offer;
use super::room::{Room, RoomError};
use super::start::{Finished, Start, StartError};
use super::tidy::{first_line, from_workspace, is_version, unique_ids};
use crate::instance::Playable;
use crate::replay::PlayStep;
use crate::tools::{ToolDecl, ToolSet};
use crate::workspace::Tree;

/// The field of a transcript's `extra` that says what program it was and how it was fenced.
pub const PROGRAM: &str = "program";
/// The field of a transcript's `extra` that says whether the subject had the charter.
pub const LOAD: &str = "load";
/// Seconds that `--version` may take.
const VERSION_SECONDS: u64 = 30;

/// A program on trial.
#[derive(Debug, Clone)]
pub struct Agent {
    model: Model,
    program: Program,
    key: Option<SecretString>,
    charter: String,
    charge: Charge,
    /// What it prints for `--version`.
    version: Option<String>,
    /// What was fenced when it was asked for its version: what can be fenced at all.
    fenced: Fenced,
    /// Why it cannot be tried at all.
    broken: Option<TrialError>,
}

impl Agent {
    /// Asks a program for its version, in a room of its own, and compares it with the pin.
    ///
    /// A program that cannot be started is tried all the same: each of its trials then says why it is none.
    pub async fn meet(
        model: &Model,
        program: &Program,
        key: Option<SecretString>,
        charter: (&str, Charge),
    ) -> Self {
        let (charter, charge) = charter;
        let mut agent = Self {
            model: model.clone(),
            program: program.clone(),
            key,
            charter: charter.to_owned(),
            charge,
            version: None,
            fenced: Fenced::default(),
            broken: None,
        };
        match agent.ask_version().await {
            Ok(finished) => {
                agent.fenced = finished.account.fenced.clone();
                agent.version = first_line(&finished).filter(|_| finished.code() == Some(0));
                agent.broken = agent.other_version();
            }
            Err(error) => agent.broken = Some(error),
        }
        agent
    }

    /// The matrix entry.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    async fn ask_version(&self) -> Result<Finished, TrialError> {
        let charter_file = self.program.charter_file.clone();
        let room = aside(move || Room::new(&Tree::new(), &charter_file, ""));
        let room = room.await.map_err(|error| room_error(&error))?;
        let set = self.set(&room, None, None, &[]);
        let mut argv = self.program.run.clone();
        argv.push("--version".to_owned());
        let finished = self.start(&room, &set, &argv, "", VERSION_SECONDS).await;
        room.close();
        finished
    }

    fn other_version(&self) -> Option<TrialError> {
        let pinned = self.model.pin.version.as_ref()?;
        if self.version.as_deref().is_some_and(|version| is_version(version, pinned)) {
            return None;
        }
        let found = self.version.as_deref().unwrap_or("nothing");
        let message = format!(
            "`{} --version` prints {found}, but the matrix pins {pinned}; if that is the one to be tried, write it into \
             `pin.version` of `{}`",
            self.program.run.join(" "),
            self.model.id
        );
        Some(error(Drift::KIND, message))
    }

    /// Plays `steps` and returns `record` filled with what happened.
    pub async fn play(&self, mut record: Transcript, steps: &[PlayStep], playable: &Playable) -> Transcript {
        record.tools = self.tools(&[], &offer::offered(&self.program, playable));
        let before = Notes { fenced: self.fenced.clone(), ..Notes::default() };
        record.extra.insert(PROGRAM.to_owned(), self.account(&before));
        let load = json!({ "verdict": "not-run", "how": "no request was captured" });
        record.extra.insert(LOAD.to_owned(), load);
        if let Some(broken) = &self.broken {
            record.error = Some(broken.clone());
            return record;
        }
        let files = Arc::clone(&playable.files);
        let (charter_file, charter) = (self.program.charter_file.clone(), self.charter.clone());
        let room = match aside(move || Room::new(&files, &charter_file, &charter)).await {
            Ok(room) => room,
            Err(error) => {
                record.error = Some(room_error(&error));
                return record;
            }
        };
        self.play_in(&room, &mut record, steps, playable).await;
        let changes = aside(move || {
            let changes = room.changes();
            room.close();
            changes
        });
        match changes.await {
            Ok(changes) => record.workspace = Some(changes),
            Err(error) => {
                record.error.get_or_insert_with(|| room_error(&error));
            }
        }
        record
    }

    async fn play_in(&self, room: &Room, record: &mut Transcript, steps: &[PlayStep], playable: &Playable) {
        let relay = match self.relay().await {
            Ok(relay) => relay,
            Err(failed) => {
                record.error = Some(failed);
                return;
            }
        };
        let (token, relay) = match &relay {
            Some((token, relay)) => (Some(token.as_str()), Some(relay)),
            None => (self.key.as_ref().map(ExposeSecret::expose_secret), None),
        };
        let offered = offer::offered(&self.program, playable);
        let set = self.set(room, relay, token, &offered);
        let prepared = set.prepare().and_then(|()| self.write_offer(room, &offered));
        if let Err(failed) = prepared {
            record.error = Some(room_error(&failed));
            return;
        }
        let mut notes = Notes { fenced: self.fenced.clone(), ..Notes::default() };
        if let Err(failed) = self.turns(&set, record, steps, &mut notes).await {
            record.error = Some(failed);
        }
        record.tools = self.tools(&notes.tools, &offered);
        record.extra.insert(PROGRAM.to_owned(), self.account(&notes));
        if let Some(relay) = relay {
            self.verify(relay, record);
        }
    }

    /// The script: the user's words, then the program's turn.
    async fn turns(
        &self,
        set: &Set<'_>,
        record: &mut Transcript,
        steps: &[PlayStep],
        notes: &mut Notes,
    ) -> Result<(), TrialError> {
        let mut prompt = String::new();
        for step in steps {
            match step {
                PlayStep::Say { message, .. } => {
                    if message.role == transcript::Role::User {
                        prompt.clone_from(&message.content);
                    }
                    record.messages.push(message.clone());
                }
                PlayStep::Reply { max_steps } => self.turn(set, record, &prompt, *max_steps, notes).await?,
            }
        }
        Ok(())
    }

    async fn turn(
        &self,
        set: &Set<'_>,
        record: &mut Transcript,
        prompt: &str,
        max_steps: u32,
        notes: &mut Notes,
    ) -> Result<(), TrialError> {
        notes.turns += 1;
        if notes.turns > 1 && notes.session.is_none() && self.program.adapter != Adapter::Command {
            return Err(error("agent-output", "it named no session that could be resumed".to_owned()));
        }
        if let Some(relay) = set.relay {
            relay.expect(prompt);
        }
        let call = set.call(notes.turns, prompt, notes.session.as_deref());
        let finished =
            self.start(set.room, set, &call.argv, &call.input, self.model.limits.timeout_s).await?;
        notes.left += finished.account.left;
        notes.fenced.clone_from(&finished.account.fenced);
        notes.stderr.clone_from(&finished.stderr);
        let read = set.read(&finished.stdout);
        let cut = cut(&finished, &self.model.limits);
        let segment = match (read, cut) {
            (Ok(segment), None) => segment,
            (Ok(segment), Some(cut)) => Segment { error: Some(cut), ..segment },
            // What it printed breaks off where it was ended: that is the cause, not what is wrong with the output.
            (Err(_), Some(cut)) => return Err(cut),
            (Err(bad), None) => return Err(bad),
        };
        let fault = segment.fault(max_steps).or_else(|| exit_fault(&finished));
        let served = self.served_by(&segment, set.relay);
        let drift = served.iter().find_map(|served| drift::fault(&self.model, served));
        record.served.extend(served);
        add(set, record, segment, notes);
        fault.or(drift).map_or(Ok(()), Err)
    }

    /// Who served a turn. Of each turn that is an answer there is something on record, be it that nobody said who gave it.
    fn served_by(&self, segment: &Segment, relay: Option<&Relay>) -> Vec<Served> {
        let seen = relay.map(|relay| relay.seen().models_of_turn().to_vec()).unwrap_or_default();
        let served = served(&segment.served, &seen);
        let is_answer = segment.messages.iter().any(Message::is_models_own);
        if served.is_empty() && is_answer && !self.model.pin.model.is_empty() {
            return vec![Served::default()];
        }
        served
    }

    /// Writes down whether the charter was in what the program sent; if it was not, there is no verdict.
    fn verify(&self, relay: &Relay, record: &mut Transcript) {
        let seen = relay.seen();
        let load = seen.load();
        let how = match &load {
            Ok(_) => self.charge.how("requests captured by the relay"),
            Err(unseen) => unseen.to_string(),
        };
        let verdict = load.as_ref().map_or_else(|_| json!("not-run"), |load| json!(load));
        record.extra.insert(LOAD.to_owned(), json!({ "verdict": verdict, "how": &how }));
        match (&mut record.error, load) {
            (None, Ok(load)) => record.error = load_error(load, &self.program.charter_file),
            // It answered, but not from requests that could be looked at: nobody knows what it had.
            (None, Err(_)) => {
                let message = format!("whether the subject had the charter is not known: {how}");
                record.error = Some(error("load", message));
            }
            // Programs put an endpoint's refusal into their own words, and not always into the right ones.
            (Some(error), _) if matches!(error.kind.as_str(), "agent-error" | "timeout") => {
                if let Some(status) = seen.refused() {
                    error.message = format!("{} (its endpoint answered {status})", error.message);
                }
            }
            _ => {}
        }
    }

    /// A relay with a token of its own, when the program has an endpoint.
    async fn relay(&self) -> Result<Option<(String, Relay)>, TrialError> {
        let Some(upstream) = &self.program.base_url else { return Ok(None) };
        let token = fresh_token();
        let relay = Relay::start(upstream, &token, self.key.clone(), self.charge.clone()).await;
        let relay = relay.map_err(|failed| error("relay", failed.to_string()))?;
        Ok(Some((token, relay)))
    }

    fn set<'a>(
        &'a self,
        room: &'a Room,
        relay: Option<&'a Relay>,
        token: Option<&'a str>,
        offered: &[ToolDecl],
    ) -> Set<'a> {
        let server = std::env::current_exe().ok().filter(|_| !offered.is_empty());
        Set {
            program: &self.program,
            room,
            relay,
            token,
            fenced: self.fenced.holds_files(),
            server: server.map(|exe| {
                let file = room.control().join("tools.json");
                vec![shown(&exe), "case-tools".to_owned(), shown(&file)]
            }),
            offered: offered.iter().map(|tool| tool.name().to_owned()).collect(),
        }
    }

    fn write_offer(&self, room: &Room, offered: &[ToolDecl]) -> Result<(), RoomError> {
        if offered.is_empty() {
            return Ok(());
        }
        let text = serde_json::to_vec(offered)
            .map_err(|error| RoomError::Unrecordable(format!("the case's tools: {error}")))?;
        room.put(&room.control().join("tools.json"), &text)
    }

    async fn start(
        &self,
        room: &Room,
        set: &Set<'_>,
        argv: &[String],
        input: &str,
        seconds: u64,
    ) -> Result<Finished, TrialError> {
        let env = set.env();
        let (argv, mut read) = super::start::locate(argv, &env, &self.program.read);
        read.push(room.control());
        read.extend(std::env::current_exe());
        let fence = Fence {
            write: vec![room.workspace(), room.home(), room.temp()],
            read,
            ports: set.relay.map(Relay::port).into_iter().collect(),
        };
        // Beside the folder that the program can read, so that it cannot see how it is watched.
        let report = room.control().with_file_name("account.json");
        let start = Start {
            argv: &argv,
            env: &env,
            folder: &room.workspace(),
            input,
            fence: &fence,
            report: &report,
            seconds,
            output: self.model.limits.max_output_bytes,
            processes: self.model.limits.max_processes,
        };
        start.run().await.map_err(|failed| {
            let kind = if matches!(failed, StartError::Stuck) { "timeout" } else { "agent-start" };
            error(kind, failed.to_string())
        })
    }

    /// The tools that the program has: those it lists, or is known to have, and those of the case with what they do.
    fn tools(&self, listed: &[Value], offered: &[ToolDecl]) -> Vec<Value> {
        let offered = ToolSet::new(offered).map(|tools| tools.recorded()).unwrap_or_default();
        let name = |tool: &Value| tool.as_str().or_else(|| tool.get("name")?.as_str()).map(str::to_owned);
        let known: Vec<Option<String>> = offered.iter().map(name).collect();
        let own: Vec<Value> = if listed.is_empty() {
            adapter::own_tools(&self.program).into_iter().map(Value::from).collect()
        } else {
            listed.iter().filter(|tool| !known.contains(&name(tool))).cloned().collect()
        };
        own.into_iter().chain(offered).collect()
    }

    fn account(&self, notes: &Notes) -> Value {
        let mut account = json!({
            "adapter": self.program.adapter.name(),
            "version": self.version,
            "fenced": notes.fenced.fenced,
            "open": notes.fenced.open,
        });
        if notes.left > 0 {
            account["processes_ended"] = notes.left.into();
        }
        if !notes.stderr.trim().is_empty() {
            account["stderr"] = notes.stderr.trim().into();
        }
        account
    }
}

/// Reads or writes many files where that holds up nobody: on the threads that look after sockets and timers, other trials
/// would wait for the disk.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RoomError> + Send + 'static,
) -> Result<T, RoomError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(RoomError::Io { path: std::env::temp_dir(), source: error.into() }))
}

/// Adds a turn to the record.
fn add(set: &Set<'_>, record: &mut Transcript, segment: Segment, notes: &mut Notes) {
    let Segment { mut messages, usage, served: _, stop, retries, tools, session, extra, error } = segment;
    unique_ids(&record.messages, &mut messages, notes.turns);
    let workspace = set.room.workspace();
    messages.iter_mut().for_each(|message| from_workspace(message, &workspace));
    match usage {
        Some(usage) => *record.usage.get_or_insert_default() += usage,
        // A turn that came to nothing has nothing to count.
        None if error.is_none() && messages.iter().any(Message::is_models_own) => record.uncounted += 1,
        None => {}
    }
    record.messages.append(&mut messages);
    if let Some(retries) = retries {
        *record.retries.get_or_insert(0) += retries;
    }
    record.stop = Some(stop.unwrap_or(StopReason::Stop));
    notes.session = session.or(notes.session.take());
    notes.tools = tools;
    for (key, value) in extra {
        if key != "session_id" && key != "thread_id" {
            record.extra.insert(key, value);
        }
    }
}

/// Who served a turn, by what the program says of it and by what its endpoint's replies were seen to name.
///
/// The replies weigh more: the program may say nothing, or speak of helpers that it asked on the way as well.
fn served(said: &[Served], seen: &[String]) -> Vec<Served> {
    if seen.is_empty() {
        return said.to_vec();
    }
    let names = |served: &Served| served.model.clone().unwrap_or_default();
    let mut served: Vec<Served> =
        said.iter().filter(|served| seen.contains(&names(served))).cloned().collect();
    for model in seen {
        if !served.iter().any(|served| names(served) == *model) {
            served.push(Served { model: Some(model.clone()), ..Served::default() });
        }
    }
    served
}

/// What is kept between turns.
#[derive(Debug, Default)]
struct Notes {
    turns: usize,
    session: Option<String>,
    tools: Vec<Value>,
    /// What was fenced; before the first turn, what can be.
    fenced: Fenced,
    /// Processes that it had left running.
    left: usize,
    stderr: String,
}

/// What stands for the key: nobody else on this machine can spend the key through the relay.
fn fresh_token() -> String {
    use std::hash::{BuildHasher, Hasher};
    let chance = || std::hash::RandomState::new().build_hasher().finish();
    format!("sk-stand-in-{:016x}{:016x}", chance(), chance())
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
