use serde_json::{Map, json};

use super::*;
use crate::sse::Event;
use crate::wire::{Ask, Wire};

fn reply_to(output: &Value, status: &str, reason: &Value) -> Result<Reply, WireError> {
    let body = json!({"id": "resp_1", "model": "m-served", "service_tier": "default", "status": status, "error": null,
        "incomplete_details": reason, "output": output,
        "usage": {"input_tokens": 20, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 16},
            "output_tokens_details": {"reasoning_tokens": 3}}});
    reply(body.to_string().as_bytes())
}

fn completed(output: &Value) -> Result<Reply, WireError> {
    reply_to(output, "completed", &Value::Null)
}

fn text(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn reasoned() -> Value {
    json!([
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "eA=="},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "search", "arguments": "{\"q\": 1}", "status": "completed"},
    ])
}

fn input_after(reply: &Reply, decoding: &Value) -> Value {
    let result = Message::tool_result(&reply.message.tool_calls[0], "found", false);
    let messages = [
        Message::text(Role::System, By::Script, "Be terse."),
        Message::text(Role::User, By::Script, "q"),
        reply.message.clone(),
        result,
    ];
    let decoding = decoding.as_object().unwrap();
    let ask = Ask { model: "m", messages: &messages, tools: &[], decoding, stream: true };
    let body: Value = serde_json::from_slice(&Wire::OpenaiResponses.request(&ask).unwrap()).unwrap();
    assert_eq!((&body["instructions"], &body["stream"]), (&json!("Be terse."), &json!(true)));
    body["input"].clone()
}

#[test]
fn a_reply_with_reasoning_and_a_call() {
    let got = completed(&reasoned()).unwrap();
    assert_eq!((got.message.content.as_str(), got.stop), ("", StopReason::ToolCalls));
    assert_eq!(
        (got.message.tool_calls[0].id.as_str(), &got.message.extra["reasoning"]),
        ("c1", &json!("hm"))
    );
    assert_eq!(got.usage, Some(Usage { input: 20, output: 7, cached: 16, reasoning: 3 }));
    assert_eq!(
        (got.served.model.as_deref(), got.served.tier.as_deref()),
        (Some("m-served"), Some("default"))
    );
    let got = completed(&json!([text("One."), text("Two.")])).unwrap();
    assert_eq!((got.message.content.as_str(), got.stop), ("One.\n\nTwo.", StopReason::Stop));
    assert!(got.message.extra.is_empty());
}

#[test]
fn reasoning_goes_back_as_it_came_where_the_api_can_take_it() {
    let got = completed(&reasoned()).unwrap();
    let output = json!({"type": "function_call_output", "call_id": "c1", "output": "found"});
    let encrypted = json!({"store": false, "include": ["reasoning.encrypted_content"]});
    for decoding in [json!({}), encrypted] {
        let input = input_after(&got, &decoding);
        assert_eq!(input[1], reasoned()[0]);
        assert_eq!((&input[2], &input[3]), (&reasoned()[1], &output));
    }
    // Not kept there and not encrypted here: an id alone would be refused, so only what was said goes back.
    let mut bare = reasoned();
    bare[0].as_object_mut().unwrap().remove("encrypted_content");
    let input = input_after(&completed(&bare).unwrap(), &json!({"store": false}));
    let call = json!({"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{\"q\":1}"});
    assert_eq!(input, json!([{"role": "user", "content": "q"}, call, output]));
}

#[test]
fn reasons_for_ending() {
    let said = json!([text("x")]);
    let stop = |status: &str, reason: &Value| reply_to(&said, status, reason).map(|reply| reply.stop);
    assert_eq!(stop("completed", &Value::Null), Ok(StopReason::Stop));
    assert_eq!(stop("incomplete", &json!({"reason": "max_output_tokens"})), Ok(StopReason::Length));
    assert_eq!(stop("incomplete", &json!({"reason": "content_filter"})), Ok(StopReason::ContentFilter));
    assert_eq!(stop("incomplete", &Value::Null), Ok(StopReason::Length));
    for (status, reason) in [
        ("incomplete", json!({"reason": "weariness"})),
        ("in_progress", Value::Null),
        ("failed", Value::Null),
        ("cancelled", Value::Null),
    ] {
        let error = stop(status, &reason).unwrap_err().to_string();
        assert!(error.starts_with("the reply is not whole"), "{error}");
    }
    // Cut in the middle of a call: the calls are not to be run.
    let cut = reply_to(&reasoned(), "incomplete", &json!({"reason": "max_output_tokens"})).unwrap();
    assert_eq!(cut.stop, StopReason::Length);
    let refusal = json!([{"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}]);
    let got = completed(&refusal).unwrap();
    assert_eq!((got.message.content.as_str(), got.stop), ("I cannot.", StopReason::Refusal));
}

#[test]
fn what_is_no_reply_is_never_taken_for_one() {
    let failed = json!({"id": "r", "status": "failed", "error": {"code": "server_error", "message": "It broke."}, "output": []});
    assert_eq!(
        reply(failed.to_string().as_bytes()).unwrap_err().to_string(),
        "an error came in place of the reply: It broke."
    );
    assert!(completed(&json!([])).is_err());
    assert!(completed(&Value::Null).is_err());
    assert!(completed(&json!([reasoned()[0]])).is_err());
    assert!(
        completed(&json!([{"type": "web_search_call"}])).unwrap_err().to_string().contains("web_search_call")
    );
    assert!(completed(&json!([{"type": "message", "content": [{"type": "hologram"}]}])).is_err());
    assert!(reply(json!({"output": [text("x")]}).to_string().as_bytes()).is_err());
}

fn fold(events: &[Value]) -> Result<Reply, WireError> {
    let mut fold = Fold::default();
    for event in events {
        let event = Event { name: Vec::new(), data: event.to_string().into_bytes() };
        if fold.event(&event)? {
            break;
        }
    }
    fold.finish()
}

#[test]
fn streams_of_servers_that_leave_things_out() {
    let delta = |text: &str| json!({"type": "response.output_text.delta", "item_id": "msg_1", "delta": text});
    let done = json!({"type": "response.output_item.done", "item": text("hello")});
    let last = json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [text("hello")]}});
    let mut bare = last.clone();
    bare["response"]["output"] = json!([]);
    for events in [
        vec![delta("hel"), delta("lo"), last],
        vec![delta("x"), done, bare.clone()],
        vec![delta("hel"), delta("lo"), bare],
    ] {
        assert_eq!(fold(&events).unwrap().message.content, "hello");
    }
}

#[test]
fn streams_that_are_not_whole() {
    let delta = json!({"type": "response.output_text.delta", "delta": "hel"});
    let problem = |events: &[Value]| fold(events).unwrap_err().to_string();
    assert_eq!(problem(&[]), "the stream ended before it said anything");
    assert_eq!(
        problem(std::slice::from_ref(&delta)),
        "the stream ended without `response.completed`: the reply is not whole"
    );
    let failed = json!({"type": "response.failed", "response": {"id": "r", "status": "failed",
        "error": {"code": "rate_limit_exceeded", "message": "Slow down."}}});
    assert_eq!(problem(&[delta.clone(), failed]), "an error came in place of the reply: Slow down.");
    let error = json!({"type": "error", "code": "server_error", "message": "It broke.", "param": null});
    assert_eq!(problem(&[delta.clone(), error]), "an error came in place of the reply: It broke.");
    let cut = json!({"type": "response.incomplete", "response": {"status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"}, "output": [text("hel")]}});
    assert_eq!(fold(&[delta, cut]).unwrap().stop, StopReason::Length);
}

#[test]
fn a_request_as_it_goes_out() {
    let tools = [crate::ToolSpec {
        name: "search".into(),
        description: "Finds.".into(),
        parameters: json!({"type": "object"}),
    }];
    let mut asks = Message::text(Role::Assistant, By::Script, "Let me see.");
    asks.tool_calls =
        vec![transcript::ToolCall { id: "c1".into(), name: "search".into(), arguments: json!("{broken") }];
    let result = Message::tool_result(&asks.tool_calls[0], "bad arguments", true);
    let messages = [Message::text(Role::User, By::Script, "q"), asks, result];
    let decoding: Map<String, Value> = json!({"store": false}).as_object().unwrap().clone();
    let ask = Ask { model: "m", messages: &messages, tools: &tools, decoding: &decoding, stream: false };
    let sent = String::from_utf8(Wire::OpenaiResponses.request(&ask).unwrap()).unwrap();
    insta::assert_snapshot!(sent);
}
