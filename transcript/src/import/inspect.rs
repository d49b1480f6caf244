//! Logs of Inspect AI: an `.eval` file is a zip with one JSON member a sample, a `.json` log holds all of them.

use serde_json::{Map, Value};

use super::ImportAs;
use super::archive::{Archive, Limits};
use super::conversation::{Answer, Conversation};
use super::error::{Fault, ImportError};
use super::json::{Document, parse, without_python_constants};
use super::node::Node;
use super::parts::{arguments, content, error_message, fail, set_stop, usage};
use crate::{By, Message, Role, Served, ToolCall, Transcript};

pub(super) fn import(bytes: &[u8], what: &ImportAs) -> Result<Vec<Transcript>, ImportError> {
    if bytes.starts_with(b"PK") {
        import_eval(bytes, what, Limits::default())
    } else {
        import_json(bytes, what)
    }
}

pub(super) fn import_eval(
    bytes: &[u8],
    what: &ImportAs,
    limits: Limits,
) -> Result<Vec<Transcript>, ImportError> {
    let mut archive = Archive::open(bytes, limits)?;
    let members = archive.members()?;
    // A run that was stopped has not written its header yet; the journal names the model then.
    let header = ["header.json", "_journal/start.json"];
    let header = header.iter().find_map(|name| members.iter().find(|member| member.name == *name));
    let model = match header {
        Some(member) => {
            let document = read(&archive.unpack(member)?, Some(&member.name))?;
            model_of(&Node::root(&document))?.map(str::to_owned)
        }
        None => None,
    };
    let mut transcripts = Vec::new();
    for member in members.iter().filter(|member| is_sample(&member.name)) {
        let document = read(&archive.unpack(member)?, Some(&member.name))?;
        transcripts.push(read_sample(&Node::root(&document), model.as_deref(), what)?);
    }
    Ok(transcripts)
}

fn is_sample(name: &str) -> bool {
    name.starts_with("samples/") && name.ends_with(".json")
}

fn import_json(bytes: &[u8], what: &ImportAs) -> Result<Vec<Transcript>, ImportError> {
    let document = read(bytes, None)?;
    let log = Node::root(&document);
    log.need("eval")?;
    let model = model_of(&log)?;
    log.list("samples")?.iter().map(|sample| read_sample(sample, model, what)).collect()
}

/// Reads JSON as Python writes it.
fn read(bytes: &[u8], member: Option<&str>) -> Result<Document, ImportError> {
    parse(bytes, member).or_else(|error| parse(&without_python_constants(bytes), member).map_err(|_| error))
}

fn model_of<'v>(log: &Node<'v>) -> Result<Option<&'v str>, ImportError> {
    match log.get("eval") {
        Some(eval) => eval.text("model"),
        None => Ok(None),
    }
}

fn read_sample(sample: &Node<'_>, model: Option<&str>, what: &ImportAs) -> Result<Transcript, ImportError> {
    let own = own_case(sample, what)?;
    let what = own.as_ref().unwrap_or(what);
    let id = match sample.need("id")?.value() {
        Value::String(id) => id.clone(),
        other => other.to_string(),
    };
    let epoch = sample.count("epoch").max(1);
    let id = format!("{}:{id}#{epoch}", what.id_prefix);
    let mut transcript = what.start(id).map_err(|fault| sample.fault(fault))?;
    transcript.trial = u32::try_from(epoch).ok();
    transcript.model = model.map(str::to_owned);
    transcript.started = sample.text("started_at")?.map(str::to_owned);
    let attachments = sample.get("attachments");
    let mut conversation = Conversation::default();
    for message in sample.need("messages")?.items()? {
        read_message(&message, attachments.as_ref(), &mut conversation)?;
    }
    transcript.messages = conversation.finish();
    read_outcome(sample, &mut transcript)?;
    Ok(transcript)
}

/// The case that the sample itself names in `metadata.assize`.
fn own_case(sample: &Node<'_>, what: &ImportAs) -> Result<Option<ImportAs>, ImportError> {
    let Some(named) = sample.get("metadata").and_then(|metadata| metadata.get("assize")) else {
        return Ok(None);
    };
    for key in named.object()?.keys() {
        if !["case", "variant", "params"].contains(&key.as_str()) {
            return Err(named.unexpected("`case`, `variant` and `params`, and nothing else"));
        }
    }
    let params = match named.get("params") {
        Some(params) => params.object()?.clone(),
        None => Map::new(),
    };
    let case = Some(named.need_text("case")?.to_owned());
    let variant = named.text("variant")?.map(str::to_owned);
    Ok(Some(ImportAs { case, variant, params, ..what.clone() }))
}

/// How the sample ended: what broke off or ran into a limit has no verdict.
fn read_outcome(sample: &Node<'_>, transcript: &mut Transcript) -> Result<(), ImportError> {
    if let Some(error) = sample.get("error") {
        fail(transcript, "agent-error", error_message(&error));
    }
    if let Some(limit) = sample.get("limit") {
        let kind = limit.text("type")?.unwrap_or("unknown");
        fail(
            transcript,
            "limit",
            format!("the sample ran into its limit of kind {}", super::error::cut(kind)),
        );
    }
    if let Some(invalidation) = sample.get("invalidation") {
        fail(
            transcript,
            "invalidated",
            format!("the sample was declared invalid: {}", error_message(&invalidation)),
        );
    }
    let Some(output) = sample.get("output") else { return Ok(()) };
    if let Some(error) = output.get("error") {
        fail(transcript, "endpoint-error", error_message(&error));
    }
    let model = output.text("model")?.map(str::to_owned);
    transcript.served.push(Served { model, ..Served::default() });
    transcript.usage = output.get("usage").as_ref().map(usage);
    if let Some(choice) = output.list("choices")?.first() {
        set_stop(transcript, choice.text("stop_reason")?);
    }
    Ok(())
}

fn read_message(
    node: &Node<'_>,
    attachments: Option<&Node<'_>>,
    conversation: &mut Conversation,
) -> Result<(), ImportError> {
    let (role, by) = match (node.need_text("role")?, node.text("source")?) {
        ("system", _) => (Role::System, By::Script),
        ("user", _) => (Role::User, By::Script),
        // What was in the sample's input was not said by the model on trial.
        ("assistant", Some("input")) => (Role::Assistant, By::Script),
        ("assistant", _) => (Role::Assistant, By::Model),
        ("tool", _) => (Role::Tool, By::Tool),
        _ => return Err(node.need("role")?.unexpected("system, user, assistant or tool")),
    };
    let mut message = Message::text(role, by, "");
    if let Some(parts) = node.get("content") {
        content(&parts, by == By::Model)?.into_message(&mut message);
        if message.content.starts_with("attachment://") {
            message.content = attached(&parts, &message.content, attachments)?;
        }
    }
    if role == Role::Tool {
        let failed = node.get("error").as_ref().map(error_message);
        let is_error = failed.is_some();
        let content = if message.content.is_empty() { failed.unwrap_or_default() } else { message.content };
        let id = node.text("tool_call_id")?.map(str::to_owned);
        let name = node.text("function")?.map(str::to_owned);
        conversation.answer(Answer { id, name, content, is_error, extra: message.extra });
        return Ok(());
    }
    for call in node.list("tool_calls")? {
        message.tool_calls.push(ToolCall {
            id: call.text("id")?.unwrap_or_default().to_owned(),
            name: call.need_text("function")?.to_owned(),
            arguments: arguments(call.get("arguments").as_ref()),
        });
    }
    if let Some(source) = node.get("source") {
        message.extra.insert("source".to_owned(), source.value().clone());
    }
    conversation.say(message);
    Ok(())
}

/// Long texts are kept beside the messages, which then only name them.
fn attached(node: &Node<'_>, name: &str, attachments: Option<&Node<'_>>) -> Result<String, ImportError> {
    let hash = name.trim_start_matches("attachment://");
    let text = attachments.map(|all| all.text(hash)).transpose()?.flatten();
    text.map(str::to_owned).ok_or_else(|| {
        let found = super::error::cut(name);
        node.fault(Fault::Unexpected { wanted: "a text that is among the sample's attachments", found })
    })
}
