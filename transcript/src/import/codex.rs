//! What `codex exec --json` prints: one event a line, each about an item such as a message or a command.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::ImportAs;
use super::anthropic::keep_original;
use super::conversation::{Answer, Conversation};
use super::error::{Fault, ImportError};
use super::json::parse_lines;
use super::node::{Node, shown};
use super::parts::{add_reasoning, arguments, content, error_message, fail, usage};
use super::program_tools::{is_absolute, relative, standard_name};
use crate::{By, Message, Role, ToolCall, Transcript};

pub(super) fn import(bytes: &[u8], what: &ImportAs) -> Result<Vec<Transcript>, ImportError> {
    let documents = parse_lines(bytes)?;
    let Some(first) = documents.first() else { return Ok(Vec::new()) };
    let mut run = Run {
        transcript: what.start(what.id_prefix.clone()).map_err(|fault| Node::root(first).fault(fault))?,
        conversation: Conversation::default(),
        workspace: what.workspace.clone(),
        started: HashSet::new(),
        reasoning: String::new(),
        last_error: None,
        ended: false,
        events: Vec::new(),
    };
    for document in &documents {
        run.read(&Node::root(document))?;
    }
    Ok(vec![run.finish()])
}

/// A run of the program as it is read.
struct Run {
    transcript: Transcript,
    conversation: Conversation,
    workspace: Option<String>,
    /// Items whose call is in the conversation already.
    started: HashSet<String>,
    /// Reasoning that belongs to the next message.
    reasoning: String,
    /// What went wrong last; the program may get over it.
    last_error: Option<String>,
    /// Whether the program said how the last turn ended.
    ended: bool,
    /// Events that are no part of the conversation.
    events: Vec<Value>,
}

impl Run {
    fn read(&mut self, event: &Node<'_>) -> Result<(), ImportError> {
        match event.need_text("type")? {
            "thread.started" => {
                if let Some(thread) = event.get("thread_id") {
                    self.transcript.extra.insert("thread_id".to_owned(), thread.value().clone());
                }
            }
            "turn.started" => self.ended = false,
            "turn.completed" => {
                self.ended = true;
                self.transcript.usage = event.get("usage").as_ref().map(usage).or(self.transcript.usage);
            }
            "turn.failed" => {
                self.ended = true;
                let said = event.get("error").as_ref().map(error_message).or(self.last_error.take());
                fail(
                    &mut self.transcript,
                    "agent-error",
                    said.unwrap_or_else(|| "the turn failed".to_owned()),
                );
            }
            "error" => {
                self.last_error = Some(error_message(event));
                self.events.push(event.value().clone());
            }
            "item.started" | "item.updated" => self.item(&event.need("item")?, false)?,
            "item.completed" => self.item(&event.need("item")?, true)?,
            _ => self.events.push(event.value().clone()),
        }
        Ok(())
    }

    fn item(&mut self, item: &Node<'_>, completed: bool) -> Result<(), ImportError> {
        match item.need_text("type")? {
            "agent_message" if completed => self.say(item.need_text("text")?),
            "reasoning" if completed => {
                if !self.reasoning.is_empty() {
                    self.reasoning.push('\n');
                }
                self.reasoning.push_str(item.need_text("text")?);
            }
            "command_execution" => self.command(item, completed)?,
            "file_change" if completed => self.file_change(item)?,
            "mcp_tool_call" => self.mcp(item, completed)?,
            "web_search" if completed => {
                let arguments = json!({ "query": item.text("query")?.unwrap_or_default() });
                self.call(item, "web_search", arguments, None)?;
            }
            "agent_message" | "reasoning" | "file_change" | "web_search" => {}
            // Plans, notices and what is not known: no part of the conversation, but kept as they ended.
            _ if completed => self.events.push(item.value().clone()),
            _ => {}
        }
        Ok(())
    }

    fn say(&mut self, text: &str) {
        let mut message = Message::text(Role::Assistant, By::Model, text);
        add_reasoning(&mut message, &std::mem::take(&mut self.reasoning));
        self.conversation.say(message);
    }

    /// Adds the call of `item` once; calls that run side by side share a message.
    fn call(
        &mut self,
        item: &Node<'_>,
        name: &str,
        arguments: Value,
        original: Option<Value>,
    ) -> Result<(), ImportError> {
        let id = item.need_text("id")?;
        if !self.started.insert(id.to_owned()) {
            return Ok(());
        }
        self.add_call(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments }, original);
        Ok(())
    }

    fn add_call(&mut self, call: ToolCall, original: Option<Value>) {
        let made_calls =
            self.conversation.open(By::Model).is_some_and(|message| !message.tool_calls.is_empty());
        if !made_calls {
            self.say("");
        }
        if let Some(message) = self.conversation.open(By::Model) {
            keep_original(message, original);
        }
        self.conversation.call(By::Model, call);
    }

    fn command(&mut self, item: &Node<'_>, completed: bool) -> Result<(), ImportError> {
        let line = item.need_text("command")?;
        let inner = without_shell(line);
        let id = item.need_text("id")?;
        let original = json!({ "id": id, "name": "command_execution", "arguments": { "command": line } });
        self.call(item, "run_command", json!({ "command": inner }), Some(original))?;
        if completed {
            let exit_code = item.get("exit_code").and_then(|code| code.value().as_i64());
            let status = item.text("status")?.unwrap_or("completed");
            let output = item.text("aggregated_output")?.unwrap_or_default();
            let found_nothing = exit_code == Some(1) && output.trim().is_empty() && is_search(&inner);
            let is_error =
                (exit_code.is_some_and(|code| code != 0) || status != "completed") && !found_nothing;
            let mut extra = Map::new();
            extra.insert("status".to_owned(), Value::String(status.to_owned()));
            extra.extend(exit_code.map(|code| ("exit_code".to_owned(), code.into())));
            self.answer(id, output.to_owned(), is_error, extra);
        }
        Ok(())
    }

    /// One call for each file: the stream says which files changed and how, not what is in them.
    fn file_change(&mut self, item: &Node<'_>) -> Result<(), ImportError> {
        let id = item.need_text("id")?;
        let status = item.text("status")?.unwrap_or("completed");
        let mut ids = Vec::new();
        for (index, change) in item.need("changes")?.items()?.enumerate() {
            let path = change.need_text("path")?;
            let kind = change.need("kind")?;
            let kind_name = kind.value().as_str().or_else(|| kind.value().get("type")?.as_str());
            let name = match kind_name {
                Some("add") => "write_file",
                Some("update") => "edit_file",
                Some("delete") => "delete_file",
                _ => return Err(kind.unexpected("add, update or delete")),
            };
            let original = json!({ "id": id, "name": "file_change", "arguments": change.value() });
            let arguments = json!({ "path": self.inside(&change, path)? });
            let call_id = format!("{id}/{}", index + 1);
            self.add_call(ToolCall { id: call_id.clone(), name: name.to_owned(), arguments }, Some(original));
            ids.push(call_id);
        }
        for call_id in ids {
            self.answer(&call_id, status.to_owned(), status != "completed", Map::new());
        }
        Ok(())
    }

    /// The path from the workspace. A rule about `src/a.py` would not see `/home/kim/repo/src/a.py`.
    fn inside(&self, change: &Node<'_>, path: &str) -> Result<String, ImportError> {
        match &self.workspace {
            Some(workspace) => Ok(relative(path, workspace).unwrap_or_else(|| path.to_owned())),
            None if is_absolute(path) => {
                Err(change.fault(Fault::NoWorkspace { path: super::error::cut(path) }))
            }
            None => Ok(path.to_owned()),
        }
    }

    fn mcp(&mut self, item: &Node<'_>, completed: bool) -> Result<(), ImportError> {
        let id = item.need_text("id")?;
        let own = format!("mcp__{}__{}", item.text("server")?.unwrap_or_default(), item.need_text("tool")?);
        let name = standard_name(&own).to_owned();
        let arguments = arguments(item.get("arguments").as_ref());
        let original = (name != own).then(|| json!({ "id": id, "name": own, "arguments": arguments }));
        self.call(item, &name, arguments, original)?;
        if !completed {
            return Ok(());
        }
        let failed = item.get("error").as_ref().map(error_message);
        let mut is_error = failed.is_some() || item.text("status")? == Some("failed");
        let mut message = Message::text(Role::Tool, By::Tool, failed.unwrap_or_default());
        if let Some(result) = item.get("result") {
            is_error |= result.flag("is_error")?;
            match result.get("content") {
                Some(parts) => content(&parts, false)?.into_message(&mut message),
                None => message.content = shown(result.value()),
            }
        }
        self.answer(id, message.content, is_error, message.extra);
        Ok(())
    }

    fn answer(&mut self, id: &str, content: String, is_error: bool, extra: Map<String, Value>) {
        self.conversation.answer(Answer { id: Some(id.to_owned()), name: None, content, is_error, extra });
    }

    fn finish(mut self) -> Transcript {
        if !self.reasoning.is_empty() {
            self.say("");
        }
        let mut transcript = self.transcript;
        transcript.messages = self.conversation.finish();
        if !self.ended {
            let why = self.last_error.unwrap_or_else(|| "the program was stopped".to_owned());
            fail(&mut transcript, "agent-error", format!("the output ends within a turn: {why}"));
        }
        if !self.events.is_empty() {
            transcript.extra.insert("events".to_owned(), Value::Array(self.events));
        }
        transcript
    }
}

/// The command that a shell was started for: `/bin/bash -lc 'cat notes.txt'` is `cat notes.txt`.
fn without_shell(line: &str) -> String {
    let words = shlex::split(line).unwrap_or_default();
    if let [shell, flag, command] = words.as_slice() {
        let shell = shell.rsplit(['/', '\\']).next().unwrap_or_default();
        if matches!(shell, "bash" | "sh" | "zsh" | "dash") && matches!(flag.as_str(), "-lc" | "-c" | "-ic") {
            return command.clone();
        }
    }
    line.to_owned()
}

/// Whether a command is a search and nothing else, perhaps at the end of a pipe: such a one ends with exit code 1 when
/// there is nothing to be found, which is an answer and no failure.
fn is_search(command: &str) -> bool {
    let words = shlex::split(command).unwrap_or_default();
    let joined = |word: &String| matches!(word.as_str(), "&&" | "||" | "&") || word.ends_with(';');
    if command.contains('\n') || words.iter().any(joined) {
        return false;
    }
    let last = words.rsplit(|word| word == "|").next().unwrap_or_default();
    match last {
        [program, rest @ ..] => {
            let program = program.rsplit('/').next().unwrap_or_default();
            matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack")
                || program == "git" && rest.first().is_some_and(|word| word == "grep")
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_finds_nothing_is_no_failure() {
        for command in
            ["grep -rn lamp .", "rg lamp", "git grep lamp", "cat a.py | grep lamp", "/bin/grep -q 'a; b' c"]
        {
            assert!(is_search(command), "{command}");
        }
        for command in
            ["test -f a && grep b a", "grep a b; false", "git status", "cat grep", "grep a b\nfalse", ""]
        {
            assert!(!is_search(command), "{command}");
        }
    }

    #[test]
    fn the_shell_around_a_command_is_taken_off_and_nothing_else() {
        let commands = [
            ("/bin/bash -lc 'cat notes.txt'", "cat notes.txt"),
            (r#"bash -c "rg -n \"lamp\" src""#, r#"rg -n "lamp" src"#),
            ("cat notes.txt", "cat notes.txt"),
            ("bash -lc 'unfinished", "bash -lc 'unfinished"),
            ("python -c 'print(1)'", "python -c 'print(1)'"),
        ];
        for (line, inner) in commands {
            assert_eq!(without_shell(line), inner);
        }
    }
}
