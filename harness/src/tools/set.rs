//! The tools of one case: checked when the case is loaded, then called as often as the model likes.

use serde::Serialize;
use serde_json::{Value, json};
use transcript::effect::STANDARD_TOOLS;
use transcript::{Effect, ToolCall};

use super::decl::{DeclaredTool, ToolDecl};
use super::scripted::Scripted;
use super::{Tool, ToolContext, ToolOutcome, excerpt, schema, standard};
use crate::workspace::Workspace;

/// The tools that a subject is offered.
#[derive(Debug, Default)]
pub struct ToolSet {
    tools: Vec<Box<dyn Tool>>,
}

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    /// The tool's name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// Why a declaration is no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tool `{tool}` (number {number}): {kind}")]
pub struct ToolSetError {
    /// The tool's name as declared.
    pub tool: String,
    /// Which of the declarations it is, counted from 1.
    pub number: usize,
    /// What is wrong.
    pub kind: ToolSetErrorKind,
}

/// What is wrong with a declaration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolSetErrorKind {
    /// A name alone must be that of a standard tool.
    #[error("no standard tool has this name; there are {}", standard_names())]
    Unknown,
    /// The providers' APIs would refuse the name.
    #[error("a name has 1 to 64 letters, digits, `_` or `-`")]
    BadName,
    /// The name is taken.
    #[error("declared twice")]
    Duplicate,
    /// A tool of the case's own needs more.
    #[error("it is not a standard tool, so it needs `{0}`")]
    Missing(&'static str),
    /// What judges know of a standard tool must stay true.
    #[error("`{0}` of a standard tool cannot be changed")]
    Fixed(&'static str),
    /// Only one of the two can be meant.
    #[error("it has both `answer` and `answers`")]
    TwoAnswers,
    /// A list of answers without an answer.
    #[error("its `answers` are empty")]
    NoAnswers,
    /// Its schema cannot be checked.
    #[error("its schema is not usable: {0}")]
    Schema(String),
    /// An answer waits for an argument that cannot come.
    #[error("answer {answer} waits for the argument `{argument}`, which it does not take")]
    UnknownArgument {
        /// Which answer, counted from 1.
        answer: usize,
        /// The argument.
        argument: String,
    },
    /// An answer that is never given: one before it fits every call.
    #[error("answer {0} is never given: the one before it fits every call")]
    Unreachable(usize),
}

impl ToolSet {
    /// The declared tools.
    ///
    /// # Errors
    /// All that is wrong with the declarations, not only the first.
    pub fn new(decls: &[ToolDecl]) -> Result<Self, Vec<ToolSetError>> {
        let mut set = Self::default();
        let mut errors = Vec::new();
        for (number, decl) in (1..).zip(decls) {
            let tool =
                if set.find(decl.name()).is_some() { Err(ToolSetErrorKind::Duplicate) } else { build(decl) };
            match tool {
                Ok(tool) => set.tools.push(tool),
                Err(kind) => errors.push(ToolSetError { tool: decl.name().to_owned(), number, kind }),
            }
        }
        if errors.is_empty() { Ok(set) } else { Err(errors) }
    }

    /// What the model is told, in the order of declaration.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        let spec = |tool: &dyn Tool| ToolSpec {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            parameters: tool.parameters(),
        };
        self.tools.iter().map(|tool| spec(tool.as_ref())).collect()
    }

    /// The tools as a transcript records them: the name of a standard tool, name and effect of another.
    #[must_use]
    pub fn recorded(&self) -> Vec<Value> {
        let record = |tool: &dyn Tool| match standard(tool.name()) {
            Some(_) => json!(tool.name()),
            None => json!({ "name": tool.name(), "effect": tool.effect() }),
        };
        self.tools.iter().map(|tool| record(tool.as_ref())).collect()
    }

    /// The declared effect of a tool.
    #[must_use]
    pub fn effect(&self, name: &str) -> Option<Effect> {
        self.find(name).map(Tool::effect)
    }

    /// Whether there are no tools.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Answers a call, whatever it is: what is wrong with it is the answer.
    #[must_use]
    pub fn run(&self, call: &ToolCall, workspace: &mut Workspace) -> ToolOutcome {
        let Some(tool) = self.find(&call.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
            let available = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return ToolOutcome::error(format_args!(
                "unknown tool: {}; available: {available}",
                excerpt(&call.name)
            ));
        };
        match schema::arguments(&call.arguments, &tool.parameters()) {
            Ok(args) => tool.call(&args, &mut ToolContext { workspace }),
            Err(reason) => ToolOutcome::error(reason),
        }
    }

    fn find(&self, name: &str) -> Option<&dyn Tool> {
        self.tools.iter().find(|tool| tool.name() == name).map(AsRef::as_ref)
    }
}

fn build(decl: &ToolDecl) -> Result<Box<dyn Tool>, ToolSetErrorKind> {
    let name = decl.name();
    let tool = match decl {
        ToolDecl::Standard(_) => return standard(name).ok_or(ToolSetErrorKind::Unknown),
        ToolDecl::Declared(tool) => tool,
    };
    let is_name = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-');
    if name.is_empty() || name.len() > 64 || !name.bytes().all(is_name) {
        return Err(ToolSetErrorKind::BadName);
    }
    let base = standard(name);
    match &base {
        Some(_) if tool.parameters.is_some() => return Err(ToolSetErrorKind::Fixed("parameters")),
        Some(base) if tool.effect.is_some_and(|effect| effect != base.effect()) => {
            return Err(ToolSetErrorKind::Fixed("effect"));
        }
        None if tool.description.as_ref().is_none_or(|text| text.trim().is_empty()) => {
            return Err(ToolSetErrorKind::Missing("description"));
        }
        None if tool.effect.is_none() => return Err(ToolSetErrorKind::Missing("effect")),
        None if tool.answer.is_none() && tool.answers.is_none() => {
            return Err(ToolSetErrorKind::Missing("answer"));
        }
        _ => {}
    }
    if let Some(parameters) = &tool.parameters {
        schema::validate(parameters).map_err(ToolSetErrorKind::Schema)?;
    }
    check_answers(tool, base.as_deref())?;
    Ok(Box::new(Scripted::new(tool, base)))
}

fn check_answers(tool: &DeclaredTool, base: Option<&dyn Tool>) -> Result<(), ToolSetErrorKind> {
    let Some(answers) = &tool.answers else { return Ok(()) };
    if tool.answer.is_some() {
        return Err(ToolSetErrorKind::TwoAnswers);
    }
    if answers.is_empty() {
        return Err(ToolSetErrorKind::NoAnswers);
    }
    let schema =
        tool.parameters.clone().map(Value::Object).or(base.map(Tool::parameters)).unwrap_or_default();
    let is_open =
        tool.parameters.is_some() && schema.get("additionalProperties") != Some(&Value::Bool(false));
    let mut covered = false;
    for (number, answer) in (1..).zip(answers) {
        if covered {
            return Err(ToolSetErrorKind::Unreachable(number));
        }
        covered = answer.when.is_empty();
        let known =
            |key: &str| schema.get("properties").is_some_and(|properties| properties.get(key).is_some());
        if let Some(argument) = answer.when.keys().find(|key| !is_open && !known(key)) {
            return Err(ToolSetErrorKind::UnknownArgument { answer: number, argument: argument.clone() });
        }
    }
    Ok(())
}

fn standard_names() -> String {
    STANDARD_TOOLS.map(|(name, _)| name).join(", ")
}

#[cfg(test)]
mod tests;
