//! An endpoint with a known latency, and known ways of refusing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use model_matrix::Wire;
use model_matrix::wire::Answer;
use transcript::{StopReason, Usage};

use crate::reply;

/// Whom it refuses.
#[derive(Clone, Copy)]
pub enum Refuses {
    /// Nobody.
    Nobody,
    /// Every tenth request, without a word on how long to wait.
    EveryTenth,
    /// What comes faster than this many a second, with the wait until there is room.
    Above(u64),
}

/// It runs until it is dropped.
pub struct Endpoint {
    pub url: String,
    _runtime: tokio::runtime::Runtime,
}

struct State {
    body: Vec<u8>,
    kind: &'static str,
    latency: Duration,
    refuses: Refuses,
    requests: AtomicU64,
    /// Microseconds from the start at which the next request is admitted.
    free_at: AtomicU64,
    start: Instant,
}

impl Endpoint {
    pub fn start(wire: Wire, stream: bool, latency: Duration, refuses: Refuses) -> Self {
        let answer = Answer {
            id: "c",
            model: "bench",
            content: reply(),
            tool_calls: &[],
            stop: StopReason::Stop,
            usage: Usage { input: 10, output: 60, ..Usage::default() },
        };
        let (kind, body) = match stream {
            true => ("text/event-stream", wire.events(&answer)),
            false => ("application/json", wire.answer(&answer)),
        };
        let (requests, free_at) = (AtomicU64::new(0), AtomicU64::new(0));
        let state =
            Arc::new(State { body, kind, latency, refuses, requests, free_at, start: Instant::now() });
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let app = Router::new().fallback(move || answered(Arc::clone(&state)));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { url, _runtime: runtime }
    }
}

async fn answered(state: Arc<State>) -> Response {
    let number = state.requests.fetch_add(1, Ordering::Relaxed) + 1;
    let wait = match state.refuses {
        Refuses::EveryTenth if number.is_multiple_of(10) => Some(None),
        Refuses::Nobody | Refuses::EveryTenth => None,
        Refuses::Above(rate) => state.full(rate).map(Some),
    };
    tokio::time::sleep(state.latency).await;
    match wait {
        None => ([("content-type", state.kind)], state.body.clone()).into_response(),
        Some(None) => StatusCode::TOO_MANY_REQUESTS.into_response(),
        Some(Some(wait)) => {
            let wait = [("retry-after-ms", wait.as_millis().max(1).to_string())];
            (StatusCode::TOO_MANY_REQUESTS, wait).into_response()
        }
    }
}

impl State {
    /// How long until a request is admitted; one that is admitted now takes its share of the rate. A tenth of a second
    /// may be taken at once.
    fn full(&self, rate: u64) -> Option<Duration> {
        const BURST: u64 = 100_000;
        let share = 1_000_000 / rate;
        let now = u64::try_from(self.start.elapsed().as_micros()).unwrap();
        let taken = self.free_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free_at| {
            let free_at = free_at.max(now);
            (free_at - now <= BURST).then_some(free_at + share)
        });
        taken.err().map(|free_at| Duration::from_micros(free_at - now - BURST))
    }
}
