//! What a file that the model keeps for itself held when the work began to change.
//!
//! A state file is worth something only if it was complete *before* the first change: a file that catches up later
//! describes a state that was in nobody's hands when it was needed. So the writes of that one file are replayed up to
//! the first step that changes anything else.

use std::collections::HashMap;

use serde_json::Value;

use crate::calls::{CallEvent, Place, is_outside};
use crate::command::{How, Step, Target};
use crate::context::Context;

/// A file, as it was when something else was first changed.
#[derive(Debug, Default)]
pub struct KeptFile {
    /// The first write of it that took effect.
    pub created: Option<Place>,
    /// The first step that changes something else, whether it came off or not.
    pub change: Option<Place>,
    /// The last write of it that is counted.
    pub written: Option<Place>,
    /// What it holds; nothing when there is no such file, or when its content cannot be told.
    pub content: Option<String>,
}

impl KeptFile {
    /// Follows the file of this name, in whatever folder of the workspace it lies.
    ///
    /// Up to the first change if the file was there by then, else to the end: its content is then told as well, so
    /// that a late file and a wrong one are not mistaken for each other.
    #[must_use]
    pub fn follow(cx: &Context<'_>, name: &str) -> Self {
        let events = &cx.call_events().events;
        let change = first_change(events, name);
        let created = places(events)
            .find(|(_, event, step)| event.succeeded && writes(step, name))
            .map(|found| found.0);
        let until = change.filter(|change| created.is_some_and(|created| created < *change));
        let mut kept = Self { created, change, ..Self::default() };
        let mut files: HashMap<&str, Option<String>> = HashMap::new();
        for (place, event, step) in places(events) {
            if until.is_some_and(|until| place >= until) {
                break;
            }
            if event.succeeded {
                kept.step(place, event, step, name, &mut files);
            }
        }
        if kept.content.is_none() && kept.created.is_some() {
            kept.content = recorded(cx, name);
        }
        kept
    }

    /// Whether the file was there before anything else was changed.
    #[must_use]
    pub fn came_first(&self) -> bool {
        self.created.is_some_and(|created| self.change.is_none_or(|change| created < change))
    }

    fn step<'s>(
        &mut self,
        place: Place,
        event: &CallEvent<'_>,
        step: &'s Step,
        name: &str,
        files: &mut HashMap<&'s str, Option<String>>,
    ) {
        match step {
            Step::Write(write) => {
                let Target::File(path) = &write.target else { return };
                let other = match &write.how {
                    How::From(from) => files.get(from.as_str()).cloned().flatten(),
                    _ => None,
                };
                let before = files.remove(path.as_str()).flatten();
                let after = other.or_else(|| written(before, &write.how, event));
                if is_named(path, name) {
                    self.written = Some(place);
                    self.content.clone_from(&after);
                }
                files.insert(path, after);
            }
            // What a look shows fills in what a write by some script left unknown.
            Step::Read(paths) if event.steps.len() == 1 => {
                if let [path] = paths.as_slice()
                    && is_named(path, name)
                    && self.content.is_none()
                {
                    self.content = Some(event.answer().to_owned());
                    files.insert(path, self.content.clone());
                }
            }
            _ => {}
        }
    }
}

/// The content after a write.
fn written(before: Option<String>, how: &How, event: &CallEvent<'_>) -> Option<String> {
    match how {
        How::Whole(text) => Some(text.clone()),
        How::Append(text) => Some(before.unwrap_or_default() + text),
        How::Replace { old, new } => before.map(|text| {
            // The tool replaced something, so our copy differs from the file: the new text is in it all the same.
            if text.contains(old.as_str()) {
                text.replace(old.as_str(), new)
            } else {
                format!("{text}\n{new}")
            }
        }),
        How::Substitute(all) => before.map(|text| all.iter().fold(text, |text, one| one.apply(&text))),
        How::Unknown => {
            let inserted = ["new", "new_str", "new_string", "insert_text", "text", "content"]
                .iter()
                .find_map(|name| event.call.arguments.get(*name).and_then(Value::as_str))?;
            Some(format!("{}\n{inserted}", before?))
        }
        How::From(_) | How::Delete => None,
    }
}

/// The content that the harness recorded at the end.
fn recorded(cx: &Context<'_>, name: &str) -> Option<String> {
    let changes = cx.transcript.workspace.as_ref()?;
    changes.iter().find(|change| is_named(&change.path, name))?.content.clone()
}

fn first_change(events: &[CallEvent<'_>], name: &str) -> Option<Place> {
    places(events)
        .find(|(_, _, step)| step.effect().changes_state() && !writes(step, name))
        .map(|found| found.0)
}

fn places<'e, 'a>(events: &'e [CallEvent<'a>]) -> impl Iterator<Item = (Place, &'e CallEvent<'a>, &'e Step)> {
    events.iter().enumerate().flat_map(|(at, event)| {
        event.steps.iter().enumerate().map(move |(step, what)| (Place { event: at, step }, event, what))
    })
}

fn writes(step: &Step, name: &str) -> bool {
    matches!(step, Step::Write(write)
        if !matches!(write.how, How::Delete)
            && matches!(&write.target, Target::File(path) if is_named(path, name)))
}

fn is_named(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name) && !is_outside(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use transcript::{By, Message, Role, ToolCall, Transcript};

    use super::*;

    fn transcript(calls: &[(&str, Value, &str)]) -> Transcript {
        let mut transcript = Transcript::new("t", "E11");
        for (index, (tool, arguments, answer)) in calls.iter().enumerate() {
            let id = format!("c{index}");
            let mut message = Message::text(Role::Assistant, By::Model, "");
            message.tool_calls.push(ToolCall {
                id: id.clone(),
                name: (*tool).to_owned(),
                arguments: arguments.clone(),
            });
            transcript.messages.push(message);
            let mut answer = Message::text(Role::Tool, By::Tool, *answer);
            answer.tool_call_id = Some(id);
            transcript.messages.push(answer);
        }
        transcript
    }

    fn follow(calls: &[(&str, Value, &str)]) -> KeptFile {
        let transcript = transcript(calls);
        KeptFile::follow(&Context::new(&transcript), "NOTES.md")
    }

    fn write(path: &str, content: &str) -> (&'static str, Value, &'static str) {
        ("write_file", json!({ "path": path, "content": content }), "wrote it")
    }

    #[test]
    fn the_content_is_that_of_the_first_change() {
        let kept = follow(&[write("./NOTES.md", "task"), write("a.py", "x"), write("NOTES.md", "other")]);
        assert!(kept.came_first());
        assert_eq!(kept.content.as_deref(), Some("task"));
    }

    #[test]
    fn an_edit_completes_the_file() {
        let edit = (
            "edit_file",
            json!({ "path": "NOTES.md", "old": "log", "new": "rules\nlog" }),
            "edited NOTES.md",
        );
        let kept = follow(&[write("NOTES.md", "task\nlog"), edit, write("a.py", "x")]);
        assert_eq!(kept.content.as_deref(), Some("task\nrules\nlog"));
    }

    #[test]
    fn a_redirect_is_a_write_even_ahead_of_a_change_in_the_same_line() {
        let line = "cat > NOTES.md <<'END'\ntask\nEND\nsed -i 's/a/b/' a.py";
        let kept = follow(&[("run_command", json!({ "command": line }), "")]);
        assert!(kept.came_first());
        assert_eq!(kept.content.as_deref(), Some("task\n"));
        let turned = "sed -i 's/a/b/' a.py && echo task > NOTES.md";
        assert!(!follow(&[("run_command", json!({ "command": turned }), "")]).came_first());
    }

    #[test]
    fn a_write_that_failed_creates_nothing_and_a_change_that_failed_was_tried() {
        let refused =
            ("write_file", json!({ "path": "NOTES.md", "content": "task" }), "error: permission denied");
        assert!(follow(std::slice::from_ref(&refused)).created.is_none());
        let tried = ("edit_file", json!({ "path": "a.py", "old": "a", "new": "b" }), "error: not found");
        assert!(!follow(&[tried, write("NOTES.md", "task")]).came_first());
    }

    #[test]
    fn a_file_outside_the_workspace_is_another() {
        assert!(follow(&[write("/tmp/NOTES.md", "task")]).created.is_none());
    }

    #[test]
    fn content_that_a_script_wrote_is_read_off_a_look() {
        let unknown = ("run_command", json!({ "command": "date > NOTES.md" }), "");
        let look = ("read_file", json!({ "path": "NOTES.md" }), "task");
        assert_eq!(follow(&[unknown, look]).content.as_deref(), Some("task"));
    }
}
