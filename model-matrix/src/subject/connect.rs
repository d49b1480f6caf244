//! Subjects connected to their endpoints: with which key each is asked, where, and which of them share a pace.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, OnceLock};

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Semaphore;

use super::Subject;
use crate::exchange::SubjectError;
use crate::http;
use crate::lint::is_loopback;
use crate::matrix::{Auth, Model, Provider};
use crate::pace::{Figures, Pace};
use crate::retry::RetryPolicy;
use crate::secrets::{SHORTEST_MASKED, Secrets};
use crate::wire::{Wire, anthropic};

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
pub(super) fn endpoint(base: &Url, wire: Wire, model: &str, stream: bool) -> Url {
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
