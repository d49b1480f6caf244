//! The server's side of responses, which the replay server speaks.

use serde::Deserialize;
use serde_json::{Value, json};
use transcript::{By, Message, Role, StopReason, ToolCall, Usage};

use crate::wire::{
    Answer, Asked, WireError, kind, made_arguments, name_tools, one_line, parse, pieces, read_arguments,
    text_field, unwrap,
};

#[derive(Deserialize)]
struct Request {
    model: String,
    instructions: Option<String>,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    tools: Vec<Value>,
    #[serde(default)]
    stream: bool,
}

/// Reads a request, on the server's side.
pub(in crate::wire) fn asked(body: &[u8]) -> Result<Asked, WireError> {
    let request: Request = parse(body)?;
    let mut messages = Vec::new();
    if let Some(instructions) = request.instructions {
        messages.push(Message::text(Role::System, By::Script, instructions));
    }
    match request.input {
        Value::String(text) => messages.push(Message::text(Role::User, By::Script, text)),
        Value::Array(items) => {
            for item in &items {
                read_item(item, &mut messages)?;
            }
        }
        other => return Err(WireError::new(format!("`input` is {}", kind(&other)))),
    }
    name_tools(&mut messages);
    let tools =
        request.tools.iter().filter_map(|tool| tool.get("name")?.as_str()).map(str::to_owned).collect();
    Ok(Asked { model: request.model, messages, tools, stream: request.stream })
}

fn read_item(item: &Value, messages: &mut Vec<Message>) -> Result<(), WireError> {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
    match kind {
        "message" => messages.push(match text_field(item, "role")? {
            "system" | "developer" => Message::text(Role::System, By::Script, text_of(item.get("content"))?),
            "user" => Message::text(Role::User, By::Script, text_of(item.get("content"))?),
            "assistant" => Message::text(Role::Assistant, By::Model, text_of(item.get("content"))?),
            other => return Err(WireError::new(format!("an item's role is `{}`", one_line(other, 40)))),
        }),
        "function_call" => {
            let call = ToolCall {
                id: text_field(item, "call_id")?.to_owned(),
                name: text_field(item, "name")?.to_owned(),
                arguments: unwrap(read_arguments(text_field(item, "arguments")?).0),
            };
            // Calls belong to what was said right before them.
            match messages.last_mut() {
                Some(last) if last.role == Role::Assistant => last.tool_calls.push(call),
                _ => {
                    let mut message = Message::text(Role::Assistant, By::Model, "");
                    message.tool_calls.push(call);
                    messages.push(message);
                }
            }
        }
        "function_call_output" => {
            let mut message = Message::text(Role::Tool, By::Tool, text_of(item.get("output"))?);
            message.tool_call_id = Some(text_field(item, "call_id")?.to_owned());
            messages.push(message);
        }
        "reasoning" => {}
        other => {
            return Err(WireError::new(format!(
                "an item of type `{}` is not supported",
                one_line(other, 40)
            )));
        }
    }
    Ok(())
}

/// The text of a content that is a string or a list of parts.
fn text_of(content: Option<&Value>) -> Result<String, WireError> {
    match content {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|part| text_field(part, "text").or_else(|_| text_field(part, "refusal")))
            .collect(),
        other => Err(WireError::new(format!("a content is {}", other.map_or("missing", kind)))),
    }
}

/// Writes a response, on the server's side.
pub(in crate::wire) fn answer(answer: &Answer<'_>) -> Value {
    whole(answer, &items(answer))
}

fn whole(answer: &Answer<'_>, items: &[Value]) -> Value {
    let (status, reason) = match answer.stop {
        StopReason::Length => ("incomplete", Some("max_output_tokens")),
        StopReason::ContentFilter => ("incomplete", Some("content_filter")),
        StopReason::Stop | StopReason::ToolCalls | StopReason::Refusal | StopReason::StepLimit => {
            ("completed", None)
        }
    };
    let Usage { input, output, .. } = answer.usage;
    json!({
        "id": answer.id,
        "object": "response",
        "model": answer.model,
        "status": status,
        "incomplete_details": reason.map(|reason| json!({"reason": reason})),
        "error": null,
        "output": items,
        "usage": {"input_tokens": input, "output_tokens": output, "total_tokens": input.saturating_add(output)},
    })
}

fn items(answer: &Answer<'_>) -> Vec<Value> {
    let mut items = Vec::new();
    if !answer.content.is_empty() || answer.tool_calls.is_empty() {
        let part = match answer.stop {
            StopReason::Refusal => json!({"type": "refusal", "refusal": answer.content}),
            _ => json!({"type": "output_text", "text": answer.content, "annotations": []}),
        };
        let id = format!("msg_{}", answer.id);
        items.push(json!({"type": "message", "id": id, "status": "completed", "role": "assistant", "content": [part]}));
    }
    items.extend(answer.tool_calls.iter().enumerate().map(|(index, call)| {
        json!({
            "type": "function_call",
            "id": format!("fc_{}_{index}", answer.id),
            "call_id": call.id,
            "name": call.name,
            "arguments": made_arguments(&call.arguments),
            "status": "completed",
        })
    }));
    items
}

/// Writes a response as a stream, on the server's side.
pub(in crate::wire) fn events(answer: &Answer<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut number = 0;
    let mut send = |kind: &str, mut fields: Value| {
        fields["type"] = json!(kind);
        fields["sequence_number"] = json!(number);
        number += 1;
        out.extend_from_slice(format!("event: {kind}\ndata: {fields}\n\n").as_bytes());
    };
    let items = items(answer);
    let begun = json!({"id": answer.id, "object": "response", "model": answer.model, "status": "in_progress", "output": []});
    send("response.created", json!({"response": begun}));
    for (index, item) in items.iter().enumerate() {
        let id = &item["id"];
        let mut added = item.clone();
        added["status"] = json!("in_progress");
        let (kind, text) = if item["type"] == "message" {
            added["content"] = json!([]);
            let part = &item["content"][0];
            let refused = part["type"] == "refusal";
            let kind = if refused { "response.refusal" } else { "response.output_text" };
            (kind, part["text"].as_str().or_else(|| part["refusal"].as_str()))
        } else {
            added["arguments"] = json!("");
            ("response.function_call_arguments", item["arguments"].as_str())
        };
        send("response.output_item.added", json!({"output_index": index, "item": added}));
        for piece in pieces(text.unwrap_or_default()) {
            send(&format!("{kind}.delta"), json!({"item_id": id, "output_index": index, "delta": piece}));
        }
        send("response.output_item.done", json!({"output_index": index, "item": item}));
    }
    let response = whole(answer, &items);
    let last = if response["status"] == "completed" { "response.completed" } else { "response.incomplete" };
    send(last, json!({"response": response}));
    out
}
