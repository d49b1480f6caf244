//! JSON from elsewhere, read with places: which member, line and column of the input a value stood in.

use serde_json::Value;

use super::error::{Fault, ImportError, Place};
use crate::strict::Strict;

/// A JSON document and where it stood in the input.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) value: Value,
    pub(super) member: Option<String>,
    pub(super) line: Option<usize>,
}

/// Reads one JSON value that is all of `bytes`.
pub(super) fn parse(bytes: &[u8], member: Option<&str>) -> Result<Document, ImportError> {
    let member = member.map(str::to_owned);
    match serde_json::from_slice::<Strict>(bytes) {
        Ok(Strict(value)) => Ok(Document { value, member, line: None }),
        Err(error) => Err(syntax(bytes, &error, member, 0)),
    }
}

/// Reads one JSON value, or JSON Lines: several values, one a line.
///
/// A file whose first line is a whole value and that goes on after it is read as JSON Lines.
pub(super) fn parse_documents(bytes: &[u8]) -> Result<Vec<Document>, ImportError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let whole = serde_json::from_slice::<Strict>(bytes);
    match whole {
        Ok(Strict(value)) => Ok(vec![Document { value, member: None, line: None }]),
        Err(error) => {
            let first = lines(bytes).next();
            let is_lines = first.is_some_and(|(_, line)| serde_json::from_slice::<Strict>(line).is_ok());
            if is_lines { parse_lines(bytes) } else { Err(syntax(bytes, &error, None, 0)) }
        }
    }
}

/// Reads JSON Lines; blank lines are passed over.
pub(super) fn parse_lines(bytes: &[u8]) -> Result<Vec<Document>, ImportError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    lines(bytes)
        .map(|(number, line)| match serde_json::from_slice::<Strict>(line) {
            Ok(Strict(value)) => Ok(Document { value, member: None, line: Some(number) }),
            Err(error) => Err(syntax(line, &error, None, number - 1)),
        })
        .collect()
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let numbered = bytes.split(|byte| *byte == b'\n').enumerate();
    numbered.map(|(index, line)| (index + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

fn syntax(
    bytes: &[u8],
    error: &serde_json::Error,
    member: Option<String>,
    lines_before: usize,
) -> ImportError {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    let line = bytes.split(|byte| *byte == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let from = error.column().saturating_sub(30).min(line.len());
    let snippet: String = String::from_utf8_lossy(&line[from..]).chars().take(60).collect();
    let place = Place {
        member,
        line: Some(lines_before + error.line().max(1)),
        column: Some(error.column().max(1)),
        pointer: None,
    };
    ImportError::new(place, Fault::Syntax { message, snippet: super::error::cut(&snippet) })
}

/// Puts `null` where Python wrote `NaN` or `Infinity`, which are no JSON.
pub(super) fn without_python_constants(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let mut in_text = false;
    while let Some((&byte, tail)) = rest.split_first() {
        let constant =
            [&b"NaN"[..], b"-Infinity", b"Infinity"].into_iter().find(|word| rest.starts_with(word));
        if let (false, Some(word)) = (in_text, constant) {
            out.extend_from_slice(b"null");
            rest = &rest[word.len()..];
            continue;
        }
        out.push(byte);
        rest = tail;
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                if let Some((&escaped, tail)) = rest.split_first() {
                    out.push(escaped);
                    rest = tail;
                }
            }
            _ => {}
        }
    }
    out
}
