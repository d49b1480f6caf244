//! Subjects connected to their endpoints: who is asked, with which key, how many at a time, how often again.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Semaphore;
use transcript::Served;

use crate::drift::{self, Drift};
use crate::exchange::{ErrorKind, Exchange, Reply, SubjectError};
use crate::http;
use crate::lint::is_loopback;
use crate::matrix::{Auth, Model, Provider};
use crate::pace::{Figures, Pace};
use crate::retry::RetryPolicy;
use crate::secrets::{SHORTEST_MASKED, Secrets};
use crate::wire::{Ask, Wire, anthropic};

/// Tells a replay endpoint which trial asks.
pub const TRIAL_HEADER: &str = "x-assize-trial";
/// Tells a replay endpoint how many replies the trial has had.
pub const TURN_HEADER: &str = "x-assize-turn";

/// After so many replies in a row from another model than the pinned one, an endpoint is not asked any more.
const DRIFTS: u32 = 3;

/// About how many bytes of a request make a token, before the endpoint has counted.
const BYTES_PER_TOKEN: u64 = 4;

/// Why subjects could not be connected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// Variables that hold keys are not set, or hold nothing.
    #[error("{}", missing(.0))]
    MissingKeys(Vec<MissingKey>),
    /// A key holds characters that no HTTP header can carry.
    #[error("the key in {variable} holds characters that cannot be sent; was it pasted with a line break?")]
    BadKey {
        /// The variable.
        variable: String,
    },
    /// A key is too short to be told from ordinary words, so that it could not be masked.
    #[error(
        "the key in {variable} has fewer than {SHORTEST_MASKED} characters, so it could not be masked where model {model} or its endpoint echoes it; was it cut off? If the endpoint needs no key, remove `key_env`"
    )]
    ShortKey {
        /// The variable.
        variable: String,
        /// A model that needs it.
        model: String,
    },
    /// A replayed model is to be tried, but no replay server was given.
    #[error("model `{0}` is replayed, but there is no replay server")]
    NoReplay(String),
    /// The HTTP client could not be built.
    #[error(transparent)]
    Http(#[from] SubjectError),
}

/// A variable that is not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKey {
    /// The variable.
    pub variable: String,
    /// The models that need it.
    pub models: Vec<String>,
}

fn missing(keys: &[MissingKey]) -> String {
    let lines = keys.iter().map(|key| {
        let models = key.models.join(", ");
        match key.models.len() {
            1 => format!("the variable {} is not set; model {models} needs it", key.variable),
            _ => format!("the variable {} is not set; models {models} need it", key.variable),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// How a trial passes the time until a request of it that was refused is sent again, while the endpoint takes others.
pub trait Waiting: Sync {
    /// Returns after `time`, or later when whoever goes on has to be waited for.
    fn wait(&self, time: Duration) -> impl Future<Output = ()> + Send;
}

/// Waits, and nobody goes on meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Idle;

impl Waiting for Idle {
    async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// The subjects of a run.
#[derive(Debug)]
pub struct Subjects {
    subjects: Vec<Arc<Subject>>,
    secrets: Secrets,
}

impl Subjects {
    /// Connects `models`; no request is sent yet.
    ///
    /// `env` looks up an environment variable; `replay` is the base URL of the server for replayed models.
    ///
    /// # Errors
    /// All missing keys in one go; see [`ConnectError`].
    pub fn connect<'a>(
        models: impl IntoIterator<Item = &'a Model>,
        env: impl Fn(&str) -> Option<String>,
        replay: Option<&Url>,
        retry: RetryPolicy,
    ) -> Result<Self, ConnectError> {
        let models: Vec<_> = models.into_iter().collect();
        let secrets = keys(&models, env)?;
        let mut shared = Secrets::default();
        for (variable, key) in &secrets {
            shared.add(variable, key);
        }
        // One client for all: its pool is by endpoint already.
        let client = http::client()?;
        let mut paces = HashMap::new();
        let subjects = models.iter().copied().map(|model| {
            let (wire, base_url, key) = match &model.provider {
                Provider::Api { wire, base_url, key_env, auth, .. } => {
                    let key = |name: &'a String| Some((name.as_str(), secrets.get(name)?, *auth));
                    (*wire, base_url, key_env.as_ref().and_then(key))
                }
                Provider::Replay { wire, .. } => {
                    (*wire, replay.ok_or_else(|| ConnectError::NoReplay(model.id.clone()))?, None)
                }
                // It asks its endpoint itself.
                Provider::Program(_) => return Ok(None),
            };
            Ok(Some(Arc::new(Subject {
                model: model.clone(),
                requested: model.provider.requested_model(),
                wire,
                url: endpoint(base_url, wire, &model.provider.requested_model(), model.stream),
                headers: headers(wire, key)?,
                client: client.clone(),
                permits: model.limits.in_flight.map(Semaphore::new),
                pace: pace(model, &models, &mut paces),
                retry: RetryPolicy {
                    max_retries: model.limits.retries.unwrap_or(retry.max_retries),
                    ..retry
                },
                secrets: shared.clone(),
                answered: AtomicBool::new(false),
                drifts: AtomicU32::new(0),
                closed: OnceLock::new(),
            })))
        });
        let subjects = subjects.filter_map(Result::transpose).collect::<Result<_, ConnectError>>()?;
        Ok(Self { subjects, secrets: shared })
    }

    /// The subject whose matrix entry is `id`.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<Subject>> {
        self.subjects.iter().find(|subject| subject.model.id == id)
    }

    /// All subjects, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Subject>> {
        self.subjects.iter()
    }

    /// How all endpoints together were paced so far; the window is the smallest of theirs.
    #[must_use]
    pub fn figures(&self) -> Figures {
        let mut seen: Vec<&Arc<Pace>> = Vec::new();
        let mut all = Figures::default();
        for pace in self.subjects.iter().filter_map(|subject| subject.pace.as_ref()) {
            if seen.iter().any(|known| Arc::ptr_eq(known, pace)) {
                continue;
            }
            seen.push(pace);
            let one = pace.figures();
            all.retries += one.retries;
            all.refused += one.refused;
            all.throttled += one.throttled;
            all.window = [all.window, one.window].into_iter().flatten().min();
        }
        all
    }

    /// The keys in use, for masking what subjects echo.
    #[must_use]
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }
}

/// One model on trial.
#[derive(Debug)]
pub struct Subject {
    model: Model,
    requested: String,
    wire: Wire,
    url: Url,
    headers: HeaderMap,
    client: Client,
    permits: Option<Semaphore>,
    pace: Option<Arc<Pace>>,
    retry: RetryPolicy,
    secrets: Secrets,
    /// Whether there was a reply.
    answered: AtomicBool,
    /// Replies in a row that another model gave.
    drifts: AtomicU32,
    /// Why nothing more is asked, once the endpoint has made clear that it will not answer.
    closed: OnceLock<SubjectError>,
}

impl Subject {
    /// The matrix entry.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Where its requests go.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// How its endpoint was paced so far; entries for the same model at the same endpoint share these.
    #[must_use]
    pub fn figures(&self) -> Figures {
        self.pace.as_ref().map(|pace| pace.figures()).unwrap_or_default()
    }

    /// Whether what served a reply is what the matrix pins.
    #[must_use]
    pub fn drift(&self, served: &Served) -> Drift {
        drift::compare(&self.model.pin, served)
    }

    /// Why nothing more is asked in this run: the endpoint refuses whoever asks, or wants to be left alone for longer
    /// than is waited. To go on asking would change nothing, and is no way to treat an endpoint.
    #[must_use]
    pub fn closed(&self) -> Option<&SubjectError> {
        self.closed.get()
    }

    /// Asks for one reply; waits for a free place first when the entry limits requests in flight.
    ///
    /// # Errors
    /// When there is no reply after the retries; it says nothing of the model.
    pub async fn reply(&self, exchange: &Exchange<'_>) -> Result<Reply, SubjectError> {
        self.send(exchange, self.body(exchange)?, &Idle).await
    }

    /// The body of the request for one reply, byte for byte as [`Self::send`] sends it.
    ///
    /// # Errors
    /// When the conversation cannot be said in the endpoint's wire format.
    pub fn body(&self, exchange: &Exchange<'_>) -> Result<Bytes, SubjectError> {
        let ask = Ask {
            model: &self.requested,
            messages: exchange.messages,
            tools: exchange.tools,
            decoding: &self.model.decoding,
            stream: self.model.stream,
        };
        let body = self.wire.request(&ask);
        body.map(Bytes::from).map_err(|error| SubjectError::new(ErrorKind::BadRequest, error.to_string()))
    }

    /// Sends a `body` that [`Self::body`] made, and as often again as the retries allow. The time until then is passed in
    /// `waiting` when this request was refused while others are not, and else by holding on: then the next trial's request
    /// would fare no better.
    ///
    /// # Errors
    /// As for [`Self::reply`].
    pub async fn send(
        &self,
        exchange: &Exchange<'_>,
        body: Bytes,
        waiting: &impl Waiting,
    ) -> Result<Reply, SubjectError> {
        let mut retries = self.retry.start();
        loop {
            // The semaphore is never closed, so the only outcome is a permit.
            let permit = match &self.permits {
                Some(permits) => permits.acquire().await.ok(),
                None => None,
            };
            if let Some(closed) = self.closed() {
                return Err(SubjectError { retries: retries.used(), ..closed.clone() });
            }
            let error = match self.paced(exchange, body.clone()).await {
                Ok(reply) => {
                    self.answered.store(true, Ordering::Relaxed);
                    self.look_who_answers(&reply.served);
                    let stop = reply.stop_within(&self.model.decoding);
                    return Ok(Reply { retries: retries.used(), stop, ..reply });
                }
                Err(error) => error,
            };
            let alone = is_refusal(&error) && self.pace.as_ref().is_some_and(|pace| !pace.is_crowded());
            let wait = retries.next(error, alone).map_err(|error| self.given_up(error))?;
            if let Some(pace) = &self.pace {
                pace.repeated(wait);
            }
            if alone {
                drop(permit);
                waiting.wait(wait).await;
            } else {
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// One attempt, as soon as the endpoint's pace allows it.
    async fn paced(&self, exchange: &Exchange<'_>, body: Bytes) -> Result<Reply, SubjectError> {
        let Some(pace) = &self.pace else { return self.attempt(exchange, body).await };
        let slot = pace.enter(body.len() as u64 / BYTES_PER_TOKEN).await;
        let outcome = self.attempt(exchange, body).await;
        match &outcome {
            Ok(reply) => slot.replied(reply.usage.map(|usage| usage.total())),
            Err(error) => {
                if is_refusal(error) {
                    slot.refused();
                }
                // Whoever asks one request to wait asks all of them, be it the last that this trial sends; unless it goes
                // on to take what others send.
                let alone = is_refusal(error) && !pace.is_crowded();
                if let Some(wait) =
                    error.retry_after.filter(|wait| !alone && *wait <= self.retry.longest_asked)
                {
                    pace.pause(wait);
                }
            }
        }
        outcome
    }

    async fn attempt(&self, exchange: &Exchange<'_>, body: Bytes) -> Result<Reply, SubjectError> {
        let mut headers = self.headers.clone();
        if self.model.provider.is_replay() {
            let trial = HeaderValue::from_bytes(exchange.trial.as_bytes()).map_err(|_| {
                let message = format!("the trial key {:?} cannot be sent as a header", exchange.trial);
                SubjectError::new(ErrorKind::BadRequest, message)
            })?;
            headers.insert(TRIAL_HEADER, trial);
            headers.insert(TURN_HEADER, HeaderValue::from(exchange.turn));
        }
        let request = http::Request {
            client: &self.client,
            url: &self.url,
            headers,
            body,
            limits: &self.model.limits,
            wire: self.wire,
            stream: self.model.stream,
            pace: self.pace.as_deref(),
            longest_pause: self.retry.longest_asked,
        };
        http::send(request).await.map_err(|error| self.advised(error))
    }

    /// A refused request with the line of the matrix that may have to change: nothing is left out of a request
    /// silently, so the endpoint's word on a parameter is the person's to act on.
    fn advised(&self, mut error: SubjectError) -> SubjectError {
        if !matches!(error.status, Some(400 | 422)) {
            return error;
        }
        let Model { id, line, .. } = &self.model;
        let named = |name: &str| names(&error.message, name);
        if self.model.stream && ["stream_options", "include_usage", "stream"].into_iter().any(named) {
            error.message = format!(
                "{}; if the endpoint cannot stream, write `stream: false` into the entry of `{id}`, line {line} of the matrix",
                error.message
            );
        } else if let Some(key) = self.model.decoding.keys().find(|key| named(key)) {
            error.message = format!(
                "{}; `{key}` is sent because it stands in `decoding` of `{id}`, line {line} of the matrix: change or remove it there",
                error.message
            );
        }
        error
    }

    /// Counts replies in a row that another model than the pinned one gave. One may be a slip of a router; after
    /// [`DRIFTS`] of them, what is still owed would be paid for in vain.
    fn look_who_answers(&self, served: &Served) {
        let Some(fault) = drift::fault(&self.model, served) else {
            self.drifts.store(0, Ordering::Relaxed);
            return;
        };
        if self.drifts.fetch_add(1, Ordering::Relaxed) + 1 >= DRIFTS {
            let message = format!("not asked any more in this run, since {}", fault.message);
            // Of several that end at the same time, the first one is as good as any.
            let _ = self.closed.set(SubjectError::new(ErrorKind::PinDrift, message));
        }
    }

    /// The error of a request that is not repeated any more; perhaps it is the last word on all of them.
    fn given_up(&self, mut error: SubjectError) -> SubjectError {
        error.message = self.secrets.mask(&error.message).into_owned();
        let for_all = match error.status {
            _ if self.model.provider.is_replay() => false,
            Some(401) => true,
            // Who has answered before refuses this one request; who never has, refuses the key or knows no such model.
            Some(403 | 404) => !self.answered.load(Ordering::Relaxed),
            _ => error.retry_after.is_some_and(|asked| error.retryable && asked > self.retry.longest_asked),
        };
        if for_all {
            let message = format!("not asked any more in this run, since {}", error.message);
            // Of several that end at the same time, the first one is as good as any.
            let _ = self.closed.set(SubjectError {
                message,
                retryable: false,
                retry_after: None,
                ..error.clone()
            });
        }
        error
    }
}

/// Whether the endpoint says that it was too much.
fn is_refusal(error: &SubjectError) -> bool {
    error.kind == ErrorKind::RateLimited || error.status == Some(529)
}

/// Whether `text` names `key` as a word of its own.
fn names(text: &str, key: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(key)
        .any(|(at, _)| !text[..at].ends_with(inside) && !text[at + key.len()..].starts_with(inside))
}

/// The pace of the endpoint that `model` is asked at. Entries for the same model there share it, and the lowest of
/// their limits holds.
fn pace(model: &Model, all: &[&Model], paces: &mut HashMap<(Url, String), Arc<Pace>>) -> Option<Arc<Pace>> {
    let place = |model: &Model| match &model.provider {
        Provider::Api { base_url, model, .. } => Some((base_url.clone(), model.clone())),
        Provider::Replay { .. } | Provider::Program(_) => None,
    };
    let here = place(model)?;
    let sharing =
        || all.iter().filter(|other| place(other).as_ref() == Some(&here)).map(|other| &other.limits);
    let rpm = sharing().filter_map(|limits| limits.rpm).min();
    let tpm = sharing().filter_map(|limits| limits.tpm).min();
    let pace = paces.entry(here).or_insert_with(|| Arc::new(Pace::new(rpm, tpm)));
    Some(Arc::clone(pace))
}

/// Looks up every key that `models` name.
fn keys(
    models: &[&Model],
    env: impl Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, SecretString>, ConnectError> {
    let mut found = BTreeMap::new();
    let mut missing: Vec<MissingKey> = Vec::new();
    for model in models {
        let Some(variable) = model.provider.key_env() else { continue };
        if found.contains_key(variable) {
            continue;
        }
        let value = env(variable).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        if let Some(value) = value {
            let on_loopback = model.provider.base_url().is_none_or(is_loopback);
            if value.len() < SHORTEST_MASKED && !on_loopback {
                return Err(ConnectError::ShortKey {
                    variable: variable.to_owned(),
                    model: model.id.clone(),
                });
            }
            found.insert(variable.to_owned(), SecretString::from(value));
            continue;
        }
        match missing.iter_mut().find(|key| key.variable == variable) {
            Some(key) if key.models.contains(&model.id) => {}
            Some(key) => key.models.push(model.id.clone()),
            None => {
                missing.push(MissingKey { variable: variable.to_owned(), models: vec![model.id.clone()] });
            }
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(ConnectError::MissingKeys(missing)) }
}

/// The URL that requests go to: the base URL as listed, with the format's path. A base URL of an Anthropic endpoint
/// is usually given without its `/v1`, one of an OpenAI-compatible endpoint with it.
fn endpoint(base: &Url, wire: Wire, model: &str, stream: bool) -> Url {
    let mut url = base.clone();
    let path = base.path().trim_end_matches('/');
    let version = if wire == Wire::Anthropic && !path.ends_with("/v1") { "/v1" } else { "" };
    url.set_path(&format!("{path}{version}{}", wire.path(model, stream)));
    if wire == Wire::Gemini && stream {
        // Without it the stream would be one long list of JSON.
        url.query_pairs_mut().append_pair("alt", "sse");
    }
    url
}

fn headers(wire: Wire, key: Option<(&str, &SecretString, Auth)>) -> Result<HeaderMap, ConnectError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if wire == Wire::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
    }
    if let Some((variable, key, auth)) = key {
        let key = key.expose_secret();
        let (name, value) = match auth {
            Auth::None => return Ok(headers),
            Auth::Bearer => (AUTHORIZATION, format!("Bearer {key}")),
            Auth::ApiKey => (HeaderName::from_static("api-key"), key.to_owned()),
            Auth::XApiKey => (HeaderName::from_static("x-api-key"), key.to_owned()),
            Auth::XGoogApiKey => (HeaderName::from_static("x-goog-api-key"), key.to_owned()),
        };
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| ConnectError::BadKey { variable: variable.to_owned() })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests;
