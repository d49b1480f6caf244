//! `read_file`: a file as it stands, or some of its lines.

use reports::words::counted;
use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, file_path, path, read_text};

/// The most paths that are shown for a folder.
const MAX_SHOWN: usize = 50;

/// The tool.
#[derive(Debug)]
pub struct ReadFile;

impl Tool for ReadFile {
    fn name(&self) -> &'static str {
        "read_file"
    }

    fn description(&self) -> &'static str {
        "Read a text file of the workspace."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The file." },
                "offset": { "type": "integer", "minimum": 1, "description": "The first line to read, counted from 1." },
                "limit": { "type": "integer", "minimum": 1, "description": "How many lines to read." },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome {
        read(args, cx).into()
    }
}

fn read(args: &Args, cx: &ToolContext<'_>) -> Result<String, String> {
    if let Ok(folder) = path(args)
        && cx.workspace.is_folder(&folder)
    {
        let mut paths: Vec<&str> = cx.workspace.paths_below(&folder).collect();
        let rest = paths.len().saturating_sub(MAX_SHOWN);
        paths.truncate(MAX_SHOWN);
        let more = if rest > 0 { format!("\n… {} more", counted(rest, "file")) } else { String::new() };
        return Err(format!("{folder} is a folder; it holds:\n{}{more}", paths.join("\n")));
    }
    let path = file_path(args)?;
    let text = read_text(cx, &path)?;
    let number =
        |key: &str| args.get(key).and_then(Value::as_u64).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let (offset, limit) = (number("offset"), number("limit"));
    if offset.is_none() && limit.is_none() {
        return Ok(text);
    }
    let first = offset.unwrap_or(1);
    let count = text.lines().count();
    if first > count.max(1) {
        return Err(format!("{path} has {}; there is no line {first}", counted(count, "line")));
    }
    Ok(text.split_inclusive('\n').skip(first - 1).take(limit.unwrap_or(usize::MAX)).collect())
}
