//! Messages of the Anthropic API: contents are lists of blocks, and tools answer within the user's messages.

use serde_json::Value;

use super::ImportAs;
use super::conversation::{Answer, Conversation};
use super::error::ImportError;
use super::exchange::{Exchange, exchanges, reply};
use super::json::parse_documents;
use super::node::Node;
use super::parts::{add_reasoning, arguments, content, keep_unknown, set_stop, usage};
use crate::{By, Message, Role, Served, ToolCall, Transcript};

pub(super) fn import(bytes: &[u8], what: &ImportAs) -> Result<Vec<Transcript>, ImportError> {
    let documents = parse_documents(bytes)?;
    let mut transcripts = Vec::new();
    for (mut transcript, exchange) in exchanges(&documents, what)? {
        let mut conversation = Conversation::default();
        match exchange {
            Exchange::Messages(list) => read_messages(&list, &mut conversation)?,
            Exchange::Record { request, response } => {
                if let Some(request) = &request {
                    read_request(request, &mut conversation, &mut transcript)?;
                }
                if let Some(body) = reply(&response, &mut transcript)? {
                    read_reply(body, &mut conversation, &mut transcript)?;
                }
            }
        }
        transcript.messages = conversation.finish();
        transcripts.push(transcript);
    }
    Ok(transcripts)
}

fn read_request(
    request: &Node<'_>,
    conversation: &mut Conversation,
    transcript: &mut Transcript,
) -> Result<(), ImportError> {
    transcript.model = request.text("model")?.map(str::to_owned);
    transcript.tools = request.list("tools")?.iter().map(|tool| tool.value().clone()).collect();
    if let Some(system) = request.get("system") {
        let mut message = Message::text(Role::System, By::Script, "");
        content(&system, false)?.into_message(&mut message);
        conversation.say(message);
    }
    match request.get("messages") {
        Some(messages) => read_messages(&messages, conversation),
        None => Ok(()),
    }
}

fn read_reply(
    body: &Node<'_>,
    conversation: &mut Conversation,
    transcript: &mut Transcript,
) -> Result<(), ImportError> {
    let text = |key: &str| body.text(key).map(|text| text.map(str::to_owned));
    if body.text("role")?.is_some_and(|role| role != "assistant") {
        return Err(body.need("role")?.unexpected("a reply of the assistant's"));
    }
    Speech { by: By::Model, continues: false }
        .read(&body.need("content")?, conversation, &mut |call| (call, None))?;
    transcript.served.push(Served {
        response_id: text("id")?,
        model: text("model")?,
        fingerprint: None,
        tier: None,
    });
    transcript.usage = body.get("usage").as_ref().map(usage);
    set_stop(transcript, body.text("stop_reason")?);
    Ok(())
}

fn read_messages(list: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    for message in list.items()? {
        let parts = message.need("content")?;
        match message.need_text("role")? {
            "user" => read_user(&parts, conversation)?,
            "system" => {
                let mut said = Message::text(Role::System, By::Script, "");
                content(&parts, false)?.into_message(&mut said);
                conversation.say(said);
            }
            "assistant" => {
                let by = match message.text("by")? {
                    None | Some("model") => By::Model,
                    Some("script") => By::Script,
                    Some(_) => return Err(message.need("by")?.unexpected("script or model")),
                };
                Speech { by, continues: false }.read(&parts, conversation, &mut |call| (call, None))?;
            }
            _ => return Err(message.need("role")?.unexpected("system, user or assistant")),
        }
    }
    Ok(())
}

/// A call in the words of the standard tools and, when that changed it, the call as it was made.
pub(super) type Translated = (ToolCall, Option<Value>);

/// A turn of the assistant's.
pub(super) struct Speech {
    /// Who really speaks.
    pub(super) by: By,
    /// Whether it continues the message before it: programs report a message block by block.
    pub(super) continues: bool,
}

impl Speech {
    /// Reads a content: a text or blocks. `translate` renames the calls of a program's own tools.
    pub(super) fn read(
        mut self,
        parts: &Node<'_>,
        conversation: &mut Conversation,
        translate: &mut dyn FnMut(ToolCall) -> Translated,
    ) -> Result<(), ImportError> {
        if !parts.is_array() {
            conversation.say(Message::text(Role::Assistant, self.by, parts.str()?));
            return Ok(());
        }
        for block in parts.items()? {
            match block.need_text("type")? {
                "text" => {
                    let text = block.need_text("text")?;
                    self.add_to(conversation, |message| {
                        if !message.tool_calls.is_empty() && !message.content.is_empty() {
                            message.content.push('\n');
                        }
                        message.content.push_str(text);
                    });
                }
                "thinking" => {
                    let thinking = block.need_text("thinking")?;
                    self.add_to(conversation, |message| add_reasoning(message, thinking));
                }
                "redacted_thinking" => self.add_to(conversation, |_| {}),
                "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                    let (call, original) = translate(ToolCall {
                        id: block.need_text("id")?.to_owned(),
                        name: block.need_text("name")?.to_owned(),
                        arguments: arguments(block.get("input").as_ref()),
                    });
                    self.add_to(conversation, |message| keep_original(message, original));
                    conversation.call(self.by, call);
                }
                kind if kind.ends_with("tool_result") => read_result(&block, conversation)?,
                _ => {
                    let other = block.value().clone();
                    self.add_to(conversation, |message| push_extra(message, "other_parts", other));
                }
            }
        }
        Ok(())
    }

    fn add_to(&mut self, conversation: &mut Conversation, change: impl FnOnce(&mut Message)) {
        let open = if self.continues { conversation.open(self.by) } else { None };
        if let Some(message) = open {
            change(message);
        } else {
            let mut message = Message::text(Role::Assistant, self.by, "");
            change(&mut message);
            conversation.say(message);
            self.continues = true;
        }
    }
}

/// Keeps how a call was made, beside the call in the words of the standard tools.
pub(super) fn keep_original(message: &mut Message, original: Option<Value>) {
    if let Some(original) = original {
        push_extra(message, "original_calls", original);
    }
}

fn push_extra(message: &mut Message, key: &str, value: Value) {
    match message.extra.get_mut(key) {
        Some(Value::Array(list)) => list.push(value),
        _ => drop(message.extra.insert(key.to_owned(), Value::Array(vec![value]))),
    }
}

/// Reads a user's content: what tools answered, and what the user said.
pub(super) fn read_user(parts: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    let mut said = Message::text(Role::User, By::Script, "");
    if !parts.is_array() {
        parts.str()?.clone_into(&mut said.content);
        conversation.say(said);
        return Ok(());
    }
    let mut texts = Vec::new();
    for block in parts.items()? {
        match block.need_text("type")? {
            "text" => texts.push(block.need_text("text")?),
            kind if kind.ends_with("tool_result") => read_result(&block, conversation)?,
            _ => push_extra(&mut said, "other_parts", block.value().clone()),
        }
    }
    // Pieces of a prompt are separate: a line each, lest two numbers become one.
    said.content = texts.join("\n");
    if !texts.is_empty() || !said.extra.is_empty() {
        conversation.say(said);
    }
    Ok(())
}

fn read_result(block: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    let mut message = Message::text(Role::Tool, By::Tool, "");
    let mut is_error = block.flag("is_error")?;
    match block.get("content") {
        None => {}
        Some(parts) if parts.value().is_object() => {
            is_error |= parts.text("type")?.is_some_and(|kind| kind.ends_with("_error"));
            message.content = parts.value().to_string();
        }
        Some(parts) => content(&parts, false)?.into_message(&mut message),
    }
    keep_unknown(
        block,
        &["type", "tool_use_id", "content", "is_error", "cache_control"],
        &mut message.extra,
    )?;
    let id = Some(block.need_text("tool_use_id")?.to_owned());
    conversation.answer(Answer { id, content: message.content, is_error, extra: message.extra, name: None });
    Ok(())
}
