//! The wire formats, both sides of each: the client's, which asks a model, and the server's, which the replay
//! server speaks. Pure functions over bytes; sending them is the business of other rooms.

pub mod anthropic;
pub mod gemini;
pub mod openai_chat;
pub mod openai_responses;
pub(crate) mod stream;
mod word;

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use transcript::{Message, StopReason, ToolCall, Usage};

use crate::exchange::{Malformed, Reply, ToolSpec};
pub(crate) use word::Word;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Wire {
    /// OpenAI-compatible chat completions.
    OpenaiChat,
    /// OpenAI responses.
    OpenaiResponses,
    /// Anthropic messages.
    Anthropic,
    /// Google Gemini's `generateContent`.
    Gemini,
}

/// What a request says.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The model asked for.
    pub model: &'a str,
    /// The conversation.
    pub messages: &'a [Message],
    /// The tools on offer.
    pub tools: &'a [ToolSpec],
    /// Sampling parameters, sent as they are.
    pub decoding: &'a Map<String, Value>,
    /// Whether the reply is to come as a stream of events.
    pub stream: bool,
}

/// A request as the server side reads it. Who a message is by cannot be seen on the wire: assistant messages are
/// taken to be the model's.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The model asked for.
    pub model: String,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
    /// Whether the reply is to come as a stream of events.
    pub stream: bool,
}

/// What a server answers.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The response's id.
    pub id: &'a str,
    /// The model's name.
    pub model: &'a str,
    /// The text.
    pub content: &'a str,
    /// The calls.
    pub tool_calls: &'a [ToolCall],
    /// Why the reply ends.
    pub stop: StopReason,
    /// Tokens.
    pub usage: Usage,
}

/// Why bytes are not what they should be in this wire format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WireError {
    message: String,
    /// What the endpoint itself said in place of a reply, if it did.
    pub(crate) word: Option<Word>,
}

impl WireError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), word: None }
    }
}

impl Wire {
    /// The name in matrix files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The path of the endpoint below a base URL that ends in the API's version.
    #[must_use]
    pub fn path(self, model: &str, stream: bool) -> Cow<'static, str> {
        match self {
            Self::OpenaiChat => "/chat/completions".into(),
            Self::OpenaiResponses => "/responses".into(),
            Self::Anthropic => "/messages".into(),
            Self::Gemini => {
                let folder = if model.contains('/') { "" } else { "models/" };
                let method = if stream { "streamGenerateContent" } else { "generateContent" };
                format!("/{folder}{model}:{method}").into()
            }
        }
    }

    /// Writes a request's body.
    ///
    /// # Errors
    /// When the conversation cannot be said in this format.
    pub fn request(self, ask: &Ask<'_>) -> Result<Vec<u8>, WireError> {
        match self {
            Self::OpenaiChat => openai_chat::request(ask),
            Self::OpenaiResponses => openai_responses::request(ask),
            Self::Anthropic => anthropic::request(ask),
            Self::Gemini => gemini::request(ask),
        }
    }

    /// Reads a successful response's body.
    ///
    /// # Errors
    /// When it is no reply: not JSON, nothing said, an unknown or missing reason for ending.
    pub fn reply(self, body: &[u8]) -> Result<Reply, WireError> {
        match self {
            Self::OpenaiChat => openai_chat::reply(body),
            Self::OpenaiResponses => openai_responses::reply(body),
            Self::Anthropic => anthropic::reply(body),
            Self::Gemini => gemini::reply(body),
        }
    }

    /// Reads a request's body, on the server's side.
    ///
    /// # Errors
    /// When it is no request.
    pub fn asked(self, body: &[u8]) -> Result<Asked, WireError> {
        match self {
            Self::OpenaiChat => openai_chat::asked(body),
            Self::OpenaiResponses => openai_responses::asked(body),
            Self::Anthropic => anthropic::asked(body),
            Self::Gemini => gemini::asked(body),
        }
    }

    /// Writes a response's body, on the server's side.
    #[must_use]
    pub fn answer(self, answer: &Answer<'_>) -> Vec<u8> {
        match self {
            Self::OpenaiChat => openai_chat::answer(answer),
            Self::OpenaiResponses => openai_responses::answer(answer),
            Self::Anthropic => anthropic::answer(answer),
            Self::Gemini => gemini::answer(answer),
        }
        .to_string()
        .into_bytes()
    }

    /// Writes a response as a stream of events, on the server's side.
    #[must_use]
    pub fn events(self, answer: &Answer<'_>) -> Vec<u8> {
        match self {
            Self::OpenaiChat => openai_chat::events(answer),
            Self::OpenaiResponses => openai_responses::events(answer),
            Self::Anthropic => anthropic::events(answer),
            Self::Gemini => gemini::events(answer),
        }
    }

    /// Writes an error response's body, on the server's side.
    #[must_use]
    pub fn error(self, kind: &str, message: &str) -> Vec<u8> {
        let error = serde_json::json!({"type": kind, "message": message});
        match self {
            Self::OpenaiChat | Self::OpenaiResponses => serde_json::json!({"error": error}),
            Self::Gemini => serde_json::json!({"error": {"status": kind, "message": message}}),
            Self::Anthropic => serde_json::json!({"type": "error", "error": error}),
        }
        .to_string()
        .into_bytes()
    }
}

/// Parses a response's or request's JSON, with a message that shows what came instead.
fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, WireError> {
    if body.is_empty() {
        return Err(WireError::new("the body is empty"));
    }
    serde_json::from_slice(body).map_err(|error| {
        let start = String::from_utf8_lossy(&body[..body.len().min(400)]);
        WireError::new(format!("{error}; the body starts with `{}`", one_line(&start, 80)))
    })
}

/// Arguments that are no JSON object, kept as text, and what is wrong with them.
fn read_arguments(raw: &str) -> (Value, Option<String>) {
    if raw.trim().is_empty() {
        return (Value::Object(Map::new()), None);
    }
    match serde_json::from_str(raw) {
        Ok(Value::Object(fields)) => (Value::Object(fields), None),
        Ok(other) => (
            Value::String(raw.to_owned()),
            Some(format!("the arguments are {}, not an object", kind(&other))),
        ),
        Err(error) => (Value::String(raw.to_owned()), Some(format!("the arguments are not JSON: {error}"))),
    }
}

/// As [`read_arguments`], for formats in which arguments are JSON themselves, not text.
fn read_input(input: Option<&Value>) -> (Value, Option<String>) {
    match input {
        None | Some(Value::Null) => (Value::Object(Map::new()), None),
        Some(Value::Object(fields)) => (Value::Object(fields.clone()), None),
        Some(Value::String(raw)) => {
            (Value::String(raw.clone()), Some("the arguments are a string, not an object".to_owned()))
        }
        Some(other) => (
            Value::String(other.to_string()),
            Some(format!("the arguments are {}, not an object", kind(other))),
        ),
    }
}

/// Where arguments that are no object travel when they are sent back. Anthropic's format takes only objects, and some
/// servers of the other one read the text and fail on it: the model's mistake would look like the endpoint's.
const MALFORMED: &str = "malformed_arguments";

/// Arguments that are no object, inside of one.
fn wrap(arguments: &Value) -> Value {
    serde_json::json!({MALFORMED: arguments})
}

/// Undoes [`wrap`], on the server's side. A model's own arguments are never unwrapped.
fn unwrap(arguments: Value) -> Value {
    match arguments.get(MALFORMED) {
        Some(Value::String(raw)) if arguments.as_object().is_some_and(|fields| fields.len() == 1) => {
            Value::String(raw.clone())
        }
        _ => arguments,
    }
}

/// A call's arguments as text, fit to be sent back.
fn sent_arguments(arguments: &Value) -> Cow<'_, str> {
    match arguments {
        Value::Null => "{}".into(),
        Value::Object(_) => arguments.to_string().into(),
        other => wrap(other).to_string().into(),
    }
}

/// A call's arguments as text, as a model makes them: what is no object stays as it is.
fn made_arguments(arguments: &Value) -> Cow<'_, str> {
    match arguments {
        Value::String(raw) => raw.into(),
        other => sent_arguments(other),
    }
}

/// The field `name` of a part of a message, which must be text.
fn text_field<'a>(part: &'a Value, name: &str) -> Result<&'a str, WireError> {
    part.get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| WireError::new(format!("a part of a message has no `{name}` that is text")))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Collects the calls of one reply.
#[derive(Debug, Default)]
struct Calls {
    calls: Vec<ToolCall>,
    malformed: Vec<Malformed>,
}

impl Calls {
    fn add(&mut self, id: Option<String>, name: String, (arguments, problem): (Value, Option<String>)) {
        let call = self.calls.len();
        if let Some(problem) = problem {
            self.malformed.push(Malformed { call, problem });
        }
        let id = id.filter(|id| !id.is_empty());
        self.calls.push(ToolCall { id: id.unwrap_or_default(), name, arguments });
    }

    /// Gives each call that came without an id, or with one that an earlier call of the reply has, a new one:
    /// results are told apart by it. Only characters that both formats allow in ids are used.
    fn finish(mut self, response_id: Option<&str>) -> Self {
        let response: String =
            response_id.unwrap_or("unnamed").chars().filter(char::is_ascii_alphanumeric).take(32).collect();
        let mut seen = std::collections::HashSet::new();
        for (index, call) in self.calls.iter_mut().enumerate() {
            if call.id.is_empty() || !seen.insert(call.id.clone()) {
                call.id = format!("call_{response}_{index}");
                seen.insert(call.id.clone());
            }
        }
        self
    }
}

/// Names the tool in each tool message, from the call it answers: neither format carries the name.
fn name_tools(messages: &mut [Message]) {
    let mut names = std::collections::HashMap::new();
    for message in messages {
        for call in &message.tool_calls {
            names.insert(call.id.clone(), call.name.clone());
        }
        if let Some(id) = &message.tool_call_id {
            message.name = names.get(id).cloned();
        }
    }
}

/// The message of an error response in any of the usual shapes, fit for one line of a terminal.
#[must_use]
pub fn error_message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let error = value.get("error").unwrap_or(&value);
    let found = [error.get("message"), Some(error), value.get("message"), value.get("detail")];
    let message = found.into_iter().flatten().find_map(Value::as_str).unwrap_or(&text);
    one_line(message, 500)
}

/// An error that stands where a reply should.
fn said_error(body: &[u8]) -> WireError {
    let message = format!("an error came in place of the reply: {}", error_message(body));
    WireError { message, word: Some(Word::of(body)) }
}

/// As [`said_error`], for the value of an `error` field.
fn said_error_value(error: &Value) -> WireError {
    said_error(serde_json::json!({"error": error}).to_string().as_bytes())
}

/// More tokens than this no reply takes: whoever counts them counts wrong, and nothing else it says is to be relied on.
const MOST_TOKENS: u64 = 1_000_000_000_000;

/// The tokens of a reply, if any reply can have so many. No reply takes none at all, so whoever counts none has not
/// counted.
fn counted(usage: Usage) -> Result<Option<Usage>, WireError> {
    let most = usage.input.max(usage.output).max(usage.cached).max(usage.reasoning);
    if most > MOST_TOKENS {
        return Err(WireError::new(format!(
            "the reply is said to have taken {most} tokens, which cannot be"
        )));
    }
    Ok((usage.total() > 0).then_some(usage))
}

/// The text in pieces, as a server streams it; no piece splits a character.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).find(|at| *at >= PIECE);
        let (piece, left) = rest.split_at(end.unwrap_or(rest.len()));
        pieces.push(piece);
        rest = left;
    }
    pieces
}

/// About how many bytes a piece has.
const PIECE: usize = 24;

/// `text` without control characters and line breaks, at most `limit` characters of it.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let words = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    let mut count = 0;
    for word in words {
        if count > 0 {
            line.push(' ');
            count += 1;
        }
        for character in word.chars() {
            if count >= limit {
                line.push('…');
                return line;
            }
            line.push(character);
            count += 1;
        }
    }
    line
}

#[cfg(test)]
mod tests;
