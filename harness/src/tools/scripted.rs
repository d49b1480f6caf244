//! Answers that a case fixes: over a standard tool, or for a tool that is nothing but answers.

use serde_json::{Map, Value, json};
use transcript::Effect;

use super::decl::{DeclaredTool, ScriptedAnswer};
use super::{Args, Tool, ToolContext, ToolOutcome};
use crate::workspace::WorkPath;

/// A tool with scripted answers.
#[derive(Debug)]
pub struct Scripted {
    name: String,
    description: String,
    parameters: Value,
    effect: Effect,
    answers: Vec<ScriptedAnswer>,
    /// Who answers when no scripted answer fits.
    fallback: Option<Box<dyn Tool>>,
}

impl Scripted {
    /// The tool as declared, over the standard tool of its name if there is one.
    pub(super) fn new(decl: &DeclaredTool, fallback: Option<Box<dyn Tool>>) -> Self {
        let inherited = |get: fn(&dyn Tool) -> String| fallback.as_deref().map(get).unwrap_or_default();
        let parameters = match (&decl.parameters, &fallback) {
            (Some(parameters), _) => Value::Object(parameters.clone()),
            (None, Some(tool)) => tool.parameters(),
            (None, None) => json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        };
        let fixed = decl.answer.as_ref().map(|text| ScriptedAnswer {
            when: Map::new(),
            content: text.clone(),
            is_error: false,
        });
        Self {
            name: decl.name.clone(),
            description: decl
                .description
                .clone()
                .unwrap_or_else(|| inherited(|tool| tool.description().to_owned())),
            parameters,
            // A tool that says nothing of its effect is taken for the worst.
            effect: decl.effect.or(fallback.as_deref().map(Tool::effect)).unwrap_or(Effect::External),
            answers: fixed.into_iter().chain(decl.answers.iter().flatten().cloned()).collect(),
            fallback,
        }
    }
}

impl Tool for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    fn effect(&self) -> Effect {
        self.effect
    }

    fn call(&self, args: &Args, cx: &mut ToolContext<'_>) -> ToolOutcome {
        match (self.answers.iter().find(|answer| fits(&answer.when, args)), &self.fallback) {
            (Some(answer), _) => ToolOutcome { content: answer.content.clone(), is_error: answer.is_error },
            (None, Some(tool)) => tool.call(args, cx),
            (None, None) => {
                ToolOutcome::error(format_args!("{} has no answer to these arguments", self.name))
            }
        }
    }
}

/// Whether a call with `args` is one that `when` describes. A `null` stands for an argument that is left out.
fn fits(when: &Map<String, Value>, args: &Args) -> bool {
    when.iter().all(|(key, wanted)| {
        let given = args.get(key).unwrap_or(&Value::Null);
        normalised(key, wanted) == normalised(key, given)
    })
}

/// An argument in the form in which two ways of writing it are equal.
fn normalised(key: &str, value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let text = text.trim();
    Value::String(match key {
        "path" => WorkPath::parse(text).map_or_else(|_| text.to_owned(), |path| path.to_string()),
        "url" => text.trim_end_matches('/').to_owned(),
        _ => text.to_owned(),
    })
}
