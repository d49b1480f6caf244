//! One model on trial behind its endpoint: how it is asked, how many at a time, how often again, and when no more.

mod connect;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Url};
use tokio::sync::Semaphore;
use transcript::Served;

pub use connect::{ConnectError, MissingKey, Subjects};

use crate::drift::{self, Drift};
use crate::exchange::{ErrorKind, Exchange, Reply, SubjectError};
use crate::http;
use crate::matrix::Model;
use crate::pace::{Figures, Pace};
use crate::retry::RetryPolicy;
use crate::secrets::Secrets;
use crate::wire::{Ask, Wire};

/// Tells a replay endpoint which trial asks.
pub const TRIAL_HEADER: &str = "x-assize-trial";
/// Tells a replay endpoint how many replies the trial has had.
pub const TURN_HEADER: &str = "x-assize-turn";

/// After so many replies in a row from another model than the pinned one, an endpoint is not asked any more.
const DRIFTS: u32 = 3;

/// About how many bytes of a request make a token, before the endpoint has counted.
const BYTES_PER_TOKEN: u64 = 4;

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

#[cfg(test)]
mod tests;
