//! Messages and tool calls: the part of a transcript that is the evidence.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// Who a message speaks as, in the field's usual terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The charter, sent ahead of everything else.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's answer.
    Tool,
}

/// Who really produced a message: an assistant message may be scripted, and then it is no evidence of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Written in the case's script.
    Script,
    /// Produced by the subject on trial.
    Model,
    /// Produced by a tool in answer to a call of the subject's.
    Tool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who it speaks as.
    pub role: Role,
    /// Who produced it.
    pub by: By,
    /// The text; empty when the message only calls tools (`null` in a file reads as empty).
    #[serde(default, deserialize_with = "null_as_empty")]
    pub content: String,
    /// The calls an assistant message makes, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// For a tool's answer: the id of the call it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// For a tool's answer: the tool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// For a tool's answer: whether the tool failed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// Fields this version does not know; kept as they were read.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Message {
    /// A message with text and nothing else.
    #[must_use]
    pub fn text(role: Role, by: By, content: impl Into<String>) -> Self {
        Self {
            role,
            by,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
            name: None,
            is_error: false,
            extra: Map::new(),
        }
    }

    /// A tool's answer to `call`.
    #[must_use]
    pub fn tool_result(call: &ToolCall, content: impl Into<String>, is_error: bool) -> Self {
        Self {
            tool_call_id: Some(call.id.clone()),
            name: Some(call.name.clone()),
            is_error,
            ..Self::text(Role::Tool, By::Tool, content)
        }
    }

    /// Whether this is the subject's own turn, not a scripted one.
    #[must_use]
    pub fn is_models_own(&self) -> bool {
        self.role == Role::Assistant && self.by == By::Model
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id that the tool's answer refers to.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments; an object, unless the model sent something else, which is then kept as a JSON string.
    #[serde(default)]
    pub arguments: Value,
}

impl ToolCall {
    /// The argument `key`, when it is a string.
    #[must_use]
    pub fn str_arg(&self, key: &str) -> Option<&str> {
        self.arguments.get(key)?.as_str()
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn null_as_empty<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
