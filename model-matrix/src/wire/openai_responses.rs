//! OpenAI responses, `POST …/responses`.
//!
//! A conversation is a list of items, not of messages: each text, call and result is one of its own. Reasoning is an
//! item too, which the API wants back as it came; whether it can take it back depends on what the matrix asks for.

mod request;
mod server;
mod stream;

use serde::Deserialize;
use serde_json::Value;
use transcript::{By, Message, Role, Served, StopReason, Usage};

pub(super) use request::request;
pub(super) use server::{answer, asked, events};
pub(super) use stream::Fold;

use super::{Calls, WireError, counted, one_line, parse, read_arguments, said_error_value, text_field};
use crate::exchange::Reply;

/// Where a message keeps the raw items of a reply that holds reasoning.
pub const RAW_ITEMS: &str = "openai_items";

#[derive(Default, Deserialize)]
struct Response {
    id: Option<String>,
    model: Option<String>,
    service_tier: Option<String>,
    status: Option<String>,
    output: Option<Vec<Value>>,
    incomplete_details: Option<IncompleteDetails>,
    usage: Option<TokenCount>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct IncompleteDetails {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct TokenCount {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

/// Reads a response.
pub(super) fn reply(body: &[u8]) -> Result<Reply, WireError> {
    reply_of(parse(body)?)
}

/// What the items of a reply say.
#[derive(Default)]
struct Said {
    texts: Vec<String>,
    refused: bool,
    reasoning: Vec<String>,
    has_reasoning: bool,
    calls: Calls,
}

impl Said {
    fn item(&mut self, item: &Value) -> Result<(), WireError> {
        match text_field(item, "type")? {
            "message" => self.message(item),
            "function_call" => {
                let id = item.get("call_id").and_then(Value::as_str).map(str::to_owned);
                let arguments = read_arguments(text_field(item, "arguments")?);
                self.calls.add(id, text_field(item, "name")?.to_owned(), arguments);
                Ok(())
            }
            "reasoning" => {
                self.has_reasoning = true;
                let parts =
                    ["summary", "content"].iter().filter_map(|name| item.get(name)?.as_array()).flatten();
                let texts = parts.filter_map(|part| part.get("text")?.as_str());
                self.reasoning.extend(texts.map(str::to_owned));
                Ok(())
            }
            other => Err(WireError::new(format!(
                "an output item of type `{}` is not supported",
                one_line(other, 40)
            ))),
        }
    }

    fn message(&mut self, item: &Value) -> Result<(), WireError> {
        let parts = item.get("content").and_then(Value::as_array);
        let mut text = String::new();
        for part in parts.ok_or_else(|| WireError::new("a message has no `content`"))? {
            match text_field(part, "type")? {
                "output_text" => text.push_str(text_field(part, "text")?),
                "refusal" => {
                    self.refused = true;
                    text.push_str(text_field(part, "refusal")?);
                }
                other => {
                    return Err(WireError::new(format!(
                        "a part of type `{}` is not supported",
                        one_line(other, 40)
                    )));
                }
            }
        }
        self.texts.push(text);
        Ok(())
    }
}

fn reply_of(response: Response) -> Result<Reply, WireError> {
    if !response.error.is_null() {
        return Err(said_error_value(&response.error));
    }
    let ended = ending(&response)?;
    let items = response.output.ok_or_else(|| WireError::new("the response has no `output`"))?;
    let mut said = Said::default();
    for item in &items {
        said.item(item)?;
    }
    let Calls { calls, malformed } = said.calls.finish(response.id.as_deref());
    let stop = match ended {
        Some(stop) => stop,
        None if !calls.is_empty() => StopReason::ToolCalls,
        None if said.refused => StopReason::Refusal,
        None if said.texts.is_empty() => {
            return Err(WireError::new("the response has neither text nor tool calls"));
        }
        None => StopReason::Stop,
    };
    let mut message = Message::text(Role::Assistant, By::Model, said.texts.join("\n\n"));
    if !said.reasoning.is_empty() {
        message.extra.insert("reasoning".to_owned(), Value::String(said.reasoning.join("\n\n")));
    }
    // Items can only go back as they came if results will name the calls as the items do.
    let named = items.iter().filter_map(|item| item.get("call_id")?.as_str());
    if said.has_reasoning && named.eq(calls.iter().map(|call| call.id.as_str())) {
        message.extra.insert(RAW_ITEMS.to_owned(), Value::Array(items));
    }
    message.tool_calls = calls;
    let served = Served {
        response_id: response.id,
        model: response.model,
        fingerprint: None,
        tier: response.service_tier,
    };
    Ok(Reply {
        message,
        stop,
        usage: response.usage.map(usage_of).transpose()?.flatten(),
        served,
        retries: 0,
        malformed,
    })
}

/// Why a response ended, when that is settled by its status; `None` when it is what it says that matters.
fn ending(response: &Response) -> Result<Option<StopReason>, WireError> {
    let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
    match (response.status.as_deref(), reason) {
        (Some("completed"), None) => Ok(None),
        // Some servers give no reason; that the reply was cut they say all the same.
        (Some("incomplete"), None) => Ok(Some(StopReason::Length)),
        (Some("completed" | "incomplete"), Some("max_output_tokens" | "max_tokens")) => {
            Ok(Some(StopReason::Length))
        }
        (Some("completed" | "incomplete"), Some("content_filter")) => Ok(Some(StopReason::ContentFilter)),
        (Some("completed" | "incomplete"), reason) => {
            let reason = one_line(reason.unwrap_or("none"), 40);
            Err(WireError::new(format!("the reply is not whole, for an unknown reason `{reason}`")))
        }
        (Some(status), _) => {
            Err(WireError::new(format!("the reply is not whole: its `status` is `{}`", one_line(status, 40))))
        }
        (None, _) => Err(WireError::new("the response has no `status`: the reply is not whole")),
    }
}

fn usage_of(count: TokenCount) -> Result<Option<Usage>, WireError> {
    counted(Usage {
        input: count.input_tokens,
        output: count.output_tokens,
        cached: count.input_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0),
        reasoning: count.output_tokens_details.and_then(|details| details.reasoning_tokens).unwrap_or(0),
    })
}

#[cfg(test)]
mod tests;
