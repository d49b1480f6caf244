//! OpenAI-compatible chat completions, `POST …/chat/completions`.

mod carried;
mod content;
mod server;
mod stream;

use std::borrow::Cow;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use transcript::{By, Message, Role, Served, StopReason, ToolCall, Usage};

pub(super) use server::{answer, asked, events};
pub(super) use stream::Fold;

use content::Content;

use super::{
    Ask, Calls, WireError, counted, made_arguments, parse, read_arguments, said_error_value, sent_arguments,
    unwrap,
};
use crate::exchange::{Reply, ToolSpec};

/// A message of the conversation, as either side sees it.
#[derive(Serialize, Deserialize)]
struct WireMessage<'a> {
    role: Role,
    #[serde(default, borrow)]
    content: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    /// Reasoning that a router wants back as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<Cow<'a, Value>>,
}

#[derive(Serialize, Deserialize)]
struct WireCall<'a> {
    id: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: Cow<'a, str>,
    function: WireFunction<'a>,
    /// What the endpoint wants back with the call, such as Google's signatures of thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extra_content: Option<Cow<'a, Value>>,
}

#[derive(Serialize, Deserialize)]
struct WireFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

impl<'a> WireMessage<'a> {
    fn of(message: &'a Message) -> Self {
        let only_calls = message.content.is_empty() && !message.tool_calls.is_empty();
        Self {
            role: message.role,
            content: (!only_calls).then_some(Cow::Borrowed(&message.content)),
            tool_calls: message.tool_calls.iter().map(|call| WireCall::of(call, message)).collect(),
            tool_call_id: message.tool_call_id.as_deref().map(Cow::Borrowed),
            reasoning_details: message.extra.get(carried::DETAILS).map(Cow::Borrowed),
        }
    }

    fn into_message(self) -> Message {
        let by = match self.role {
            Role::System | Role::User => By::Script,
            Role::Assistant => By::Model,
            Role::Tool => By::Tool,
        };
        let mut message = Message::text(self.role, by, self.content.unwrap_or_default());
        message.tool_calls = self.tool_calls.into_iter().map(WireCall::into_call).collect();
        message.tool_call_id = self.tool_call_id.map(Cow::into_owned);
        message
    }
}

impl<'a> WireCall<'a> {
    fn of(call: &'a ToolCall, message: &'a Message) -> Self {
        let extra_content = message.extra.get(carried::CALLS).and_then(|extras| extras.get(&call.id));
        let call = Self::with(call, sent_arguments(&call.arguments));
        Self { extra_content: extra_content.map(Cow::Borrowed), ..call }
    }

    /// The call as a model makes it.
    fn made(call: &'a ToolCall) -> Self {
        Self::with(call, made_arguments(&call.arguments))
    }

    fn with(call: &'a ToolCall, arguments: Cow<'a, str>) -> Self {
        let function = WireFunction { name: Cow::Borrowed(&call.name), arguments };
        Self { id: Cow::Borrowed(&call.id), kind: Cow::Borrowed("function"), function, extra_content: None }
    }

    fn into_call(self) -> ToolCall {
        let (arguments, _) = read_arguments(&self.function.arguments);
        let name = self.function.name.into_owned();
        ToolCall { id: self.id.into_owned(), name, arguments: unwrap(arguments) }
    }
}

/// The body, written straight from the transcript.
struct Body<'a>(&'a Ask<'a>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.0.model)?;
        map.serialize_entry("messages", &Messages(self.0.messages))?;
        if !self.0.tools.is_empty() {
            map.serialize_entry("tools", &Tools(self.0.tools))?;
        }
        if self.0.stream {
            map.serialize_entry("stream", &true)?;
            // Without it a streamed reply comes without its token counts.
            map.serialize_entry("stream_options", &StreamOptions { include_usage: true })?;
        }
        for (key, value) in self.0.decoding {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

struct Messages<'a>(&'a [Message]);

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(WireMessage::of))
    }
}

struct Tools<'a>(&'a [ToolSpec]);

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Tool<'a> {
            r#type: &'static str,
            function: Function<'a>,
        }
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            description: &'a str,
            parameters: &'a Value,
        }
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for ToolSpec { name, description, parameters } in self.0 {
            list.serialize_element(&Tool {
                r#type: "function",
                function: Function { name, description, parameters },
            })?;
        }
        list.end()
    }
}

/// Writes a request.
pub(super) fn request(ask: &Ask<'_>) -> Result<Vec<u8>, WireError> {
    serde_json::to_vec(&Body(ask)).map_err(|error| WireError::new(error.to_string()))
}

#[derive(Deserialize)]
struct Response {
    id: Option<String>,
    model: Option<String>,
    system_fingerprint: Option<String>,
    service_tier: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<TokenCount>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Said>,
    finish_reason: Option<String>,
    /// Routers put the errors of whom they ask here.
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    content: Value,
    refusal: Option<String>,
    /// Two names are in use for the same thing.
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    reasoning_details: Option<Value>,
    tool_calls: Option<Vec<SaidCall>>,
    function_call: Option<Value>,
}

#[derive(Deserialize)]
struct SaidCall {
    id: Option<String>,
    r#type: Option<String>,
    function: Option<SaidFunction>,
    extra_content: Option<Value>,
}

#[derive(Deserialize)]
struct SaidFunction {
    name: String,
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize)]
struct TokenCount {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

/// Reads a response.
pub(super) fn reply(body: &[u8]) -> Result<Reply, WireError> {
    reply_of(parse(body)?)
}

fn reply_of(response: Response) -> Result<Reply, WireError> {
    if !response.error.is_null() {
        return Err(said_error_value(&response.error));
    }
    let mut choices = response.choices.into_iter();
    let choice = match (choices.next(), choices.len()) {
        (Some(choice), 0) => choice,
        (None, _) => return Err(WireError::new("the response has no `choices`")),
        (_, more) => {
            return Err(WireError::new(format!("the response has {} choices, one was asked for", more + 1)));
        }
    };
    if !choice.error.is_null() {
        return Err(said_error_value(&choice.error));
    }
    let said = choice.message.ok_or_else(|| WireError::new("the choice has no `message`"))?;
    if said.function_call.is_some_and(|call| !call.is_null()) {
        return Err(WireError::new("`function_call` is the old form of tool calls and is not supported"));
    }
    let mut calls = Calls::default();
    let mut extras = Vec::new();
    for mut call in said.tool_calls.unwrap_or_default() {
        extras.push(call.extra_content.take());
        add_call(&mut calls, call)?;
    }
    let Calls { calls, malformed } = calls.finish(response.id.as_deref());
    let content = Content::of(said.content)?;
    let refusal = said.refusal.or(content.refusal);
    let stop = stop_reason(choice.finish_reason.as_deref(), !calls.is_empty(), refusal.is_some())?;
    let text = match (content.text, refusal) {
        (Some(text), None) => text,
        // What the model gave as its refusal is what it said.
        (text, Some(refusal)) => text.filter(|text| !text.is_empty()).unwrap_or(refusal),
        (None, None) if calls.is_empty() && matches!(stop, StopReason::Stop) => {
            return Err(WireError::new("the message has neither content nor tool calls"));
        }
        (None, None) => String::new(),
    };
    let mut message = Message::text(Role::Assistant, By::Model, text);
    message.tool_calls = calls;
    let reasoning = said.reasoning_content.or(said.reasoning).or(content.reasoning);
    if let Some(reasoning) = reasoning.filter(|text| !text.is_empty()) {
        message.extra.insert("reasoning".to_owned(), Value::String(reasoning));
    }
    carried::keep(&mut message, said.reasoning_details, extras);
    let served = Served {
        response_id: response.id,
        model: response.model,
        fingerprint: response.system_fingerprint,
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

fn add_call(calls: &mut Calls, call: SaidCall) -> Result<(), WireError> {
    let function = match (call.r#type.as_deref(), call.function) {
        (None | Some("function"), Some(function)) => function,
        (kind, _) => {
            return Err(WireError::new(format!(
                "a tool call of type `{}` is not supported",
                kind.unwrap_or("none")
            )));
        }
    };
    let arguments = match function.arguments {
        Value::String(raw) => read_arguments(&raw),
        Value::Null => read_arguments(""),
        // Some servers send the object itself.
        object @ Value::Object(_) => (object, None),
        other => read_arguments(&other.to_string()),
    };
    calls.add(call.id, function.name, arguments);
    Ok(())
}

fn stop_reason(finish: Option<&str>, calls: bool, refusal: bool) -> Result<StopReason, WireError> {
    match finish {
        Some("length") => Ok(StopReason::Length),
        Some("content_filter") => Ok(StopReason::ContentFilter),
        // Some servers say `stop` although there are calls.
        Some("stop" | "tool_calls") if calls => Ok(StopReason::ToolCalls),
        Some("stop") if refusal => Ok(StopReason::Refusal),
        Some("stop") => Ok(StopReason::Stop),
        Some("tool_calls") => Err(WireError::new("`finish_reason` is `tool_calls`, but there are none")),
        Some(other) => {
            Err(WireError::new(format!("unknown `finish_reason` `{}`", super::one_line(other, 40))))
        }
        None => Err(WireError::new("the choice has no `finish_reason`: the reply is not whole")),
    }
}

fn usage_of(count: TokenCount) -> Result<Option<Usage>, WireError> {
    counted(Usage {
        input: count.prompt_tokens,
        output: count.completion_tokens,
        cached: count.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0),
        reasoning: count.completion_tokens_details.and_then(|details| details.reasoning_tokens).unwrap_or(0),
    })
}
