use serde_json::json;

use super::*;
use crate::sse::Event;
use crate::wire::{Ask, Wire};

fn body(parts: &Value, reason: &Value) -> Value {
    json!({"responseId": "r1", "modelVersion": "m-served",
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": reason}],
        "usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 4, "thoughtsTokenCount": 3,
            "cachedContentTokenCount": 16, "totalTokenCount": 27}})
}

fn reply_to(parts: &Value, reason: &Value) -> Result<Reply, WireError> {
    reply(body(parts, reason).to_string().as_bytes())
}

fn thought_and_calls() -> Value {
    json!([
        {"text": "hm", "thought": true},
        {"text": "Let me look."},
        {"functionCall": {"name": "search", "args": {"q": 1}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "f2", "name": "search", "args": {"q": 2}}},
        {"functionCall": {"name": "stop"}},
    ])
}

#[test]
fn a_reply_with_thought_and_calls() {
    let got = reply_to(&thought_and_calls(), &json!("STOP")).unwrap();
    assert_eq!((got.message.content.as_str(), got.stop), ("Let me look.", StopReason::ToolCalls));
    assert_eq!(got.message.extra["reasoning"], "hm");
    let calls: Vec<_> =
        got.message.tool_calls.iter().map(|call| format!("{} {}", call.id, call.arguments)).collect();
    assert_eq!(calls, [r#"call_r1_0 {"q":1}"#, r#"f2 {"q":2}"#, "call_r1_2 {}"]);
    assert_eq!(got.usage, Some(Usage { input: 20, output: 7, cached: 16, reasoning: 3 }));
    assert_eq!(
        (got.served.model.as_deref(), got.served.response_id.as_deref()),
        (Some("m-served"), Some("r1"))
    );
}

#[test]
fn parts_go_back_with_their_signatures_and_ids_only_where_the_api_gave_them() {
    let got = reply_to(&thought_and_calls(), &json!("STOP")).unwrap();
    let calls = got.message.tool_calls.clone();
    let mut messages = vec![
        Message::text(Role::System, By::Script, "Be terse."),
        Message::text(Role::User, By::Script, "q"),
        got.message,
    ];
    messages.extend(calls.iter().map(|call| Message::tool_result(call, "found", call.name == "stop")));
    messages.push(Message::text(Role::User, By::Script, "Go on."));
    let tools = [crate::ToolSpec {
        name: "search".into(),
        description: "Finds.".into(),
        parameters: json!({"type": "object"}),
    }];
    let decoding = json!({"temperature": 0, "maxOutputTokens": 9, "toolConfig": {"x": 1}});
    let ask = Ask {
        model: "m",
        messages: &messages,
        tools: &tools,
        decoding: decoding.as_object().unwrap(),
        stream: true,
    };
    let sent: Value = serde_json::from_slice(&Wire::Gemini.request(&ask).unwrap()).unwrap();
    assert_eq!(sent["contents"][1], json!({"role": "model", "parts": thought_and_calls()}));
    insta::assert_snapshot!(
        serde_json::to_string(&json!([
            sent["systemInstruction"],
            sent["contents"][2],
            sent["contents"][3],
            sent["tools"],
            sent["generationConfig"],
            sent["toolConfig"]
        ]))
        .unwrap()
    );
}

#[test]
fn reasons_for_ending() {
    let said = json!([{"text": "x"}]);
    let stop = |reason: &str| reply_to(&said, &json!(reason)).map(|reply| reply.stop);
    assert_eq!(stop("STOP"), Ok(StopReason::Stop));
    assert_eq!(stop("MAX_TOKENS"), Ok(StopReason::Length));
    for reason in ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"] {
        assert_eq!(stop(reason), Ok(StopReason::ContentFilter), "{reason}");
    }
    for reason in ["MALFORMED_FUNCTION_CALL", "OTHER", "WEARINESS", "FINISH_REASON_UNSPECIFIED"] {
        assert!(stop(reason).unwrap_err().to_string().contains(reason));
    }
    assert!(reply_to(&said, &Value::Null).unwrap_err().to_string().contains("not whole"));
    // Thinking may use up all there is.
    let nothing = json!({"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]});
    assert_eq!(reply(nothing.to_string().as_bytes()).unwrap().stop, StopReason::Length);
}

#[test]
fn a_blocked_prompt_is_withheld_content() {
    let blocked =
        json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}});
    let got = reply(blocked.to_string().as_bytes()).unwrap();
    assert_eq!((got.stop, got.message.content.as_str()), (StopReason::ContentFilter, ""));
    assert_eq!(got.message.extra["block_reason"], "SAFETY");
}

#[test]
fn what_is_no_reply_is_never_taken_for_one() {
    assert!(reply(b"{}").unwrap_err().to_string().contains("no `candidates`"));
    assert!(reply_to(&json!([]), &json!("STOP")).is_err());
    assert!(reply_to(&json!([{"text": "hm", "thought": true}]), &json!("STOP")).is_err());
    let image = reply_to(&json!([{"inlineData": {}}]), &json!("STOP")).unwrap_err();
    assert_eq!(image.to_string(), "a part with `inlineData` is not supported");
    assert!(reply_to(&json!([7]), &json!("STOP")).is_err());
    let two = json!({"candidates": [{"finishReason": "STOP"}, {"finishReason": "STOP"}]});
    assert!(reply(two.to_string().as_bytes()).unwrap_err().to_string().contains("2 candidates"));
    let error =
        json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}});
    assert!(reply(error.to_string().as_bytes()).unwrap_err().to_string().contains("overloaded"));
}

fn fold(chunks: &[Value]) -> Result<Reply, WireError> {
    let mut fold = Fold::default();
    for chunk in chunks {
        fold.event(&Event { name: Vec::new(), data: chunk.to_string().into_bytes() })?;
    }
    fold.finish()
}

#[test]
fn a_stream_is_put_together_and_signatures_stay_where_they_were() {
    let chunk = |part: Value| body(&json!([part]), &Value::Null);
    let last = body(&json!([{"text": "", "thoughtSignature": "bGFzdA=="}]), &json!("STOP"));
    let got = fold(&[
        chunk(json!({"text": "h", "thought": true})),
        chunk(json!({"text": "m", "thought": true})),
        chunk(json!({"text": "Hel"})),
        chunk(json!({"text": "lo"})),
        last,
    ])
    .unwrap();
    assert_eq!((got.message.content.as_str(), &got.message.extra["reasoning"]), ("Hello", &json!("hm")));
    assert_eq!(
        got.message.extra[RAW_PARTS],
        json!([{"text": "hm", "thought": true}, {"text": "Hello"}, {"text": "", "thoughtSignature": "bGFzdA=="}])
    );
    assert_eq!(got.usage, Some(Usage { input: 20, output: 7, cached: 16, reasoning: 3 }));
}

#[test]
fn streams_that_are_not_whole() {
    let chunk = body(&json!([{"text": "Hel"}]), &Value::Null);
    let problem = |chunks: &[Value]| fold(chunks).unwrap_err().to_string();
    assert_eq!(problem(&[]), "the stream ended before it said anything");
    assert!(problem(std::slice::from_ref(&chunk)).contains("no `finishReason`"));
    let error = json!({"error": {"code": 503, "message": "The model is overloaded."}});
    assert!(problem(&[chunk, error]).contains("overloaded"));
    let blocked = fold(&[json!({"promptFeedback": {"blockReason": "OTHER"}})]).unwrap();
    assert_eq!(blocked.stop, StopReason::ContentFilter);
}
