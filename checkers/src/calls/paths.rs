//! One spelling for each file: transcripts name the same file as `a/b`, `./a/b`, `/repo/a/b` or `C:\repo\a\b`.

use std::collections::BTreeSet;

use serde_json::Value;
use transcript::Transcript;

/// Folders that sandboxes mount the workspace at.
const USUAL_ROOTS: &[&str] = &["/repo", "/workspace", "/workspaces", "/app", "/project", "/testbed", "/code"];

/// What is known of where the workspace lies.
#[derive(Debug, Default)]
pub struct Paths {
    roots: Vec<String>,
    /// The relative paths that the parameters name.
    named: BTreeSet<String>,
}

impl Paths {
    /// Learns from a transcript: an absolute path that ends in a path of the parameters tells the root.
    #[must_use]
    pub fn learn(transcript: &Transcript) -> Self {
        let mut named = BTreeSet::new();
        for value in transcript.params.values() {
            collect(value, &mut named);
        }
        let mut roots = BTreeSet::new();
        let mut look = |text: &str| {
            for word in text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ':' | ',' | '(' | ')')) {
                let word = tidy(word);
                if !word.starts_with('/') {
                    continue;
                }
                for path in &named {
                    let root = word.strip_suffix(path.as_str()).and_then(|root| root.strip_suffix('/'));
                    roots.extend(root.filter(|root| !root.is_empty()).map(str::to_owned));
                }
            }
        };
        for message in transcript.messages.iter().take(2_000) {
            for call in message.tool_calls.iter().take(200) {
                let mut texts = BTreeSet::new();
                collect_all(&call.arguments, &mut texts);
                texts.iter().for_each(|text| look(head(text)));
            }
            if message.role == transcript::Role::Tool && message.content.contains('/') {
                look(head(&message.content));
            }
        }
        let mut roots: Vec<String> = roots.into_iter().collect();
        roots.extend(USUAL_ROOTS.iter().map(|root| (*root).to_owned()));
        roots.sort_by_key(|root| std::cmp::Reverse(root.len()));
        Self { roots, named }
    }

    /// The path relative to the workspace; empty for the workspace itself.
    #[must_use]
    pub fn relative(&self, path: &str) -> String {
        let path = tidy(path);
        if !path.starts_with('/') {
            let path = path.trim_start_matches('~').trim_start_matches('/');
            return if matches!(path, "*" | "**" | "**/*" | "$PWD") { String::new() } else { path.to_owned() };
        }
        for root in &self.roots {
            match path.strip_prefix(root.as_str()) {
                Some("") => return String::new(),
                Some(rest) if rest.starts_with('/') => return rest[1..].to_owned(),
                _ => {}
            }
        }
        if is_outside(&path) {
            return path;
        }
        // A tail that the parameters know as a file or folder shows where the root ends.
        let tails = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        for tail in tails {
            let known = |named: &String| named == tail || named.starts_with(&format!("{tail}/"));
            if !tail.is_empty() && self.named.iter().any(known) {
                return tail.to_owned();
            }
        }
        let last = path.rsplit('/').next().unwrap_or_default();
        if last.contains('.') { path[1..].to_owned() } else { String::new() }
    }
}

/// Whether a path lies where scratch files lie, outside any workspace.
#[must_use]
pub fn is_outside(path: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/", "/etc/", "/usr/", "/proc/"].iter().any(|folder| path.starts_with(folder))
}

/// Forward slashes, no `.`, no empty parts, `..` resolved, no drive, no slash at the end.
fn tidy(path: &str) -> String {
    let path = path.trim().trim_matches(['`', '"', '\'']).replace('\\', "/");
    let path = match path.as_bytes() {
        [letter, b':', b'/', ..] if letter.is_ascii_alphabetic() => &path[2..],
        _ => path.strip_prefix("file://").unwrap_or(&path),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

/// The beginning of a text: enough to learn a root from.
fn head(text: &str) -> &str {
    let mut end = text.len().min(4_000);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn collect(value: &Value, into: &mut BTreeSet<String>) {
    let mut texts = BTreeSet::new();
    collect_all(value, &mut texts);
    let looks_like_a_path =
        |text: &String| text.len() < 300 && text.contains(['/', '.']) && !text.contains(char::is_whitespace) && !text.contains("://");
    into.extend(texts.into_iter().filter(looks_like_a_path).map(|text| tidy(&text)).filter(|text| !text.is_empty()));
}

fn collect_all(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            into.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| collect_all(item, into)),
        Value::Object(map) => map.values().for_each(|item| collect_all(item, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use transcript::{By, Message, Role};

    #[test]
    fn every_spelling_of_a_path_becomes_one() {
        let mut transcript = Transcript::new("t", "E9");
        transcript.params.insert("paths".to_owned(), json!(["src/a.py", "b.yaml"]));
        transcript.messages.push(Message::text(Role::Tool, By::Tool, "/home/ada/shop/src/a.py:3: key"));
        let paths = Paths::learn(&transcript);
        for spelling in ["src/a.py", "./src//a.py", "/repo/src/a.py", "C:\\repo\\src\\a.py", "/home/ada/shop/src/a.py", "src/x/../a.py"] {
            assert_eq!(paths.relative(spelling), "src/a.py", "{spelling}");
        }
        for root in ["", ".", "./", "/repo", "/home/ada/shop/", "/srv/checkout", "*"] {
            assert_eq!(paths.relative(root), "", "{root}");
        }
        assert_eq!(paths.relative("/srv/checkout/src"), "src");
        assert_eq!(paths.relative("/tmp/notes.txt"), "/tmp/notes.txt");
    }
}
