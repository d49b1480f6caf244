//! A model behind HTTP: each request goes to a function of the test's, and is kept for it to look at.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

type Answer = dyn Fn(&Request, usize) -> Response + Send + Sync;

struct Shared {
    answer: Box<Answer>,
    delay: Duration,
    seen: Mutex<Vec<Request>>,
}

/// The server; it ends with the test.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    _runtime: tokio::runtime::Runtime,
}

impl Server {
    /// Starts a server that answers each request with `answer(request, number)`, counted from 0.
    pub fn start(answer: impl Fn(&Request, usize) -> Response + Send + Sync + 'static) -> Self {
        Self::slow(Duration::ZERO, answer)
    }

    /// As [`Self::start`], after a delay.
    pub fn slow(
        delay: Duration,
        answer: impl Fn(&Request, usize) -> Response + Send + Sync + 'static,
    ) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let shared = Arc::new(Shared { answer: Box::new(answer), delay, seen: Mutex::default() });
        let app = Router::new().fallback(handle).with_state(Arc::clone(&shared));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { address, shared, _runtime: runtime }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn seen(&self) -> Vec<Request> {
        self.shared.seen.lock().unwrap().clone()
    }

    pub fn count(&self) -> usize {
        self.shared.seen.lock().unwrap().len()
    }
}

async fn handle(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let request = Request { path: uri.path().to_owned(), headers, body };
    let number = {
        let mut seen = shared.seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    tokio::time::sleep(shared.delay).await;
    (shared.answer)(&request, number)
}

/// A chat completion that says `text`.
pub fn says(text: &str) -> Response {
    completion(&json!({ "role": "assistant", "content": text }), "stop")
}

/// A chat completion with a message of the test's own.
pub fn completion(message: &Value, finish: &str) -> Response {
    axum::Json(json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "test-model-2026-01-01",
        "system_fingerprint": "fp_test",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12 },
    }))
    .into_response()
}

/// An Anthropic message that says `text`.
pub fn message(text: &str) -> Response {
    axum::Json(json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "test-model-2026-01-01",
        "content": [{ "type": "text", "text": text }],
        "stop_reason": "end_turn",
        "usage": { "input_tokens": 10, "output_tokens": 2 },
    }))
    .into_response()
}

/// An error as OpenAI-compatible endpoints give it.
pub fn refuses(status: u16, text: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, axum::Json(json!({ "error": { "message": text, "type": "test", "code": null } })))
        .into_response()
}
