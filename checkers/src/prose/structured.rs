//! Structured replies: the fields of JSON and YAML, to be read as sentences with their keys.

use std::ops::Range;
use std::sync::LazyLock;

use super::pattern;
use crate::lean::Regex;

/// A key with one of its values, as ranges of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// The key; empty when there is none.
    pub key: Range<usize>,
    /// The value, without its quotation marks.
    pub value: Range<usize>,
}

/// Whether a text is an object or a list in the notation of JSON.
pub(super) fn is_json(text: &str) -> bool {
    let text = text.trim();
    let rest = text.trim_start_matches(['{', '[', ' ', '\n', '\t', '\r']);
    text.starts_with(['{', '['])
        && (text.starts_with("[{") || text.starts_with('{'))
        && rest.starts_with(['"', '\''])
        || (text.starts_with('[') && rest.starts_with('"') && text.ends_with(']'))
}

static YAML: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"^\s*(?:-\s+)?["']?(?P<key>[a-z_][\w-]{0,40})["']?\s?:(?:\s+(?P<value>\S.*?))?\s*$"#)
});

/// Whether a line is `key: value`, with one word as the key.
pub(super) fn is_entry(line: &str) -> bool {
    YAML.is_match(line)
}

/// Whether most lines of a text are entries of YAML.
pub(super) fn is_yaml(text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let entries = lines().filter(|line| is_entry(line)).count();
    entries > 1 && entries * 2 >= lines().count()
}

/// The reader of the notation that a block of code is in, if it is a structured one.
pub(super) fn notation(text: &str) -> Option<fn(&str) -> Vec<Field>> {
    if is_json(text) { Some(json) } else { is_yaml(text).then_some(yaml) }
}

/// The fields of a text in the notation of JSON, in order. Total and linear: what is no JSON gives odd fields.
pub(super) fn json(text: &str) -> Vec<Field> {
    let bytes = text.as_bytes();
    let (mut out, mut key, mut at) = (Vec::new(), 0..0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            let start = at + 1;
            at = start;
            while let Some(&inner) = bytes.get(at) {
                match inner {
                    b'\\' => at += 2,
                    b'"' => break,
                    _ => at += 1,
                }
            }
            let end = text.floor_char_boundary(at.min(bytes.len())).max(start);
            at = end + 1;
            let next = bytes[at.min(bytes.len())..].iter().find(|byte| !byte.is_ascii_whitespace());
            if next == Some(&b':') {
                key = start..end;
            } else {
                out.push(Field { key: key.clone(), value: start..end });
            }
        } else if byte.is_ascii_alphanumeric() {
            let start = at;
            while bytes.get(at).is_some_and(|byte| !matches!(byte, b',' | b'}' | b']' | b'\n' | b'"')) {
                at += 1;
            }
            out.push(Field { key: key.clone(), value: start..at });
        } else {
            at += 1;
        }
    }
    out
}

/// The fields of a text in the notation of YAML, line by line.
pub(super) fn yaml(text: &str) -> Vec<Field> {
    let (mut out, mut key, mut start) = (Vec::new(), 0..0, 0);
    for line in text.split_inclusive('\n') {
        let here = |range: Range<usize>| start + range.start..start + range.end;
        let value = match YAML.captures(line) {
            Some(captures) => {
                key = captures.name("key").map_or(0..0, |found| here(found.range()));
                captures.name("value").map(|found| found.range())
            }
            None => {
                let body = line.trim_start_matches([' ', '\t', '-']);
                let lead = line.len() - body.len();
                Some(lead..lead + body.trim_end().len())
            }
        };
        if let Some(value) = value {
            let raw = &line[value.clone()];
            let quoted = raw.len() > 1 && raw.starts_with(['"', '\'']) && raw.ends_with(['"', '\'']);
            let value = if quoted { value.start + 1..value.end - 1 } else { value };
            out.push(Field { key: key.clone(), value: here(value) });
        }
        start += line.len();
    }
    out
}

/// Keys whose value repeats what somebody else said.
static OF_OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:claim(?:ed|s)?|premise|request(?:ed)?|prompt|input|quote[ds]?|user|asked|assertion|hypothesis|task|supplied|instruction)\b",
    )
});

/// A key as words, and whether what stands under it is somebody else's.
pub(super) fn words(key: &str) -> (String, bool) {
    let words = key.replace(['_', '-'], " ");
    let others = OF_OTHERS.is_match(&words);
    (words, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, fields: Vec<Field>) -> Vec<(&str, &str)> {
        fields.into_iter().map(|field| (&text[field.key], &text[field.value])).collect()
    }

    #[test]
    fn fields_of_json() {
        let text = r#"{"a": "b, c.", "list": ["x", {"n": 1.5, "ok": true}], "e\"f": "é"#;
        assert!(is_json(text));
        assert_eq!(
            read(text, json(text)),
            [("a", "b, c."), ("list", "x"), ("n", "1.5"), ("ok", "true"), ("e\\\"f", "é")]
        );
    }

    #[test]
    fn fields_of_yaml() {
        let text = "status: blocked\nquestion: \"Which?\"\nfiles:\n  - a\n";
        assert!(is_yaml(text));
        assert_eq!(read(text, yaml(text)), [("status", "blocked"), ("question", "Which?"), ("files", "a")]);
        assert!(!is_yaml("for x in y:\n  run(x)\n"));
    }
}
