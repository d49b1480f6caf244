//! Reads what tools answered: whether a call failed, which files a search lists, whether it found nothing.

use std::sync::LazyLock;

use serde_json::Value;
use transcript::Message;

use super::Paths;
use crate::lean::Regex;

#[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W{0,3}(?:
            (?:tool\ )?error\b(?:\s+(?:executing|running|editing|writing|reading|calling))?
            | (?:execution\ )?failed\b | failure\b | fatal: | traceback\ \( | permission\ denied | exception\b
            | (?:old|search)(?:_?\ ?(?:text|string|str))?\ (?:was\ )?not\ found | string\ to\ replace\ not\ found | no\ such\ file
            | could\ not\ (?:find|open|write|edit|apply) | unable\ to | cannot\ (?:find|open|write|edit|apply)
            | file\ (?:does\ not\ exist|not\ found) | no\ (?:occurrences?|replacements?)\ (?:of|were|made|found)
            | 0\ replacements | unknown\ tool | timed\ out | timeout(?:\s*$|:|\ (?:after|error|expired|exceeded|reached|while))
            | (?:sed|perl|grep|egrep|rg|bash|sh|cat|git|tee|find|/bin/(?:ba)?sh|zsh):\s.*(?:not\ found|no\ such|can't|cannot|denied|unknown|invalid|unterminated|not\ a\ git)
        )",
    )
    .expect("a constant pattern")
});

#[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
static CHANGED_NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\((?:made )?0 (?:replacements?|changes?|occurrences?|edits?)\)|\b(?:made|with) (?:0|no) (?:replacements?|changes?)\b|\bno changes (?:were )?made\b|\bpermission denied\b|\bnothing (?:was )?(?:changed|replaced)\b|\bunchanged\b")
        .expect("a constant pattern")
});

#[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
static NOTHING_FOUND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^[\s\W]*(?:
            (?:found\ )?(?:no|0|zero)\ (?:more\ |remaining\ |further\ )?(?:match(?:es|ing\ \w+)?|results?|hits?|occurrences?|references?|files?|lines?)(?:\ (?:were\ |was\ )?(?:found|left|remain(?:ing)?|matched))?\b.*
            | no\ output | empty | none | nothing\ (?:found|matched)
            | (?:\[?\(?(?:process|command)\ )?(?:exited?|exit|return(?:ed)?|status)?\s*(?:with\ )?(?:exit\ )?(?:code|status|rc)?\s*[:=]?\s*1\)?\]?
            | 0 | \[\s*\] | \{\s*\} | command\ (?:completed|ran|executed)\b.*(?:no|without|empty)\ (?:any\ )?output.*
            | \$\ .*
        )[\s\W]*$",
    )
    .expect("a constant pattern")
});

#[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:(?P<path>[^:\s][^:]*):)?(?P<n>\d+)\s*$").expect("a constant pattern")
});

/// Whether the answer says that the call came to nothing.
#[must_use]
pub fn says_failed(message: &Message) -> bool {
    if message.is_error {
        return true;
    }
    let text = message.content.trim_start();
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => {
            map.get("error").is_some_and(|error| !error.is_null() && error != "" && error != false)
                || map.get("success").is_some_and(|success| success == false)
                || map.get("ok").is_some_and(|ok| ok == false)
        }
        _ => FAILED.is_match(text),
    }
}

#[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
static NOT_READ: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W{0,3}(?:
            (?:error|failure|failed|fatal|exception)(?:\s+\w+){0,3}:\s | no\ such\ file | file\ (?:does\ not\ exist|not\ found)
            | permission\ denied | (?:could\ not|unable\ to|cannot|can't|failed\ to)\ (?:find|open|read|access) | timed\ out
            | unknown\ tool | traceback\ \( | (?:cat|head|tail|sed|less|sh|bash|zsh):\s
        )",
    )
    .expect("a constant pattern")
});

/// Whether the answer to a call that only reads a file says that it came to nothing. A file's own text may well begin
/// with a word such as `Timeout` or `Error budget`.
#[must_use]
pub fn says_not_read(message: &Message) -> bool {
    message.is_error
        || (message.content.trim_end().lines().count() <= 2
            && NOT_READ.is_match(message.content.trim_start()))
}

/// Whether the answer to a write says that it changed nothing.
#[must_use]
pub fn says_unchanged(message: &Message) -> bool {
    message.content.lines().take(3).any(|line| line.len() < 300 && CHANGED_NOTHING.is_match(line))
}

/// Whether the line only says that nothing was found.
#[must_use]
pub fn says_nothing_found(line: &str) -> bool {
    line.trim().is_empty() || (line.len() < 200 && NOTHING_FOUND.is_match(line))
}

/// A count as `grep -c` and `wc -l` print it: the file, where there is one, and the number.
#[must_use]
pub fn count(line: &str) -> Option<(Option<&str>, usize)> {
    let found = COUNT.captures(line)?;
    let number = found.name("n")?.as_str().parse().ok()?;
    Some((found.name("path").map(|path| path.as_str()), number))
}

/// The lines of an answer; of a JSON answer, its texts and, for objects with a path, `path: the rest`.
#[must_use]
pub fn lines(content: &str) -> Vec<String> {
    if content.trim_start().starts_with(['[', '{'])
        && let Ok(value) = serde_json::from_str::<Value>(content)
    {
        let mut lines = Vec::new();
        json_lines(&value, &mut lines);
        return lines;
    }
    content.lines().map(str::to_owned).collect()
}

fn json_lines(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.extend(text.lines().map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| json_lines(item, into)),
        Value::Object(map) => {
            let path = ["path", "file", "file_path", "filename", "uri"]
                .iter()
                .find_map(|key| map.get(*key)?.as_str());
            match path {
                Some(path) => {
                    let rest = map.iter().filter(|(_, value)| value.as_str() != Some(path));
                    let rest: Vec<String> = rest.map(|(_, value)| value.to_string()).collect();
                    into.push(format!("{path}: {}", rest.join(" ")));
                }
                None => map.values().for_each(|item| json_lines(item, into)),
            }
        }
        _ => {}
    }
}

/// The file that a line of a search's answer is about, and the rest of the line.
#[must_use]
pub fn listed<'l>(line: &'l str, paths: &Paths) -> Option<(String, &'l str)> {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '*' | '•' | '"' | '\'' | '`' | '[')
    });
    let windows = matches!(line.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let from = if windows { 2 } else { 0 };
    let end =
        line[from..].find([':', '"', '\'', '`', '(', ',', ' ', '\t', ']']).map_or(line.len(), |at| at + from);
    let path = paths.relative(&line[..end]);
    let looks = !path.is_empty() && path.len() < 300 && !path.contains(['{', '}', '<', '>', '=', ';']);
    looks.then(|| (path, line[end..].trim_start_matches([':', '"', '\'', '`'])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use transcript::{By, Role};

    #[test]
    fn failures_are_told_from_answers() {
        let read = |text: &str| says_not_read(&Message::text(Role::Tool, By::Tool, text));
        assert!(
            !read("Timeout is 12 s.")
                && !read("Error budget: 2 hours\nmore\nlines")
                && !read("Failure is no option.")
        );
        assert!(read("error: no such file: a.txt") && read("cat: a.txt: No such file or directory"));
        let said = |text: &str| says_failed(&Message::text(Role::Tool, By::Tool, text));
        for text in [
            "error: old text not found in a",
            "Error executing tool",
            "sed: can't read x: No such file",
            r#"{"error":"denied"}"#,
            "Permission denied",
        ] {
            assert!(said(text), "{text}");
        }
        for text in [
            "errors.py:3: key",
            "edited a (1 replacement)",
            "failed_jobs.py",
            r#"{"error":null,"ok":true}"#,
            "",
            "grep.py:1: x",
        ] {
            assert!(!said(text), "{text}");
        }
    }

    #[test]
    fn nothing_found_is_recognised() {
        for line in [
            "no matches",
            "No matches found.",
            "(no output)",
            "[exit code 1]",
            "exit code: 1",
            "exit: 1",
            "0",
            "Found 0 matches for `key`",
            "No files matched",
            "[]",
            "Exit status 1",
            "",
        ] {
            assert!(says_nothing_found(line), "{line}");
        }
        for line in
            ["exit code: 0", "exit code 2", "3", "a.py", "src/a.py:1: key", "no_match.py", "10", "exit: 127"]
        {
            assert!(!says_nothing_found(line), "{line}");
        }
    }

    #[test]
    fn listed_files() {
        let paths = Paths::default();
        let path = |line| listed(line, &paths).map(|(path, _)| path);
        assert_eq!(path("./a/b.py:3: x").as_deref(), Some("a/b.py"));
        assert_eq!(path("- `a/b.py` (2)").as_deref(), Some("a/b.py"));
        assert_eq!(path("").as_deref(), None);
        assert_eq!(count("a.py:0"), Some((Some("a.py"), 0)));
        assert_eq!(count(" 12 "), Some((None, 12)));
        assert_eq!(count("a.py:3:x"), None);
    }
}
