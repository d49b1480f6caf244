//! A request for a response, written straight from the transcript.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use transcript::{Message, Role, ToolCall};

use super::RAW_ITEMS;
use crate::wire::{Ask, WireError, sent_arguments};

/// One item of the input.
#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Said { role: &'static str, content: &'a str },
    Call { r#type: &'static str, call_id: &'a str, name: &'a str, arguments: Cow<'a, str> },
    Result { r#type: &'static str, call_id: &'a str, output: &'a str },
    Raw(&'a Value),
}

impl<'a> Item<'a> {
    fn call(call: &'a ToolCall) -> Self {
        Self::Call {
            r#type: "function_call",
            call_id: &call.id,
            name: &call.name,
            arguments: sent_arguments(&call.arguments),
        }
    }
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    /// Left out, the API would rewrite the parameters to fit its strict form.
    strict: bool,
}

struct Body<'a> {
    ask: &'a Ask<'a>,
    instructions: Option<&'a str>,
    input: Vec<Item<'a>>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.ask.model)?;
        if let Some(instructions) = self.instructions {
            map.serialize_entry("instructions", instructions)?;
        }
        map.serialize_entry("input", &self.input)?;
        if !self.ask.tools.is_empty() {
            let tools = self.ask.tools.iter().map(|tool| Tool {
                r#type: "function",
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.parameters,
                strict: false,
            });
            map.serialize_entry("tools", &tools.collect::<Vec<_>>())?;
        }
        if self.ask.stream {
            map.serialize_entry("stream", &true)?;
        }
        for (key, value) in self.ask.decoding {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Writes a request.
pub(in crate::wire) fn request(ask: &Ask<'_>) -> Result<Vec<u8>, WireError> {
    let (instructions, messages) = match ask.messages {
        [first, rest @ ..] if first.role == Role::System => (Some(first.content.as_str()), rest),
        all => (None, all),
    };
    let mut input = Vec::new();
    for message in messages {
        match message.role {
            Role::System => input.push(Item::Said { role: "system", content: &message.content }),
            Role::User => input.push(Item::Said { role: "user", content: &message.content }),
            Role::Tool => input.push(Item::Result {
                r#type: "function_call_output",
                call_id: message.tool_call_id.as_deref().unwrap_or_default(),
                output: &message.content,
            }),
            Role::Assistant => assistant(message, ask.decoding, &mut input),
        }
    }
    serde_json::to_vec(&Body { ask, instructions, input }).map_err(|error| WireError::new(error.to_string()))
}

fn assistant<'a>(message: &'a Message, decoding: &Map<String, Value>, input: &mut Vec<Item<'a>>) {
    if let Some(Value::Array(items)) = message.extra.get(RAW_ITEMS)
        && can_go_back(items, decoding)
    {
        input.extend(items.iter().map(Item::Raw));
        return;
    }
    if !message.content.is_empty() {
        input.push(Item::Said { role: "assistant", content: &message.content });
    }
    input.extend(message.tool_calls.iter().map(Item::call));
}

/// Whether the API can make sense of its own items: it must have kept them, or they must hold their reasoning
/// themselves. Items of which a part is missing are refused as a whole.
fn can_go_back(items: &[Value], decoding: &Map<String, Value>) -> bool {
    let kept = decoding.get("store") != Some(&Value::Bool(false));
    let reasoning = items.iter().filter(|item| item.get("type").and_then(Value::as_str) == Some("reasoning"));
    kept || reasoning.into_iter().all(|item| item.get("encrypted_content").is_some_and(Value::is_string))
}
