#![expect(clippy::needless_pass_by_value, reason = "bodies are written in place")]

use proptest::prelude::*;
use serde_json::json;
use transcript::{By, Role};

use super::*;

const ALL: [Wire; 4] = [Wire::OpenaiChat, Wire::OpenaiResponses, Wire::Anthropic, Wire::Gemini];

fn reply(wire: Wire, body: Value) -> Result<Reply, WireError> {
    wire.reply(body.to_string().as_bytes())
}

fn chat(message: Value, finish: Value) -> Result<Reply, WireError> {
    let choice = json!({"index": 0, "message": message, "finish_reason": finish, "logprobs": null});
    reply(
        Wire::OpenaiChat,
        json!({"id": "r1", "object": "chat.completion", "model": "m-served", "system_fingerprint": "fp_1",
            "service_tier": "default", "choices": [choice],
            "usage": {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27,
                "prompt_tokens_details": {"cached_tokens": 16}, "completion_tokens_details": {"reasoning_tokens": 3}}}),
    )
}

fn messages(content: Value, stop: Value) -> Result<Reply, WireError> {
    reply(
        Wire::Anthropic,
        json!({"id": "m1", "type": "message", "role": "assistant", "model": "m-served", "content": content,
            "stop_reason": stop, "stop_sequence": null,
            "usage": {"input_tokens": 4, "cache_read_input_tokens": 16, "cache_creation_input_tokens": 2,
                "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}, "service_tier": "standard"}}),
    )
}

#[test]
fn a_chat_reply_with_a_call() {
    let call = json!({"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{\"q\": \"oslo\"}"}});
    let got = chat(
        json!({"role": "assistant", "content": "Let me look.", "tool_calls": [call]}),
        json!("tool_calls"),
    )
    .unwrap();
    assert_eq!(got.message.content, "Let me look.");
    assert_eq!(got.message.tool_calls[0].arguments, json!({"q": "oslo"}));
    assert_eq!(got.stop, StopReason::ToolCalls);
    assert_eq!(got.usage, Some(Usage { input: 20, output: 7, cached: 16, reasoning: 3 }));
    assert_eq!(got.served.model.as_deref(), Some("m-served"));
    assert_eq!(got.served.fingerprint.as_deref(), Some("fp_1"));
    assert_eq!(got.served.tier.as_deref(), Some("default"));
    assert!(got.malformed.is_empty());
    assert!(got.message.is_models_own());
}

#[test]
fn a_messages_reply_with_a_call() {
    let blocks = json!([{"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "c1", "name": "search", "input": {"q": "oslo"}}]);
    let got = messages(blocks, json!("tool_use")).unwrap();
    assert_eq!(got.message.content, "Let me look.");
    assert_eq!(got.message.tool_calls[0].arguments, json!({"q": "oslo"}));
    assert_eq!(got.stop, StopReason::ToolCalls);
    assert_eq!(got.usage, Some(Usage { input: 22, output: 7, cached: 16, reasoning: 3 }));
    assert!(got.message.extra.is_empty());
}

#[test]
fn reasons_for_ending() {
    let said = json!({"role": "assistant", "content": "x"});
    let chat_stop = |finish: &str| chat(said.clone(), json!(finish)).map(|reply| reply.stop);
    assert_eq!(chat_stop("stop"), Ok(StopReason::Stop));
    assert_eq!(chat_stop("length"), Ok(StopReason::Length));
    assert_eq!(chat_stop("content_filter"), Ok(StopReason::ContentFilter));
    assert!(chat_stop("tool_calls").is_err());
    assert!(chat_stop("weariness").unwrap_err().to_string().contains("weariness"));
    assert!(chat(said, Value::Null).is_err());

    let text = json!([{"type": "text", "text": "x"}]);
    let stop = |reason: &str| messages(text.clone(), json!(reason)).map(|reply| reply.stop);
    assert_eq!(stop("end_turn"), Ok(StopReason::Stop));
    assert_eq!(stop("stop_sequence"), Ok(StopReason::Stop));
    assert_eq!(stop("max_tokens"), Ok(StopReason::Length));
    assert_eq!(stop("model_context_window_exceeded"), Ok(StopReason::Length));
    assert_eq!(stop("refusal"), Ok(StopReason::Refusal));
    assert!(stop("tool_use").is_err());
    assert!(stop("pause_turn").unwrap_err().to_string().contains("not supported"));
    assert!(stop("weariness").is_err());
    assert!(messages(text, Value::Null).is_err());
}

#[test]
fn what_is_no_reply_is_never_taken_for_one() {
    for wire in ALL {
        for body in [
            "",
            "{}",
            "[]",
            "null",
            "7",
            "<!doctype html><p>hello",
            "{malformed json",
            "{\"error\": {\"message\": \"x\"}}",
        ] {
            assert!(wire.reply(body.as_bytes()).is_err(), "{wire:?} {body}");
        }
    }
    assert!(reply(Wire::OpenaiChat, json!({"id": "r", "choices": []})).is_err());
    assert!(reply(Wire::OpenaiChat, json!({"choices": [{"finish_reason": "stop"}]})).is_err());
    assert!(chat(json!({"role": "assistant", "content": null}), json!("stop")).is_err());
    assert!(chat(json!({"role": "assistant"}), json!("stop")).is_err());
    assert!(chat(json!({"role": "assistant", "content": 7}), json!("stop")).is_err());
    assert!(messages(json!([]), json!("end_turn")).is_err());
    assert!(
        messages(json!([{"type": "thinking", "thinking": "hm", "signature": "s"}]), json!("end_turn"))
            .is_err()
    );
    assert!(
        messages(
            json!([{"type": "server_tool_use", "id": "x", "name": "y", "input": {}}]),
            json!("end_turn")
        )
        .is_err()
    );
    let two = json!({"message": {"content": "x"}, "finish_reason": "stop"});
    let error = reply(Wire::OpenaiChat, json!({"choices": [two, two]})).unwrap_err();
    assert!(error.to_string().contains("2 choices"), "{error}");
}

#[test]
fn an_empty_answer_is_an_answer() {
    assert_eq!(chat(json!({"content": ""}), json!("stop")).unwrap().message.content, "");
    assert_eq!(
        messages(json!([{"type": "text", "text": ""}]), json!("end_turn")).unwrap().message.content,
        ""
    );
    // A reply cut before its first word, or withheld, is told by its reason for ending.
    assert_eq!(chat(json!({"content": null}), json!("length")).unwrap().stop, StopReason::Length);
    assert_eq!(messages(json!([]), json!("refusal")).unwrap().stop, StopReason::Refusal);
}

#[test]
fn a_refusal_is_what_was_said() {
    let got = chat(json!({"content": null, "refusal": "I cannot."}), json!("stop")).unwrap();
    assert_eq!((got.message.content.as_str(), got.stop), ("I cannot.", StopReason::Refusal));
}

#[test]
fn usage_may_be_missing() {
    let got =
        reply(Wire::OpenaiChat, json!({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}));
    assert_eq!(got.unwrap().usage, None);
}

#[test]
fn malformed_arguments_are_kept_as_they_came() {
    for (arguments, kept, problems) in [
        ("{\"q\": \"os", json!("{\"q\": \"os"), 1),
        ("[1]", json!("[1]"), 1),
        ("\"x\"", json!("\"x\""), 1),
        ("", json!({}), 0),
    ] {
        let call =
            json!({"id": "c", "type": "function", "function": {"name": "search", "arguments": arguments}});
        let got = chat(json!({"content": null, "tool_calls": [call]}), json!("stop")).unwrap();
        assert_eq!(got.message.tool_calls[0].arguments, kept);
        assert_eq!(got.malformed.len(), problems, "{arguments}");
        assert_eq!(got.stop, StopReason::ToolCalls);
    }
    let got =
        messages(json!([{"type": "tool_use", "id": "c", "name": "search", "input": [1]}]), json!("tool_use"));
    let got = got.unwrap();
    assert_eq!((&got.message.tool_calls[0].arguments, got.malformed.len()), (&json!("[1]"), 1));
}

#[test]
fn malformed_arguments_go_back_as_an_object() {
    let mut asks = Message::text(Role::Assistant, By::Model, "");
    asks.tool_calls = vec![ToolCall { id: "c".into(), name: "t".into(), arguments: json!("{broken") }];
    let messages = [Message::text(Role::User, By::Script, "q"), asks];
    let chat = body(Wire::OpenaiChat, &messages);
    let sent = &chat["messages"][1]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(sent, r#"{"malformed_arguments":"{broken"}"#);
    let anthropic = body(Wire::Anthropic, &messages);
    assert_eq!(anthropic["messages"][1]["content"][0]["input"], json!({"malformed_arguments": "{broken"}));
}

#[test]
fn calls_without_an_id_are_given_different_ones() {
    let call = json!({"function": {"name": "search", "arguments": {}}});
    let got = chat(json!({"tool_calls": [call, call]}), json!("tool_calls")).unwrap();
    let ids: Vec<_> = got.message.tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_r1_0", "call_r1_1"]);
}

#[test]
fn calls_with_the_same_id_are_told_apart() {
    let call = json!({"id": "0", "function": {"name": "search", "arguments": "{}"}});
    let got = chat(json!({"tool_calls": [call, call, call]}), json!("tool_calls")).unwrap();
    let ids: Vec<_> = got.message.tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["0", "call_r1_1", "call_r1_2"]);
}

#[test]
fn what_the_client_wraps_is_not_taken_from_a_model() {
    let input = json!({"malformed_arguments": "{\"q\": 1}"});
    let got =
        messages(json!([{"type": "tool_use", "id": "c", "name": "t", "input": input}]), json!("tool_use"));
    assert_eq!(got.unwrap().message.tool_calls[0].arguments, input);
}

#[test]
fn reasoning_is_no_content_and_thinking_goes_back_unchanged() {
    let got = chat(json!({"content": "42", "reasoning_content": "hm"}), json!("stop")).unwrap();
    assert_eq!((got.message.content.as_str(), &got.message.extra["reasoning"]), ("42", &json!("hm")));

    let blocks = json!([{"type": "thinking", "thinking": "hm", "signature": "s=="},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_use", "id": "c1", "name": "search", "input": {"b": 1, "a": 2}}]);
    let got = messages(blocks.clone(), json!("tool_use")).unwrap();
    assert_eq!((got.message.content.as_str(), &got.message.extra["reasoning"]), ("", &json!("hm")));
    let result = Message::tool_result(&got.message.tool_calls[0], "found", false);
    let sent = body(Wire::Anthropic, &[Message::text(Role::User, By::Script, "q"), got.message, result]);
    assert_eq!(sent["messages"][1]["content"], blocks);
}

#[test]
fn what_an_endpoint_wants_back_goes_back_as_it_came() {
    let details = json!([{"type": "reasoning.text", "text": "hm", "signature": "s==", "index": 0},
        {"type": "reasoning.encrypted", "data": "x", "index": 1}]);
    let signature = json!({"google": {"thought_signature": "g=="}});
    let call =
        |id: &str| json!({"id": id, "type": "function", "function": {"name": "search", "arguments": "{}"}});
    let mut signed = call("c1");
    signed["extra_content"] = signature.clone();
    let whole = chat(
        json!({"content": null, "reasoning_details": details, "tool_calls": [signed, call("c2")]}),
        json!("tool_calls"),
    );
    let deltas = [
        json!({"role": "assistant", "reasoning_details": [{"type": "reasoning.text", "text": "h", "index": 0}]}),
        json!({"reasoning_details": [{"type": "reasoning.text", "text": "m", "index": 0, "signature": null}]}),
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "s=="}]}),
        json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x", "index": 1}]}),
        json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "search", "arguments": "{}"}, "extra_content": signature}]}),
        json!({"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "search", "arguments": "{}"}}]}),
    ];
    let mut streamed = stream::Streamed::new(Wire::OpenaiChat);
    for delta in deltas {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
        streamed.push(format!("data: {chunk}\n\n").as_bytes()).unwrap();
    }
    streamed.push(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n").unwrap();
    for reply in [whole.unwrap(), streamed.finish().unwrap()] {
        let sent = body(Wire::OpenaiChat, &[Message::text(Role::User, By::Script, "q"), reply.message]);
        assert_eq!(sent["messages"][1]["reasoning_details"], details);
        assert_eq!(sent["messages"][1]["tool_calls"][0]["extra_content"], signature);
        assert!(sent["messages"][1]["tool_calls"][1].get("extra_content").is_none());
    }
    let plain = chat(json!({"content": "x"}), json!("stop")).unwrap();
    let sent = body(Wire::OpenaiChat, &[plain.message]);
    assert_eq!(sent["messages"][0], json!({"role": "assistant", "content": "x"}));
}

fn body(wire: Wire, messages: &[Message]) -> Value {
    let ask = Ask { model: "m", messages, tools: &[], decoding: &Map::new(), stream: false };
    serde_json::from_slice(&wire.request(&ask).unwrap()).unwrap()
}

fn looked_up() -> Vec<Message> {
    let call = |id: &str| ToolCall { id: id.into(), name: "search".into(), arguments: json!({"q": id}) };
    let mut asks = Message::text(Role::Assistant, By::Model, "");
    asks.tool_calls = vec![call("c1"), call("c2")];
    let results = [
        Message::tool_result(&asks.tool_calls[0], "7 degrees", false),
        Message::tool_result(&asks.tool_calls[1], "no such city", true),
    ];
    let [first, second] = results;
    vec![
        Message::text(Role::System, By::Script, "Be terse."),
        Message::text(Role::User, By::Script, "Weather?"),
        asks,
        first,
        second,
        Message::text(Role::User, By::Script, "Go on."),
    ]
}

#[test]
fn a_chat_request_as_it_goes_out() {
    let tools = [ToolSpec {
        name: "search".into(),
        description: "Finds.".into(),
        parameters: json!({"type": "object"}),
    }];
    let decoding = json!({"temperature": 0, "seed": 7}).as_object().unwrap().clone();
    let ask = Ask { model: "m", messages: &looked_up(), tools: &tools, decoding: &decoding, stream: false };
    let sent: Value = serde_json::from_slice(&Wire::OpenaiChat.request(&ask).unwrap()).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&sent).unwrap());
}

#[test]
fn a_messages_request_as_it_goes_out() {
    let tools = [ToolSpec {
        name: "search".into(),
        description: "Finds.".into(),
        parameters: json!({"type": "object"}),
    }];
    let decoding = json!({"max_tokens": 200}).as_object().unwrap().clone();
    let ask = Ask { model: "m", messages: &looked_up(), tools: &tools, decoding: &decoding, stream: false };
    let sent: Value = serde_json::from_slice(&Wire::Anthropic.request(&ask).unwrap()).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&sent).unwrap());
}

#[test]
fn the_system_text_cannot_come_later_in_the_anthropic_format() {
    let messages = [Message::text(Role::User, By::Script, "a"), Message::text(Role::System, By::Script, "b")];
    let ask = Ask { model: "m", messages: &messages, tools: &[], decoding: &Map::new(), stream: false };
    assert!(Wire::Anthropic.request(&ask).is_err());
    assert!(Wire::OpenaiChat.request(&ask).is_ok());
}

#[test]
fn error_bodies_in_all_shapes() {
    for (body, message) in [
        (r#"{"error": {"message": "No.", "type": "x", "code": null}}"#, "No."),
        (r#"{"error": {"code": 400, "message": "too\nlong"}}"#, "too long"),
        (
            r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
            "Overloaded",
        ),
        (r#"{"error": "plain"}"#, "plain"),
        (r#"{"message": "other"}"#, "other"),
        (r#"{"detail": "Not Found"}"#, "Not Found"),
        ("<html>\u{1b}[2Jgone</html>", "<html> [2Jgone</html>"),
        ("", ""),
    ] {
        assert_eq!(error_message(body.as_bytes()), message);
    }
    assert_eq!(error_message("x".repeat(9000).as_bytes()).chars().count(), 501);
}

/// Arguments as a model can send them: an object, or text that is none.
fn arguments() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(|f: f64| json!(f))
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        any::<String>().prop_map(Value::from)
    ];
    let tree = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,3}", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<Value>()),
        ]
    });
    let object = prop::collection::btree_map("[a-z_]{1,8}", tree, 0..4)
        .prop_map(|map| map.into_iter().collect::<Value>());
    prop_oneof![4 => object, 1 => "[^{\\s][a-z\"{}]{0,9}".prop_map(|raw| Value::from(format!("!{raw}")))]
}

/// A conversation in good order: turns alternate as they do in a trial, every call has its result.
fn conversation() -> impl Strategy<Value = Vec<Message>> {
    let turn = (
        "\\PC{1,20}",
        any::<String>(),
        prop::collection::vec((arguments(), any::<String>(), any::<bool>()), 0..3),
    );
    (prop::option::of("\\PC{1,20}"), prop::collection::vec(turn, 1..5)).prop_map(|(system, turns)| {
        let mut messages: Vec<_> =
            system.map(|text| Message::text(Role::System, By::Script, text)).into_iter().collect();
        for (number, (asks, says, calls)) in turns.into_iter().enumerate() {
            messages.push(Message::text(Role::User, By::Script, asks));
            let mut reply = Message::text(Role::Assistant, By::Model, says);
            let mut results = Vec::new();
            for (index, (arguments, content, is_error)) in calls.into_iter().enumerate() {
                let call =
                    ToolCall { id: format!("c{number}_{index}"), name: format!("tool{index}"), arguments };
                results.push(Message::tool_result(&call, content, is_error));
                reply.tool_calls.push(call);
            }
            messages.push(reply);
            messages.extend(results);
        }
        messages
    })
}

proptest! {
    #[test]
    fn a_conversation_survives_the_chat_format(mut sent in conversation()) {
        let ask = Ask { model: "m", messages: &sent, tools: &[], decoding: &Map::new(), stream: false };
        let asked = Wire::OpenaiChat.asked(&Wire::OpenaiChat.request(&ask).unwrap()).unwrap();
        // This format has no place for it.
        sent.iter_mut().for_each(|message| message.is_error = false);
        prop_assert_eq!(asked.messages, sent);
    }

    #[test]
    fn a_conversation_survives_the_anthropic_format(mut sent in conversation()) {
        let ask = Ask { model: "m", messages: &sent, tools: &[], decoding: &Map::new(), stream: false };
        let asked = Wire::Anthropic.asked(&Wire::Anthropic.request(&ask).unwrap()).unwrap();
        // The API takes no empty message.
        sent.retain(|message| message.role != Role::Assistant || !message.content.is_empty() || !message.tool_calls.is_empty());
        prop_assert_eq!(asked.messages, sent);
    }

    #[test]
    fn a_conversation_survives_the_responses_format(mut sent in conversation()) {
        let ask = Ask { model: "m", messages: &sent, tools: &[], decoding: &Map::new(), stream: false };
        let asked = Wire::OpenaiResponses.asked(&Wire::OpenaiResponses.request(&ask).unwrap()).unwrap();
        sent.retain(|message| message.role != Role::Assistant || !message.content.is_empty() || !message.tool_calls.is_empty());
        sent.iter_mut().for_each(|message| message.is_error = false);
        prop_assert_eq!(asked.messages, sent);
    }

    #[test]
    fn a_conversation_survives_the_gemini_format(mut sent in conversation()) {
        let ask = Ask { model: "m", messages: &sent, tools: &[], decoding: &Map::new(), stream: false };
        let mut asked = Wire::Gemini.asked(&Wire::Gemini.request(&ask).unwrap()).unwrap();
        sent.retain(|message| message.role != Role::Assistant || !message.content.is_empty() || !message.tool_calls.is_empty());
        // Only ids that the API gave are sent.
        for message in sent.iter_mut().chain(&mut asked.messages) {
            message.tool_calls.iter_mut().for_each(|call| call.id.clear());
            message.tool_call_id = message.tool_call_id.take().map(|_| String::new());
        }
        prop_assert_eq!(asked.messages, sent);
    }

    #[test]
    fn an_answer_survives_all_formats(content in any::<String>(), arguments in prop::collection::vec(arguments(), 0..3)) {
        let tool_calls: Vec<_> = arguments.into_iter().enumerate()
            .map(|(index, arguments)| ToolCall { id: format!("c{index}"), name: "t".into(), arguments }).collect();
        let stop = if tool_calls.is_empty() { StopReason::Stop } else { StopReason::ToolCalls };
        let usage = Usage { input: 3, output: 4, ..Usage::default() };
        for wire in ALL {
            let answer = Answer { id: "r", model: "m", content: &content, tool_calls: &tool_calls, stop, usage };
            let reply = wire.reply(&wire.answer(&answer)).unwrap();
            prop_assert_eq!(&reply.message.content, &content);
            prop_assert_eq!(&reply.message.tool_calls, &tool_calls);
            prop_assert_eq!((reply.stop, reply.usage), (stop, Some(usage)));
        }
    }

    #[test]
    fn no_body_makes_it_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        for wire in ALL {
            prop_assert!(wire.reply(&body).is_err());
            prop_assert!(wire.asked(&body).is_err());
        }
        let _ = error_message(&body);
    }
}

#[test]
fn a_count_of_nothing_is_no_count() {
    let chat = |usage: Value| {
        let choice = json!({"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"});
        let body = json!({"id": "r", "model": "m", "choices": [choice], "usage": usage}).to_string();
        Wire::OpenaiChat.reply(body.as_bytes()).unwrap().usage
    };
    for usage in [Value::Null, json!({}), json!({"prompt_tokens": 0, "completion_tokens": 0})] {
        assert_eq!(chat(usage), None);
    }
    // Some count no prompt that they have in their cache.
    let nothing_read = Usage { output: 3, ..Usage::default() };
    assert_eq!(chat(json!({"prompt_tokens": 0, "completion_tokens": 3})), Some(nothing_read));
}
