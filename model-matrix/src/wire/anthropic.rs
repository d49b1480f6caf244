//! Anthropic messages, `POST …/messages`.
//!
//! The format differs from the transcript in three ways: the system text stands beside the conversation, tool
//! results are the user's, and turns alternate, so that consecutive messages of one side are sent as one.

mod server;
mod stream;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use transcript::{By, Message, Role, Served, StopReason, ToolCall, Usage};

pub(super) use server::{answer, asked, events};
pub(super) use stream::Fold;

use super::{Ask, Calls, WireError, counted, parse, read_input, said_error_value, text_field, wrap};
use crate::exchange::{Reply, ToolSpec};

/// The version of the API that is spoken.
pub const VERSION: &str = "2023-06-01";

/// Where a message keeps the raw blocks of a reply that holds thinking: the API wants them back unchanged.
pub const RAW_BLOCKS: &str = "anthropic_blocks";

/// One side's turn.
#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

enum Block<'a> {
    Text(&'a str),
    Call(&'a ToolCall),
    Result(&'a Message),
    Raw(&'a Value),
}

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Raw(value) = self {
            return value.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Raw(_) => {}
            Self::Text(text) => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            Self::Call(call) => {
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", &call.id)?;
                map.serialize_entry("name", &call.name)?;
                match &call.arguments {
                    Value::Null => map.serialize_entry("input", &Map::new())?,
                    Value::Object(fields) => map.serialize_entry("input", fields)?,
                    other => map.serialize_entry("input", &wrap(other))?,
                }
            }
            Self::Result(message) => {
                map.serialize_entry("type", "tool_result")?;
                map.serialize_entry("tool_use_id", message.tool_call_id.as_deref().unwrap_or_default())?;
                map.serialize_entry("content", &message.content)?;
                if message.is_error {
                    map.serialize_entry("is_error", &true)?;
                }
            }
        }
        map.end()
    }
}

struct Body<'a> {
    ask: &'a Ask<'a>,
    system: Vec<Block<'a>>,
    turns: Vec<Turn<'a>>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Tool<'a> {
            name: &'a str,
            description: &'a str,
            input_schema: &'a Value,
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.ask.model)?;
        match self.system.as_slice() {
            [] => {}
            [Block::Text(text)] => map.serialize_entry("system", text)?,
            blocks => map.serialize_entry("system", blocks)?,
        }
        map.serialize_entry("messages", &self.turns)?;
        if !self.ask.tools.is_empty() {
            let tools: Vec<_> = self
                .ask
                .tools
                .iter()
                .map(|ToolSpec { name, description, parameters }| Tool {
                    name,
                    description,
                    input_schema: parameters,
                })
                .collect();
            map.serialize_entry("tools", &tools)?;
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
pub(super) fn request(ask: &Ask<'_>) -> Result<Vec<u8>, WireError> {
    let mut system = Vec::new();
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for message in ask.messages {
        let (role, blocks) = match message.role {
            Role::System if turns.is_empty() => {
                system.push(Block::Text(&message.content));
                continue;
            }
            Role::System => {
                return Err(WireError::new(
                    "a system message after the first turn cannot be sent in the anthropic format",
                ));
            }
            Role::User => ("user", vec![Block::Text(&message.content)]),
            Role::Tool => ("user", vec![Block::Result(message)]),
            Role::Assistant => ("assistant", assistant_blocks(message)),
        };
        match turns.last_mut() {
            // The API takes no empty text, and an assistant's empty reply has nothing else.
            _ if blocks.is_empty() => {}
            Some(turn) if turn.role == role => turn.content.extend(blocks),
            _ => turns.push(Turn { role, content: blocks }),
        }
    }
    serde_json::to_vec(&Body { ask, system, turns }).map_err(|error| WireError::new(error.to_string()))
}

fn assistant_blocks(message: &Message) -> Vec<Block<'_>> {
    if let Some(Value::Array(raw)) = message.extra.get(RAW_BLOCKS) {
        return raw.iter().map(Block::Raw).collect();
    }
    let text = (!message.content.is_empty()).then_some(Block::Text(&message.content));
    text.into_iter().chain(message.tool_calls.iter().map(Block::Call)).collect()
}

#[derive(Deserialize)]
struct Response {
    id: Option<String>,
    model: Option<String>,
    content: Option<Vec<Value>>,
    stop_reason: Option<String>,
    stop_details: Option<Value>,
    usage: Option<TokenCount>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct TokenCount {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens_details: Option<OutputDetails>,
    service_tier: Option<String>,
}

#[derive(Deserialize)]
struct OutputDetails {
    thinking_tokens: Option<u64>,
}

/// Reads a response.
pub(super) fn reply(body: &[u8]) -> Result<Reply, WireError> {
    reply_of(parse(body)?)
}

fn reply_of(response: Response) -> Result<Reply, WireError> {
    if !response.error.is_null() {
        return Err(said_error_value(&response.error));
    }
    let blocks = response.content.ok_or_else(|| WireError::new("the response has no `content`"))?;
    let mut content = String::new();
    let mut reasoning = String::new();
    let mut texts = 0_usize;
    let mut has_thinking = false;
    let mut calls = Calls::default();
    for block in &blocks {
        match text_field(block, "type")? {
            "text" => {
                content.push_str(text_field(block, "text")?);
                texts += 1;
            }
            "thinking" => {
                has_thinking = true;
                reasoning.push_str(text_field(block, "thinking")?);
            }
            "redacted_thinking" => has_thinking = true,
            "tool_use" => {
                let id = block.get("id").and_then(Value::as_str).map(str::to_owned);
                calls.add(id, text_field(block, "name")?.to_owned(), read_input(block.get("input")));
            }
            other => {
                let other = super::one_line(other, 40);
                return Err(WireError::new(format!("a content block of type `{other}` is not supported")));
            }
        }
    }
    let Calls { calls, malformed } = calls.finish(response.id.as_deref());
    let stop = stop_reason(response.stop_reason.as_deref(), !calls.is_empty())?;
    if texts == 0 && calls.is_empty() && stop == StopReason::Stop {
        return Err(WireError::new("the response has neither text nor tool calls"));
    }
    let mut message = Message::text(Role::Assistant, By::Model, content);
    message.tool_calls = calls;
    if !reasoning.is_empty() {
        message.extra.insert("reasoning".to_owned(), Value::String(reasoning));
    }
    if has_thinking {
        message.extra.insert(RAW_BLOCKS.to_owned(), Value::Array(blocks));
    }
    if let Some(details) = response.stop_details.filter(|details| !details.is_null()) {
        message.extra.insert("stop_details".to_owned(), details);
    }
    let tier = response.usage.as_ref().and_then(|usage| usage.service_tier.clone());
    let served = Served { response_id: response.id, model: response.model, fingerprint: None, tier };
    Ok(Reply {
        message,
        stop,
        usage: response.usage.map(usage_of).transpose()?.flatten(),
        served,
        retries: 0,
        malformed,
    })
}

fn stop_reason(reason: Option<&str>, calls: bool) -> Result<StopReason, WireError> {
    match reason {
        Some("max_tokens" | "model_context_window_exceeded") => Ok(StopReason::Length),
        Some("refusal") => Ok(StopReason::Refusal),
        Some("end_turn" | "stop_sequence" | "tool_use") if calls => Ok(StopReason::ToolCalls),
        Some("end_turn" | "stop_sequence") => Ok(StopReason::Stop),
        Some("tool_use") => Err(WireError::new("`stop_reason` is `tool_use`, but there is no such block")),
        Some("pause_turn") => Err(WireError::new("`stop_reason` `pause_turn` is not supported")),
        Some(other) => Err(WireError::new(format!("unknown `stop_reason` `{}`", super::one_line(other, 40)))),
        None => Err(WireError::new("the response has no `stop_reason`: the reply is not whole")),
    }
}

fn usage_of(count: TokenCount) -> Result<Option<Usage>, WireError> {
    let cached = count.cache_read_input_tokens.unwrap_or(0);
    let read = count.input_tokens.unwrap_or(0).saturating_add(cached);
    counted(Usage {
        input: read.saturating_add(count.cache_creation_input_tokens.unwrap_or(0)),
        output: count.output_tokens.unwrap_or(0),
        cached,
        reasoning: count.output_tokens_details.and_then(|details| details.thinking_tokens).unwrap_or(0),
    })
}
