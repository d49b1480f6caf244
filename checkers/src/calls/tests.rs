use proptest::prelude::*;
use serde_json::{Value, json};
use transcript::{By, Role};

use super::workspace::Workspace;
use super::*;

/// A transcript in which each call is a message of its own and is answered at once.
fn transcript(calls: &[(&str, Value, &str)]) -> Transcript {
    let mut transcript = Transcript::new("t", "E9");
    transcript.params.insert("paths".to_owned(), json!(["src/a.py", "b.yaml"]));
    for (at, (name, arguments, answer)) in calls.iter().enumerate() {
        let call = ToolCall { id: format!("c{at}"), name: (*name).to_owned(), arguments: arguments.clone() };
        let mut message = Message::text(Role::Assistant, By::Model, "");
        message.tool_calls.push(call.clone());
        transcript.messages.push(message);
        transcript.messages.push(Message::tool_result(&call, *answer, false));
    }
    transcript
}

fn shows(transcript: &Transcript, path: &str, text: &str) -> bool {
    let calls = Calls::read(transcript);
    let workspace = Workspace::replay(transcript, &calls, Some("key"));
    workspace.file(path).is_some_and(|file| file.written.is_some() && file.shows(|t| t.contains(text)))
}

#[test]
fn arguments_go_by_many_names() {
    let transcript = transcript(&[
        ("edit_file", json!({"file_path": "/repo/src/a.py", "old_string": "key", "new_string": "name"}), "ok"),
        ("run_command", json!({"cmd": ["bash", "-lc", "grep -rn key ."]}), ""),
        ("write_file", json!({"filename": "./b.yaml", "text": "name: 1"}), "ok"),
    ]);
    let calls = Calls::read(&transcript);
    assert_eq!(calls.edits().count(), 2);
    assert_eq!(calls.events[1].searches().count(), 1);
    assert!(shows(&transcript, "src/a.py", "name"));
    assert!(shows(&transcript, "b.yaml", "name: 1"));
}

#[test]
fn a_failed_edit_is_none() {
    let transcript = transcript(&[
        ("edit_file", json!({"path": "b.yaml", "old": "key", "new": "name"}), "error: old text not found in b.yaml"),
        ("edit_file", json!({"path": "b.yaml", "old": "key", "new": "name"}), "edited b.yaml (0 replacements)"),
    ]);
    assert_eq!(Calls::read(&transcript).edits().count(), 0);
    assert!(!shows(&transcript, "b.yaml", "name"));
}

#[test]
fn an_unanswered_call_did_not_happen() {
    let mut transcript = transcript(&[("write_file", json!({"path": "b.yaml", "content": "name"}), "ok")]);
    transcript.messages.pop();
    assert_eq!(Calls::read(&transcript).edits().count(), 0);
}

#[test]
fn unknown_tools_change_state_unless_the_transcript_says_otherwise() {
    let mut transcript = transcript(&[("peek", json!({}), "x")]);
    assert!(Calls::read(&transcript).events[0].changes_state());
    transcript.tools = vec![json!({"name": "peek", "effect": "read"})];
    assert!(!Calls::read(&transcript).events[0].changes_state());
}

#[test]
fn notes_are_no_change_of_the_work() {
    let transcript = transcript(&[
        ("run_command", json!({"command": "cat > CHARTER_STATE.md <<'E'\nINV-1: x\nE"}), ""),
        ("write_file", json!({"path": "CHARTER_STATE.md", "content": "x"}), "ok"),
        ("run_command", json!({"command": "echo x > CHARTER_STATE.md; rm a"}), ""),
    ]);
    let changes: Vec<bool> = Calls::read(&transcript).events.iter().map(CallEvent::changes_state).collect();
    assert_eq!(changes, [false, false, true]);
}

#[test]
fn a_substitution_over_the_tree_reaches_what_a_search_listed() {
    let transcript = transcript(&[
        ("run_command", json!({"command": "grep -rl key ."}), "./src/a.py\n./b.yaml\n"),
        ("run_command", json!({"command": "grep -rl key . | xargs sed -i 's/\\bkey\\b/name/g'"}), ""),
    ]);
    assert!(shows(&transcript, "src/a.py", "name"));
    assert!(!shows(&transcript, "src/a.py", "key"));
    assert!(!shows(&transcript, "c.py", "name"));
}

#[test]
fn what_a_script_did_shows_only_when_it_is_looked_at() {
    let script = ("run_command", json!({"command": "python rename.py"}), "");
    let mut steps = vec![
        ("search", json!({"pattern": "key"}), "src/a.py:1: key"),
        script,
    ];
    assert!(!shows(&transcript(&steps), "src/a.py", "name"));
    steps.push(("read_file", json!({"path": "src/a.py"}), "name = 1"));
    assert!(shows(&transcript(&steps), "src/a.py", "name"));
}

#[test]
fn the_record_of_the_workspace_comes_first() {
    let mut transcript = transcript(&[("write_file", json!({"path": "b.yaml", "content": "name"}), "ok")]);
    transcript.workspace = Some(Vec::new());
    assert!(!shows(&transcript, "b.yaml", "name"));
}

proptest! {
    #[test]
    fn any_call_is_read(name in "read_file|search|edit_file|write_file|run_command|x", key in "path|pattern|command|cmd|old|new|content", value in "\\PC{0,60}", answer in "\\PC{0,80}") {
        let transcript = transcript(&[(name.as_str(), json!({key: value}), answer.as_str())]);
        let calls = Calls::read(&transcript);
        Workspace::replay(&transcript, &calls, Some("key"));
        prop_assert_eq!(calls.events.len(), 1);
    }
}
