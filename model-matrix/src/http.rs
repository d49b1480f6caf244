//! Sending one request to one endpoint, and nowhere else: no redirect is followed, no proxy is used.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Response, Url, redirect};

use crate::exchange::{ErrorKind, Reply, SubjectError};
use crate::matrix::Limits;
use crate::pace::Pace;
use crate::quota;
use crate::trust;
use crate::wire::stream::Streamed;
use crate::wire::{Wire, WireError, Word, error_message, one_line};

/// The longest response that is read: what an endpoint sends is not trusted with our memory.
const LONGEST_RESPONSE: usize = 16 << 20;

/// The longest error response that is read.
const LONGEST_REFUSAL: usize = 1 << 20;

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// A client whose trust anchors are built in, so that it works where no CA files are.
///
/// # Errors
/// When the TLS library refuses its own defaults.
pub(crate) fn client() -> Result<Client, SubjectError> {
    let broken = |error: &dyn std::error::Error| {
        SubjectError::new(ErrorKind::Connect, format!("no HTTP client could be built: {}", chain(error)))
    };
    let tls = trust::tls().map_err(|error| broken(&error))?;
    Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .tcp_nodelay(true)
        .pool_max_idle_per_host(1024)
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("assize/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| broken(&error))
}

/// One request, ready to be sent.
pub(crate) struct Request<'a> {
    pub(crate) client: &'a Client,
    pub(crate) url: &'a Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) limits: &'a Limits,
    pub(crate) wire: Wire,
    /// Whether the request asks for a stream.
    pub(crate) stream: bool,
    /// The endpoint's pace, which is told what the response says of limits; replays have none.
    pub(crate) pace: Option<&'a Pace>,
    /// The longest pause that is kept; an endpoint that needs a longer one has to say so itself.
    pub(crate) longest_pause: Duration,
}

/// Sends the request and reads the reply to its end.
pub(crate) async fn send(request: Request<'_>) -> Result<Reply, SubjectError> {
    let timeout = Duration::from_secs(request.limits.timeout_s);
    let url = request.url;
    match tokio::time::timeout(timeout, exchange(request)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(SubjectError::new(
            ErrorKind::Timeout,
            format!("{url} gave no whole reply within {} s (limits.timeout_s)", timeout.as_secs()),
        )),
    }
}

async fn exchange(request: Request<'_>) -> Result<Reply, SubjectError> {
    let Request { client, url, headers, body, limits, wire, stream, pace, longest_pause } = request;
    let response = client.post(url.clone()).headers(headers).body(body).send().await;
    let response = response.map_err(|error| failure(url, error))?;
    let wait = quota::used_up(response.headers(), SystemTime::now());
    if let (Some(pace), Some(wait)) = (pace, wait.filter(|wait| *wait <= longest_pause)) {
        pace.pause(wait);
    }
    let status = response.status();
    if status.is_redirection() {
        return Err(redirected(url, &response));
    }
    if !status.is_success() {
        return Err(refused(url, response).await);
    }
    if stream && is_stream(&response) {
        return follow(url, response, wire, Duration::from_secs(limits.idle_timeout_s)).await;
    }
    let body = read(url, response, LONGEST_RESPONSE).await?;
    let reply = if stream && looks_like_events(&body) { events(wire, &body) } else { wire.reply(&body) };
    reply.map_err(|error| bad_reply(url, &error))
}

/// What was answered with success, but is no reply. An endpoint that says so itself is taken at its word.
fn bad_reply(url: &Url, error: &WireError) -> SubjectError {
    let kind = if error.word == Some(Word::Busy) { ErrorKind::RateLimited } else { ErrorKind::BadReply };
    let mut failure = SubjectError::new(kind, format!("{url} sent no proper reply: {error}"));
    failure.retryable = error.word != Some(Word::Refused);
    failure
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

/// Some servers stream without saying so.
fn looks_like_events(body: &[u8]) -> bool {
    [b"data:".as_slice(), b"event:", b":"].iter().any(|start| body.trim_ascii_start().starts_with(start))
}

fn events(wire: Wire, body: &[u8]) -> Result<Reply, WireError> {
    let mut streamed = Streamed::new(wire);
    streamed.push(body)?;
    streamed.finish()
}

/// Follows a stream up to its last event; what comes after it does not matter.
async fn follow(
    url: &Url,
    mut response: Response,
    wire: Wire,
    idle: Duration,
) -> Result<Reply, SubjectError> {
    let mut streamed = Streamed::new(wire);
    loop {
        let chunk = tokio::time::timeout(idle, response.chunk()).await.map_err(|_| {
            let message =
                format!("the stream from {url} was silent for {} s (limits.idle_timeout_s)", idle.as_secs());
            SubjectError::new(ErrorKind::Stalled, message)
        })?;
        let Some(chunk) = chunk.map_err(|error| failure(url, error))? else { break };
        if streamed.push(&chunk).map_err(|error| bad_reply(url, &error))? {
            break;
        }
    }
    streamed.finish().map_err(|error| bad_reply(url, &error))
}

async fn read(url: &Url, mut response: Response, longest: usize) -> Result<Vec<u8>, SubjectError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(url, error))? {
        if body.len() + chunk.len() > longest {
            let message = format!("{url} sent a response of more than {} MiB", longest >> 20);
            return Err(SubjectError::new(ErrorKind::BadReply, message));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn redirected(url: &Url, response: &Response) -> SubjectError {
    let target = response.headers().get(LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let target = target.map_or("nowhere".to_owned(), |target| one_line(&target, 200));
    let mut error = SubjectError::new(
        ErrorKind::Redirect,
        format!(
            "{url} redirects to {target}; only listed endpoints are contacted: put the right one in `base_url`"
        ),
    );
    error.status = Some(response.status().as_u16());
    error
}

/// An error status. The statuses that are worth another try are those of overload and of failures on the way.
async fn refused(url: &Url, response: Response) -> SubjectError {
    let status = response.status();
    let retry_after = quota::asked_to_wait(response.headers(), SystemTime::now());
    let their_word = quota::should_retry(response.headers());
    let said = match read(url, response, LONGEST_REFUSAL).await {
        Ok(body) => error_message(&body),
        Err(error) => format!("(the body could not be read: {error})"),
    };
    let kind = if status.as_u16() == 429 { ErrorKind::RateLimited } else { ErrorKind::HttpStatus };
    let name = status.canonical_reason().map(|name| format!(" {name}")).unwrap_or_default();
    let mut error = SubjectError::new(kind, format!("{url} answered {}{name}: {said}", status.as_u16()));
    error.retryable = their_word.unwrap_or(matches!(status.as_u16(), 408 | 409 | 425 | 429 | 500..));
    error.status = Some(status.as_u16());
    error.retry_after = retry_after;
    error
}

fn failure(url: &Url, error: reqwest::Error) -> SubjectError {
    let kind = match () {
        () if error.is_connect() => ErrorKind::Connect,
        () if error.is_timeout() => ErrorKind::Timeout,
        () => ErrorKind::Connection,
    };
    let error = error.without_url();
    if let Some(advice) = tls_advice(&error) {
        let message = format!("{url} cannot be trusted with a request: {}; {advice}", chain(&error));
        return SubjectError { retryable: false, ..SubjectError::new(kind, message) };
    }
    let what = if kind == ErrorKind::Connect { "cannot be reached" } else { "broke the exchange off" };
    SubjectError::new(kind, format!("{url} {what}: {}", chain(&error)))
}

/// What to do about an endpoint whose TLS is not as it must be: that does not change from one second to the next.
fn tls_advice(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        match error.downcast_ref() {
            Some(rustls::Error::InvalidCertificate(_)) => {
                return Some(
                    "its certificate must be signed by a public authority, for the name in `base_url`",
                );
            }
            Some(rustls::Error::InvalidMessage(_)) => {
                return Some("what answers there does not speak TLS: should `base_url` start with http://?");
            }
            Some(_) | None => {}
        }
        // What an I/O error wraps is not among its sources.
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        cause = wrapped.map(|error| error as &(dyn std::error::Error + 'static)).or_else(|| error.source());
    }
    None
}

/// An error with its causes; the outermost message alone seldom says what happened.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    one_line(&text, 500)
}
