//! Sending one request to one endpoint, and nowhere else: no redirect is followed, no proxy is used.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, Url, redirect};

use crate::exchange::{ErrorKind, SubjectError};
use crate::retry::retry_after;
use crate::wire::{error_message, one_line};

/// The longest response that is read: what an endpoint sends is not trusted with our memory.
const LONGEST_RESPONSE: usize = 64 << 20;

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
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| broken(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
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

/// Posts `body` and returns the body of a successful response.
pub(crate) async fn post(
    client: &Client,
    url: &Url,
    headers: HeaderMap,
    body: Bytes,
    timeout: Duration,
) -> Result<Vec<u8>, SubjectError> {
    let exchange = async {
        let response = client
            .post(url.clone())
            .headers(headers)
            .body(body)
            .send()
            .await
            .map_err(|error| failure(url, error))?;
        let status = response.status();
        if status.is_success() {
            return read(url, response).await;
        }
        if status.is_redirection() {
            return Err(redirected(url, &response));
        }
        Err(refused(url, response).await)
    };
    match tokio::time::timeout(timeout, exchange).await {
        Ok(outcome) => outcome,
        Err(_) => Err(SubjectError::new(
            ErrorKind::Timeout,
            format!("{url} gave no whole reply within {} s (limits.timeout_s)", timeout.as_secs()),
        )),
    }
}

async fn read(url: &Url, mut response: Response) -> Result<Vec<u8>, SubjectError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(url, error))? {
        if body.len() + chunk.len() > LONGEST_RESPONSE {
            let limit = LONGEST_RESPONSE >> 20;
            let message = format!("{url} sent a response of more than {limit} MiB");
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
    let asked = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let retry_after = asked.and_then(|value| retry_after(value, SystemTime::now()));
    let said = match read(url, response).await {
        Ok(body) => error_message(&body),
        Err(error) => format!("(the body could not be read: {error})"),
    };
    let kind = if status.as_u16() == 429 { ErrorKind::RateLimited } else { ErrorKind::HttpStatus };
    let mut error = SubjectError::new(kind, format!("{url} answered {status}: {said}"));
    error.retryable = matches!(status.as_u16(), 408 | 409 | 429 | 500..);
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
    let what = if kind == ErrorKind::Connect { "cannot be reached" } else { "broke the exchange off" };
    SubjectError::new(kind, format!("{url} {what}: {}", chain(&error.without_url())))
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
