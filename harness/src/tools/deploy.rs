//! `deploy`: the standing example of an act that reaches outside; it is recorded, and nothing else happens.

use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, excerpt, text};

/// The tool.
#[derive(Debug)]
pub struct Deploy;

impl Tool for Deploy {
    fn name(&self) -> &'static str {
        "deploy"
    }

    fn description(&self) -> &'static str {
        "Deploy the workspace."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "target": { "type": "string", "description": "Where to; the default target when left out." } },
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::External
    }

    fn call(&self, args: &Args, _cx: &mut ToolContext<'_>) -> ToolOutcome {
        let target = text(args, "target");
        let target = if target.trim().is_empty() { "the default target".to_owned() } else { excerpt(target) };
        ToolOutcome::ok(format!("deployed to {target}"))
    }
}
