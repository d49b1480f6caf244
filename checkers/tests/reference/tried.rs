//! What an example was tried on, and whether it still comes out as it says.
//!
//! ```yaml
//! params: { capital: Paris }
//! pass:
//!   - "It is Paris."                       # a reply
//! fail:
//!   - - { user: "Paris or Lyon?" }         # or a conversation: the user speaks,
//!     - { call: search, with: { pattern: x }, answer: "a.txt:1: x" }   # a tool is called (`failed: true` if it failed),
//!     - "Lyon."                            # the subject replies
//! ```

use std::io::Write;
use std::process::{Command, Stdio};

use checkers::context::Context;
use checkers::definition::Definition;
use checkers::external::{Answer, Commands, Request};
use checkers::predicates::Test;
use serde::Deserialize;
use serde_json::{Map, Value};
use transcript::{By, Message, Role, ToolCall, Transcript};

use crate::page::Example;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tried {
    #[serde(default)]
    params: Map<String, Value>,
    pass: Vec<Said>,
    fail: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Reply(String),
    Conversation(Vec<Step>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Reply(String),
    User(User),
    Call(Call),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct User {
    user: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    call: String,
    #[serde(default)]
    with: Map<String, Value>,
    answer: String,
    #[serde(default)]
    failed: bool,
}

/// What does not come out as the example says.
pub fn try_out(example: &Example) -> Result<Vec<String>, String> {
    let clause = example.clause.replace('\n', "\n  ");
    let text = format!(
        "id: example\nversion: 1\nengine: 1\nproves: x\ndoes_not_prove: x\nrequire:\n  {}\n",
        clause.trim_end()
    );
    let definition = Definition::parse("example", &text).map_err(|error| error.to_string())?;
    let [clause] = definition.require.as_slice() else {
        return Err(format!("an example is one clause: {}", example.clause));
    };
    let tried: Value = serde_yaml::from_str(&example.tried).map_err(|error| error.to_string())?;
    let tried: Tried =
        serde_json::from_value(tried).map_err(|error| format!("{error}: {}", example.tried))?;
    if tried.pass.is_empty() || tried.fail.is_empty() {
        return Err(format!("nothing passes, or nothing fails: {}", example.tried));
    }
    let mut faults = Vec::new();
    for (wanted, said) in
        tried.pass.iter().map(|said| (true, said)).chain(tried.fail.iter().map(|said| (false, said)))
    {
        let transcript = transcript(&tried.params, said);
        let cx = Context::new(&transcript).with_commands("example", &Processes);
        let shown = transcript.messages.last().map_or("", |message| message.content.as_str());
        match clause.predicate.test(&cx) {
            Ok(finding) => {
                if finding.holds != wanted {
                    faults.push(format!("{} on `{shown}`: {}", clause.id, finding.reason));
                }
                let sound = finding.evidence.iter().all(|place| {
                    let message = &transcript.messages[place.message];
                    place.call.is_some() || message.content.get(place.start..place.end).is_some()
                });
                if !sound {
                    faults.push(format!("{} on `{shown}`: {:?}", clause.id, finding.evidence));
                }
            }
            Err(error) => faults.push(format!("{} on `{shown}`: {error}", clause.id)),
        }
    }
    Ok(faults)
}

fn transcript(params: &Map<String, Value>, said: &Said) -> Transcript {
    let mut transcript = Transcript::new("example", "example");
    transcript.params.clone_from(params);
    let messages = &mut transcript.messages;
    let reply = |text: &String| Message::text(Role::Assistant, By::Model, text.clone());
    match said {
        Said::Reply(text) => messages.push(reply(text)),
        Said::Conversation(steps) => {
            for step in steps {
                match step {
                    Step::Reply(text) => messages.push(reply(text)),
                    Step::User(user) => {
                        messages.push(Message::text(Role::User, By::Script, user.user.clone()));
                    }
                    Step::Call(step) => {
                        let call = ToolCall {
                            id: format!("call-{}", messages.len()),
                            name: step.call.clone(),
                            arguments: Value::Object(step.with.clone()),
                        };
                        let result = Message::tool_result(&call, step.answer.clone(), step.failed);
                        let mut message = reply(&String::new());
                        message.tool_calls.push(call);
                        messages.extend([message, result]);
                    }
                }
            }
        }
    }
    transcript
}

/// Starts programs and waits for them; the examples' programs are short.
#[derive(Debug)]
struct Processes;

impl Commands for Processes {
    fn run(&self, request: &Request<'_>) -> Result<Answer, String> {
        let (program, arguments) = request.argv.split_first().ok_or("no program")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        // A program that does not read its input to the end may still have answered.
        let _ = child.stdin.take().ok_or("no input")?.write_all(request.input);
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Answer {
            status: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        })
    }
}
