//! Streams and responses that go wrong: none is taken for a reply, and each is told for what it is.

use std::time::Duration;

use crate::support::{Act, FaultServer, ask, chunk, head, last_chunk, response, send, stream_head, subject};
use model_matrix::ErrorKind;
use serde_json::json;
use transcript::{StopReason, Usage};

const START: &str = "data: {\"id\":\"r\",\"model\":\"tiny\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"hel\"},\"finish_reason\":null}]}\n\n";
const REST: &str = "data: {\"id\":\"r\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n";
const COUNT: &str =
    "data: {\"id\":\"r\",\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n";
const DONE: &str = "data: [DONE]\n\n";

fn good() -> Vec<Act> {
    vec![stream_head(), chunk(START), chunk(REST), chunk(COUNT), chunk(DONE), last_chunk()]
}

#[tokio::test]
async fn replies_are_streamed_unless_the_matrix_says_otherwise() {
    let whole = r#"{"id":"r","choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}"#;
    let server =
        FaultServer::start(vec![good(), response("200 OK", "", whole), response("200 OK", "", whole)]).await;
    let reply = ask(&subject("openai-chat", &server.url, "")).await.unwrap();
    assert_eq!((reply.message.content.as_str(), reply.stop, reply.retries), ("hello", StopReason::Stop, 0));
    assert_eq!(reply.usage, Some(Usage { input: 3, output: 2, ..Usage::default() }));
    ask(&subject("openai-chat", &server.url, ", stream: false")).await.unwrap();
    // An endpoint that does not stream although it is asked to has answered all the same.
    assert_eq!(ask(&subject("openai-chat", &server.url, "")).await.unwrap().message.content, "hello");
    let bodies = server.bodies();
    assert_eq!(bodies[0]["stream"], json!(true));
    assert_eq!(bodies[0]["stream_options"], json!({"include_usage": true}));
    assert_eq!((bodies[1].get("stream"), bodies[1].get("stream_options")), (None, None));
}

#[tokio::test]
async fn broken_streams_are_asked_for_again_and_never_taken_for_replies() {
    let error = "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n";
    let cases: Vec<(&str, Vec<Act>)> = vec![
        ("cut in mid-stream", vec![stream_head(), chunk(START)]),
        ("cut within an event", vec![stream_head(), chunk(&START[..40])]),
        (
            "reset in mid-stream",
            vec![stream_head(), chunk(START), Act::Wait(Duration::from_millis(30)), Act::Reset],
        ),
        ("ended without a reason", vec![stream_head(), chunk(START), last_chunk()]),
        ("only [DONE]", vec![stream_head(), chunk(DONE), last_chunk()]),
        ("[DONE] without a reason", vec![stream_head(), chunk(START), chunk(DONE), last_chunk()]),
        ("nothing", vec![stream_head(), last_chunk()]),
        ("an error", vec![stream_head(), chunk(START), chunk(error), last_chunk()]),
        ("garbage", vec![stream_head(), chunk(START), chunk("data: {malformed\n\n"), last_chunk()]),
        ("closed without length", vec![head("200 OK", "content-type: text/event-stream\r\n"), send(START)]),
        ("HTML", vec![head("200 OK", "content-type: text/html\r\n"), send("<html>busy</html>")]),
        (
            "wrong length",
            vec![head("200 OK", "content-type: application/json\r\ncontent-length: 900\r\n"), send("{}")],
        ),
    ];
    for (name, acts) in cases {
        let server = FaultServer::start(vec![acts.clone(), good()]).await;
        let subject_1 = subject("openai-chat", &server.url, "");
        let reply = ask(&subject_1).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(
            (reply.message.content.as_str(), reply.retries, server.count()),
            ("hello", 1, 2),
            "{name}"
        );
        let server = FaultServer::start(vec![acts]).await;
        let error = ask(&subject("openai-chat", &server.url, "")).await.unwrap_err();
        assert!(matches!(error.kind, ErrorKind::BadReply | ErrorKind::Connection), "{name}: {error:?}");
        assert!(error.retryable && error.retries >= 2, "{name}: {error:?}");
    }
}

#[tokio::test]
async fn a_silent_stream_is_left_after_the_idle_time() {
    let stalls = vec![stream_head(), chunk(START), Act::Wait(Duration::from_secs(30))];
    let server = FaultServer::start(vec![stalls, good()]).await;
    let reply = ask(&subject("openai-chat", &server.url, ", limits: { idle_timeout_s: 1 }")).await.unwrap();
    assert_eq!((reply.message.content.as_str(), reply.retries), ("hello", 1));
    // One that keeps dripping is no longer than `timeout_s`, and what it said may have been paid for.
    let mut drip = vec![stream_head()];
    drip.extend((0..60).flat_map(|_| {
        [
            chunk(
                ": still here

",
            ),
            Act::Wait(Duration::from_millis(200)),
        ]
    }));
    let server = FaultServer::start(vec![drip]).await;
    let limits = ", limits: { idle_timeout_s: 1, timeout_s: 2 }";
    let error = ask(&subject("openai-chat", &server.url, limits)).await.unwrap_err();
    assert_eq!((error.kind, server.count()), (ErrorKind::Timeout, 1));
}

#[tokio::test]
async fn nothing_is_waited_for_after_the_last_event() {
    let stays_open =
        vec![stream_head(), chunk(START), chunk(REST), chunk(DONE), Act::Wait(Duration::from_secs(30))];
    let server = FaultServer::start(vec![stays_open]).await;
    let reply = ask(&subject("openai-chat", &server.url, ", limits: { timeout_s: 5 }")).await.unwrap();
    assert_eq!((reply.message.content.as_str(), reply.retries), ("hello", 0));
}

#[tokio::test]
async fn a_huge_body_is_not_read_to_its_end() {
    let piece = send(vec![b' '; 1 << 20]);
    let huge = [vec![head("200 OK", "content-type: application/json\r\n")], vec![piece; 40]].concat();
    let server = FaultServer::start(vec![huge]).await;
    let error = ask(&subject("openai-chat", &server.url, "")).await.unwrap_err();
    assert!(error.kind == ErrorKind::BadReply && error.message.contains("more than 16 MiB"), "{error}");
}

#[tokio::test]
async fn a_messages_stream_over_http() {
    let events = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"tiny\",\"usage\":{\"input_tokens\":3}}}\n\n\
        event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n\
        event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n";
    let stop = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let server = FaultServer::start(vec![
        vec![stream_head(), chunk(events), last_chunk()],
        vec![stream_head(), chunk(overloaded), last_chunk()],
        vec![stream_head(), chunk(events), chunk(stop), last_chunk()],
    ])
    .await;
    let reply = ask(&subject("anthropic", &server.url, "")).await.unwrap();
    assert_eq!((reply.message.content.as_str(), reply.retries), ("hello", 2));
    assert_eq!(reply.usage, Some(Usage { input: 3, output: 2, ..Usage::default() }));
    assert_eq!(server.bodies()[0]["stream"], json!(true));
    assert!(server.bodies()[0].get("stream_options").is_none());
    assert!(server.heads()[0].starts_with("post /v1/messages "));
}
