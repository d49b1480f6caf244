//! Agent programs have tools of their own for what the standard tools do; checkers know only the standard ones.
//!
//! An edit that a checker does not recognise would pass for no edit at all, so names and arguments are translated, and
//! paths become relative to the workspace. The call as it was made stays beside it.

use serde_json::{Map, Value, json};

use crate::effect::standard_effect;
use crate::{Effect, ToolCall};

/// Arguments: their names in the program, and in the standard tool.
type Renames = &'static [(&'static str, &'static str)];

/// Tools of Claude Code: their names, the standard tool, and which of their arguments are called otherwise there.
const CLAUDE_CODE: [(&str, &str, Renames); 10] = [
    ("Read", "read_file", &[("file_path", "path")]),
    ("Grep", "search", &[]),
    ("Glob", "list_files", &[]),
    ("LS", "list_files", &[]),
    ("Edit", "edit_file", &[("file_path", "path"), ("old_string", "old"), ("new_string", "new")]),
    ("MultiEdit", "edit_file", &[("file_path", "path")]),
    ("NotebookEdit", "edit_file", &[("notebook_path", "path"), ("new_source", "new")]),
    ("Write", "write_file", &[("file_path", "path")]),
    ("Bash", "run_command", &[]),
    ("WebFetch", "fetch_url", &[]),
];

/// The standard tool for a tool of Claude Code's, or for one that an MCP server offers under a standard name.
pub(super) fn standard_name(name: &str) -> &str {
    if let Some((_, standard, _)) = CLAUDE_CODE.iter().find(|(own, _, _)| *own == name) {
        return standard;
    }
    let bare = name.strip_prefix("mcp__").and_then(|rest| rest.rsplit("__").next());
    bare.filter(|bare| standard_effect(bare).is_some()).unwrap_or(name)
}

/// Translates a call of Claude Code's; the second is the call as it was made, when that was otherwise.
pub(super) fn claude_code(call: ToolCall, workspace: Option<&str>) -> (ToolCall, Option<Value>) {
    let made = json!({ "id": call.id, "name": call.name, "arguments": call.arguments });
    let renames =
        CLAUDE_CODE.iter().find(|(own, _, _)| *own == call.name).map_or(&[][..], |(_, _, renames)| renames);
    let name = standard_name(&call.name).to_owned();
    let mut arguments = match call.arguments {
        Value::Object(given) => Value::Object(rename(given, renames)),
        other => other,
    };
    if let Value::Object(given) = &mut arguments {
        if call.name == "MultiEdit" {
            join_edits(given);
        }
        if is_file_tool(&name)
            && let Some(Value::String(path)) = given.get_mut("path")
            && let Some(inside) = workspace.and_then(|workspace| relative(path, workspace))
        {
            *path = inside;
        }
    }
    let translated = ToolCall { id: call.id, name, arguments };
    let same = made["name"] == translated.name.as_str() && made["arguments"] == translated.arguments;
    (translated, (!same).then_some(made))
}

fn is_file_tool(name: &str) -> bool {
    name != "run_command" && matches!(standard_effect(name), Some(Effect::Read | Effect::Write))
}

fn rename(given: Map<String, Value>, renames: &[(&str, &str)]) -> Map<String, Value> {
    let named = |key: String| match renames.iter().find(|(own, _)| *own == key) {
        Some((_, standard)) => (*standard).to_owned(),
        None => key,
    };
    given.into_iter().map(|(key, value)| (named(key), value)).collect()
}

/// Several edits of one file become one: what all of them replace, and what they put there, a line each.
fn join_edits(given: &mut Map<String, Value>) {
    let Some(Value::Array(edits)) = given.get("edits") else { return };
    let all = |key: &str| {
        let texts: Vec<&str> = edits.iter().filter_map(|edit| edit.get(key)?.as_str()).collect();
        Value::String(texts.join("\n"))
    };
    let (old, new) = (all("old_string"), all("new_string"));
    given.insert("old".to_owned(), old);
    given.insert("new".to_owned(), new);
}

/// `path` as seen from `workspace`, with forward slashes; `None` when it is not inside.
pub(super) fn relative(path: &str, workspace: &str) -> Option<String> {
    let workspace = workspace.trim_end_matches(['/', '\\']);
    let rest = path.strip_prefix(workspace)?;
    if rest.is_empty() {
        return Some(".".to_owned());
    }
    let inside = rest.strip_prefix(['/', '\\'])?;
    Some(if is_windows(workspace) { inside.replace('\\', "/") } else { inside.to_owned() })
}

/// Whether `path` starts at a root, of Unix or of Windows.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || is_windows(path)
}

fn is_windows(path: &str) -> bool {
    let mut chars = path.chars();
    let drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':');
    drive && matches!(chars.next(), Some('\\' | '/') | None) || path.starts_with(r"\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(name: &str, arguments: Value, workspace: &str) -> String {
        let call = ToolCall { id: "t".to_owned(), name: name.to_owned(), arguments };
        let (call, _) = claude_code(call, Some(workspace));
        format!("{}{}", call.name, call.arguments)
    }

    #[test]
    fn every_tool_that_touches_files_becomes_a_standard_one() {
        let ws = "/srv/bay";
        let file = "/srv/bay/src/a.py";
        insta::assert_snapshot!([
            translated("Read", json!({"file_path": file, "limit": 9}), ws),
            translated("Grep", json!({"pattern": "lamp", "path": "/srv/bay/src"}), ws),
            translated("Glob", json!({"pattern": "**/*.py"}), ws),
            translated("LS", json!({"path": "/srv/bay"}), ws),
            translated("Edit", json!({"file_path": file, "old_string": "8", "new_string": "9"}), ws),
            translated("NotebookEdit", json!({"notebook_path": "n.ipynb", "new_source": "9"}), ws),
            translated("Write", json!({"file_path": file, "content": "x"}), ws),
            translated("Bash", json!({"command": "ls /srv/bay"}), ws),
            translated("WebFetch", json!({"url": "https://bay.example.test", "prompt": "sum up"}), ws),
            translated("mcp__files__write_file", json!({"path": file}), ws),
            translated("mcp__bay__tide", json!({"path": file}), ws),
            translated("Task", json!({"prompt": "go"}), ws),
            translated("Edit", json!("not an object"), ws),
        ].join("\n"), @r#"
        read_file{"path":"src/a.py","limit":9}
        search{"pattern":"lamp","path":"src"}
        list_files{"pattern":"**/*.py"}
        list_files{"path":"."}
        edit_file{"path":"src/a.py","old":"8","new":"9"}
        edit_file{"path":"n.ipynb","new":"9"}
        write_file{"path":"src/a.py","content":"x"}
        run_command{"command":"ls /srv/bay"}
        fetch_url{"url":"https://bay.example.test","prompt":"sum up"}
        write_file{"path":"src/a.py"}
        mcp__bay__tide{"path":"/srv/bay/src/a.py"}
        Task{"prompt":"go"}
        edit_file"not an object"
        "#);
    }

    #[test]
    fn a_call_in_standard_words_has_no_other_original() {
        let call = ToolCall { id: "t".to_owned(), name: "run_tests".to_owned(), arguments: json!({}) };
        assert_eq!(claude_code(call.clone(), None), (call, None));
    }

    #[test]
    fn paths_are_seen_from_the_workspace_and_from_nowhere_else() {
        assert_eq!(relative("/srv/bay/src/a.py", "/srv/bay/"), Some("src/a.py".to_owned()));
        assert_eq!(relative("/srv/bay2/src/a.py", "/srv/bay"), None);
        assert_eq!(relative("src/a.py", "/srv/bay"), None);
        assert_eq!(relative(r"C:\bay\src\a.py", r"C:\bay"), Some("src/a.py".to_owned()));
        assert!(is_absolute("/a") && is_absolute(r"C:\a") && is_absolute(r"\\host\a"));
        assert!(!is_absolute("src/c:d") && !is_absolute("a.py"));
    }
}
