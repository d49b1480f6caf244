//! The server's side of chat completions, which the replay server speaks.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use transcript::{StopReason, Usage};

use super::{WireCall, WireMessage};
use crate::wire::{Answer, Asked, WireError, name_tools, parse, pieces};

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow)]
    messages: Vec<WireMessage<'a>>,
    #[serde(default)]
    tools: Vec<AskedTool>,
    #[serde(default)]
    stream: bool,
}

#[derive(Deserialize)]
struct AskedTool {
    function: AskedFunction,
}

#[derive(Deserialize)]
struct AskedFunction {
    name: String,
}

/// Reads a request, on the server's side.
pub(in crate::wire) fn asked(body: &[u8]) -> Result<Asked, WireError> {
    let request: Request<'_> = parse(body)?;
    let mut messages: Vec<_> = request.messages.into_iter().map(WireMessage::into_message).collect();
    name_tools(&mut messages);
    let tools = request.tools.into_iter().map(|tool| tool.function.name).collect();
    Ok(Asked { model: request.model.into_owned(), messages, tools, stream: request.stream })
}

/// Writes a response, on the server's side.
pub(in crate::wire) fn answer(answer: &Answer<'_>) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), json!(answer.content));
    if answer.stop == StopReason::Refusal {
        message.insert("content".to_owned(), Value::Null);
        message.insert("refusal".to_owned(), json!(answer.content));
    }
    if !answer.tool_calls.is_empty() {
        let calls: Vec<_> = answer.tool_calls.iter().map(WireCall::made).collect();
        message.insert("tool_calls".to_owned(), json!(calls));
    }
    json!({
        "id": answer.id,
        "object": "chat.completion",
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish(answer.stop)}],
        "usage": usage(answer.usage),
    })
}

fn finish(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Length => "length",
        StopReason::ContentFilter => "content_filter",
        StopReason::ToolCalls => "tool_calls",
        StopReason::Stop | StopReason::Refusal | StopReason::StepLimit => "stop",
    }
}

fn usage(Usage { input, output, .. }: Usage) -> Value {
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input.saturating_add(output)})
}

/// Writes a response as a stream, on the server's side.
pub(in crate::wire) fn events(answer: &Answer<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut send = |choices: Value, usage: Value| {
        let chunk = json!({
            "id": answer.id,
            "object": "chat.completion.chunk",
            "model": answer.model,
            "choices": choices,
            "usage": usage,
        });
        out.extend_from_slice(format!("data: {chunk}\n\n").as_bytes());
    };
    let delta = |delta: Value| json!([{"index": 0, "delta": delta, "finish_reason": null}]);
    let text = if answer.stop == StopReason::Refusal { "refusal" } else { "content" };
    send(delta(json!({"role": "assistant", text: ""})), Value::Null);
    for piece in pieces(answer.content) {
        send(delta(json!({text: piece})), Value::Null);
    }
    for (index, call) in answer.tool_calls.iter().enumerate() {
        let WireCall { id, kind, function, .. } = WireCall::made(call);
        let start = json!({"name": function.name, "arguments": ""});
        let start = json!({"index": index, "id": id, "type": kind, "function": start});
        send(delta(json!({"tool_calls": [start]})), Value::Null);
        for piece in pieces(&function.arguments) {
            let part = json!({"index": index, "function": {"arguments": piece}});
            send(delta(json!({"tool_calls": [part]})), Value::Null);
        }
    }
    send(json!([{"index": 0, "delta": {}, "finish_reason": finish(answer.stop)}]), Value::Null);
    send(json!([]), usage(answer.usage));
    out.extend_from_slice(b"data: [DONE]\n\n");
    out
}
