//! The server's side of Anthropic messages, which the replay server speaks.

use serde::Deserialize;
use serde_json::{Value, json};
use transcript::{By, Message, Role, StopReason, ToolCall};

use crate::wire::{
    Answer, Asked, WireError, kind, name_tools, one_line, parse, pieces, read_input, text_field, unwrap,
};

#[derive(Deserialize)]
struct Request {
    model: String,
    #[serde(default)]
    system: Value,
    messages: Vec<AskedTurn>,
    #[serde(default)]
    tools: Vec<AskedTool>,
    #[serde(default)]
    stream: bool,
}

#[derive(Deserialize)]
struct AskedTurn {
    role: String,
    content: Value,
}

#[derive(Deserialize)]
struct AskedTool {
    name: String,
}

/// Reads a request, on the server's side.
pub(in crate::wire) fn asked(body: &[u8]) -> Result<Asked, WireError> {
    let request: Request = parse(body)?;
    let mut messages = Vec::new();
    for block in blocks_of(request.system)? {
        messages.push(Message::text(Role::System, By::Script, text_field(&block, "text")?));
    }
    for turn in request.messages {
        let blocks = blocks_of(turn.content)?;
        match turn.role.as_str() {
            "user" => read_user(&blocks, &mut messages)?,
            "assistant" => read_assistant(&blocks, &mut messages)?,
            other => return Err(WireError::new(format!("a message's role is `{}`", one_line(other, 40)))),
        }
    }
    name_tools(&mut messages);
    let tools = request.tools.into_iter().map(|tool| tool.name).collect();
    Ok(Asked { model: request.model, messages, tools, stream: request.stream })
}

/// A content's blocks; a bare string is one block of text.
fn blocks_of(content: Value) -> Result<Vec<Value>, WireError> {
    match content {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(vec![json!({"type": "text", "text": text})]),
        Value::Array(blocks) => Ok(blocks),
        other => Err(WireError::new(format!("a content is {}", kind(&other)))),
    }
}

fn read_user(blocks: &[Value], messages: &mut Vec<Message>) -> Result<(), WireError> {
    for block in blocks {
        messages.push(match text_field(block, "type")? {
            "text" => Message::text(Role::User, By::Script, text_field(block, "text")?),
            "tool_result" => {
                let parts = blocks_of(block.get("content").cloned().unwrap_or_default())?;
                let texts: Result<String, _> = parts.iter().map(|part| text_field(part, "text")).collect();
                let mut message = Message::text(Role::Tool, By::Tool, texts?);
                message.tool_call_id = Some(text_field(block, "tool_use_id")?.to_owned());
                message.is_error = block.get("is_error").and_then(Value::as_bool).unwrap_or(false);
                message
            }
            other => {
                return Err(WireError::new(format!("a user's block of type `{other}` is not supported")));
            }
        });
    }
    Ok(())
}

/// Text opens a new message when the one before already said or called something: merged messages come apart again.
fn read_assistant(blocks: &[Value], messages: &mut Vec<Message>) -> Result<(), WireError> {
    let start = messages.len();
    for block in blocks {
        let kind = text_field(block, "type")?;
        let fresh = match messages.get(start..).and_then(<[_]>::last) {
            None => true,
            Some(last) => kind == "text" && !(last.content.is_empty() && last.tool_calls.is_empty()),
        };
        if fresh {
            messages.push(Message::text(Role::Assistant, By::Model, ""));
        }
        let Some(message) = messages.last_mut() else { continue };
        match kind {
            "text" => text_field(block, "text")?.clone_into(&mut message.content),
            "tool_use" => message.tool_calls.push(ToolCall {
                id: text_field(block, "id")?.to_owned(),
                name: text_field(block, "name")?.to_owned(),
                arguments: unwrap(read_input(block.get("input")).0),
            }),
            "thinking" | "redacted_thinking" => {}
            other => {
                return Err(WireError::new(format!(
                    "an assistant's block of type `{other}` is not supported"
                )));
            }
        }
    }
    Ok(())
}

/// Writes a response, on the server's side.
pub(in crate::wire) fn answer(answer: &Answer<'_>) -> Value {
    let stop = match answer.stop {
        StopReason::Length => "max_tokens",
        StopReason::ContentFilter | StopReason::Refusal => "refusal",
        StopReason::ToolCalls => "tool_use",
        StopReason::Stop | StopReason::StepLimit => "end_turn",
    };
    let mut content = Vec::new();
    if !answer.content.is_empty() || answer.tool_calls.is_empty() {
        content.push(json!({"type": "text", "text": answer.content}));
    }
    content.extend(
        answer.tool_calls.iter().map(
            |call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}),
        ),
    );
    json!({
        "id": answer.id,
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": null,
        "usage": {"input_tokens": answer.usage.input, "output_tokens": answer.usage.output},
    })
}

/// Writes a response as a stream, on the server's side.
pub(in crate::wire) fn events(said: &Answer<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut send = |kind: &str, mut fields: Value| {
        fields["type"] = json!(kind);
        out.extend_from_slice(format!("event: {kind}\ndata: {fields}\n\n").as_bytes());
    };
    let mut start = answer(said);
    let blocks = std::mem::take(&mut start["content"]);
    let stop = std::mem::take(&mut start["stop_reason"]);
    start["content"] = json!([]);
    send("message_start", json!({"message": start}));
    send("ping", json!({}));
    for (index, block) in blocks.as_array().into_iter().flatten().enumerate() {
        let (empty, deltas) = block_in_pieces(block);
        send("content_block_start", json!({"index": index, "content_block": empty}));
        for delta in deltas {
            send("content_block_delta", json!({"index": index, "delta": delta}));
        }
        send("content_block_stop", json!({"index": index}));
    }
    let usage = json!({"output_tokens": said.usage.output});
    send("message_delta", json!({"delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage}));
    send("message_stop", json!({}));
    out
}

/// A block as it starts, and the deltas that fill it.
fn block_in_pieces(block: &Value) -> (Value, Vec<Value>) {
    let mut empty = block.clone();
    if let Some(text) = block["text"].as_str() {
        empty["text"] = json!("");
        let delta = |piece| json!({"type": "text_delta", "text": piece});
        return (empty, pieces(text).into_iter().map(delta).collect());
    }
    empty["input"] = json!({});
    // What a model writes is text; input that is a string stands for text that is no JSON object.
    let input = block["input"].as_str().map_or_else(|| block["input"].to_string(), str::to_owned);
    let delta = |piece| json!({"type": "input_json_delta", "partial_json": piece});
    (empty, pieces(&input).into_iter().map(delta).collect())
}
