//! `fetch_url`: answers the pages that the case scripted; nothing is ever fetched.

use serde_json::{Value, json};
use transcript::Effect;

use super::{Args, Tool, ToolContext, ToolOutcome, excerpt, text};

/// The tool.
#[derive(Debug)]
pub struct FetchUrl;

impl Tool for FetchUrl {
    fn name(&self) -> &'static str {
        "fetch_url"
    }

    fn description(&self) -> &'static str {
        "Fetch a page and return its text."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "url": { "type": "string", "description": "The page's address." } },
            "required": ["url"],
            "additionalProperties": false,
        })
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn call(&self, args: &Args, _cx: &mut ToolContext<'_>) -> ToolOutcome {
        ToolOutcome::error(format_args!("could not reach {}", excerpt(text(args, "url"))))
    }
}
