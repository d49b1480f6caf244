//! Any program. With `protocol: text` the user's words go in and the reply comes out. With `protocol: json-lines` one
//! JSON object goes in and one comes out for each turn; `docs/agents.md` says what is in them.

use model_matrix::{Program, Protocol};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use transcript::{By, Message, Role, Served, StopReason, ToolCall, TrialError, Usage};

use super::super::offer;
use super::super::room::RoomError;
use super::{Segment, Set, shown};

pub(super) fn env(set: &Set<'_>) -> Vec<(String, String)> {
    let mut env = Vec::new();
    if let (Some(relay), Some(name)) = (set.relay, &set.program.base_url_env) {
        env.push((name.clone(), relay.base_url()));
    }
    if let (Some(token), Some(name)) = (set.token, &set.program.key_env) {
        env.push((name.clone(), token.to_owned()));
    }
    if set.server.is_some() {
        env.push(("ASSIZE_MCP_CONFIG".to_owned(), shown(&set.room.control().join("mcp.json"))));
    }
    env.extend(set.program.model.as_ref().map(|model| ("ASSIZE_MODEL".to_owned(), model.clone())));
    env
}

pub(super) fn prepare(set: &Set<'_>) -> Result<(), RoomError> {
    let Some([command, arguments @ ..]) = set.server.as_deref() else { return Ok(()) };
    let file = json!({ "mcpServers": { (offer::SERVER): { "command": command, "args": arguments } } });
    set.room.put(&set.room.control().join("mcp.json"), file.to_string().as_bytes())
}

pub(super) fn input(program: &Program, turn: usize, prompt: &str) -> String {
    match program.protocol {
        Protocol::Text => prompt.to_owned(),
        Protocol::JsonLines => format!("{}\n", json!({ "turn": turn, "text": prompt })),
    }
}

/// The object that comes out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// What it says in the end.
    text: String,
    /// What it did before, in order.
    #[serde(default)]
    calls: Vec<Called>,
    /// The model that answered.
    model: Option<String>,
    usage: Option<Usage>,
    /// Why there is no answer.
    error: Option<String>,
}

/// One call of a tool, with its result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Called {
    /// What it says as it makes the call.
    #[serde(default)]
    say: String,
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(default)]
    result: String,
    #[serde(default)]
    is_error: bool,
}

pub(super) fn read(program: &Program, stdout: &[u8]) -> Result<Segment, TrialError> {
    let bad = |message: String| TrialError { kind: "agent-output".to_owned(), message };
    let text = std::str::from_utf8(stdout).map_err(|_| bad("its output is not valid UTF-8".to_owned()))?;
    match program.protocol {
        Protocol::Text => Ok(Segment {
            messages: vec![Message::text(Role::Assistant, By::Model, text.trim())],
            stop: Some(StopReason::Stop),
            ..Segment::default()
        }),
        Protocol::JsonLines => {
            let answer: Answer = serde_json::from_str(text.trim())
                .map_err(|error| bad(format!("its output is not one JSON object of a turn: {error}")))?;
            Ok(answer.into())
        }
    }
}

impl From<Answer> for Segment {
    fn from(answer: Answer) -> Self {
        let mut messages = Vec::new();
        for (number, called) in (1..).zip(answer.calls) {
            let call = ToolCall {
                id: format!("call-{number}"),
                name: called.name,
                arguments: Value::Object(called.arguments),
            };
            let mut said = Message::text(Role::Assistant, By::Model, called.say);
            let result = Message::tool_result(&call, called.result, called.is_error);
            said.tool_calls.push(call);
            messages.extend([said, result]);
        }
        messages.push(Message::text(Role::Assistant, By::Model, answer.text));
        Self {
            messages,
            usage: answer.usage,
            served: answer
                .model
                .map(|model| Served { model: Some(model), ..Served::default() })
                .into_iter()
                .collect(),
            stop: Some(StopReason::Stop),
            error: answer.error.map(|message| TrialError { kind: "agent-error".to_owned(), message }),
            ..Self::default()
        }
    }
}
