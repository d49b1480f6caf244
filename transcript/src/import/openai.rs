//! Chat-completions messages: a list of them, a request that holds one, or a request with its response.

use serde_json::Value;

use super::ImportAs;
use super::conversation::{Answer, Conversation};
use super::error::ImportError;
use super::exchange::{Exchange, exchanges, reply};
use super::json::parse_documents;
use super::node::Node;
use super::parts::{add_reasoning, arguments, content, keep_unknown, set_stop, usage};
use super::responses;
use crate::{By, Message, Role, Served, StopReason, ToolCall, Transcript};

/// Fields of a message that are read; the others are kept as they are.
const KNOWN: [&str; 11] = [
    "role",
    "by",
    "content",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "reasoning_content",
    "reasoning",
    "is_error",
    "type",
];

pub(super) fn import(bytes: &[u8], what: &ImportAs) -> Result<Vec<Transcript>, ImportError> {
    let documents = parse_documents(bytes)?;
    let mut transcripts = Vec::new();
    for (mut transcript, exchange) in exchanges(&documents, what)? {
        match exchange {
            Exchange::Messages(list) => {
                let mut conversation = Conversation::default();
                read_list(&list, &mut conversation)?;
                transcript.messages = conversation.finish();
                transcripts.push(transcript);
            }
            Exchange::Record { request, response } => {
                if let Some(request) = &request {
                    read_settings(request, &mut transcript)?;
                }
                let answer = reply(&response, &mut transcript)?;
                read_record(request.as_ref(), answer, &transcript, &mut transcripts)?;
            }
        }
    }
    Ok(transcripts)
}

/// A list of chat messages or, when no item has a role but some have a type, of Responses items: both may be mixed.
fn read_list(list: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    for item in list.items()? {
        read_item(&item, conversation)?;
    }
    Ok(())
}

fn read_item(item: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    match item.text("type")? {
        Some(kind) if kind != "message" => responses::read_item(item, kind, conversation),
        _ => read_message(item, conversation),
    }
}

fn read_settings(request: &Node<'_>, transcript: &mut Transcript) -> Result<(), ImportError> {
    transcript.model = request.text("model")?.map(str::to_owned);
    transcript.tools = request.list("tools")?.iter().map(|tool| tool.value().clone()).collect();
    Ok(())
}

/// One transcript, or one for each choice.
fn read_record(
    request: Option<&Node<'_>>,
    response: Option<&Node<'_>>,
    base: &Transcript,
    transcripts: &mut Vec<Transcript>,
) -> Result<(), ImportError> {
    let choices: Vec<Node<'_>> = match response {
        Some(response) => response.list("choices")?,
        None => Vec::new(),
    };
    let replies: Vec<Option<&Node<'_>>> =
        if choices.is_empty() { vec![None] } else { choices.iter().map(Some).collect() };
    for (index, choice) in replies.iter().enumerate() {
        let mut transcript = base.clone();
        if replies.len() > 1 {
            transcript.id = format!("{}#{}", base.id, index + 1);
        }
        let mut conversation = Conversation::default();
        if let Some(request) = request {
            read_prompt(request, &mut conversation)?;
        }
        if let Some(response) = response {
            read_served(response, &mut transcript)?;
            match choice {
                Some(choice) => read_choice(choice, &mut conversation, &mut transcript)?,
                None if response.get("output").is_some() => {
                    responses::read_reply(response, &mut conversation, &mut transcript)?;
                }
                None => return Err(response.unexpected("a reply with `choices` or `output`")),
            }
        }
        transcript.messages = conversation.finish();
        transcripts.push(transcript);
    }
    Ok(())
}

fn read_prompt(request: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    if let Some(instructions) = request.text("instructions")? {
        conversation.say(Message::text(Role::System, By::Script, instructions));
    }
    if let Some(messages) = request.get("messages") {
        read_list(&messages, conversation)?;
    }
    match request.get("input") {
        Some(input) if input.is_array() => read_list(&input, conversation),
        Some(input) => {
            conversation.say(Message::text(Role::User, By::Script, input.str()?));
            Ok(())
        }
        None => Ok(()),
    }
}

fn read_served(response: &Node<'_>, transcript: &mut Transcript) -> Result<(), ImportError> {
    let text = |key: &str| response.text(key).map(|text| text.map(str::to_owned));
    transcript.served.push(Served {
        response_id: text("id")?,
        model: text("model")?,
        fingerprint: text("system_fingerprint")?,
        tier: text("service_tier")?,
    });
    transcript.usage = response.get("usage").as_ref().map(usage);
    Ok(())
}

fn read_choice(
    choice: &Node<'_>,
    conversation: &mut Conversation,
    transcript: &mut Transcript,
) -> Result<(), ImportError> {
    let message = choice.need("message")?;
    read_message(&message, conversation)?;
    set_stop(transcript, choice.text("finish_reason")?);
    let refused = message.text("refusal")?.is_some_and(|refusal| !refusal.is_empty());
    if refused && transcript.stop == Some(StopReason::Stop) {
        transcript.stop = Some(StopReason::Refusal);
    }
    Ok(())
}

/// Reads one message. An assistant's message is the model's own, unless it says `"by": "script"`.
pub(super) fn read_message(node: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    let role = match node.need_text("role")? {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => return read_answer(node, conversation),
        _ => return Err(node.need("role")?.unexpected("system, developer, user, assistant or tool")),
    };
    let by = match (role, node.text("by")?) {
        (Role::Assistant, None | Some("model")) => By::Model,
        (_, None | Some("script")) => By::Script,
        _ => return Err(node.need("by")?.unexpected("script, or model for an assistant's message")),
    };
    let mut message = Message::text(role, by, "");
    keep_unknown(node, &KNOWN, &mut message.extra)?;
    match node.get("content") {
        Some(parts) => content(&parts, by == By::Model)?.into_message(&mut message),
        None if role == Role::Assistant => {}
        None => return Err(node.need("content").err().unwrap_or_else(|| node.unexpected("a message"))),
    }
    if let (true, Some(refusal)) = (message.content.is_empty(), node.text("refusal")?) {
        refusal.clone_into(&mut message.content);
    }
    for key in ["reasoning_content", "reasoning"] {
        if let Some(reasoning) = node.get(key) {
            match reasoning.value().as_str() {
                Some(text) => add_reasoning(&mut message, text),
                None => drop(message.extra.insert(key.to_owned(), reasoning.value().clone())),
            }
        }
    }
    if role == Role::Assistant {
        message.tool_calls = read_calls(node)?;
    }
    conversation.say(message);
    Ok(())
}

fn read_answer(node: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    let mut answer = Answer {
        id: node.text("tool_call_id")?.map(str::to_owned),
        name: node.text("name")?.map(str::to_owned),
        is_error: node.flag("is_error")?,
        ..Answer::default()
    };
    if let Some(parts) = node.get("content") {
        let mut message = Message::text(Role::Tool, By::Tool, "");
        content(&parts, false)?.into_message(&mut message);
        answer.content = message.content;
        answer.extra = message.extra;
    }
    keep_unknown(node, &[&KNOWN[..], &["name"]].concat(), &mut answer.extra)?;
    conversation.answer(answer);
    Ok(())
}

fn read_calls(node: &Node<'_>) -> Result<Vec<ToolCall>, ImportError> {
    let mut calls = Vec::new();
    for call in node.list("tool_calls")? {
        let (name, arguments) = match (call.get("function"), call.get("custom")) {
            (Some(function), _) => {
                (function.need_text("name")?.to_owned(), arguments(function.get("arguments").as_ref()))
            }
            (None, Some(custom)) => {
                (custom.need_text("name")?.to_owned(), Value::String(custom.need_text("input")?.to_owned()))
            }
            (None, None) => return Err(call.unexpected("a tool call with `function` or `custom`")),
        };
        calls.push(ToolCall { id: call.text("id")?.unwrap_or_default().to_owned(), name, arguments });
    }
    // The form that came before `tool_calls`: one call, without an id.
    if let Some(function) = node.get("function_call") {
        let name = function.need_text("name")?.to_owned();
        calls.push(ToolCall {
            id: String::new(),
            name,
            arguments: arguments(function.get("arguments").as_ref()),
        });
    }
    Ok(calls)
}
