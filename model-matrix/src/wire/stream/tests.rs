#![expect(clippy::needless_pass_by_value, reason = "events are written in place")]

use proptest::prelude::*;
use serde_json::{Value, json};
use transcript::{StopReason, ToolCall, Usage};

use super::*;
use crate::wire::Answer;

const ALL: [Wire; 4] = [Wire::OpenaiChat, Wire::OpenaiResponses, Wire::Anthropic, Wire::Gemini];

/// Reads a stream that comes in these pieces.
fn read_pieces(wire: Wire, pieces: &[&[u8]]) -> Result<Reply, WireError> {
    let mut streamed = Streamed::new(wire);
    for piece in pieces {
        streamed.push(piece)?;
    }
    streamed.finish()
}

fn read(wire: Wire, body: &str) -> Result<Reply, WireError> {
    read_pieces(wire, &[body.as_bytes()])
}

fn problem(wire: Wire, body: &str) -> String {
    read(wire, body).unwrap_err().to_string()
}

/// A chat stream of these chunks, each with a delta and a reason for ending, closed as servers close it.
fn chat(deltas: &[(Value, Value)]) -> String {
    let mut body = String::new();
    for (delta, finish) in deltas {
        let chunk = json!({"id": "r1", "object": "chat.completion.chunk", "model": "m-served", "system_fingerprint": "fp_1",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": null});
        body.push_str(&format!("data: {chunk}\n\n"));
    }
    body + "data: [DONE]\n\n"
}

fn calls(calls: Value) -> (Value, Value) {
    (json!({"tool_calls": calls}), Value::Null)
}

fn end(reason: &str) -> (Value, Value) {
    (json!({}), json!(reason))
}

/// A messages stream of these events between the usual first and last ones.
fn messages(events: &[Value], stop: Value) -> String {
    let start = json!({"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant",
        "model": "m-served", "content": [], "stop_reason": null,
        "usage": {"input_tokens": 4, "cache_read_input_tokens": 16, "cache_creation_input_tokens": 2, "output_tokens": 1}}});
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
        "usage": {"output_tokens": 7, "cache_read_input_tokens": null}});
    let last = [delta, json!({"type": "message_stop"})];
    let all = std::iter::once(&start).chain(events).chain(&last);
    all.map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect()
}

fn block(index: u64, start: Value, deltas: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({"type": "content_block_start", "index": index, "content_block": start})];
    events.extend(
        deltas.iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
    );
    events.push(json!({"type": "content_block_stop", "index": index}));
    events
}

#[test]
fn a_chat_stream_with_everything_in_it() {
    let mut body = String::from(": keep-alive\n\n");
    body += &chat(&[
        (json!({"role": "assistant", "content": null}), Value::Null),
        (json!({"reasoning_content": "Hm"}), Value::Null),
        (json!({"reasoning": "m."}), Value::Null),
        (json!({"content": "Let "}), Value::Null),
        (json!({"content": "me look.", "tool_calls": null}), json!("")),
        calls(
            json!([{"index": 0, "id": "c1", "type": "function", "function": {"name": "search", "arguments": ""}}]),
        ),
        calls(
            json!([{"index": 1, "id": "c2", "type": "function", "function": {"name": "read", "arguments": "{\"p\":"}},
            {"index": 0, "function": {"arguments": "{\"q\": "}}]),
        ),
        calls(json!([{"index": 0, "id": null, "function": {"name": null, "arguments": "\"oslo\"}"}}])),
        calls(json!([{"index": 1, "function": {"arguments": "1}"}}])),
        end("tool_calls"),
    ]);
    let last = r#"data: {"id":"r1","choices":[],"service_tier":"default","usage":{"prompt_tokens":20,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":3}}}"#;
    let body = body.replace("data: [DONE]", &format!("{last}\n\ndata: [DONE]"));
    let got = read(Wire::OpenaiChat, &body).unwrap();
    assert_eq!(got.message.content, "Let me look.");
    assert_eq!(got.message.extra["reasoning"], "Hmm.");
    let call =
        |id: &str, name: &str, arguments| ToolCall { id: id.to_owned(), name: name.to_owned(), arguments };
    assert_eq!(
        got.message.tool_calls,
        [call("c1", "search", json!({"q": "oslo"})), call("c2", "read", json!({"p": 1}))]
    );
    assert_eq!(got.stop, StopReason::ToolCalls);
    assert_eq!(got.usage, Some(Usage { input: 20, output: 7, cached: 16, reasoning: 3 }));
    assert_eq!(got.served.model.as_deref(), Some("m-served"));
    assert_eq!(got.served.fingerprint.as_deref(), Some("fp_1"));
    assert_eq!(got.served.tier.as_deref(), Some("default"));
}

#[test]
fn calls_of_servers_that_number_or_name_them_badly() {
    let names = |deltas: &[(Value, Value)]| {
        let got = read(Wire::OpenaiChat, &chat(&[deltas, &[end("tool_calls")]].concat())).unwrap();
        assert!(got.malformed.is_empty(), "{:?}", got.malformed);
        let calls = got.message.tool_calls;
        calls.iter().map(|call| format!("{} {} {}", call.id, call.name, call.arguments)).collect::<Vec<_>>()
    };
    let function = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    // Every call is number 0.
    assert_eq!(
        names(&[
            calls(json!([{"index": 0, "id": "a", "function": function("f", "{\"x\":1}")}])),
            calls(json!([{"index": 0, "id": "b", "function": function("g", "{\"y\":2}")}])),
        ]),
        [r#"a f {"x":1}"#, r#"b g {"y":2}"#]
    );
    // No numbers; no numbers and no ids.
    assert_eq!(
        names(&[
            calls(json!([{"id": "a", "function": function("f", "{\"x\":")}])),
            calls(json!([{"function": {"arguments": "1}"}}])),
            calls(json!([{"id": "b", "function": function("f", "{}")}])),
        ]),
        [r#"a f {"x":1}"#, "b f {}"]
    );
    assert_eq!(
        names(&[calls(json!([{"function": function("f", "{}")}, {"function": function("f", "{}")}]))]),
        ["call_r1_0 f {}", "call_r1_1 f {}"]
    );
    // Id and name come with every piece; arguments as an object; none at all.
    assert_eq!(
        names(&[
            calls(json!([{"index": 0, "id": "a", "function": function("f", "{\"x\"")}])),
            calls(json!([{"index": 0, "id": "a", "function": function("f", ":1}")}])),
            calls(json!([{"index": 1, "id": "b", "function": {"name": "g", "arguments": {"y": 2}}}])),
            calls(json!([{"index": 2, "id": "c", "function": {"name": "h"}}])),
        ]),
        [r#"a f {"x":1}"#, r#"b g {"y":2}"#, "c h {}"]
    );
}

#[test]
fn arguments_that_are_cut_stay_text_and_are_told_of() {
    let start = json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\": "}}]);
    let got = read(Wire::OpenaiChat, &chat(&[calls(start), end("tool_calls")])).unwrap();
    assert_eq!((&got.message.tool_calls[0].arguments, got.malformed.len()), (&json!("{\"x\": "), 1));
    let start = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
    let delta = json!({"type": "input_json_delta", "partial_json": "{\"x\": "});
    let got = read(Wire::Anthropic, &messages(&block(0, start, &[delta]), json!("tool_use"))).unwrap();
    assert_eq!((&got.message.tool_calls[0].arguments, got.malformed.len()), (&json!("{\"x\": "), 1));
}

#[test]
fn a_chat_refusal_comes_through_its_own_channel() {
    let body = chat(&[
        (json!({"role": "assistant", "content": null, "refusal": "I can"}), Value::Null),
        (json!({"refusal": "not."}), Value::Null),
        end("stop"),
    ]);
    let got = read(Wire::OpenaiChat, &body).unwrap();
    assert_eq!((got.message.content.as_str(), got.stop), ("I cannot.", StopReason::Refusal));
    let cut =
        read(Wire::OpenaiChat, &chat(&[(json!({"content": "x"}), Value::Null), end("length")])).unwrap();
    assert_eq!(cut.stop, StopReason::Length);
}

#[test]
fn a_messages_stream_with_everything_in_it() {
    let mut events = vec![json!({"type": "ping"}), json!({"type": "brand_new", "x": 1})];
    events.extend(block(
        0,
        json!({"type": "thinking", "thinking": "", "signature": ""}),
        &[
            json!({"type": "thinking_delta", "thinking": "Hm"}),
            json!({"type": "thinking_delta", "thinking": "m."}),
            json!({"type": "signature_delta", "signature": "c2ln"}),
        ],
    ));
    events.extend(block(1, json!({"type": "redacted_thinking", "data": "eA=="}), &[]));
    let text = |text: &str| json!({"type": "text_delta", "text": text});
    events.extend(block(2, json!({"type": "text", "text": ""}), &[text("Let me"), text(" look.")]));
    let part = |part: &str| json!({"type": "input_json_delta", "partial_json": part});
    let tool = |id: &str| json!({"type": "tool_use", "id": id, "name": "search", "input": {}});
    events.extend(block(3, tool("t1"), &[part(""), part("{\"q\": \"os"), part("lo\"}")]));
    events.extend(block(4, tool("t2"), &[]));
    let got = read(Wire::Anthropic, &messages(&events, json!("tool_use"))).unwrap();
    assert_eq!(got.message.content, "Let me look.");
    assert_eq!(got.message.extra["reasoning"], "Hmm.");
    assert_eq!(got.message.tool_calls[0].arguments, json!({"q": "oslo"}));
    assert_eq!(got.message.tool_calls[1].arguments, json!({}));
    let raw = &got.message.extra[anthropic::RAW_BLOCKS];
    assert_eq!(raw[0], json!({"type": "thinking", "thinking": "Hmm.", "signature": "c2ln"}));
    assert_eq!(raw[1], json!({"type": "redacted_thinking", "data": "eA=="}));
    assert_eq!(raw[3], json!({"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "oslo"}}));
    assert_eq!(got.usage, Some(Usage { input: 22, output: 7, cached: 16, reasoning: 0 }));
    assert_eq!(got.served.model.as_deref(), Some("m-served"));
}

#[test]
fn what_is_not_whole_is_no_reply() {
    let said = (json!({"role": "assistant", "content": "par"}), Value::Null);
    let unfinished = chat(std::slice::from_ref(&said));
    let empty = problem(Wire::OpenaiChat, "");
    assert_eq!(empty, "the stream ended before it said anything");
    assert_eq!(problem(Wire::OpenaiChat, ": only a comment\n\n"), empty);
    assert_eq!(problem(Wire::OpenaiChat, "data: [DONE]\n\n"), empty);
    assert_eq!(
        problem(Wire::OpenaiChat, &unfinished),
        "the choice has no `finish_reason`: the reply is not whole"
    );
    assert!(read(Wire::OpenaiChat, &unfinished.replace("data: [DONE]\n\n", "")).is_err());
    // The end of a cut stream is never taken for an end.
    let whole = chat(&[said, end("stop")]);
    assert!(read(Wire::OpenaiChat, &whole[..whole.find("\"stop\"").unwrap()]).is_err());

    assert_eq!(problem(Wire::Anthropic, ""), empty);
    let text = block(0, json!({"type": "text", "text": ""}), &[json!({"type": "text_delta", "text": "par"})]);
    let whole = messages(&text, json!("end_turn"));
    assert_eq!(read(Wire::Anthropic, &whole).unwrap().message.content, "par");
    let without_stop = &whole[..whole.find("event: message_stop").unwrap()];
    assert_eq!(
        problem(Wire::Anthropic, without_stop),
        "the stream ended without `message_stop`: the reply is not whole"
    );
    let without_reason = messages(&text, Value::Null);
    assert!(problem(Wire::Anthropic, &without_reason).contains("no `stop_reason`"));
    let unopened = messages(&text[1..], json!("end_turn"));
    assert!(problem(Wire::Anthropic, &unopened).contains("block 0, which never started"));
    let twice = messages(&[text.clone(), text].concat(), json!("end_turn"));
    assert!(problem(Wire::Anthropic, &twice).contains("block 0 twice"));
}

#[test]
fn errors_in_mid_stream_are_told_in_the_endpoints_words() {
    let said = chat(&[(json!({"content": "par"}), Value::Null)]).replace("data: [DONE]\n\n", "");
    let error = r#"{"error":{"message":"The server had an error","type":"server_error"}}"#;
    for event in [format!("data: {error}\n\n"), format!("event: error\ndata: {error}\n\n")] {
        assert_eq!(
            problem(Wire::OpenaiChat, &format!("{said}{event}")),
            "an error came in place of the reply: The server had an error"
        );
    }
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(
        problem(Wire::Anthropic, &format!("event: error\ndata: {error}\n\n")),
        "an error came in place of the reply: Overloaded"
    );
    assert_eq!(
        Wire::OpenaiChat
            .reply(br#"{"error":{"message":"No more credits","code":402}}"#)
            .unwrap_err()
            .to_string(),
        "an error came in place of the reply: No more credits"
    );
    assert!(problem(Wire::OpenaiChat, "data: {malformed\n\n").contains("`{malformed`"));
    assert!(problem(Wire::Anthropic, "data: <html>\n\n").contains("`<html>`"));
}

#[test]
fn an_endless_stream_is_given_up() {
    for wire in ALL {
        let mut streamed = Streamed::new(wire);
        let filler = format!("data: {{\"type\": \"ping\", \"x\": \"{}\"}}\n\n", "y".repeat(1 << 20));
        let problem = (0..64).find_map(|_| streamed.push(filler.as_bytes()).err()).unwrap();
        assert!(problem.to_string().contains("longer than 16 MiB"), "{problem}");
    }
}

/// A stream of these events; Anthropic's and OpenAI's responses name their types in it.
fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// A reply in two pieces, each of which says whose and by whom it is.
fn two_pieces(wire: Wire, ids: [&str; 2], models: [&str; 2]) -> String {
    let piece = |n: usize| match wire {
        Wire::OpenaiChat => {
            let finish = if n == 0 { Value::Null } else { json!("stop") };
            let content = ["", "hello"][n];
            json!({"id": ids[n], "model": models[n],
                "choices": [{"delta": {"role": "assistant", "content": content}, "finish_reason": finish}]})
        }
        Wire::OpenaiResponses => {
            let (kind, status) = [("created", "in_progress"), ("completed", "completed")][n];
            json!({"type": format!("response.{kind}"), "response": {"id": ids[n], "model": models[n], "status": status,
                "output": [{"type": "message", "content": [{"type": "output_text", "text": "hello"}]}]}})
        }
        Wire::Gemini => {
            let finish = if n == 0 { Value::Null } else { json!("STOP") };
            json!({"responseId": ids[n], "modelVersion": models[n],
                "candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": finish}]})
        }
        Wire::Anthropic => json!({"type": "message_start", "message": {"id": ids[n], "model": models[n]}}),
    };
    let mut body = stream(&[piece(0), piece(1)]);
    if wire == Wire::Anthropic {
        let text = block(0, json!({"type": "text", "text": "hello"}), &[]);
        body += &stream(&text);
        body += &stream(&[
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
            json!({"type": "message_stop"}),
        ]);
    }
    body
}

#[test]
fn pieces_that_contradict_each_other_in_who_served_them_are_served_by_neither() {
    let by = |wire, models| read(wire, &two_pieces(wire, ["r1"; 2], models)).unwrap().served.model;
    for wire in ALL {
        assert_eq!(by(wire, ["m-1", "m-1"]).as_deref(), Some("m-1"), "{wire:?}");
        assert_eq!(by(wire, ["", "m-1"]).as_deref(), Some("m-1"), "{wire:?}");
        assert_eq!(by(wire, ["m-1", "m-2"]).as_deref(), Some("m-1, then m-2"), "{wire:?}");
        assert_eq!(by(wire, ["m-2", "m-1"]).as_deref(), Some("m-2, then m-1"), "{wire:?}");
    }
    let said = chat(&[(json!({"content": "hello"}), Value::Null), end("stop")]);
    let other = said.replacen("fp_1", "fp_2", 1);
    let prints = |body: &str| read(Wire::OpenaiChat, body).unwrap().served.fingerprint;
    assert_eq!(prints(&said).as_deref(), Some("fp_1"));
    assert_eq!(prints(&other).as_deref(), Some("fp_2, then fp_1"));
    // However many there are, few are kept.
    let many: Vec<Value> = (0..50).map(|n| json!({"model": format!("m-{n}"), "choices": []})).collect();
    let served = read(Wire::OpenaiChat, &format!("{}{said}", stream(&many))).unwrap().served.model;
    assert_eq!(served.as_deref(), Some("m-0, then m-1, then m-2, then m-3"));
}

#[test]
fn pieces_of_another_reply_are_no_part_of_one() {
    for wire in ALL {
        assert!(read(wire, &two_pieces(wire, ["", "r1"], ["m"; 2])).is_ok(), "{wire:?}");
        assert_eq!(
            problem(wire, &two_pieces(wire, ["r1", "r2"], ["m"; 2])),
            "the stream mixes replies: it began as `r1` and goes on as `r2`",
            "{wire:?}"
        );
    }
}

/// A stream that says a word and then ends for each of `reasons`; perhaps it goes on afterwards.
fn ending(wire: Wire, reasons: &[&str], more: bool) -> String {
    let choice = |text: &str, reason: Value| match wire {
        Wire::OpenaiChat => json!({"choices": [{"delta": {"content": text}, "finish_reason": reason}]}),
        Wire::Gemini => {
            json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": reason}]})
        }
        _ => json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
    };
    let mut events = Vec::new();
    let said = |index, text: &str| match wire {
        Wire::Anthropic => block(index, json!({"type": "text", "text": text}), &[]),
        _ => vec![choice(text, Value::Null)],
    };
    if wire == Wire::Anthropic {
        events.push(json!({"type": "message_start", "message": {"id": "m"}}));
    }
    events.extend(said(0, "piano"));
    events.extend(reasons.iter().map(|reason| choice("", json!(reason))));
    if more {
        events.extend(said(1, " forte"));
    }
    if wire == Wire::Anthropic {
        events.push(json!({"type": "message_stop"}));
    }
    stream(&events)
}

#[test]
fn a_cut_or_withheld_reply_stays_so_whatever_reason_follows() {
    let cases: [(Wire, &[&str], StopReason); 8] = [
        (Wire::OpenaiChat, &["length", "stop"], StopReason::Length),
        (Wire::OpenaiChat, &["content_filter", "stop"], StopReason::ContentFilter),
        (Wire::OpenaiChat, &["stop", "length"], StopReason::Length),
        (Wire::OpenaiChat, &["", "stop", "stop"], StopReason::Stop),
        (Wire::Gemini, &["MAX_TOKENS", "STOP"], StopReason::Length),
        (Wire::Gemini, &["STOP", "SAFETY"], StopReason::ContentFilter),
        (Wire::Anthropic, &["max_tokens", "end_turn"], StopReason::Length),
        (Wire::Anthropic, &["end_turn", "refusal"], StopReason::Refusal),
    ];
    for (wire, reasons, stop) in cases {
        assert_eq!(read(wire, &ending(wire, reasons, false)).unwrap().stop, stop, "{wire:?} {reasons:?}");
    }
}

#[test]
fn a_reply_that_goes_on_after_its_end_is_no_reply() {
    for (wire, reason) in [
        (Wire::OpenaiChat, "stop"),
        (Wire::OpenaiChat, "length"),
        (Wire::Gemini, "STOP"),
        (Wire::Anthropic, "end_turn"),
    ] {
        assert_eq!(
            problem(wire, &ending(wire, &[reason], true)),
            format!("the stream goes on after its reply ended with `{reason}`")
        );
    }
}

#[test]
fn a_count_of_tokens_that_cannot_be_makes_no_reply() {
    for wire in ALL {
        for (input, output) in [(u64::MAX, 1), (1, u64::MAX), (1_000_000_000_001, 1)] {
            let answer = Answer {
                id: "r1",
                model: "m",
                content: "piano",
                tool_calls: &[],
                stop: StopReason::Stop,
                usage: Usage { input, output, ..Usage::default() },
            };
            for read in [wire.reply(&wire.answer(&answer)), read_pieces(wire, &[&wire.events(&answer)])] {
                let problem = read.unwrap_err().to_string();
                assert!(problem.ends_with(" tokens, which cannot be"), "{wire:?}: {problem}");
            }
        }
    }
}

/// A reply with text beyond ASCII, two calls, and line breaks.
fn sample() -> (Vec<ToolCall>, &'static str) {
    let call = |id: &str, arguments| ToolCall { id: id.to_owned(), name: "search".to_owned(), arguments };
    (
        vec![call("c1", json!({"q": "Ålesund – \u{1F30A}", "n": [1, 2]})), call("c2", json!("{broken"))],
        "Zuerst: schauen wir nach…\r\n\n\u{1F600} und dann weiter.",
    )
}

#[test]
fn a_stream_cut_at_any_byte_gives_the_same_reply_as_in_one_piece() {
    let (tool_calls, content) = sample();
    for wire in ALL {
        let answer = Answer {
            id: "r1",
            model: "m",
            content,
            tool_calls: &tool_calls,
            stop: StopReason::ToolCalls,
            usage: Usage { input: 5, output: 6, ..Usage::default() },
        };
        let streamed = wire.events(&answer);
        let mut whole = wire.reply(&wire.answer(&answer)).unwrap();
        let expected = read_pieces(wire, &[&streamed]).unwrap();
        whole.malformed.clone_from(&expected.malformed);
        assert_eq!(expected, whole, "{wire:?}");
        for at in 0..=streamed.len() {
            let (a, b) = streamed.split_at(at);
            assert_eq!(read_pieces(wire, &[a, b]).as_ref(), Ok(&expected), "{wire:?} at {at}");
        }
        let bytes: Vec<&[u8]> = streamed.chunks(1).collect();
        assert_eq!(read_pieces(wire, &bytes).as_ref(), Ok(&expected), "{wire:?}");
        // What is missing at its end is missed, unless it is only the closing of a reply that is whole.
        for at in 0..streamed.len() {
            if let Ok(reply) = read_pieces(wire, &[&streamed[..at]]) {
                assert_eq!(
                    (&reply.message, reply.stop),
                    (&expected.message, expected.stop),
                    "{wire:?} at {at}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn whatever_comes_is_a_reply_or_an_error(text in ".{0,40}", cut in any::<proptest::sample::Index>()) {
        let answer = Answer { id: "r", model: "m", content: &text, tool_calls: &[], stop: StopReason::Stop, usage: Usage::default() };
        for wire in ALL {
            let body = wire.events(&answer);
            let read = read_pieces(wire, &[&body]);
            if !text.is_empty() || wire == Wire::Anthropic {
                prop_assert_eq!(read.unwrap().message.content, text.as_str());
            }
            let _ = read_pieces(wire, &[&body[..cut.index(body.len() + 1)], text.as_bytes()]);
            let _ = read_pieces(wire, &[format!("data: {text}\n\n").as_bytes()]);
        }
    }
}

#[test]
fn parts_of_a_streamed_content_are_kept_or_refused() {
    let part = |part: Value| (json!({ "content": [part] }), Value::Null);
    let thought = part(json!({"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}));
    let body = chat(&[thought, part(json!({"type": "text", "text": "piano"})), end("stop")]);
    let message = read(Wire::OpenaiChat, &body).unwrap().message;
    assert_eq!((message.content.as_str(), &message.extra["reasoning"]), ("piano", &json!("Hm.")));
    let image = part(json!({"type": "image_url", "image_url": {}}));
    let told = problem(
        Wire::OpenaiChat,
        &chat(&[part(json!({"type": "text", "text": "piano"})), image, end("stop")]),
    );
    assert!(told.contains("type `image_url` is not supported"), "{told}");
}
