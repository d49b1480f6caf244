//! `edit_file`: replaces a text wherever it occurs in a file.

use reports::words::counted;
use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, file_path, read_text, text};
use crate::workspace::{MAX_FILE_BYTES, WorkspaceError};

/// The tool.
#[derive(Debug)]
pub struct EditFile;

impl Tool for EditFile {
    fn name(&self) -> &'static str {
        "edit_file"
    }

    fn description(&self) -> &'static str {
        "Replace every occurrence of a text in a file of the workspace."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The file." },
                "old": { "type": "string", "description": "The text to replace, exactly as it stands in the file." },
                "new": { "type": "string", "description": "What to put in its place." },
            },
            "required": ["path", "old", "new"],
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome {
        edit(args, cx).into()
    }
}

fn edit(args: &Args, cx: &mut ToolContext<'_>) -> Result<String, String> {
    let path = file_path(args)?;
    let (old, new) = (text(args, "old"), text(args, "new"));
    if old.is_empty() {
        return Err("the old text is empty; use write_file to write a whole file".to_owned());
    }
    if old == new {
        return Err("the old and the new text are the same".to_owned());
    }
    let before = read_text(cx, &path)?;
    let count = before.matches(old).count();
    if count == 0 {
        return Err(format!("old text not found in {path}"));
    }
    // Known before it is built: a short text replaced by a long one could fill the memory.
    let bytes = (before.len() - count * old.len()).saturating_add(count.saturating_mul(new.len()));
    if bytes > MAX_FILE_BYTES {
        return Err(WorkspaceError::FileTooLarge { path, bytes }.to_string());
    }
    let after = before.replace(old, new).into_bytes();
    cx.workspace.write(&path, after).map_err(|error| error.to_string())?;
    Ok(format!("edited {path} ({})", counted(count, "replacement")))
}
