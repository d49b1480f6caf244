//! The server's side of Gemini, which the replay server speaks.

use serde::Deserialize;
use serde_json::{Value, json};
use transcript::{By, Message, Role, StopReason, ToolCall, Usage};

use crate::wire::{Answer, Asked, WireError, one_line, parse, pieces, text_field, unwrap};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    system_instruction: Option<Turn>,
    contents: Vec<Turn>,
    #[serde(default)]
    tools: Vec<Tools>,
}

#[derive(Deserialize)]
struct Turn {
    role: Option<String>,
    parts: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tools {
    #[serde(default)]
    function_declarations: Vec<Value>,
}

/// Reads a request, on the server's side. The model, and whether to stream, are for the caller to take from the URL.
pub(in crate::wire) fn asked(body: &[u8]) -> Result<Asked, WireError> {
    let request: Request = parse(body)?;
    let mut messages = Vec::new();
    for part in request.system_instruction.into_iter().flat_map(|turn| turn.parts) {
        messages.push(Message::text(Role::System, By::Script, text_field(&part, "text")?));
    }
    // Calls without an id get one by their place, as the client gives them: by it results find their calls.
    let mut waiting: Vec<(String, String)> = Vec::new();
    for turn in request.contents {
        match turn.role.as_deref() {
            None | Some("user" | "function") => read_user(&turn.parts, &mut waiting, &mut messages)?,
            Some("model") => read_model(&turn.parts, &mut waiting, &mut messages)?,
            Some(other) => {
                return Err(WireError::new(format!("a content's role is `{}`", one_line(other, 40))));
            }
        }
    }
    let declared = request.tools.iter().flat_map(|tools| &tools.function_declarations);
    let tools = declared.filter_map(|tool| tool.get("name")?.as_str()).map(str::to_owned).collect();
    Ok(Asked { model: String::new(), messages, tools, stream: false })
}

fn read_user(
    parts: &[Value],
    waiting: &mut Vec<(String, String)>,
    messages: &mut Vec<Message>,
) -> Result<(), WireError> {
    for part in parts {
        let Some(result) = part.get("functionResponse") else {
            messages.push(Message::text(Role::User, By::Script, text_field(part, "text")?));
            continue;
        };
        let name = text_field(result, "name")?;
        let response = result.get("response").unwrap_or(&Value::Null);
        let is_error = response.get("error").is_some();
        let mut message = Message::text(
            Role::Tool,
            By::Tool,
            text_field(response, if is_error { "error" } else { "output" })?,
        );
        let asked = result.get("id").and_then(Value::as_str);
        let place = waiting.iter().position(|(id, known)| asked.map_or(known == name, |asked| asked == id));
        // What answers no call is for whoever knows the calls to refuse.
        let id = place.map_or_else(|| asked.unwrap_or_default().to_owned(), |place| waiting.remove(place).0);
        message.tool_call_id = Some(id);
        message.name = Some(name.to_owned());
        message.is_error = is_error;
        messages.push(message);
    }
    Ok(())
}

fn read_model(
    parts: &[Value],
    waiting: &mut Vec<(String, String)>,
    messages: &mut Vec<Message>,
) -> Result<(), WireError> {
    let mut message = Message::text(Role::Assistant, By::Model, "");
    for part in parts {
        if let Some(call) = part.get("functionCall") {
            let name = text_field(call, "name")?.to_owned();
            let place = messages.len() + message.tool_calls.len();
            let id =
                call.get("id").and_then(Value::as_str).map_or_else(|| format!("call-{place}"), str::to_owned);
            waiting.push((id.clone(), name.clone()));
            let arguments = unwrap(call.get("args").cloned().unwrap_or_default());
            message.tool_calls.push(ToolCall { id, name, arguments });
        } else if part.get("thought").and_then(Value::as_bool) != Some(true) && part.get("text").is_some() {
            message.content.push_str(text_field(part, "text")?);
        }
    }
    messages.push(message);
    Ok(())
}

/// Writes a response, on the server's side.
pub(in crate::wire) fn answer(answer: &Answer<'_>) -> Value {
    let mut parts = Vec::new();
    if !answer.content.is_empty() || answer.tool_calls.is_empty() {
        parts.push(json!({"text": answer.content}));
    }
    parts.extend(calls(answer));
    response(answer, &parts, true)
}

fn calls(answer: &Answer<'_>) -> Vec<Value> {
    let call =
        |call: &ToolCall| json!({"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}});
    answer.tool_calls.iter().map(call).collect()
}

fn response(answer: &Answer<'_>, parts: &[Value], last: bool) -> Value {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if last {
        candidate["finishReason"] = json!(match answer.stop {
            StopReason::Length => "MAX_TOKENS",
            StopReason::ContentFilter | StopReason::Refusal => "SAFETY",
            StopReason::Stop | StopReason::ToolCalls | StopReason::StepLimit => "STOP",
        });
    }
    let Usage { input, output, .. } = answer.usage;
    json!({
        "responseId": answer.id,
        "modelVersion": answer.model,
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": input,
            "candidatesTokenCount": output,
            "totalTokenCount": input.saturating_add(output),
        },
    })
}

/// Writes a response as a stream, on the server's side.
pub(in crate::wire) fn events(answer: &Answer<'_>) -> Vec<u8> {
    let mut parts: Vec<_> = pieces(answer.content).into_iter().map(|text| json!({"text": text})).collect();
    if parts.is_empty() && answer.tool_calls.is_empty() {
        parts.push(json!({"text": ""}));
    }
    parts.extend(calls(answer));
    let mut out = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let chunk = response(answer, std::slice::from_ref(part), index + 1 == parts.len());
        out.extend_from_slice(format!("data: {chunk}\r\n\r\n").as_bytes());
    }
    out
}
