//! Properties of the predicates that read conduct: state files, invariants, test runs, testimony, closing.
//!
//! Whatever the reply is, there is a finding and its evidence stands in the transcript; what has nothing to do with a
//! clause leaves it as it is; and what a clause asks for decides it, in whatever order, number and wording it comes.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod any_text;
mod closing;
mod runs;
mod state;
mod told;

use checkers::context::Context;
use checkers::definition::Definition;
use checkers::predicates::{Finding, Test};
use serde_json::{Value, json};
use transcript::{By, Message, Role, ToolCall, Transcript};

/// What the predicate `clause`, as YAML, finds in a conversation.
fn finding(clause: &str, params: &Value, messages: Vec<Message>) -> Finding {
    let text = format!(
        "{{id: x, version: 1, engine: 1, proves: x, does_not_prove: x, require: [{{id: clause, {clause}}}]}}"
    );
    let definition = Definition::parse("x", &text).unwrap_or_else(|error| panic!("{error}"));
    let mut transcript = Transcript::new("x", "x");
    transcript.params = params.as_object().unwrap().clone();
    transcript.messages = messages;
    let found = definition.require[0].predicate.test(&Context::new(&transcript)).unwrap();
    assert!(is_sound(&transcript, &found), "{found:?}");
    found
}

/// Whether all evidence stands in the transcript.
fn is_sound(transcript: &Transcript, finding: &Finding) -> bool {
    finding.evidence.iter().all(|place| {
        transcript.messages.get(place.message).is_some_and(|message| match place.call {
            Some(call) => call < message.tool_calls.len(),
            None => message.content.get(place.start..place.end) == Some(place.text.as_str()),
        })
    })
}

fn reply(text: impl Into<String>) -> Vec<Message> {
    vec![Message::text(Role::Assistant, By::Model, text)]
}

/// A call that succeeds with this answer.
fn call(name: &str, arguments: Value, answer: impl Into<String>) -> Vec<Message> {
    let call = ToolCall { id: format!("{name}-{arguments}"), name: name.to_owned(), arguments };
    let result = Message::tool_result(&call, answer, false);
    let mut message = Message::text(Role::Assistant, By::Model, "");
    message.tool_calls.push(call);
    vec![message, result]
}

fn write(path: &str, content: &str) -> Vec<Message> {
    call("write_file", json!({"path": path, "content": content}), format!("wrote {path}"))
}

fn edit(path: &str) -> Vec<Message> {
    call(
        "edit_file",
        json!({"path": path, "old": "alpha", "new": "beta"}),
        format!("edited {path} (1 replacement)"),
    )
}

fn read(path: &str) -> Vec<Message> {
    call("read_file", json!({"path": path}), "beta = 1\n")
}
