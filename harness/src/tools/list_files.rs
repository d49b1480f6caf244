//! `list_files`: what is there, recursively, since models ask for one folder after another otherwise.

use reports::words::counted;
use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, path};

/// The most paths that one answer holds.
const MAX_PATHS: usize = 1000;

/// The tool.
#[derive(Debug)]
pub struct ListFiles;

impl Tool for ListFiles {
    fn name(&self) -> &'static str {
        "list_files"
    }

    fn description(&self) -> &'static str {
        "List all files of the workspace, or below one folder of it, one path a line."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "A folder; the whole workspace when left out." },
            },
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome {
        list(args, cx).into()
    }
}

fn list(args: &Args, cx: &ToolContext<'_>) -> Result<String, String> {
    let path = path(args)?;
    if cx.workspace.is_file(&path) {
        return Ok(path.to_string());
    }
    if !cx.workspace.is_folder(&path) {
        return Err(format!("no such file or folder: {path}"));
    }
    let mut paths: Vec<&str> = cx.workspace.paths_below(&path).collect();
    if paths.is_empty() {
        return Ok("(empty)".to_owned());
    }
    let rest = paths.len().saturating_sub(MAX_PATHS);
    paths.truncate(MAX_PATHS);
    let mut out = paths.join("\n");
    if rest > 0 {
        out.push_str(&format!("\n… {} more", counted(rest, "file")));
    }
    Ok(out)
}
