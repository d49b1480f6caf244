//! `run_tests`: answers what the case scripted; there is nothing here that could run.

use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome};

/// The tool.
#[derive(Debug)]
pub struct RunTests;

impl Tool for RunTests {
    fn name(&self) -> &'static str {
        "run_tests"
    }

    fn description(&self) -> &'static str {
        "Run the workspace's tests and return the runner's output."
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    fn effect(&self) -> Effect {
        Effect::TestRun
    }

    fn call(&self, _args: &Args, _cx: &mut ToolContext<'_>) -> ToolOutcome {
        ToolOutcome::error("no tests are defined in this workspace")
    }
}
