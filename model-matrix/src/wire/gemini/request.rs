//! A request to Gemini, written from the transcript.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use transcript::{Message, Role};

use super::{BESIDE_CONFIG, RAW_PARTS};
use crate::wire::{Ask, WireError, wrap};

/// Writes a request. The model is named in the URL, and so is whether the reply is to be streamed.
pub(in crate::wire) fn request(ask: &Ask<'_>) -> Result<Vec<u8>, WireError> {
    let mut system = Vec::new();
    let mut contents: Vec<Value> = Vec::new();
    let mut ids = HashSet::new();
    let mut after_result = false;
    for message in ask.messages {
        let (role, parts) = match message.role {
            Role::System if contents.is_empty() => {
                system.push(json!({"text": message.content}));
                continue;
            }
            Role::System => {
                return Err(WireError::new(
                    "a system message after the first turn cannot be sent in the gemini format",
                ));
            }
            Role::User => ("user", vec![json!({"text": message.content})]),
            Role::Tool => ("user", vec![result(message, &ids)]),
            Role::Assistant => ("model", model_parts(message, &mut ids)),
        };
        let is_result = message.role == Role::Tool;
        match contents.last_mut().and_then(|content| content["parts"].as_array_mut()) {
            _ if parts.is_empty() => continue,
            // The API wants the results of parallel calls together, and nothing else with them.
            Some(last) if is_result && after_result => last.extend(parts),
            _ => contents.push(json!({"role": role, "parts": parts})),
        }
        after_result = is_result;
    }
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert("systemInstruction".to_owned(), json!({"parts": system}));
    }
    body.insert("contents".to_owned(), Value::Array(contents));
    if !ask.tools.is_empty() {
        let tools = ask.tools.iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters})
        });
        let declarations: Vec<_> = tools.collect();
        body.insert("tools".to_owned(), json!([{"functionDeclarations": declarations}]));
    }
    decode(ask.decoding, &mut body);
    serde_json::to_vec(&body).map_err(|error| WireError::new(error.to_string()))
}

fn decode(decoding: &Map<String, Value>, body: &mut Map<String, Value>) {
    let mut config = Map::new();
    for (key, value) in decoding {
        let place = if BESIDE_CONFIG.contains(&key.as_str()) { &mut *body } else { &mut config };
        place.insert(key.clone(), value.clone());
    }
    if !config.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(config));
    }
}

/// A tool's answer. An id goes along only where the call had one from the API.
fn result(message: &Message, ids: &HashSet<&str>) -> Value {
    let field = if message.is_error { "error" } else { "output" };
    let mut response = json!({
        "name": message.name.as_deref().unwrap_or_default(),
        "response": {field: message.content},
    });
    if let Some(id) = message.tool_call_id.as_deref().filter(|id| ids.contains(id)) {
        response["id"] = json!(id);
    }
    json!({"functionResponse": response})
}

fn model_parts<'a>(message: &'a Message, ids: &mut HashSet<&'a str>) -> Vec<Value> {
    if let Some(Value::Array(parts)) = message.extra.get(RAW_PARTS) {
        ids.extend(parts.iter().filter_map(|part| part.get("functionCall")?.get("id")?.as_str()));
        return parts.iter().map(sendable).collect();
    }
    let text = (!message.content.is_empty()).then(|| json!({"text": message.content}));
    let calls = message.tool_calls.iter();
    let calls =
        calls.map(|call| json!({"functionCall": {"name": call.name, "args": arguments(&call.arguments)}}));
    text.into_iter().chain(calls).collect()
}

/// A part of the model's own, as it came but for arguments that the API would not take back.
fn sendable(part: &Value) -> Value {
    let mut part = part.clone();
    if let Some(args) = part.get_mut("functionCall").and_then(|call| call.get_mut("args")) {
        *args = arguments(args);
    }
    part
}

fn arguments(arguments: &Value) -> Value {
    match arguments {
        Value::Null => json!({}),
        Value::Object(_) => arguments.clone(),
        other => wrap(other),
    }
}
