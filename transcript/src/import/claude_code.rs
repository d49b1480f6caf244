//! What Claude Code prints with `-p --output-format stream-json`: one event a line, messages block by block.

use std::collections::HashSet;

use serde_json::Value;

use super::ImportAs;
use super::anthropic::{Speech, read_user};
use super::conversation::Conversation;
use super::error::ImportError;
use super::json::parse_lines;
use super::node::Node;
use super::parts::{error_message, fail, set_stop, usage};
use super::program_tools;
use crate::{By, Served, Transcript};

/// The model's name in messages that the program writes itself, such as "Invalid API key".
const SYNTHETIC: &str = "<synthetic>";

pub(super) fn import(bytes: &[u8], what: &ImportAs) -> Result<Vec<Transcript>, ImportError> {
    let documents = parse_lines(bytes)?;
    let Some(first) = documents.first() else { return Ok(Vec::new()) };
    let mut run = Run {
        transcript: what.start(what.id_prefix.clone()).map_err(|fault| Node::root(first).fault(fault))?,
        conversation: Conversation::default(),
        workspace: what.workspace.clone(),
        message_id: None,
        stop: None,
        ended: false,
        events: Vec::new(),
    };
    for document in &documents {
        run.read(&Node::root(document))?;
    }
    Ok(vec![run.finish()])
}

/// A run of the program as it is read.
struct Run {
    transcript: Transcript,
    conversation: Conversation,
    workspace: Option<String>,
    /// The message that the last event was a block of.
    message_id: Option<String>,
    /// Why the last message of the main thread ended, when the messages say so.
    stop: Option<String>,
    /// Whether the program said how the run ended.
    ended: bool,
    /// Events that are no part of the conversation and are not known.
    events: Vec<Value>,
}

impl Run {
    fn read(&mut self, event: &Node<'_>) -> Result<(), ImportError> {
        match event.need_text("type")? {
            "system" => match event.text("subtype")? {
                Some("init") => self.init(event),
                Some("api_retry") => {
                    self.transcript.retries = Some(self.transcript.retries.unwrap_or(0).saturating_add(1));
                    Ok(())
                }
                _ => {
                    self.events.push(event.value().clone());
                    Ok(())
                }
            },
            "assistant" => self.assistant(event),
            "user" => {
                self.conversation.enter(event.text("parent_tool_use_id")?);
                self.message_id = None;
                read_user(&event.need("message")?.need("content")?, &mut self.conversation)
            }
            "result" => self.result(event),
            // Pieces of messages that come whole as well.
            "stream_event" => Ok(()),
            _ => {
                self.events.push(event.value().clone());
                Ok(())
            }
        }
    }

    fn init(&mut self, event: &Node<'_>) -> Result<(), ImportError> {
        self.transcript.model = event.text("model")?.map(str::to_owned);
        if self.workspace.is_none() {
            self.workspace = event.text("cwd")?.map(str::to_owned);
        }
        let mut offered: Vec<Value> = Vec::new();
        let mut seen = HashSet::new();
        let mut own = Vec::new();
        for tool in event.list("tools")? {
            let name = tool.str()?;
            own.push(tool.value().clone());
            let standard = program_tools::standard_name(name);
            if seen.insert(standard) {
                offered.push(Value::String(standard.to_owned()));
            }
        }
        self.transcript.tools = offered;
        self.transcript.extra.insert("original_tools".to_owned(), Value::Array(own));
        for key in ["session_id", "claude_code_version", "permissionMode"] {
            if let Some(value) = event.get(key) {
                self.transcript.extra.insert(key.to_owned(), value.value().clone());
            }
        }
        Ok(())
    }

    fn assistant(&mut self, event: &Node<'_>) -> Result<(), ImportError> {
        let thread = event.text("parent_tool_use_id")?;
        self.conversation.enter(thread);
        let message = event.need("message")?;
        let model = message.text("model")?;
        let by = if model == Some(SYNTHETIC) { By::Script } else { By::Model };
        let id = message.text("id")?.map(str::to_owned);
        let continues = id.is_some() && id == self.message_id;
        if !continues && by == By::Model {
            let model = model.map(str::to_owned);
            self.transcript.served.push(Served { response_id: id.clone(), model, ..Served::default() });
        }
        self.message_id = id;
        if thread.is_none() {
            self.stop = message.text("stop_reason")?.map(str::to_owned);
        }
        let workspace = self.workspace.as_deref();
        let speech = Speech { by, continues };
        speech.read(&message.need("content")?, &mut self.conversation, &mut |call| {
            program_tools::claude_code(call, workspace)
        })
    }

    fn result(&mut self, event: &Node<'_>) -> Result<(), ImportError> {
        self.ended = true;
        let subtype = event.text("subtype")?.unwrap_or("success");
        if event.flag("is_error")? || subtype != "success" {
            let said = event.get("result").as_ref().map(error_message);
            let listed = event.get("errors").as_ref().map(error_message);
            fail(
                &mut self.transcript,
                "agent-error",
                said.or(listed)
                    .unwrap_or_else(|| format!("the run ended with {}", super::error::cut(subtype))),
            );
        }
        if let Some(stop) = event.text("stop_reason")? {
            self.stop = Some(stop.to_owned());
        }
        let more = event.get("usage").as_ref().map(usage);
        if let Some(more) = more {
            *self.transcript.usage.get_or_insert_default() += more;
        }
        self.transcript.elapsed_ms = event.get("duration_ms").and_then(|took| took.value().as_u64());
        for key in ["result", "permission_denials"] {
            if let Some(value) = event.get(key).filter(|node| node.value() != &Value::Array(Vec::new())) {
                self.transcript.extra.insert(key.to_owned(), value.value().clone());
            }
        }
        Ok(())
    }

    fn finish(self) -> Transcript {
        let mut transcript = self.transcript;
        transcript.messages = self.conversation.finish();
        if !self.ended {
            fail(&mut transcript, "agent-error", "the output ends without a result: the program was stopped");
        }
        set_stop(&mut transcript, self.stop.as_deref());
        if !self.events.is_empty() {
            transcript.extra.insert("events".to_owned(), Value::Array(self.events));
        }
        transcript
    }
}
