//! Google Gemini, `POST …/models/<model>:generateContent`.
//!
//! The model stands in the URL. Calls may come without ids, and parts may carry signatures that the API wants back
//! where they were: so a reply's parts are kept and sent back as they came.

mod request;
mod server;
mod stream;

use serde::Deserialize;
use serde_json::Value;
use transcript::{By, Message, Role, Served, StopReason, Usage};

pub(super) use request::request;
pub(super) use server::{answer, asked, events};
pub(super) use stream::Fold;

use super::{Calls, WireError, counted, one_line, parse, read_input, said_error_value, text_field};
use crate::exchange::Reply;

/// Where a message keeps the raw parts of a reply.
pub const RAW_PARTS: &str = "gemini_parts";

/// The keys of `decoding` that stand beside the generation config, not in it.
const BESIDE_CONFIG: [&str; 5] = ["safetySettings", "toolConfig", "cachedContent", "labels", "serviceTier"];

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    response_id: Option<String>,
    model_version: Option<String>,
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<TokenCount>,
    #[serde(default)]
    error: Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    index: Option<u64>,
    content: Option<Content>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    parts: Option<Vec<Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenCount {
    prompt_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
}

/// Reads a response.
pub(super) fn reply(body: &[u8]) -> Result<Reply, WireError> {
    reply_of(parse(body)?)
}

/// What the parts of a reply say.
#[derive(Default)]
struct Said {
    text: Option<String>,
    reasoning: String,
    calls: Calls,
}

impl Said {
    fn part(&mut self, part: &Value) -> Result<(), WireError> {
        if let Some(call) = part.get("functionCall") {
            let id = call.get("id").and_then(Value::as_str).map(str::to_owned);
            self.calls.add(id, text_field(call, "name")?.to_owned(), read_input(call.get("args")));
            return Ok(());
        }
        let thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
        match part.get("text").and_then(Value::as_str) {
            Some(text) if thought => self.reasoning.push_str(text),
            Some(text) => self.text.get_or_insert_default().push_str(text),
            // A signature may come alone.
            None if part.get("thoughtSignature").is_some() => {}
            None => {
                let keys = part.as_object().and_then(|fields| fields.keys().next());
                let name = one_line(keys.map_or("nothing", String::as_str), 40);
                return Err(WireError::new(format!("a part with `{name}` is not supported")));
            }
        }
        Ok(())
    }
}

fn reply_of(response: Response) -> Result<Reply, WireError> {
    if !response.error.is_null() {
        return Err(said_error_value(&response.error));
    }
    let served = Served {
        response_id: response.response_id,
        model: response.model_version,
        fingerprint: None,
        tier: None,
    };
    let usage = response.usage_metadata.as_ref().map(usage_of).transpose()?.flatten();
    let mut candidates = response.candidates.unwrap_or_default().into_iter();
    let candidate = match (candidates.next(), candidates.len()) {
        (Some(candidate), 0) => candidate,
        (Some(_), more) => {
            return Err(WireError::new(format!(
                "the response has {} candidates, one was asked for",
                more + 1
            )));
        }
        (None, _) => {
            let blocked = response.prompt_feedback.and_then(|feedback| feedback.block_reason);
            let blocked = blocked.ok_or_else(|| WireError::new("the response has no `candidates`"))?;
            let mut message = Message::text(Role::Assistant, By::Model, "");
            message.extra.insert("block_reason".to_owned(), Value::String(blocked));
            let stop = StopReason::ContentFilter;
            return Ok(Reply { message, stop, usage, served, retries: 0, malformed: Vec::new() });
        }
    };
    let parts = candidate.content.and_then(|content| content.parts).unwrap_or_default();
    let mut said = Said::default();
    for part in &parts {
        said.part(part)?;
    }
    let Calls { calls, malformed } = said.calls.finish(served.response_id.as_deref());
    let stop = stop_reason(
        candidate.finish_reason.as_deref(),
        candidate.finish_message.as_deref(),
        !calls.is_empty(),
    )?;
    if said.text.is_none() && calls.is_empty() && stop == StopReason::Stop {
        return Err(WireError::new("the response has neither text nor tool calls"));
    }
    let mut message = Message::text(Role::Assistant, By::Model, said.text.unwrap_or_default());
    message.tool_calls = calls;
    if !said.reasoning.is_empty() {
        message.extra.insert("reasoning".to_owned(), Value::String(said.reasoning));
    }
    if parts.iter().any(|part| part.get("text").is_none() || part.get("thoughtSignature").is_some()) {
        message.extra.insert(RAW_PARTS.to_owned(), Value::Array(parts));
    }
    Ok(Reply { message, stop, usage, served, retries: 0, malformed })
}

fn stop_reason(reason: Option<&str>, message: Option<&str>, calls: bool) -> Result<StopReason, WireError> {
    match reason {
        Some("STOP") if calls => Ok(StopReason::ToolCalls),
        Some("STOP") => Ok(StopReason::Stop),
        Some("MAX_TOKENS") => Ok(StopReason::Length),
        Some("SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => {
            Ok(StopReason::ContentFilter)
        }
        // Whatever the model tried to call is kept from us, so that it cannot be told of its mistake.
        Some(
            reason @ ("MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MALFORMED_RESPONSE"
            | "MISSING_THOUGHT_SIGNATURE"
            | "OTHER"),
        ) => {
            let message = one_line(message.unwrap_or("no more was said"), 200);
            Err(WireError::new(format!("the endpoint gave the reply up with `{reason}`: {message}")))
        }
        Some(other) => Err(WireError::new(format!("unknown `finishReason` `{}`", one_line(other, 40)))),
        None => Err(WireError::new("the candidate has no `finishReason`: the reply is not whole")),
    }
}

fn usage_of(count: &TokenCount) -> Result<Option<Usage>, WireError> {
    let reasoning = count.thoughts_token_count.unwrap_or(0);
    let read = count.prompt_token_count.unwrap_or(0);
    counted(Usage {
        input: read.saturating_add(count.tool_use_prompt_token_count.unwrap_or(0)),
        output: count.candidates_token_count.unwrap_or(0).saturating_add(reasoning),
        cached: count.cached_content_token_count.unwrap_or(0),
        reasoning,
    })
}

#[cfg(test)]
mod tests;
