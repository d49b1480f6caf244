//! `write_file`: creates a file or replaces its content.

use reports::words::counted;
use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, file_path, text};

/// The tool.
#[derive(Debug)]
pub struct WriteFile;

impl Tool for WriteFile {
    fn name(&self) -> &'static str {
        "write_file"
    }

    fn description(&self) -> &'static str {
        "Write a file of the workspace, replacing what it held."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The file; folders on the way are created." },
                "content": { "type": "string", "description": "The file's whole content." },
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome {
        write(args, cx).into()
    }
}

fn write(args: &Args, cx: &mut ToolContext<'_>) -> Result<String, String> {
    let path = file_path(args)?;
    let content = text(args, "content");
    cx.workspace.write(&path, content.as_bytes()).map_err(|error| error.to_string())?;
    Ok(format!("wrote {} to {path}", counted(content.len(), "byte")))
}
