//! What is made alike in the words of different programs, so that judges need not know them.

use std::path::Path;

use serde_json::Value;
use transcript::Message;

use super::start::Finished;

/// Whether a program that prints `line` for its version is of the version `pinned`: `2.1.19` is not `2.1.197`.
#[must_use]
pub fn is_version(line: &str, pinned: &str) -> bool {
    line == pinned || line.split_whitespace().any(|word| word == pinned)
}

/// The first line that a program prints, of a length that a record can take.
pub(super) fn first_line(finished: &Finished) -> Option<String> {
    let text = String::from_utf8_lossy(&finished.stdout);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| line.chars().take(120).collect())
}

/// Ids of calls are unique in a transcript; some programs count anew in each turn.
pub(super) fn unique_ids(before: &[Message], messages: &mut [Message], turn: usize) {
    let known: std::collections::HashSet<&str> =
        before.iter().flat_map(|message| &message.tool_calls).map(|call| call.id.as_str()).collect();
    let renamed = |id: &mut String| {
        if known.contains(id.as_str()) {
            *id = format!("turn-{turn}/{id}");
        }
    };
    for message in messages {
        message.tool_calls.iter_mut().for_each(|call| renamed(&mut call.id));
        message.tool_call_id.iter_mut().for_each(renamed);
    }
}

/// Commands name files by their place on this machine; judges know only places in the workspace.
pub(super) fn from_workspace(message: &mut Message, workspace: &Path) {
    let root = workspace.to_string_lossy().into_owned();
    for call in message.tool_calls.iter_mut().filter(|call| call.name == "run_command") {
        if let Some(Value::String(command)) = call.arguments.get_mut("command")
            && command.contains(&root)
        {
            *command = command.replace(&format!("{root}/"), "").replace(&root, ".");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use transcript::{By, Role, ToolCall};

    use super::*;

    fn calling(id: &str, command: &str) -> Message {
        let mut message = Message::text(Role::Assistant, By::Model, "");
        let arguments = json!({ "command": command });
        message.tool_calls.push(ToolCall { id: id.to_owned(), name: "run_command".to_owned(), arguments });
        message
    }

    #[test]
    fn versions_are_compared_as_words() {
        assert!(is_version("2.1.197 (Claude Code)", "2.1.197") && is_version("codex-cli 0.171.0", "0.171.0"));
        assert!(is_version("2.1.197 (Claude Code)", "2.1.197 (Claude Code)"));
        assert!(!is_version("2.1.197 (Claude Code)", "2.1.19") && !is_version("", "1"));
    }

    #[test]
    fn ids_that_come_again_are_told_apart_with_their_answers() {
        let before = [calling("item_1", "ls")];
        let answer = Message::tool_result(&before[0].tool_calls[0], "out", false);
        let mut messages = [calling("item_1", "pwd"), answer, calling("item_2", "ls")];
        unique_ids(&before, &mut messages, 2);
        let ids: Vec<&str> =
            messages.iter().flat_map(|m| &m.tool_calls).map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["turn-2/item_1", "item_2"]);
        assert_eq!(messages[1].tool_call_id.as_deref(), Some("turn-2/item_1"));
    }

    #[test]
    fn commands_name_files_from_the_workspace() {
        let mut message = calling("c", "cd /tmp/x/workspace && cat /tmp/x/workspace/src/a.py /etc/passwd");
        from_workspace(&mut message, Path::new("/tmp/x/workspace"));
        assert_eq!(message.tool_calls[0].arguments["command"], "cd . && cat src/a.py /etc/passwd");
    }
}
