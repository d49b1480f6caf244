//! Pieces that the formats share: contents made of parts, arguments of calls, reasons to stop, token counts.

use serde_json::{Map, Value};

use super::error::ImportError;
use super::node::Node;
use crate::{Message, StopReason, Transcript, TrialError, Usage};

/// The fields that a [`Message`] has of its own: an unknown field of the same name must not shadow one.
const OWN_FIELDS: [&str; 7] = ["role", "by", "content", "tool_calls", "tool_call_id", "name", "is_error"];

/// A content taken apart.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) text: String,
    pub(super) refusal: Option<String>,
    pub(super) reasoning: String,
    /// Parts that are no text, such as images: kept, not judged.
    pub(super) other: Vec<Value>,
}

impl Content {
    /// Puts what is not text into `message.extra`, and the text into its content.
    pub(super) fn into_message(self, message: &mut Message) {
        message.content = match self.refusal {
            // What the model gave as its refusal is what it said.
            Some(refusal) if self.text.is_empty() => refusal,
            _ => self.text,
        };
        add_reasoning(message, &self.reasoning);
        if !self.other.is_empty() {
            message.extra.insert("other_parts".to_owned(), Value::Array(self.other));
        }
    }
}

/// Reads a content that is a text or a list of parts.
///
/// Parts of one reply follow each other as they are; parts of a prompt or of a tool's answer are separate pieces and
/// get a line each, lest two numbers become one.
pub(super) fn content(node: &Node<'_>, one_reply: bool) -> Result<Content, ImportError> {
    let mut content = Content::default();
    if !node.is_array() {
        content.text = node.str()?.to_owned();
        return Ok(content);
    }
    let mut texts: Vec<&str> = Vec::new();
    for part in node.items()? {
        if let Some(text) = part.value().as_str() {
            texts.push(text);
            continue;
        }
        match part.need_text("type")? {
            "text" | "input_text" | "output_text" | "summary_text" => texts.push(part.need_text("text")?),
            "refusal" => content.refusal = Some(part.need_text("refusal")?.to_owned()),
            "reasoning" if part.get("reasoning").is_some() => {
                content.reasoning.push_str(part.need_text("reasoning")?);
            }
            "thinking" => content.reasoning.push_str(part.need_text("thinking")?),
            _ => content.other.push(part.value().clone()),
        }
    }
    content.text = texts.join(if one_reply { "" } else { "\n" });
    Ok(content)
}

/// Adds a model's reasoning to what `message` has of it.
pub(super) fn add_reasoning(message: &mut Message, reasoning: &str) {
    if reasoning.is_empty() {
        return;
    }
    match message.extra.get_mut("reasoning") {
        Some(Value::String(before)) => {
            before.push('\n');
            before.push_str(reasoning);
        }
        _ => {
            message.extra.insert("reasoning".to_owned(), Value::String(reasoning.to_owned()));
        }
    }
}

/// Keeps the fields of `node` that are not in `known`, but for empty ones.
pub(super) fn keep_unknown(
    node: &Node<'_>,
    known: &[&str],
    extra: &mut Map<String, Value>,
) -> Result<(), ImportError> {
    for (key, value) in node.object()? {
        let nothing =
            value.is_null() || value.as_array().is_some_and(Vec::is_empty) || value.as_str() == Some("");
        if nothing || known.contains(&key.as_str()) {
            continue;
        }
        let key = if OWN_FIELDS.contains(&key.as_str()) { format!("original_{key}") } else { key.clone() };
        extra.insert(key, value.clone());
    }
    Ok(())
}

/// The arguments of a call: an object, written out or as JSON in a text; a text that is no object stays one.
pub(super) fn arguments(node: Option<&Node<'_>>) -> Value {
    match node.map(Node::value) {
        None => Value::Object(Map::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Value::Object(Map::new()),
        Some(Value::String(text)) => match super::json::parse(text.as_bytes(), None) {
            Ok(document) if document.value.is_object() => document.value,
            _ => Value::String(text.clone()),
        },
        Some(object @ Value::Object(_)) => object.clone(),
        Some(other) => Value::String(other.to_string()),
    }
}

/// Why a reply ended, in the words of any of the formats; `None` for a word that is not known.
pub(super) fn stop_reason(word: &str) -> Option<StopReason> {
    match word {
        "stop" | "end_turn" | "stop_sequence" | "completed" => Some(StopReason::Stop),
        "tool_calls" | "function_call" | "tool_use" => Some(StopReason::ToolCalls),
        "length" | "max_tokens" | "max_output_tokens" | "model_length" | "model_context_window_exceeded" => {
            Some(StopReason::Length)
        }
        "content_filter" => Some(StopReason::ContentFilter),
        "refusal" => Some(StopReason::Refusal),
        _ => None,
    }
}

/// Writes down why the last reply ended. A word that is not known makes an error: the reply may not be whole.
pub(super) fn set_stop(transcript: &mut Transcript, word: Option<&str>) {
    let Some(word) = word else { return };
    transcript.stop = stop_reason(word);
    if transcript.stop.is_none() {
        fail(
            transcript,
            "bad-reply",
            format!("the reply ended for a reason that is not known: {}", super::error::cut(word)),
        );
    }
}

/// Gives the transcript an error, unless it has one: the first one is the cause.
pub(super) fn fail(transcript: &mut Transcript, kind: &str, message: impl Into<String>) {
    transcript.error.get_or_insert_with(|| TrialError { kind: kind.to_owned(), message: message.into() });
}

/// What an error is about: a text, or the `message` of an object, or the object itself.
pub(super) fn error_message(node: &Node<'_>) -> String {
    let value = node.value();
    let message = value.as_str().or_else(|| value.get("message")?.as_str());
    message.map_or_else(|| super::node::shown(value), str::to_owned)
}

/// Token counts in any of the formats' words: in Anthropic's and Inspect's, `input_tokens` leaves the cached ones out.
pub(super) fn usage(node: &Node<'_>) -> Usage {
    let detail = |part: &str, key: &str| node.get(part).map_or(0, |part| part.count(key));
    let cache_read = node.count("cache_read_input_tokens").max(node.count("input_tokens_cache_read"));
    let cache_made = node.count("cache_creation_input_tokens").max(node.count("input_tokens_cache_write"));
    let plain = node.count("input_tokens").max(node.count("prompt_tokens"));
    let cached = [
        cache_read,
        node.count("cached_input_tokens"),
        detail("prompt_tokens_details", "cached_tokens"),
        detail("input_tokens_details", "cached_tokens"),
    ];
    let reasoning = [
        node.count("reasoning_output_tokens"),
        node.count("reasoning_tokens"),
        detail("completion_tokens_details", "reasoning_tokens"),
        detail("output_tokens_details", "reasoning_tokens"),
        detail("output_tokens_details", "thinking_tokens"),
    ];
    Usage {
        input: plain.saturating_add(cache_read).saturating_add(cache_made),
        output: node.count("output_tokens").max(node.count("completion_tokens")),
        cached: cached.into_iter().max().unwrap_or(0),
        reasoning: reasoning.into_iter().max().unwrap_or(0),
    }
}
