//! JSON that programs write and people may have touched, told like the rest.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::{Problem, Source, suggestion, words};

/// Reads the one value in the bytes `span` of `source`: the whole file, or a line of it.
///
/// # Errors
/// The first fault, with its place in the file.
pub fn read<T: DeserializeOwned>(source: &Source, span: Range<usize>) -> Result<T, Problem> {
    let text = source.text.get(span.clone()).unwrap_or_default();
    serde_json::from_str(text).map_err(|error| fault(source, span, &error))
}

/// What the JSON reader says of the bytes `span` of `source`, in words.
#[must_use]
pub fn fault(source: &Source, span: Range<usize>, error: &serde_json::Error) -> Problem {
    let text = source.text.get(span.clone()).unwrap_or_default();
    if text.trim().is_empty() {
        return source.problem(span, "nothing stands here, and JSON is wanted");
    }
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    // The column counts bytes up to the last one that was read.
    let at = (span.start + lines + error.column().saturating_sub(1)).min(span.end.saturating_sub(1));
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    let say = |message: String| source.problem(at..at + 1, message);
    if let Some((field, known)) = unknown(message, "unknown field `") {
        return say(format!("unknown key `{field}`")).help(suggestion(field, known));
    }
    if let Some((variant, known)) = unknown(message, "unknown variant `") {
        return say(format!("`{variant}` is not known here")).help(suggestion(variant, known));
    }
    if let Some(field) = quoted(message, "missing field `") {
        return say(format!("`{field}` is missing"));
    }
    if let Some(field) = quoted(message, "duplicate field `") {
        return say(format!("the key `{field}` occurs twice")).help("remove one of the two");
    }
    if let Some((found, wanted)) = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|kind| message.strip_prefix(kind)?.rsplit_once(", expected "))
    {
        return say(format!("{} must stand here, not {}", words::wanted(wanted), words::found(found)));
    }
    if error.is_eof() {
        return say("not readable as JSON: it ends too early".to_owned());
    }
    say(if error.is_syntax() { format!("not readable as JSON: {message}") } else { message.to_owned() })
}

/// The name in `message` after `prefix`.
fn quoted<'m>(message: &'m str, prefix: &str) -> Option<&'m str> {
    message.strip_prefix(prefix)?.split('`').next()
}

/// The name in `message` after `prefix`, and those that are known.
fn unknown<'m>(message: &'m str, prefix: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let (name, rest) = message.strip_prefix(prefix)?.split_once('`')?;
    Some((name, rest.split('`').skip(1).step_by(2).collect()))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Record {
        #[expect(dead_code, reason = "read only to be refused")]
        number: u32,
    }

    #[test]
    fn each_fault_has_its_place_in_the_file() {
        for (line, message, help) in [
            (r#"{"number":1,"nummer":2}"#, "unknown key `nummer`", "did you mean `number`?"),
            (r#"{}"#, "`number` is missing", ""),
            (r#"{"number":"1"}"#, "a whole number from 0 must stand here, not a text", ""),
            (r#"{"number":-1}"#, "a whole number from 0 must stand here, not the number -1", ""),
            (r#"{"number":1,"number":2}"#, "the key `number` occurs twice", "remove one of the two"),
            (r#"{"number":"#, "not readable as JSON: it ends too early", ""),
            (r#"{"number":1]"#, "not readable as JSON: expected `,` or `}`", ""),
        ] {
            let source = Source::new("a.jsonl", &format!("{{\"number\":0}}\n{line}\n"));
            let start = source.text.find('\n').unwrap() + 1;
            let problem = read::<Record>(&source, start..start + line.len()).unwrap_err();
            assert_eq!(problem.message, message, "{line}");
            assert_eq!(problem.help.unwrap_or_default(), help, "{line}");
            assert_eq!(problem.line, 2, "{line}");
        }
    }
}
