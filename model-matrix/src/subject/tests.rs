use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use transcript::{By, Message, Role};

use super::connect::endpoint;
use super::*;
use crate::Matrix;

const KEY: &str = "fake-key-0123456789";
const GOOD: &str = r#"{"id":"r","choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}"#;

/// One canned response: status, extra header, body; it comes after `wait`.
#[derive(Clone)]
struct Canned {
    status: u16,
    header: Option<(&'static str, String)>,
    body: String,
    wait: Duration,
}

fn canned(status: u16, body: &str) -> Canned {
    Canned { status, header: None, body: body.to_owned(), wait: Duration::ZERO }
}

/// A server with a list of responses; it keeps what it was sent.
#[derive(Clone, Default)]
struct Server {
    responses: Arc<Mutex<VecDeque<Canned>>>,
    seen: Arc<Mutex<Vec<(String, HeaderMap)>>>,
    busy: Arc<Mutex<(usize, usize)>>,
}

impl Server {
    async fn start(responses: impl IntoIterator<Item = Canned>) -> (Self, String) {
        let server =
            Self { responses: Arc::new(Mutex::new(responses.into_iter().collect())), ..Self::default() };
        let app = Router::new().fallback(respond).with_state(server.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (server, url)
    }

    fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

async fn respond(State(server): State<Server>, request: axum::extract::Request) -> impl IntoResponse {
    server.seen.lock().unwrap().push((request.uri().to_string(), request.headers().clone()));
    let next = server.responses.lock().unwrap().pop_front().unwrap_or_else(|| canned(418, "nothing left"));
    {
        let mut busy = server.busy.lock().unwrap();
        busy.0 += 1;
        busy.1 = busy.1.max(busy.0);
    }
    tokio::time::sleep(next.wait).await;
    server.busy.lock().unwrap().0 -= 1;
    let mut headers = HeaderMap::new();
    if let Some((name, value)) = next.header {
        headers.insert(name, value.parse().unwrap());
    }
    (StatusCode::from_u16(next.status).unwrap(), headers, next.body)
}

fn quick() -> RetryPolicy {
    RetryPolicy {
        first_delay: Duration::from_millis(1),
        longest_delay: Duration::from_millis(4),
        ..RetryPolicy::default()
    }
}

fn subject_of(provider: &str, base_url: &str, more: &str) -> Arc<Subject> {
    let text = format!(
        "models:\n  - {{ id: m, role: other, provider: {provider}, model: tiny, base_url: '{base_url}', key_env: FAKE_KEY, decoding: {{ max_tokens: 9 }}{more} }}\n"
    );
    let matrix = Matrix::parse(Path::new("m.yaml"), text.as_bytes()).unwrap();
    let env = |name: &str| (name == "FAKE_KEY").then(|| format!("{KEY}\n"));
    let subjects = Subjects::connect(&matrix.models, env, None, quick()).unwrap();
    assert_eq!(subjects.secrets().mask(KEY), "[secret FAKE_KEY]");
    Arc::clone(subjects.get("m").unwrap())
}

async fn ask(subject: &Subject) -> Result<Reply, SubjectError> {
    let messages = [Message::text(Role::User, By::Script, "q")];
    subject.reply(&Exchange { messages: &messages, tools: &[], trial: "t", turn: 0 }).await
}

/// What a subject makes of these responses, and how many requests it sent.
async fn outcome(responses: Vec<Canned>) -> (Result<Reply, SubjectError>, usize) {
    let (server, url) = Server::start(responses).await;
    let outcome = ask(&subject_of("openai-chat", &url, "")).await;
    (outcome, server.requests())
}

#[tokio::test]
async fn keys_go_in_the_formats_own_header_and_trial_keys_nowhere() {
    let (server, url) = Server::start([canned(200, GOOD)]).await;
    ask(&subject_of("openai-chat", &format!("{url}/v1"), "")).await.unwrap();
    let said = r#"{"id":"r","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn"}"#;
    for base in [url.clone(), format!("{url}/v1/")] {
        server.responses.lock().unwrap().push_back(canned(200, said));
        ask(&subject_of("anthropic", &base, "")).await.unwrap();
    }
    let seen = server.seen.lock().unwrap();
    assert_eq!(seen[0].0, "/v1/chat/completions");
    assert_eq!(seen[0].1["authorization"], format!("Bearer {KEY}"));
    assert_eq!(seen[1].0, "/v1/messages");
    assert_eq!(seen[1].1["x-api-key"], KEY);
    assert_eq!(seen[1].1["anthropic-version"], "2023-06-01");
    assert_eq!(seen[2].0, "/v1/messages");
    assert!(seen.iter().all(|(_, headers)| !headers.contains_key(TRIAL_HEADER)));
}

#[tokio::test]
async fn a_key_goes_in_the_header_that_the_matrix_says_and_azures_query_stays() {
    let (server, url) = Server::start(vec![canned(200, GOOD); 3]).await;
    let base = format!("{url}/openai/deployments/tiny?api-version=2026-10-21");
    ask(&subject_of("openai-chat", &base, ", auth: api-key")).await.unwrap();
    ask(&subject_of("openai-chat", &url, ", auth: x-api-key")).await.unwrap();
    let gemini = r#"{"candidates":[{"content":{"parts":[{"text":"hello"}]},"finishReason":"STOP"}]}"#;
    server.responses.lock().unwrap().push_front(canned(200, gemini));
    ask(&subject_of("gemini", &format!("{url}/v1beta"), "")).await.unwrap();
    let seen = server.seen.lock().unwrap();
    assert_eq!(seen[0].0, "/openai/deployments/tiny/chat/completions?api-version=2026-10-21");
    assert_eq!(seen[0].1["api-key"], KEY);
    assert_eq!(seen[1].1["x-api-key"], KEY);
    assert_eq!(seen[2].0, "/v1beta/models/tiny:streamGenerateContent?alt=sse");
    assert_eq!(seen[2].1["x-goog-api-key"], KEY);
    assert!(seen.iter().all(|(_, headers)| !headers.contains_key("authorization")));
}

#[tokio::test]
async fn what_served_a_reply_is_compared_with_the_pin() {
    let said = |model: &str| GOOD.replace("{\"id\"", &format!("{{\"model\":\"{model}\",\"id\""));
    let (_server, url) = Server::start([canned(200, &said("tiny")), canned(200, &said("tiny-2"))]).await;
    let subject = subject_of("openai-chat", &url, "");
    assert_eq!(subject.drift(&ask(&subject).await.unwrap().served), Drift::Same);
    let drift = subject.drift(&ask(&subject).await.unwrap().served);
    assert!(matches!(&drift, Drift::Different { got, .. } if got == "tiny-2"), "{drift:?}");
}

#[tokio::test]
async fn overload_and_broken_replies_are_tried_again() {
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
        let (reply, requests) =
            outcome(vec![canned(status, "{}"), canned(status, "{}"), canned(200, GOOD)]).await;
        assert_eq!((reply.unwrap().retries, requests), (2, 3), "{status}");
    }
    let (reply, requests) = outcome(vec![canned(200, "{}"), canned(200, "<html>"), canned(200, GOOD)]).await;
    assert_eq!((reply.unwrap().retries, requests), (2, 3));
    let (reply, requests) = outcome(vec![canned(200, "{}"); 9]).await;
    let error = reply.unwrap_err();
    assert_eq!((error.kind, error.retries, requests), (ErrorKind::BadReply, 2, 3));
    let (reply, requests) = outcome(vec![canned(500, "{}"); 9]).await;
    let error = reply.unwrap_err();
    assert_eq!((error.kind, error.status, error.retries, requests), (ErrorKind::HttpStatus, Some(500), 4, 5));
}

#[tokio::test]
async fn what_cannot_get_better_fails_at_once_with_the_endpoints_words_and_without_the_key() {
    for status in [400, 401, 403, 404, 413, 422] {
        let body = format!(r#"{{"error": {{"message": "bad key {KEY}", "code": {status}}}}}"#);
        let (reply, requests) = outcome(vec![canned(status, &body), canned(200, GOOD)]).await;
        let error = reply.unwrap_err();
        assert_eq!((error.kind, error.status, requests), (ErrorKind::HttpStatus, Some(status), 1));
        assert!(error.message.contains("bad key [secret FAKE_KEY]"), "{error}");
        assert!(!format!("{error:?}").contains(KEY));
    }
}

#[tokio::test]
async fn a_refused_parameter_is_told_with_the_line_to_change() {
    let message =
        |body: &'static str| async move { outcome(vec![canned(400, body)]).await.0.unwrap_err().message };
    let refused = message(r#"{"error": {"message": "Unsupported parameter: 'max_tokens'."}}"#).await;
    assert!(
        refused.ends_with(
            "Unsupported parameter: 'max_tokens'.; `max_tokens` is sent because it stands in `decoding` of `m`, line 2 of the matrix: change or remove it there"
        ),
        "{refused}"
    );
    let refused = message(r#"{"detail": [{"loc": ["body", "stream_options"], "msg": "extra"}]}"#).await;
    assert!(
        refused.ends_with("write `stream: false` into the entry of `m`, line 2 of the matrix"),
        "{refused}"
    );
    // Words that only look alike give no advice.
    let refused = message(r#"{"error": {"message": "max_tokens_total in upstream"}}"#).await;
    assert!(refused.ends_with("max_tokens_total in upstream"), "{refused}");
}

#[tokio::test]
async fn the_endpoints_own_wait_is_kept_or_given_up_on() {
    let limited = |wait: &str| Canned { header: Some(("retry-after", wait.to_owned())), ..canned(429, "{}") };
    let start = Instant::now();
    let (reply, requests) = outcome(vec![limited("0.3"), canned(200, GOOD)]).await;
    assert_eq!((reply.unwrap().retries, requests), (1, 2));
    assert!(start.elapsed() >= Duration::from_millis(300));
    let (reply, requests) = outcome(vec![limited("86400"), canned(200, GOOD)]).await;
    let error = reply.unwrap_err();
    assert_eq!((error.kind, error.status, requests), (ErrorKind::RateLimited, Some(429), 1));
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let (elsewhere, target) = Server::start([canned(200, GOOD)]).await;
    for status in [301, 302, 303, 307, 308] {
        let redirect = Canned { header: Some(("location", format!("{target}/v1"))), ..canned(status, "") };
        let (reply, requests) = outcome(vec![redirect]).await;
        let error = reply.unwrap_err();
        assert_eq!((error.kind, requests), (ErrorKind::Redirect, 1));
        assert!(error.message.contains(&target), "{error}");
    }
    assert_eq!(elsewhere.requests(), 0);
}

#[tokio::test]
async fn a_slow_reply_times_out_and_is_not_paid_for_twice() {
    let slow = Canned { wait: Duration::from_secs(30), ..canned(200, GOOD) };
    let (server, url) = Server::start([slow, canned(200, GOOD)]).await;
    let error = ask(&subject_of("openai-chat", &url, ", limits: { timeout_s: 1 }")).await.unwrap_err();
    assert_eq!((error.kind, error.retryable, server.requests()), (ErrorKind::Timeout, true, 1));
}

#[tokio::test]
async fn requests_in_flight_are_limited() {
    let slow = Canned { wait: Duration::from_millis(20), ..canned(200, GOOD) };
    let (server, url) = Server::start(vec![slow; 12]).await;
    let subject = subject_of("openai-chat", &url, ", limits: { in_flight: 3 }");
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let subject = Arc::clone(&subject);
        tasks.spawn(async move { ask(&subject).await });
    }
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
    assert_eq!(server.busy.lock().unwrap().1, 3);
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_a_connect_error() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = ask(&subject_of("openai-chat", &url, "")).await.unwrap_err();
    assert_eq!((error.kind, error.retries), (ErrorKind::Connect, 4));
    assert!(error.message.starts_with(&format!("{url}/chat/completions cannot be reached")), "{error}");
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_again() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for attempt in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer).await;
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", GOOD.len());
            let sent = match attempt {
                0 => String::new(),
                1 => format!("{head}{}", &GOOD[..20]),
                _ => format!("{head}{GOOD}"),
            };
            let _ = stream.write_all(sent.as_bytes()).await;
        }
    });
    assert_eq!(ask(&subject_of("openai-chat", &url, "")).await.unwrap().retries, 2);
}

#[tokio::test]
async fn an_https_url_is_never_spoken_to_in_clear() {
    let (server, url) = Server::start([canned(200, GOOD)]).await;
    let error = ask(&subject_of("openai-chat", &url.replace("http:", "https:"), "")).await.unwrap_err();
    assert_eq!((error.kind, server.requests()), (ErrorKind::Connect, 0), "{error}");
}

#[test]
fn the_formats_path_is_put_below_the_listed_url() {
    for (base, wire, url) in [
        ("https://llm.example.test/v1", Wire::OpenaiChat, "https://llm.example.test/v1/chat/completions"),
        ("https://llm.example.test/v1/", Wire::OpenaiChat, "https://llm.example.test/v1/chat/completions"),
        ("https://llm.example.test/v1", Wire::OpenaiResponses, "https://llm.example.test/v1/responses"),
        (
            "https://llm.example.test/a?version=2",
            Wire::OpenaiChat,
            "https://llm.example.test/a/chat/completions?version=2",
        ),
        ("https://llm.example.test", Wire::Anthropic, "https://llm.example.test/v1/messages"),
        ("https://llm.example.test/x/v1", Wire::Anthropic, "https://llm.example.test/x/v1/messages"),
    ] {
        assert_eq!(endpoint(&Url::parse(base).unwrap(), wire, "m", true).as_str(), url);
    }
    let gemini = |model, stream| {
        endpoint(&Url::parse("https://llm.example.test/v1beta/").unwrap(), Wire::Gemini, model, stream)
            .to_string()
    };
    assert_eq!(gemini("g-1", false), "https://llm.example.test/v1beta/models/g-1:generateContent");
    assert_eq!(
        gemini("tuned/g-1", true),
        "https://llm.example.test/v1beta/tuned/g-1:streamGenerateContent?alt=sse"
    );
}

#[test]
fn all_missing_keys_are_named_in_one_go() {
    let text = "models:
  - { id: a, role: other, provider: openai-chat, model: m, base_url: 'https://llm.example.test', key_env: KEY_A }
  - { id: b, role: other, provider: openai-chat, model: n, base_url: 'https://llm.example.test', key_env: KEY_B }
  - { id: c, role: other, provider: openai-chat, model: o, base_url: 'https://llm.example.test', key_env: KEY_A }
  - { id: d, role: other, provider: openai-chat, model: p, base_url: 'https://llm.example.test', key_env: KEY_D }
";
    let matrix = Matrix::parse(Path::new("m.yaml"), text.as_bytes()).unwrap();
    let env = |name: &str| match name {
        "KEY_B" => Some("  ".to_owned()),
        "KEY_D" => Some(KEY.to_owned()),
        _ => None,
    };
    let error = Subjects::connect(&matrix.models, env, None, RetryPolicy::default()).unwrap_err();
    insta::assert_snapshot!(error, @"
    the variable KEY_A is not set; models a, c need it
    the variable KEY_B is not set; model b needs it
    ");
}

#[test]
fn a_key_that_no_header_can_carry_is_refused_unseen() {
    let text = "models:\n  - { id: a, role: other, provider: openai-chat, model: m, base_url: 'https://llm.example.test', key_env: KEY_A }\n";
    let matrix = Matrix::parse(Path::new("m.yaml"), text.as_bytes()).unwrap();
    let env = |_: &str| Some("fake\nsecret".to_owned());
    let error = Subjects::connect(&matrix.models, env, None, RetryPolicy::default()).unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("KEY_A") && !shown.contains("secret"), "{shown}");
}

#[test]
fn debug_output_holds_no_key() {
    let shown = format!("{:?}", subject_of("anthropic", "http://127.0.0.1:1", ""));
    assert!(shown.contains("FAKE_KEY") && !shown.contains(KEY), "{shown}");
}
