//! Endpoints that ask for patience: it is given, to all requests at once, and the figures tell of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use model_matrix::ErrorKind;

use crate::support::{FaultServer, ask, response, subject};

const GOOD: &str = r#"{"id":"r","choices":[{"message":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;

fn good() -> Vec<crate::support::Act> {
    response("200 OK", "", GOOD)
}

#[tokio::test]
async fn a_storm_of_refusals_narrows_the_window_and_costs_no_reply() {
    let refused = response("429 Too Many Requests", "retry-after-ms: 20\r\n", "{}");
    let mut lists = vec![refused; 8];
    lists.push(good());
    let server = FaultServer::start(lists).await;
    let subject = subject("openai-chat", &server.url, "");
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let subject = Arc::clone(&subject);
        tasks.spawn(async move { ask(&subject).await });
    }
    let replies = tasks.join_all().await;
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    assert_eq!(server.count(), 16);
    let figures = subject.figures();
    assert_eq!((figures.retries, figures.refused), (8, 8));
    assert!(figures.throttled >= Duration::from_millis(160), "{figures:?}");
    // Halved at least once, and grown by at most one since.
    assert!(figures.window.is_some_and(|window| (1..=5).contains(&window)), "{figures:?}");
}

#[tokio::test]
async fn a_limit_that_is_used_up_is_waited_for_before_the_next_request() {
    let last = response(
        "200 OK",
        "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 300ms\r\n",
        GOOD,
    );
    let server = FaultServer::start(vec![last, good()]).await;
    let subject = subject("openai-chat", &server.url, "");
    ask(&subject).await.unwrap();
    let start = Instant::now();
    ask(&subject).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(290), "{:?}", start.elapsed());
    assert_eq!((server.count(), subject.figures().retries), (2, 0));
    // A limit for the day is not sat out in silence.
    let day = response(
        "200 OK",
        "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 6h0m0s\r\n",
        GOOD,
    );
    let server = FaultServer::start(vec![day, good()]).await;
    let subject = crate::support::subject("openai-chat", &server.url, "");
    ask(&subject).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_secs(5), ask(&subject)).await.is_ok());
}

#[tokio::test]
async fn a_wait_is_kept_by_the_next_trial_too() {
    let refused = response("503 Service Unavailable", "retry-after-ms: 300\r\n", "{}");
    let server = FaultServer::start(vec![refused, good()]).await;
    let subject = subject("openai-chat", &server.url, ", limits: { retries: 0 }");
    assert_eq!(ask(&subject).await.unwrap_err().retries, 0);
    let start = Instant::now();
    ask(&subject).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(290), "{:?}", start.elapsed());
}

#[tokio::test]
async fn the_endpoints_own_word_on_trying_again_is_kept() {
    let refused = response("500 Internal Server Error", "x-should-retry: false\r\n", "{}");
    let server = FaultServer::start(vec![refused, good()]).await;
    let error = ask(&subject("openai-chat", &server.url, "")).await.unwrap_err();
    assert_eq!((error.kind, server.count()), (ErrorKind::HttpStatus, 1));
    let refused = response("400 Bad Request", "x-should-retry: true\r\n", "{}");
    let server = FaultServer::start(vec![refused, good()]).await;
    assert_eq!(ask(&subject("openai-chat", &server.url, "")).await.unwrap().retries, 1);
}

#[tokio::test]
async fn dates_of_a_clock_that_is_wrong_are_understood_by_that_clock() {
    let headers = "date: Mon, 30 Nov 2099 15:00:00 GMT\r\nretry-after: Mon, 30 Nov 2099 15:00:01 GMT\r\n";
    let server = FaultServer::start(vec![response("503 Service Unavailable", headers, "{}"), good()]).await;
    let start = Instant::now();
    assert_eq!(ask(&subject("openai-chat", &server.url, "")).await.unwrap().retries, 1);
    assert!((1..4).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    let headers = "retry-after: Mon, 30 Nov 2099 15:00:01 GMT\r\n";
    let server = FaultServer::start(vec![response("429 Too Many Requests", headers, "{}")]).await;
    let error = ask(&subject("openai-chat", &server.url, "")).await.unwrap_err();
    assert_eq!((error.kind, server.count()), (ErrorKind::RateLimited, 1));
}

#[tokio::test]
async fn a_slow_endpoint_does_not_hold_up_another() {
    let slow = FaultServer::start(vec![response("429 Too Many Requests", "retry-after: 30\r\n", "{}")]).await;
    let quick = FaultServer::start(vec![good()]).await;
    let stuck = subject("openai-chat", &slow.url, "");
    let waiting = tokio::spawn(async move { ask(&stuck).await });
    let start = Instant::now();
    let subject = subject("openai-chat", &quick.url, "");
    for _ in 0..20 {
        ask(&subject).await.unwrap();
    }
    assert!(start.elapsed() < Duration::from_secs(10));
    waiting.abort();
}
