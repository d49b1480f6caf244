//! The faults, one a row.

use std::time::Duration;

use crate::support::faults::{Act, chunk, head, last_chunk, response, send, stream_head};

/// An endpoint's way of going wrong.
pub struct Fault {
    pub name: &'static str,
    pub provider: &'static str,
    pub acts: Vec<Act>,
    /// How often the trial asks before it gives up.
    pub requests: usize,
    /// The error's kind, as recorded.
    pub kind: &'static str,
    /// What the user is told, among other things.
    pub says: &'static str,
}

pub const GOOD: &str = r#"{"id":"r","model":"test-model-2026-01-01","choices":[{"index":0,"message":{"role":"assistant","content":"piano"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
pub const GOOD_MESSAGE: &str = r#"{"id":"m","type":"message","role":"assistant","model":"test-model-2026-01-01","content":[{"type":"text","text":"piano"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}"#;

/// The start of a stream that would go on to pass.
const START: &str = "data: {\"id\":\"r\",\"model\":\"test-model-2026-01-01\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"piano\"},\"finish_reason\":null}]}\n\n";
const MESSAGE_START: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"test-model-2026-01-01\",\"usage\":{\"input_tokens\":3}}}\n\n\
    event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"piano\"}}\n\n";
const DONE: &str = "data: [DONE]\n\n";

/// A chat completion with this message and reason for ending.
fn said(message: &str, finish: &str) -> Vec<Act> {
    let body = format!(
        r#"{{"model":"test-model-2026-01-01","choices":[{{"message":{message},"finish_reason":"{finish}"}}]}}"#
    );
    response("200 OK", "", &body)
}

/// A stream of these texts, properly ended.
fn stream(texts: &[&str]) -> Vec<Act> {
    let chunks = texts.iter().map(|text| chunk(text));
    std::iter::once(stream_head()).chain(chunks).chain([last_chunk()]).collect()
}

fn status(line: &str, headers: &str) -> Vec<Act> {
    response(line, headers, r#"{"error":{"message":"the endpoint's own words","type":"x","code":null}}"#)
}

fn reset() -> Vec<Act> {
    // What was sent before must have arrived.
    vec![Act::Wait(Duration::from_millis(30)), Act::Reset]
}

type Row = (&'static str, Vec<Act>, usize, &'static str, &'static str);

fn faults(provider: &'static str, rows: Vec<Row>) -> Vec<Fault> {
    let fault = |(name, acts, requests, kind, says)| Fault { name, provider, acts, requests, kind, says };
    rows.into_iter().map(fault).collect()
}

/// Faults that stay: none of these is a reply.
pub fn staying() -> Vec<Fault> {
    let rows = [streams(), bodies(), connections(), statuses(), replies()].concat();
    let mut all = faults("openai-chat", rows);
    all.extend(faults("anthropic", messages()));
    all
}

fn streams() -> Vec<Row> {
    let overloaded = "data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n";
    let refused = "data: {\"error\":{\"message\":\"no such thing\",\"type\":\"invalid_request_error\"}}\n\n";
    let drip = (0..20).flat_map(|_| [chunk(": still here\n\n"), Act::Wait(Duration::from_millis(300))]);
    vec![
        ("cut in mid-stream", vec![stream_head(), chunk(START)], 2, "connection", "broke the exchange off"),
        (
            "cut within an event",
            vec![stream_head(), chunk(&START[..60])],
            2,
            "connection",
            "broke the exchange off",
        ),
        (
            "reset in mid-stream",
            [vec![stream_head(), chunk(START)], reset()].concat(),
            2,
            "connection",
            "broke the exchange off",
        ),
        (
            "no reason for ending",
            stream(&[START]),
            2,
            "bad-reply",
            "no `finish_reason`: the reply is not whole",
        ),
        ("no reason, but [DONE]", stream(&[START, DONE]), 2, "bad-reply", "the reply is not whole"),
        ("only [DONE]", stream(&[DONE]), 2, "bad-reply", "ended before it said anything"),
        ("an empty stream", stream(&[]), 2, "bad-reply", "ended before it said anything"),
        (
            "garbage events",
            stream(&[START, "data: {malformed\n\n"]),
            2,
            "bad-reply",
            "starts with `{malformed`",
        ),
        ("no events at all", stream(&["<html>busy</html>"]), 2, "bad-reply", "ended before it said anything"),
        ("overloaded in mid-stream", stream(&[START, overloaded]), 2, "rate-limited", "Overloaded"),
        ("refused in mid-stream", stream(&[START, refused]), 1, "bad-reply", "no such thing"),
        (
            "a silent stream",
            vec![stream_head(), chunk(START), Act::Wait(Duration::from_secs(30))],
            2,
            "stalled",
            "was silent for 1 s (limits.idle_timeout_s)",
        ),
        // What was said until then may have been paid for, so it is not asked for again unbidden.
        (
            "a stream without end",
            std::iter::once(stream_head()).chain(drip).collect(),
            1,
            "timeout",
            "no whole reply within 2 s (limits.timeout_s)",
        ),
    ]
}

fn bodies() -> Vec<Row> {
    let json = "content-type: application/json\r\n";
    let long = |length: usize| head("200 OK", &format!("{json}content-length: {length}\r\n"));
    let huge = vec![send(vec![b' '; 1 << 20]); 20];
    let slow = vec![long(900), send("{"), Act::Wait(Duration::from_secs(30))];
    vec![
        ("garbage", response("200 OK", "", "{malformed"), 2, "bad-reply", "starts with `{malformed`"),
        ("HTML", response("200 OK", "", "<html>busy</html>"), 2, "bad-reply", "starts with `<html>busy"),
        ("an empty body", response("200 OK", "", ""), 2, "bad-reply", "the body is empty"),
        ("no content", vec![head("204 No Content", "")], 2, "bad-reply", "the body is empty"),
        ("an empty object", response("200 OK", "", "{}"), 2, "bad-reply", "no `choices`"),
        (
            "a length too great",
            vec![long(GOOD.len() + 9), send(GOOD)],
            2,
            "connection",
            "broke the exchange off",
        ),
        ("a length too small", vec![long(40), send(GOOD)], 2, "bad-reply", "the body starts with"),
        (
            "a huge body",
            [vec![head("200 OK", json)], huge.clone()].concat(),
            2,
            "bad-reply",
            "more than 16 MiB",
        ),
        (
            "a huge refusal",
            [vec![head("500 Internal Server Error", json)], huge].concat(),
            2,
            "http-status",
            "500 Internal Server Error: (the body could not be read",
        ),
        ("a slow body", slow, 1, "timeout", "no whole reply within 2 s"),
        ("silence", vec![Act::Wait(Duration::from_secs(30))], 1, "timeout", "no whole reply within 2 s"),
    ]
}

fn connections() -> Vec<Row> {
    vec![
        ("hangs up", vec![], 2, "connection", "broke the exchange off"),
        ("resets", reset(), 2, "connection", "broke the exchange off"),
        (
            "speaks no HTTP",
            vec![send("220 mail.example.test ready\r\n")],
            2,
            "connection",
            "broke the exchange off",
        ),
        (
            "redirects elsewhere",
            vec![head(
                "307 Temporary Redirect",
                "location: http://192.0.2.1/v1/chat/completions\r\ncontent-length: 0\r\n",
            )],
            1,
            "redirect",
            "redirects to http://192.0.2.1/v1/chat/completions; only listed endpoints are contacted",
        ),
    ]
}

fn statuses() -> Vec<Row> {
    let words = "the endpoint's own words";
    let day = "retry-after: 86400\r\n";
    let mut rows = vec![
        ("429", status("429 Too Many Requests", ""), 2, "rate-limited", words),
        (
            "a limit for the day",
            status("429 Too Many Requests", day),
            1,
            "rate-limited",
            "asks to wait 86400 s",
        ),
        ("maintenance", status("503 Service Unavailable", day), 1, "rate-limited", "asks to wait 86400 s"),
        (
            "its word not to try",
            status("500 Internal Server Error", "x-should-retry: false\r\n"),
            1,
            "http-status",
            words,
        ),
    ];
    for line in [
        "408 Request Timeout",
        "409 Conflict",
        "425 Too Early",
        "500 Internal Server Error",
        "529 Overloaded",
    ] {
        rows.push((line, status(line, ""), 2, "http-status", words));
    }
    for line in
        ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found", "413 Too Large", "422 No"]
    {
        rows.push((line, status(line, ""), 1, "http-status", words));
    }
    rows
}

/// Whole responses that are no answers: the model may have been cut off, or kept from speaking.
fn replies() -> Vec<Row> {
    let call = r#"{"content":null,"tool_calls":[]}"#;
    // As many tokens as the matrix allows: some servers call that complete.
    let used_up =
        response("200 OK", "", &GOOD.replace("\"completion_tokens\":2", "\"completion_tokens\":50"));
    vec![
        ("cut, though said to be complete", used_up, 1, "reply-cut", "cut by a token limit"),
        (
            "cut by length",
            said(r#"{"content":"piano and"}"#, "length"),
            1,
            "reply-cut",
            "cut by a token limit",
        ),
        ("withheld", said(r#"{"content":"piano"}"#, "content_filter"), 1, "content-filter", "withheld"),
        ("an empty reply", said(r#"{"content":""}"#, "stop"), 1, "bad-reply", "neither text nor tool calls"),
        (
            "a blank reply",
            said(r#"{"content":" \n"}"#, "stop"),
            1,
            "bad-reply",
            "neither text nor tool calls",
        ),
        ("no content", said(r#"{"content":null}"#, "stop"), 2, "bad-reply", "neither content nor tool calls"),
        ("calls announced, none made", said(call, "tool_calls"), 2, "bad-reply", "there are none"),
        ("an unknown reason", said(r#"{"content":"piano"}"#, "weariness"), 2, "bad-reply", "weariness"),
    ]
}

fn messages() -> Vec<Row> {
    let error = |kind: &str| {
        format!(
            "event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"{kind}\",\"message\":\"in its words\"}}}}\n\n"
        )
    };
    let delta = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n";
    let paused = GOOD_MESSAGE.replace("end_turn", "pause_turn");
    vec![
        (
            "overloaded in mid-stream",
            stream(&[MESSAGE_START, &error("overloaded_error")]),
            2,
            "rate-limited",
            "in its words",
        ),
        (
            "broken in mid-stream",
            stream(&[MESSAGE_START, &error("api_error")]),
            2,
            "bad-reply",
            "in its words",
        ),
        (
            "refused in mid-stream",
            stream(&[MESSAGE_START, &error("invalid_request_error")]),
            1,
            "bad-reply",
            "in its words",
        ),
        ("no message_stop", stream(&[MESSAGE_START, delta]), 2, "bad-reply", "without `message_stop`"),
        (
            "cut in mid-stream",
            vec![stream_head(), chunk(MESSAGE_START)],
            2,
            "connection",
            "broke the exchange off",
        ),
        (
            "cut by length",
            response("200 OK", "", &GOOD_MESSAGE.replace("end_turn", "max_tokens")),
            1,
            "reply-cut",
            "token limit",
        ),
        ("a pause", response("200 OK", "", &paused), 2, "bad-reply", "pause_turn"),
    ]
}

/// Faults that may pass, and that are got over when they do.
pub fn passing() -> Vec<Fault> {
    let skewed = "date: Mon, 30 Nov 2099 15:00:00 GMT\r\nretry-after: Mon, 30 Nov 2099 15:00:01 GMT\r\n";
    let past = "retry-after: Mon, 30 Nov 2020 15:00:00 GMT\r\n";
    let mut rows = vec![
        ("429 with a second to wait", status("429 Too Many Requests", "retry-after: 1\r\n"), 2, "", ""),
        ("a wait by a clock that is wrong", status("503 Service Unavailable", skewed), 2, "", ""),
        ("a wait until long ago", status("429 Too Many Requests", past), 2, "", ""),
        ("its word to try again", status("400 Bad Request", "x-should-retry: true\r\n"), 2, "", ""),
        ("hangs up", vec![], 2, "", ""),
    ];
    let some = [
        "cut in mid-stream",
        "overloaded in mid-stream",
        "a silent stream",
        "garbage",
        "a length too great",
        "resets",
    ];
    let others = [streams(), bodies(), connections()].concat().into_iter();
    rows.extend(others.filter(|row| some.contains(&row.0)));
    rows.extend(statuses().into_iter().filter(|row| row.2 == 2));
    let mut all = faults("openai-chat", rows);
    all.extend(faults(
        "anthropic",
        messages().into_iter().filter(|row| row.0 == "overloaded in mid-stream").collect(),
    ));
    all
}
