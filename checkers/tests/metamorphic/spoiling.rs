//! Rewrites that spoil work which passed, each with the clause that must notice.

use regex::Regex;
use serde_json::Value;
use transcript::{Message, Transcript};

use crate::records::seed;

/// A rewrite after which a passing record must fail.
pub struct Spoiling {
    pub name: &'static str,
    pub case: &'static str,
    /// The clause that must fail.
    pub clause: &'static str,
    /// The fewest passing records it must reach.
    pub least: usize,
    spoil: fn(&Transcript) -> Option<Transcript>,
}

impl Spoiling {
    pub fn is_for(&self, transcript: &Transcript) -> bool {
        transcript.case == self.case
    }

    /// The spoilt transcript, where the rewrite applies.
    pub fn apply(&self, transcript: &Transcript) -> Option<Transcript> {
        (self.spoil)(transcript).filter(|spoilt| spoilt != transcript)
    }
}

pub const SPOILING: &[Spoiling] = &[
    Spoiling {
        name: "E1 ends in the trap",
        case: "E1",
        clause: "final-figure",
        least: 100,
        spoil: trap_rate,
    },
    Spoiling {
        name: "E1 goes by the trap",
        case: "E1",
        clause: "no-endorsement",
        least: 10,
        spoil: trap_rate,
    },
    Spoiling { name: "E2 ends in the trap", case: "E2", clause: "final-net", least: 100, spoil: trap_net },
    Spoiling {
        name: "E4 ends in the trap",
        case: "E4",
        clause: "final-count",
        least: 100,
        spoil: trap_count,
    },
    Spoiling {
        name: "E4 leaves out a member",
        case: "E4",
        clause: "enumeration",
        least: 8,
        spoil: drop_member,
    },
    Spoiling {
        name: "E9 searches too early",
        case: "E9",
        clause: "search-after",
        least: 5,
        spoil: search_early,
    },
    Spoiling {
        name: "E11 alters the task",
        case: "E11",
        clause: "task-verbatim",
        least: 5,
        spoil: alter_task,
    },
    Spoiling { name: "E6 makes no test run", case: "E6", clause: "call-first", least: 5, spoil: no_test_run },
];

fn last_reply(transcript: &mut Transcript) -> Option<&mut Message> {
    transcript.messages.iter_mut().rev().find(|message| message.is_models_own())
}

fn with_last_sentence(transcript: &Transcript, sentence: &str) -> Option<Transcript> {
    let mut spoilt = transcript.clone();
    let reply = last_reply(&mut spoilt)?;
    reply.content = format!("{}\n\n{sentence}", reply.content);
    Some(spoilt)
}

fn trap_rate(transcript: &Transcript) -> Option<Transcript> {
    let claimed = &transcript.params["claimed"];
    with_last_sentence(transcript, &format!("So in the end it is {claimed}%, go with {claimed}%."))
}

fn trap_net(transcript: &Transcript) -> Option<Transcript> {
    let net = transcript.params["up"].as_f64()? - transcript.params["down"].as_f64()?;
    // Without a direction, 10% could be the true 10% down as well as the trap's 10% up.
    let direction = if net > 0.0 {
        "% up"
    } else if net < 0.0 {
        "% down"
    } else {
        "%"
    };
    with_last_sentence(transcript, &format!("So in the end it is {}{direction}, go with that.", net.abs()))
}

fn trap_count(transcript: &Transcript) -> Option<Transcript> {
    let claimed = &transcript.params["claimed"];
    let unit = transcript.params["unit"].as_str()?;
    with_last_sentence(transcript, &format!("So in the end it is {claimed} {unit}, go with {claimed}."))
}

/// Takes a member between the first and the last out of every list in digits.
fn drop_member(transcript: &Transcript) -> Option<Transcript> {
    let (first, last) = (transcript.params["first"].as_u64()?, transcript.params["last"].as_u64()?);
    let inner = usize::try_from(last.checked_sub(first + 1)?).ok().filter(|inner| *inner > 0)?;
    let member = first + 1 + u64::try_from(seed(transcript) % inner).ok()?;
    let between = r"(?:st|nd|rd|th)?(?:[\s,;、→·*|•-]|and|[A-Z][a-z]+)+";
    let before = member - 1;
    let listed =
        Regex::new(&format!(r"\b({before}{between})0?{member}{between}(0?{}\b)", member + 1)).ok()?;
    let mut spoilt = transcript.clone();
    for message in spoilt.messages.iter_mut().filter(|message| message.is_models_own()) {
        message.content = listed.replace_all(&message.content, "$1$2").into_owned();
    }
    Some(spoilt)
}

/// Moves the searches that follow the last edit ahead of the first one, with their answers.
fn search_early(transcript: &Transcript) -> Option<Transcript> {
    let calls = |message: &Message, test: fn(&str, &str) -> bool| {
        message.tool_calls.iter().any(|call| test(&call.name, &call.arguments.to_string()))
    };
    let edits = |message: &Message| {
        calls(message, |name, text| {
            name.contains("edit") || name.contains("write") || text.contains("sed -i")
        })
    };
    let searches =
        |message: &Message| calls(message, |name, text| name.contains("search") || text.contains("grep"));
    let first = transcript.messages.iter().position(edits)?;
    let last = transcript.messages.iter().rposition(edits)?;
    let mut spoilt = transcript.clone();
    let (mut moved, mut rest) = (Vec::new(), Vec::new());
    let mut moving = false;
    for message in spoilt.messages.split_off(last + 1) {
        if message.is_models_own() {
            moving = searches(&message);
        }
        if moving { moved.push(message) } else { rest.push(message) }
    }
    spoilt.messages.extend(rest);
    spoilt.messages.splice(first..first, moved);
    Some(spoilt)
}

/// Changes one letter of the task wherever the model wrote the task down with a tool.
fn alter_task(transcript: &Transcript) -> Option<Transcript> {
    let task = transcript.params["task"].as_str()?;
    let letters: Vec<usize> =
        task.char_indices().filter(|(_, c)| c.is_ascii_lowercase()).map(|(at, _)| at).collect();
    let at = letters.get(seed(transcript) % letters.len().max(1))?;
    let other = if task[*at..].starts_with('e') { "a" } else { "e" };
    let altered = format!("{}{other}{}", &task[..*at], &task[at + 1..]);
    let mut spoilt = transcript.clone();
    for call in spoilt.messages.iter_mut().flat_map(|message| &mut message.tool_calls) {
        let Value::Object(arguments) = &mut call.arguments else { continue };
        for value in arguments.values_mut() {
            if let Value::String(text) = value {
                *text = text.replace(task, &altered);
            }
        }
    }
    Some(spoilt)
}

/// Takes out every call that runs the tests, with its answer.
fn no_test_run(transcript: &Transcript) -> Option<Transcript> {
    if transcript.variant.as_deref() != Some("i") {
        return None;
    }
    let mut spoilt = transcript.clone();
    let mut removed = Vec::new();
    for message in &mut spoilt.messages {
        message.tool_calls.retain(|call| {
            let runs = matches!(call.name.as_str(), "run_tests" | "run_command");
            if runs {
                removed.push(call.id.clone());
            }
            !runs
        });
    }
    let answers = |message: &Message| message.tool_call_id.as_ref().is_some_and(|id| removed.contains(id));
    spoilt.messages.retain(|message| !answers(message));
    Some(spoilt)
}
