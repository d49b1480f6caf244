//! `delete_file`: deletes one file.

use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, file_path};

/// The tool.
#[derive(Debug)]
pub struct DeleteFile;

impl Tool for DeleteFile {
    fn name(&self) -> &'static str {
        "delete_file"
    }

    fn description(&self) -> &'static str {
        "Delete a file of the workspace."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "path": { "type": "string", "description": "The file." } },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome {
        let deleted = file_path(args).and_then(|path| {
            cx.workspace.delete(&path).map_err(|error| error.to_string())?;
            Ok(format!("deleted {path}"))
        });
        deleted.into()
    }
}
