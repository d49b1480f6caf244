//! Items of OpenAI's Responses API, the form in which calls and answers are items beside the messages.

use serde_json::Value;

use super::conversation::{Answer, Conversation};
use super::error::ImportError;
use super::node::Node;
use super::parts::{add_reasoning, arguments, content, error_message, fail, set_stop};
use crate::{By, Message, Role, StopReason, ToolCall, Transcript};

/// Reads the `output` of a response and why it ended.
pub(super) fn read_reply(
    response: &Node<'_>,
    conversation: &mut Conversation,
    transcript: &mut Transcript,
) -> Result<(), ImportError> {
    let mut calls = false;
    for item in response.list("output")? {
        let kind = item.text("type")?.unwrap_or("message");
        calls |= kind.ends_with("_call");
        read_item(&item, kind, conversation)?;
    }
    match response.text("status")? {
        None => {}
        Some("completed") => {
            transcript.stop = Some(if calls { StopReason::ToolCalls } else { StopReason::Stop });
        }
        Some("incomplete") => {
            let reason = response.get("incomplete_details");
            let reason = reason.as_ref().map(|details| details.text("reason")).transpose()?.flatten();
            set_stop(transcript, Some(reason.unwrap_or("incomplete")));
        }
        Some(status) => {
            let message = response.get("error").as_ref().map(error_message);
            fail(
                transcript,
                "endpoint-error",
                message.unwrap_or_else(|| format!("the response is {status}")),
            );
        }
    }
    Ok(())
}

/// Reads one item of the kind `kind`.
pub(super) fn read_item(
    item: &Node<'_>,
    kind: &str,
    conversation: &mut Conversation,
) -> Result<(), ImportError> {
    match kind {
        "message" => super::openai::read_message(item, conversation),
        "reasoning" => read_reasoning(item, conversation),
        "function_call" | "custom_tool_call" => {
            let id = item.text("call_id")?.or(item.text("id")?).unwrap_or_default().to_owned();
            let input = item.get(if kind == "function_call" { "arguments" } else { "input" });
            let arguments = match input {
                Some(input) if kind == "custom_tool_call" => Value::String(input.str()?.to_owned()),
                input => arguments(input.as_ref()),
            };
            conversation
                .call(By::Model, ToolCall { id, name: item.need_text("name")?.to_owned(), arguments });
            Ok(())
        }
        "mcp_call" => {
            let id = item.need_text("id")?.to_owned();
            let name = item.need_text("name")?.to_owned();
            conversation.call(
                By::Model,
                ToolCall { id: id.clone(), name, arguments: arguments(item.get("arguments").as_ref()) },
            );
            let failed = item.get("error").as_ref().map(error_message);
            let is_error = failed.is_some();
            let content = failed.or(item.text("output")?.map(str::to_owned)).unwrap_or_default();
            conversation.answer(Answer { id: Some(id), content, is_error, ..Answer::default() });
            Ok(())
        }
        answer if answer.ends_with("_call_output") => read_answer(item, conversation),
        call if call.ends_with("_call") => {
            let id = item.text("call_id")?.or(item.text("id")?).unwrap_or_default().to_owned();
            let name = call.trim_end_matches("_call").to_owned();
            conversation.call(By::Model, ToolCall { id, name, arguments: item.value().clone() });
            Ok(())
        }
        _ => Err(item.need("type")?.unexpected("an item of the Responses API that is known")),
    }
}

fn read_reasoning(item: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    let mut message = Message::text(Role::Assistant, By::Model, "");
    for key in ["summary", "content"] {
        for part in item.list(key)? {
            add_reasoning(&mut message, part.need_text("text")?);
        }
    }
    // Reasoning that is encrypted says nothing here.
    if !message.extra.is_empty() {
        conversation.say(message);
    }
    Ok(())
}

fn read_answer(item: &Node<'_>, conversation: &mut Conversation) -> Result<(), ImportError> {
    let mut message = Message::text(Role::Tool, By::Tool, "");
    if let Some(output) = item.get("output") {
        match output.value() {
            Value::String(_) | Value::Array(_) => content(&output, false)?.into_message(&mut message),
            other => message.content = other.to_string(),
        }
    }
    let id = item.text("call_id")?.or(item.text("id")?).map(str::to_owned);
    let is_error = matches!(item.text("status")?, Some("failed" | "incomplete"));
    conversation.answer(Answer { id, content: message.content, is_error, extra: message.extra, name: None });
    Ok(())
}
