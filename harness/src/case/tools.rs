//! Reading the tools a case offers: standard ones by name, scripted ones with their answers, and tools of its own.

use serde_json::{Map, Value};
use transcript::Effect;
use transcript::effect::{STANDARD_TOOLS, standard_effect};

use super::builder::Builder;
use super::fields::{Fields, list_of, wrong_kind};
use super::model::{AnswerTemplate, ToolDecl};
use super::node::Node;
use super::problem::{Problem, Source, suggestion};

const EFFECTS: [(&str, Effect); 4] = [
    ("read", Effect::Read),
    ("test-run", Effect::TestRun),
    ("write", Effect::Write),
    ("external", Effect::External),
];

/// Reads the list of tools.
pub(crate) fn read(builder: &mut Builder<'_>, node: &Node, source: &Source) -> Vec<ToolDecl> {
    let mut tools: Vec<ToolDecl> = Vec::new();
    for item in list_of(node, source, "`tools`", builder.problems) {
        let Some(tool) = tool(builder, item, source) else { continue };
        if tools.iter().any(|known| known.name == tool.name) {
            let message = format!("the tool `{}` is offered twice", tool.name);
            builder.problems.add(source.problem(item.span.clone(), message));
        } else {
            tools.push(tool);
        }
    }
    tools
}

/// The problem of a tool that is not in the standard set.
pub(crate) fn unknown(name: &str, node: &Node, source: &Source) -> Option<Problem> {
    if standard_effect(name).is_some() {
        return None;
    }
    let problem = source.problem(node.span.clone(), format!("unknown tool `{name}`"));
    Some(problem.help(suggestion(name, STANDARD_TOOLS.map(|(name, _)| name))))
}

fn tool(builder: &mut Builder<'_>, node: &Node, source: &Source) -> Option<ToolDecl> {
    if let Some(name) = node.text() {
        unknown(name, node, source).into_iter().for_each(|problem| builder.problems.add(problem));
        let name = name.to_owned();
        return Some(ToolDecl {
            name,
            description: None,
            parameters: None,
            effect: None,
            answers: Vec::new(),
        });
    }
    let known = ["name", "description", "parameters", "effect", "answer", "is_error", "answers"];
    let fields = Fields::read(node, source, "a tool", &known, builder.problems)?;
    let (name, place) = fields.required_text("name", builder.problems)?;
    let description = fields.text("description", builder.problems).map(|(text, _)| text.to_owned());
    let parameters = parameters(builder, &fields);
    let effect = effect(builder, &fields);
    if description.is_none() || !fields.has("effect") {
        let problem = unknown(name, place, source);
        let help = "; a tool of the case's own needs `description`, `effect` and answers";
        problem.into_iter().for_each(|problem| builder.problems.add(problem.more_help(help)));
    }
    let redeclared = description.is_some() || parameters.is_some() || effect.is_some();
    let scripted = fields.has("answer") || fields.has("answers");
    let answers = if redeclared && !scripted && standard_effect(name).is_some() {
        Vec::new()
    } else {
        answers(builder, &fields, name)?
    };
    Some(ToolDecl { name: name.to_owned(), description, parameters, effect, answers })
}

fn parameters(builder: &mut Builder<'_>, fields: &Fields<'_>) -> Option<Map<String, Value>> {
    let node = fields.get("parameters")?;
    match node.to_json() {
        Value::Object(schema) => Some(schema),
        _ => {
            builder.problems.add(wrong_kind(node, fields.source, "`parameters`", "a JSON Schema"));
            None
        }
    }
}

fn effect(builder: &mut Builder<'_>, fields: &Fields<'_>) -> Option<Effect> {
    let (text, node) = fields.text("effect", builder.problems)?;
    let effect = EFFECTS.iter().find(|(name, _)| *name == text).map(|(_, effect)| *effect);
    if effect.is_none() {
        let problem = fields.source.problem(node.span.clone(), format!("unknown effect `{text}`"));
        builder.problems.add(problem.help(suggestion(text, EFFECTS.map(|(name, _)| name))));
    }
    effect
}

fn answers(builder: &mut Builder<'_>, fields: &Fields<'_>, name: &str) -> Option<Vec<AnswerTemplate>> {
    let source = fields.source;
    let help = "either `answer: …` for every call or `answers: [{ when: {…}, content: … }]`";
    match (fields.get("answer"), fields.get("answers")) {
        (Some(node), None) => {
            let is_error = fields.flag("is_error", builder.problems);
            let content = builder.template(node, source, "`answer`")?;
            Some(vec![AnswerTemplate { when: Vec::new(), content, is_error }])
        }
        (None, Some(node)) => {
            let items = list_of(node, source, "`answers`", builder.problems);
            if items.is_empty() {
                builder.problems.add(source.problem(node.span.clone(), "no answers").help(help));
            }
            Some(items.iter().filter_map(|item| answer(builder, item, source)).collect())
        }
        _ => {
            let problem = source.problem(fields.start(), format!("the scripted tool `{name}` needs answers"));
            builder.problems.add(problem.help(help));
            None
        }
    }
}

fn answer(builder: &mut Builder<'_>, node: &Node, source: &Source) -> Option<AnswerTemplate> {
    let fields = Fields::read(node, source, "an answer", &["when", "content", "is_error"], builder.problems)?;
    let when = match fields.get("when") {
        Some(node) => builder.object(node, source, "`when`")?,
        None => Vec::new(),
    };
    let is_error = fields.flag("is_error", builder.problems);
    let node = fields.required("content", builder.problems)?;
    let content = builder.template(node, source, "`content`")?;
    Some(AnswerTemplate { when, content, is_error })
}
