//! What an endpoint wants back with the next request, as it came: a router's details of reasoning, and what stands
//! beside a call. Nothing of it can be read here; without it the next request is refused, or the model forgets.

use serde_json::{Map, Value};
use transcript::Message;

/// Where a message keeps a router's details of its reasoning.
pub(super) const DETAILS: &str = "reasoning_details";

/// Where a message keeps what stood beside its calls, by the call's id.
pub(super) const CALLS: &str = "call_extra_content";

/// Fields of a detail that a stream sends in pieces.
const IN_PIECES: [&str; 3] = ["text", "summary", "data"];

/// Keeps it with the message. `extras` are in the order of the message's calls.
pub(super) fn keep(message: &mut Message, details: Option<Value>, extras: Vec<Option<Value>>) {
    if let Some(details) = details.filter(|details| details.as_array().is_some_and(|list| !list.is_empty())) {
        message.extra.insert(DETAILS.to_owned(), details);
    }
    let extras = message.tool_calls.iter().zip(extras);
    let extras: Map<_, _> = extras.filter_map(|(call, extra)| Some((call.id.clone(), extra?))).collect();
    if !extras.is_empty() {
        message.extra.insert(CALLS.to_owned(), Value::Object(extras));
    }
}

/// Adds a stream's next details to those so far. One that goes on with the last, by its kind and number, is put
/// together with it.
pub(super) fn add(details: &mut Vec<Value>, new: Value) {
    let Value::Array(new) = new else { return };
    for detail in new {
        let goes_on = |last: &&mut Value| {
            ["type", "index"].iter().all(|field| last.get(field) == detail.get(field)) && detail.is_object()
        };
        match (details.last_mut().filter(goes_on), &detail) {
            (Some(Value::Object(last)), Value::Object(fields)) => join(last, fields),
            _ => details.push(detail),
        }
    }
}

fn join(last: &mut Map<String, Value>, new: &Map<String, Value>) {
    for (name, value) in new {
        match (last.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more)) if IN_PIECES.contains(&name.as_str()) => {
                text.push_str(more);
            }
            (Some(Value::Null) | None, value) => {
                last.insert(name.clone(), value.clone());
            }
            _ => {}
        }
    }
}
