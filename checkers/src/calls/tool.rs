//! From a call to its steps: the standard tools, their usual other names for arguments, and shell command lines.

use serde_json::Value;
use transcript::effect::standard_effect;
use transcript::{Effect, ToolCall, Transcript};

use crate::command::{self, How, Pattern, Search, Step, Syntax, Target, Write};

const PATH: &[&str] = &["path", "file_path", "file", "filename", "filepath", "target_file", "relative_path"];
const FOLDER: &[&str] = &["path", "directory", "dir", "folder", "root", "cwd", "scope", "file", "paths", "include_path"];
const PATTERN: &[&str] = &["pattern", "query", "regex", "text", "term", "search", "q", "keyword", "needle"];
const CONTENT: &[&str] = &["content", "contents", "text", "data", "body", "file_text"];
const OLD: &[&str] = &["old", "old_string", "old_str", "old_text", "search", "find", "from", "original", "target"];
const NEW: &[&str] = &["new", "new_string", "new_str", "new_text", "replace", "replacement", "to", "updated"];
const COMMAND: &[&str] = &["command", "cmd", "script", "bash", "line", "input"];

/// The first of these arguments that is there.
fn argument<'c>(call: &'c ToolCall, names: &[&str]) -> Option<&'c Value> {
    names.iter().find_map(|name| call.arguments.get(*name)).filter(|value| !value.is_null())
}

fn text<'c>(call: &'c ToolCall, names: &[&str]) -> Option<&'c str> {
    argument(call, names)?.as_str()
}

/// What a call does, in order. Paths are as the call has them.
pub(super) fn steps(transcript: &Transcript, call: &ToolCall) -> Vec<Step> {
    let unreadable = || vec![Step::Opaque(call.name.clone())];
    match call.name.as_str() {
        "read_file" | "view_file" => {
            let path = text(call, PATH).map(str::to_owned);
            vec![path.map_or(Step::Look, |path| Step::Read(vec![path]))]
        }
        "list_files" | "list_dir" | "fetch_url" => vec![Step::Look],
        "search" | "grep" | "search_files" | "grep_search" => vec![search(call)],
        "write_file" | "create_file" => match (text(call, PATH), text(call, CONTENT)) {
            (Some(path), Some(content)) => vec![write(path, How::Whole(content.to_owned()))],
            (Some(path), None) => vec![write(path, How::Unknown)],
            _ => unreadable(),
        },
        "edit_file" | "str_replace" | "replace_in_file" => edit(call).unwrap_or_else(unreadable),
        "delete_file" | "remove_file" => {
            text(call, PATH).map_or_else(unreadable, |path| vec![write(path, How::Delete)])
        }
        "run_tests" => vec![Step::TestRun],
        "run_command" | "bash" | "shell" | "execute_command" | "run_shell" => {
            match argument(call, COMMAND) {
                Some(Value::String(line)) => in_folder(call, command::read(line)),
                Some(Value::Array(words)) => {
                    let words: Vec<String> = words.iter().filter_map(Value::as_str).map(quoted).collect();
                    in_folder(call, command::read(&words.join(" ")))
                }
                _ => unreadable(),
            }
        }
        "deploy" => vec![Step::Opaque("deploy".to_owned())],
        name => match declared(transcript, name) {
            Some(Effect::Read) => vec![Step::Look],
            Some(Effect::TestRun) => vec![Step::TestRun],
            Some(Effect::Write | Effect::External) | None => unreadable(),
        },
    }
}

/// The worst that the call can do: what its tool declares, or for a command line what the line does.
pub(super) fn effect(transcript: &Transcript, call: &ToolCall, steps: &[Step]) -> Effect {
    match declared(transcript, &call.name).or_else(|| standard_effect(&call.name)) {
        Some(Effect::External) => Effect::External,
        _ => command::effect_of(steps),
    }
}

/// The effect that the transcript's own list of tools declares.
fn declared(transcript: &Transcript, name: &str) -> Option<Effect> {
    let tool = transcript.tools.iter().find(|tool| {
        let own = tool.get("name").or_else(|| tool.get("function")?.get("name"));
        own.and_then(Value::as_str) == Some(name)
    })?;
    serde_json::from_value(tool.get("effect")?.clone()).ok()
}

fn write(path: &str, how: How) -> Step {
    Step::Write(Write { target: Target::File(path.to_owned()), how })
}

fn search(call: &ToolCall) -> Step {
    let Some(pattern) = text(call, PATTERN) else { return Step::Look };
    let flag = |names: &[&str]| argument(call, names).and_then(Value::as_bool);
    let ignore_case = flag(&["ignore_case", "case_insensitive", "-i"]).unwrap_or(false)
        || flag(&["case_sensitive"]).is_some_and(|sensitive| !sensitive);
    let syntax = if flag(&["literal", "fixed_strings"]) == Some(true) || flag(&["regex", "is_regex"]) == Some(false) {
        Syntax::Fixed
    } else {
        Syntax::Either
    };
    let whole = flag(&["whole_word", "word"]).unwrap_or(false);
    let mut search = Search::new(vec![Pattern::new(pattern, syntax, ignore_case, whole)]);
    search.scopes = argument(call, FOLDER).map(texts).unwrap_or_default();
    search.only = argument(call, &["glob", "include", "file_pattern", "files", "includes"]).map(texts).unwrap_or_default();
    search.only.retain(|glob| !matches!(glob.as_str(), "" | "*" | "**" | "**/*" | "*.*"));
    search.except = argument(call, &["exclude", "ignore", "excludes"]).map(texts).unwrap_or_default();
    Step::Search(search)
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn edit(call: &ToolCall) -> Option<Vec<Step>> {
    let path = text(call, PATH)?;
    if let Some(Value::Array(edits)) = argument(call, &["edits", "changes", "replacements"]) {
        let one = |edit: &Value| {
            let part = |names: &[&str]| names.iter().find_map(|name| edit.get(*name)?.as_str());
            Some(write(path, How::Replace { old: part(OLD)?.to_owned(), new: part(NEW)?.to_owned() }))
        };
        return edits.iter().map(one).collect();
    }
    let how = match (text(call, OLD), text(call, NEW), text(call, CONTENT)) {
        (Some(old), Some(new), _) if !old.is_empty() => How::Replace { old: old.to_owned(), new: new.to_owned() },
        (None | Some(""), None, Some(content)) => How::Whole(content.to_owned()),
        (Some(""), Some(new), _) => How::Append(new.to_owned()),
        _ => How::Unknown,
    };
    Some(vec![write(path, how)])
}

/// A command tool may take the folder to run in as an argument of its own.
fn in_folder(call: &ToolCall, mut steps: Vec<Step>) -> Vec<Step> {
    let Some(folder) = text(call, &["cwd", "workdir", "working_directory", "dir"]) else { return steps };
    let put = |path: &mut String| {
        if !path.starts_with('/') {
            *path = format!("{folder}/{path}");
        }
    };
    for step in &mut steps {
        match step {
            Step::Read(files) | Step::Diff(files) => files.iter_mut().for_each(put),
            Step::Search(search) if search.scopes.is_empty() => search.scopes.push(folder.to_owned()),
            Step::Search(search) => search.scopes.iter_mut().for_each(put),
            Step::Write(write) => {
                let (Target::File(path) | Target::Tree(path)) = &mut write.target;
                put(path);
            }
            _ => {}
        }
    }
    steps
}

/// A word of an argument vector, so that the shell's reader takes it as one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
