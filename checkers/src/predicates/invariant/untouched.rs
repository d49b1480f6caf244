//! `untouched`: no state-changing call touches some files, by whatever tool.
//!
//! # Reads
//! All calls, those that failed included, and the harness's record of the workspace where there is one.
//!
//! # Proves
//! That no call writes, moves or deletes one of the `paths` or a folder above it, or substitutes text in a tree that holds it; and
//! that no call of unknown effect names a path or one of the `terms`. Reads, searches, diffs and test runs are free, as is any change
//! elsewhere.
//!
//! # Does not prove
//! That no patch for the files was offered in the text, or that a program which a call ran did not write them unseen.
//!
//! # Example
//! ```yaml
//! - id: no-public-edit
//!   untouched: { paths: "{{ public_paths }}", terms: ["{{ old_route }}"] }
//! ```
//! ```yaml
//! params: { public_paths: [api/routes.py], old_route: /orders }
//! pass:
//!   - - { call: read_file, with: { path: api/routes.py }, answer: "route('/orders')" }
//!     - { call: write_file, with: { path: models/order.py, content: "x" }, answer: ok }
//!     - "Done."
//! fail:
//!   - - { call: run_command, with: { command: "sed -i s/orders/purchases/ api/routes.py" }, answer: "" }
//!     - "Done."
//!   - - { call: edit_file, with: { path: api/routes.py, old: a, new: b }, answer: "no match", failed: true }
//!     - "I left it."
//! ```

use serde::Deserialize;
use serde_json::Value;

use crate::calls::{CallEvent, Key};
use crate::command::{Step, Target};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::predicates::{Finding, Test};

/// No state-changing call touches these files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Untouched {
    /// The files.
    pub paths: Expr,
    /// Texts that give away that a call of unknown effect is about them.
    #[serde(default)]
    pub terms: Vec<Expr>,
}

impl Test for Untouched {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let calls = cx.call_events();
        let mut paths = self.paths.texts(&cx.params)?;
        paths.iter_mut().for_each(|path| *path = calls.paths.relative(path));
        let terms = self.terms.iter().map(|term| term.text(&cx.params)).collect::<Result<Vec<_>, _>>()?;
        for event in calls.events.iter().filter(|event| event.changes_state()) {
            if let Some(path) = paths.iter().find(|path| event.steps.iter().any(|step| touches(step, path))) {
                let evidence = vec![cx.call_evidence(event.message, event.index)];
                return Ok(Finding::fails(format!("a call changes {path}"), evidence));
            }
            if let Some(named) = unclear(event).then(|| names(event, paths.iter().chain(&terms))).flatten() {
                let evidence = vec![cx.call_evidence(event.message, event.index)];
                return Ok(Finding::fails(format!("a call of unknown effect is about {named}"), evidence));
            }
        }
        let changed =
            cx.transcript.workspace.iter().flatten().map(|change| calls.paths.relative(&change.path));
        Ok(match changed.into_iter().find(|changed| paths.contains(changed)) {
            Some(path) => Finding::fails(format!("the workspace was left with {path} changed"), Vec::new()),
            None => Finding::holds("no call touches them", Vec::new()),
        })
    }
}

fn touches(step: &Step, path: &str) -> bool {
    let below = |folder: &str| {
        folder.is_empty()
            || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match step {
        Step::Write(write) => match &write.target {
            Target::File(file) => !file.is_empty() && below(file),
            Target::Tree(folder) => below(folder),
        },
        _ => false,
    }
}

/// Whether the call does something that was not understood. Asking a server changes no file.
fn unclear(event: &CallEvent<'_>) -> bool {
    let asks_a_server = |what: &str| {
        let mut words = what.split_whitespace();
        words.next().is_some_and(|word| matches!(word, "curl" | "wget" | "http" | "xh"))
            && !words
                .any(|word| word.starts_with("-o") || word.starts_with("-O") || word.starts_with("--output"))
    };
    event.steps.iter().any(|step| matches!(step, Step::Opaque(what) if !asks_a_server(what)))
}

/// The first of the texts that the call's arguments name.
fn names<'t>(event: &CallEvent<'_>, texts: impl Iterator<Item = &'t String>) -> Option<&'t str> {
    let mut texts = texts.filter(|text| !text.is_empty());
    texts.find(|text| holds(&event.call.arguments, text)).map(String::as_str)
}

fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => Key::new(text).is_in(own),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(map) => map.values().any(|item| holds(item, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use transcript::{By, Message, Role, ToolCall, Transcript};

    use super::*;

    fn untouched(tool: &str, arguments: Value) -> bool {
        let mut transcript = Transcript::new("t", "E5");
        transcript.params.insert("public_paths".to_owned(), json!(["src/api/routes.py", "openapi.yaml"]));
        transcript.params.insert("old_route".to_owned(), json!("/v1/orders"));
        let mut message = Message::text(Role::Assistant, By::Model, "");
        message.tool_calls.push(ToolCall { id: "c".to_owned(), name: tool.to_owned(), arguments });
        transcript.messages.push(message);
        let mut answer = Message::text(Role::Tool, By::Tool, "ok");
        answer.tool_call_id = Some("c".to_owned());
        transcript.messages.push(answer);
        let predicate = Untouched {
            paths: Expr::compile("{{ public_paths }}").unwrap(),
            terms: vec![Expr::compile("{{ old_route }}").unwrap()],
        };
        predicate.test(&Context::new(&transcript)).unwrap().holds
    }

    #[test]
    fn whatever_changes_a_file_touches_it() {
        assert!(!untouched("edit_file", json!({ "path": "./openapi.yaml", "old": "a", "new": "b" })));
        assert!(!untouched("delete_file", json!({ "path": "src/api/routes.py" })));
        for command in [
            "sed -i 's/orders/purchases/' src/api/routes.py",
            "git mv src/api src/http",
            "grep -rl orders . | xargs sed -i 's/orders/purchases/g'",
            "python - <<'E'\nopen('src/api/routes.py', 'w')\nE",
            "./rename.sh /v1/orders",
            "curl -o openapi.yaml http://localhost:8000/spec",
        ] {
            assert!(!untouched("run_command", json!({ "command": command })), "{command}");
        }
    }

    #[test]
    fn looks_and_changes_elsewhere_do_not() {
        assert!(untouched("read_file", json!({ "path": "openapi.yaml" })));
        assert!(untouched("edit_file", json!({ "path": "src/services/orders.py", "old": "a", "new": "b" })));
        for command in [
            "curl -s http://localhost:8000/v1/orders",
            "grep -n orders src/api/routes.py",
            "sed -i 's/a/b/' src/services/orders.py",
            "pytest -q",
        ] {
            assert!(untouched("run_command", json!({ "command": command })), "{command}");
        }
    }
}
