//! The loopback server that answers from recorded turns, in every wire format.
//!
//! A replayed trial thus goes through the same client, the same bytes and the same parsing as a real one. The
//! server is no rubber stamp: it answers only when the request carries the conversation it should.

mod tape;

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use bytes::Bytes;
use reqwest::Url;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use transcript::{StopReason, ToolCall, Usage};

use crate::subject::{TRIAL_HEADER, TURN_HEADER};
use crate::wire::{Answer, Wire};
use tape::Tape;

/// The longest request that is read.
const LONGEST_REQUEST: usize = 64 << 20;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// One reply of a recorded trace.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTurn {
    /// The text.
    pub content: String,
    /// The calls; one without an id is given one.
    pub tool_calls: Vec<ToolCall>,
    /// Why it ended; when absent, it waits for its calls, or else it was done.
    pub stop: Option<StopReason>,
}

/// The server. It stops when it is dropped.
#[derive(Debug)]
pub struct ReplayServer {
    address: SocketAddr,
    tapes: Arc<Tapes>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Tapes {
    by_trial: Mutex<HashMap<String, Arc<Tape>>>,
    requests: AtomicU64,
}

impl Tapes {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Tape>>> {
        // Every change of the map is one insertion or removal: a panic elsewhere leaves nothing half done.
        self.by_trial.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReplayServer {
    /// Starts a server on a free port of the loopback interface.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let listener = listener.tap_io(|stream| {
            // Without it small answers wait for the peer's acknowledgement. A failure costs time, nothing else.
            let _ = stream.set_nodelay(true);
        });
        let tapes = Arc::new(Tapes::default());
        let app = Router::new()
            .route("/v1/chat/completions", post(openai_chat))
            .route("/v1/responses", post(openai_responses))
            .route("/v1/messages", post(anthropic))
            .route("/v1/models/{method}", post(gemini))
            .layer(DefaultBodyLimit::max(LONGEST_REQUEST))
            .with_state(Arc::clone(&tapes));
        let task = tokio::spawn(async move {
            // Serving ends only with the task: errors of single connections stay with them.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { address, tapes, task })
    }

    /// The base URL for [`crate::Subjects::connect`], with its `/v1`.
    #[must_use]
    #[expect(clippy::expect_used, reason = "an IPv4 address and a port always make a URL")]
    pub fn base_url(&self) -> Url {
        Url::parse(&format!("http://{}/v1", self.address)).expect("a URL")
    }

    /// Makes the turns of `trial` known; an earlier registration is replaced.
    pub fn register(&self, trial: &str, turns: Vec<RecordedTurn>) {
        self.tapes.lock().insert(trial.to_owned(), Arc::new(Tape::new(turns)));
    }

    /// Forgets `trial`.
    pub fn forget(&self, trial: &str) {
        self.tapes.lock().remove(trial);
    }

    /// Requests received so far, refused ones included.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.tapes.requests.load(Ordering::Relaxed)
    }
}

impl Drop for ReplayServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn openai_chat(State(tapes): State<Arc<Tapes>>, headers: HeaderMap, body: Bytes) -> Response {
    respond(&tapes, Wire::OpenaiChat, None, &headers, &body)
}

async fn openai_responses(State(tapes): State<Arc<Tapes>>, headers: HeaderMap, body: Bytes) -> Response {
    respond(&tapes, Wire::OpenaiResponses, None, &headers, &body)
}

/// The model and whether to stream stand in the path, not in the body.
async fn gemini(
    State(tapes): State<Arc<Tapes>>,
    Path(method): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    respond(&tapes, Wire::Gemini, Some(&method), &headers, &body)
}

async fn anthropic(State(tapes): State<Arc<Tapes>>, headers: HeaderMap, body: Bytes) -> Response {
    respond(&tapes, Wire::Anthropic, None, &headers, &body)
}

fn respond(tapes: &Tapes, wire: Wire, method: Option<&str>, headers: &HeaderMap, body: &[u8]) -> Response {
    let request = tapes.requests.fetch_add(1, Ordering::Relaxed) + 1;
    let (status, kind, body) = match answer(tapes, wire, method, headers, body, request) {
        Ok((kind, body)) => (StatusCode::OK, kind, body),
        Err((status, message)) => {
            let kind =
                if status == StatusCode::NOT_FOUND { "not_found_error" } else { "invalid_request_error" };
            (status, JSON, wire.error(kind, &message))
        }
    };
    (status, [(header::CONTENT_TYPE, kind)], body).into_response()
}

fn answer(
    tapes: &Tapes,
    wire: Wire,
    method: Option<&str>,
    headers: &HeaderMap,
    body: &[u8],
    request: u64,
) -> Result<(&'static str, Vec<u8>), (StatusCode, String)> {
    let bad = |message: String| (StatusCode::BAD_REQUEST, message);
    let text = |name: &str| std::str::from_utf8(headers.get(name)?.as_bytes()).ok();
    let trial = text(TRIAL_HEADER).ok_or_else(|| bad(format!("the header {TRIAL_HEADER} is missing")))?;
    let turn: usize = text(TURN_HEADER)
        .and_then(|turn| turn.parse().ok())
        .ok_or_else(|| bad(format!("the header {TURN_HEADER} is missing or no number")))?;
    let tape = tapes.lock().get(trial).cloned();
    let tape = tape.ok_or_else(|| (StatusCode::NOT_FOUND, format!("no trial `{trial}` is registered")))?;
    let mut asked = wire.asked(body).map_err(|error| bad(error.to_string()))?;
    if let Some((model, method)) = method.and_then(|method| method.rsplit_once(':')) {
        model.clone_into(&mut asked.model);
        asked.stream = method == "streamGenerateContent";
    }
    let recorded = tape.turn(turn, &asked.messages).map_err(bad)?;
    let input = body.len() as u64 / 4;
    let output = recorded.content.len() as u64 / 4 + 8 * recorded.tool_calls.len() as u64 + 1;
    let default = if recorded.tool_calls.is_empty() { StopReason::Stop } else { StopReason::ToolCalls };
    let answer = Answer {
        id: &format!("replay-{request}"),
        model: &asked.model,
        content: &recorded.content,
        tool_calls: &recorded.tool_calls,
        stop: recorded.stop.unwrap_or(default),
        usage: Usage { input, output, ..Usage::default() },
    };
    Ok(if asked.stream { (EVENTS, wire.events(&answer)) } else { (JSON, wire.answer(&answer)) })
}

#[cfg(test)]
mod tests;
