//! The server's side of chat completions, which the replay server speaks.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use transcript::{StopReason, Usage};

use super::{WireCall, WireMessage};
use crate::wire::{Answer, Asked, WireError, name_tools, parse};

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow)]
    messages: Vec<WireMessage<'a>>,
    #[serde(default)]
    tools: Vec<AskedTool>,
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
    Ok(Asked { model: request.model.into_owned(), messages, tools })
}

/// Writes a response, on the server's side.
pub(in crate::wire) fn answer(answer: &Answer<'_>) -> Value {
    let finish = match answer.stop {
        StopReason::Length => "length",
        StopReason::ContentFilter => "content_filter",
        StopReason::ToolCalls => "tool_calls",
        StopReason::Stop | StopReason::Refusal | StopReason::StepLimit => "stop",
    };
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
    let Usage { input, output, .. } = answer.usage;
    json!({
        "id": answer.id,
        "object": "chat.completion",
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
    })
}
