//! `run_command`: a command line, answered by an emulation on the workspace. There is no shell behind it.

use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, shell, text};

/// The tool.
#[derive(Debug)]
pub struct RunCommand;

impl Tool for RunCommand {
    fn name(&self) -> &'static str {
        "run_command"
    }

    fn description(&self) -> &'static str {
        "Run a shell command in the workspace and return its output."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "command": { "type": "string", "description": "The command line." } },
            "required": ["command"],
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome {
        shell::run(text(args, "command"), cx.workspace)
    }
}
