//! Traces: what the replay subjects say, recorded as templates over the row so that a sweep of the table works too.

use serde_json::{Map, Value};
use transcript::ToolCall;

use super::builder::Builder;
use super::fields::{Fields, list_of};
use super::folder::NoSource;
use super::model::{Case, Variant};
use super::node::Node;
use super::problem::{CaseErrors, Problem, Problems, Source, suggestion};
use super::table::Row;
use crate::template::{Context, Template, TemplateError, Typed, ValueTemplate};

/// The folder of a case that holds its traces.
pub const TRACES: &str = "traces";

/// What one subject says in one variant of a case.
#[derive(Debug, Clone)]
pub struct Trace {
    turns: Vec<TurnTemplate>,
    charter: Option<Value>,
}

/// One reply over the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceTurn {
    /// The text; may be empty when tools are called.
    pub say: String,
    /// The calls, in order.
    pub calls: Vec<ToolCall>,
}

#[derive(Debug, Clone)]
struct TurnTemplate {
    say: Option<Template>,
    calls: Vec<CallTemplate>,
}

#[derive(Debug, Clone)]
struct CallTemplate {
    tool: String,
    each: Option<Typed>,
    arguments: Vec<(String, ValueTemplate)>,
}

impl Trace {
    /// Loads the trace of the subject `name`: `traces/<name>.<variant>.yaml`, or else `traces/<name>.yaml`.
    ///
    /// # Errors
    /// When there is no such file, or everything that is wrong with it; each template is tried on every row.
    pub fn load(case: &Case, variant: &Variant, name: &str) -> Result<Self, CaseErrors> {
        let mut problems = Problems::default();
        let plain = format!("{TRACES}/{name}.yaml");
        let own = variant.name.as_ref().map(|variant| format!("{TRACES}/{name}.{variant}.yaml"));
        let looked_for: Vec<&String> = own.iter().chain([&plain]).collect();
        let found = looked_for.iter().find_map(|path| match case.folder.source(path) {
            Ok(source) => Some(Ok(source)),
            Err(NoSource::Path(_)) => None,
            Err(NoSource::Text(problem)) => Some(Err(problem)),
        });
        let Some(found) = found else {
            let paths: Vec<_> =
                looked_for.iter().map(|path| case.dir.join(path).display().to_string()).collect();
            let message = format!("the case {} has no trace of `{name}`", case.id);
            problems
                .add(Problem::whole(&case.dir, message).help(format!("looked for {}", paths.join(" and "))));
            return problems.settle(None);
        };
        let source = found.map_err(|problem| CaseErrors(vec![problem]))?;
        let turns = Node::parse(&source, &mut problems).map(|node| {
            let mut builder = Builder::new(&case.folder, &mut problems);
            let turns: Vec<_> = list_of(&node, &source, "a trace", builder.problems)
                .iter()
                .filter_map(|node| turn(&mut builder, node, &source, variant))
                .collect();
            if turns.is_empty() {
                builder.problems.add(source.problem(node.span.clone(), "the trace has no turns"));
            }
            builder.try_all(&variant.table, &variant.derived, variant.charter.as_ref());
            turns
        });
        problems.settle(turns.map(|turns| Self { turns, charter: variant.charter.clone() }))
    }

    /// What is said with the parameters of an instance.
    ///
    /// # Errors
    /// When the parameters are not those of a row that the trace was tried on.
    pub fn turns(&self, params: &Row) -> Result<Vec<TraceTurn>, TemplateError> {
        let mut values: Map<String, Value> = params.clone();
        if let Some(charter) = &self.charter {
            values.insert("charter".to_owned(), charter.clone());
        }
        let context = Context::new(&values);
        let mut turns = Vec::with_capacity(self.turns.len());
        for (index, turn) in self.turns.iter().enumerate() {
            let say = turn.say.as_ref().map(|say| say.render(&context)).transpose()?.unwrap_or_default();
            let mut calls = Vec::new();
            for call in &turn.calls {
                for arguments in call.arguments(&context)? {
                    let id = format!("call_{}_{}", index + 1, calls.len() + 1);
                    calls.push(ToolCall { id, name: call.tool.clone(), arguments });
                }
            }
            turns.push(TraceTurn { say, calls });
        }
        Ok(turns)
    }
}

impl CallTemplate {
    /// The arguments of each call that this one stands for.
    fn arguments(&self, context: &Context) -> Result<Vec<Value>, TemplateError> {
        let fill = |context: &Context| {
            let fields =
                self.arguments.iter().map(|(name, value)| Ok((name.clone(), value.render(context)?)));
            fields.collect::<Result<Map<_, _>, _>>().map(Value::from)
        };
        let Some(each) = &self.each else { return Ok(vec![fill(context)?]) };
        match each.eval(context)? {
            Value::Array(items) => items.iter().map(|item| fill(&context.with("item", item))).collect(),
            _ => Ok(Vec::new()),
        }
    }
}

fn turn(builder: &mut Builder<'_>, node: &Node, source: &Source, variant: &Variant) -> Option<TurnTemplate> {
    let fields = Fields::read(node, source, "a turn", &["say", "call"], builder.problems)?;
    let say = fields.get("say").and_then(|node| builder.template(node, source, "`say`"));
    let mut calls = Vec::new();
    if let Some(node) = fields.get("call") {
        for item in list_of(node, source, "`call`", builder.problems) {
            calls.extend(call(builder, item, source, variant));
        }
    }
    if fields.get("say").is_none() && fields.get("call").is_none() {
        builder.problems.add(source.problem(fields.start(), "a turn that neither says nor calls anything"));
    }
    Some(TurnTemplate { say, calls })
}

fn call(builder: &mut Builder<'_>, node: &Node, source: &Source, variant: &Variant) -> Option<CallTemplate> {
    let fields = Fields::read(node, source, "a call", &["tool", "each", "arguments"], builder.problems)?;
    let (tool, place) = fields.required_text("tool", builder.problems)?;
    let offered: Vec<&str> = variant.tools.iter().map(|tool| tool.name.as_str()).collect();
    if !offered.contains(&tool) {
        let problem =
            source.problem(place.span.clone(), format!("the case does not offer the tool `{tool}`"));
        builder.problems.add(problem.help(suggestion(tool, offered.iter().copied())));
    }
    let each = match fields.get("each") {
        Some(node) => Some(builder.list_expression(node, source, "`each`")?),
        None => None,
    };
    builder.each.clone_from(&each);
    let arguments = match fields.get("arguments") {
        Some(node) => builder.object(node, source, "`arguments`"),
        None => Some(Vec::new()),
    };
    builder.each = None;
    Some(CallTemplate { tool: tool.to_owned(), each, arguments: arguments? })
}
