//! A relay on loopback between an agent program and its endpoint.
//!
//! The program is given the relay's address and a token in place of the key. So the key is never in its hands, nothing
//! but its endpoint can be reached through the relay, and what it sends can be looked at: whether the charter is in it,
//! and which model answered. Requests and replies are passed on as they are and never kept: what a vendor's program
//! tells its model is that vendor's.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use reqwest::{Client, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::exchange::SubjectError;
use crate::http;
use crate::load::{Charge, gather};
use crate::matrix::{Model, Provider};

mod glance;
mod seen;

pub use seen::{Seen, Unseen};

use seen::Place;

/// The largest request that is passed on.
const LARGEST_REQUEST: usize = 64 << 20;

/// Headers that speak of one connection only; the endpoint's client writes its own.
const OF_THE_CONNECTION: [HeaderName; 7] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::UPGRADE,
    // A compressed reply could not be looked at.
    header::ACCEPT_ENCODING,
];

/// Why there is no relay.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RelayError {
    /// No port could be had.
    #[error("the relay cannot be started on 127.0.0.1: {0}")]
    Bind(#[from] std::io::Error),
    /// The HTTP client could not be built.
    #[error(transparent)]
    Client(#[from] SubjectError),
}

/// A relay; it ends when it is dropped.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    base_path: String,
    shared: Arc<Shared>,
    server: tokio::task::JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    client: Client,
    upstream: Url,
    /// What the program sends where a key belongs.
    token: String,
    key: Option<SecretString>,
    charge: Charge,
    seen: Mutex<Seen>,
}

impl Relay {
    /// Starts a relay to `upstream`, which puts `key` wherever the program sends `token`. Without a key, everything
    /// is passed on as it is.
    ///
    /// # Errors
    /// [`RelayError`].
    pub async fn start(
        upstream: &Url,
        token: &str,
        key: Option<SecretString>,
        charge: Charge,
    ) -> Result<Self, RelayError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            client: http::client()?,
            upstream: upstream.clone(),
            token: token.to_owned(),
            key,
            charge,
            seen: Mutex::default(),
        });
        let app = Router::new().fallback(pass_on).with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move {
            // It serves until it is aborted.
            let _ = axum::serve(listener, app).await;
        });
        let base_path = upstream.path().trim_end_matches('/').to_owned();
        Ok(Self { address, base_path, shared, server })
    }

    /// The base URL for the program.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}{}", self.address, self.base_path)
    }

    /// The entry with its endpoint behind this relay; `None` when its base URL cannot be put together.
    #[must_use]
    pub fn in_front_of(&self, model: &Model) -> Option<Model> {
        let mut model = model.clone();
        if let Provider::Api { base_url, .. } = &mut model.provider {
            let mut url = Url::parse(&self.base_url()).ok()?;
            url.set_query(base_url.query());
            *base_url = url;
        }
        Some(model)
    }

    /// The port, the only one that the program needs.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Tells what the user says next: a new turn, in which requests that hold it are of the conversation on trial.
    pub fn expect(&self, prompt: &str) {
        self.shared.lock().expect(prompt);
    }

    /// What was seen so far.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.shared.lock().clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a request; says where it belongs, if it may be of the conversation on trial.
    fn look(&self, headers: &HeaderMap, body: &[u8]) -> Option<Place> {
        let mut seen = self.lock();
        seen.requests += 1;
        if body.is_empty() {
            return None;
        }
        let is_plain = headers.get(header::CONTENT_ENCODING).is_none_or(|value| value == "identity");
        let Some(value) = is_plain.then(|| serde_json::from_slice::<Value>(body).ok()).flatten() else {
            seen.unreadable += 1;
            return None;
        };
        let mut text = String::new();
        gather(&value, &mut text);
        let with_tools = value.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty());
        seen.take(&text, with_tools, self.charge.look_at(&value))
    }

    /// The headers to send on, with the key in place of the token; `None` when the token is nowhere in them.
    fn headers(&self, given: &HeaderMap) -> Option<HeaderMap> {
        let mut sent = HeaderMap::new();
        let mut known = false;
        for (name, value) in given.iter().filter(|(name, _)| !OF_THE_CONNECTION.contains(name)) {
            let text = value.to_str().unwrap_or_default();
            if self.token.is_empty() || !text.contains(&self.token) {
                sent.append(name, value.clone());
                continue;
            }
            known = true;
            let Some(key) = &self.key else { continue };
            let mut value = HeaderValue::try_from(text.replace(&self.token, key.expose_secret())).ok()?;
            value.set_sensitive(true);
            sent.append(name, value);
        }
        (known || self.key.is_none()).then_some(sent)
    }

    fn url(&self, request: &Request) -> Url {
        let mut url = self.upstream.clone();
        url.set_path(request.uri().path());
        match (self.upstream.query(), request.uri().query()) {
            // Whoever was given the query with the base URL sends it already.
            (Some(own), Some(more)) if !more.starts_with(own) => {
                url.set_query(Some(&format!("{own}&{more}")));
            }
            (_, query @ Some(_)) => url.set_query(query),
            (_, None) => {}
        }
        url
    }

    fn refuse(&self, place: Option<Place>, status: StatusCode, message: &str) -> Response {
        if let Some(place) = place {
            self.lock().answered(place, status.as_u16());
        }
        let body = json!({ "type": "error", "error": { "type": "relay_error", "message": message } });
        (status, axum::Json(body)).into_response()
    }
}

async fn pass_on(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let within = request.uri().path().starts_with(shared.upstream.path().trim_end_matches('/'));
    let url = shared.url(&request);
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, LARGEST_REQUEST).await else {
        return shared.refuse(None, StatusCode::PAYLOAD_TOO_LARGE, "the request is too large or was cut");
    };
    let place = shared.look(&parts.headers, &body);
    let Some(headers) = shared.headers(&parts.headers).filter(|_| within) else {
        return shared.refuse(place, StatusCode::UNAUTHORIZED, "this relay is for another program");
    };
    let sent = shared.client.request(parts.method, url).headers(headers).body(body).send().await;
    let response = match sent {
        Ok(response) => response,
        Err(error) => {
            let message = format!("the endpoint cannot be reached: {}", error.without_url());
            return shared.refuse(place, StatusCode::BAD_GATEWAY, &message);
        }
    };
    let status = response.status();
    if let Some(place) = place {
        shared.lock().answered(place, status.as_u16());
    }
    let mut answer = Response::builder().status(status);
    for (name, value) in response.headers().iter().filter(|(name, _)| !OF_THE_CONNECTION.contains(name)) {
        answer = answer.header(name, value);
    }
    let body = match place.filter(|_| status.is_success()) {
        Some(place) => Body::from_stream(glance::Glance::new(response.bytes_stream(), move |model| {
            shared.lock().served(place, model);
        })),
        None => Body::from_stream(response.bytes_stream()),
    };
    answer.body(body).unwrap_or_else(|_| StatusCode::BAD_GATEWAY.into_response())
}

/// The bytes of a reply as they come.
type Chunk = Result<Bytes, reqwest::Error>;

#[cfg(test)]
mod tests;
