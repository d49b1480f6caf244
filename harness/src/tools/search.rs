//! `search`: where a pattern occurs, one line a hit, in the form that judges read: `path:line: text`.

use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, path, text};

/// The most hits that one answer holds.
const MAX_HITS: usize = 200;
/// The longest line that is shown, in characters.
const MAX_LINE: usize = 500;
/// How large a compiled pattern may be.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// The tool.
#[derive(Debug)]
pub struct Search;

impl Tool for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn description(&self) -> &'static str {
        "Search the text files of the workspace for a regular expression. Answers `path:line: text`, one line a hit."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string", "description": "A regular expression; case matters." },
                "path": { "type": "string", "description": "A file or a folder; the whole workspace when left out." },
            },
            "required": ["pattern"],
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome {
        search(args, cx).into()
    }
}

fn search(args: &Args, cx: &ToolContext<'_>) -> Result<String, String> {
    let pattern = text(args, "pattern");
    if pattern.is_empty() {
        return Err("the pattern is empty".to_owned());
    }
    let (regex, is_literal) = match compile(pattern) {
        Ok(regex) => (regex, false),
        Err(_) => (compile(&regex::escape(pattern)).map_err(|_| "the pattern is too large")?, true),
    };
    let path = path(args)?;
    let paths: Vec<&str> = if cx.workspace.is_file(&path) {
        vec![path.as_str()]
    } else if cx.workspace.is_folder(&path) {
        cx.workspace.paths_below(&path).collect()
    } else {
        return Err(format!("no such file or folder: {path}"));
    };
    let (mut hits, mut more) = (Vec::new(), 0);
    for path in paths {
        let Some(content) = cx.workspace.get(path).and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
            continue;
        };
        for (number, line) in (1..).zip(content.lines()) {
            if !regex.is_match(line) {
                continue;
            }
            if hits.len() < MAX_HITS {
                hits.push(format!("{path}:{number}: {}", shorten(line.trim())));
            } else {
                more += 1;
            }
        }
    }
    if more > 0 {
        hits.push(format!("… {more} more matches"));
    }
    if hits.is_empty() {
        hits.push("no matches".to_owned());
    }
    if is_literal {
        hits.push(
            "(the pattern is not a valid regular expression; it was searched for as plain text)".to_owned(),
        );
    }
    Ok(hits.join("\n"))
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(MAX_REGEX_BYTES).dfa_size_limit(MAX_REGEX_BYTES).build()
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
