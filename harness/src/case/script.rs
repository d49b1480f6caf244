//! Reading scripts: the steps of a case, included files, seeded tool calls with their answers, and omitted turns.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::builder::Builder;
use super::fields::{Fields, count_of, list_of, text_of, wrong_kind};
use super::model::{SeededCall, Step, ToolDecl, Turn};
use super::node::{Kind, Node};
use super::problem::{Problems, Source};
use super::tools;
use crate::template::ValueTemplate;

/// The first keys a step can have.
const STEPS: [&str; 5] = ["user", "assistant", "tool", "reply", "include"];

/// Reads a script, step by step.
pub(crate) struct ScriptReader<'b, 'a> {
    builder: &'b mut Builder<'a>,
    max_steps: u32,
    tools: &'b [ToolDecl],
    steps: Vec<Step>,
    /// Where each scripted turn stands, for what is said about it later.
    turns: Vec<TurnPlace>,
    calls: usize,
    unanswered: VecDeque<Unanswered>,
}

struct TurnPlace {
    step: usize,
    source: Source,
    span: Range<usize>,
    /// For a tool's answer: the turn that made the call.
    answers: Option<usize>,
}

struct Unanswered {
    id: String,
    tool: String,
    turn: usize,
}

impl<'b, 'a> ScriptReader<'b, 'a> {
    /// Reads the script in `node`; `omit` names the turns that are left out of what is submitted.
    pub(crate) fn read(
        builder: &'b mut Builder<'a>,
        node: &Node,
        omit: Option<&Node>,
        source: &Source,
        max_steps: u32,
        tools: &'b [ToolDecl],
    ) -> Vec<Step> {
        let mut reader = Self {
            builder,
            max_steps,
            tools,
            steps: Vec::new(),
            turns: Vec::new(),
            calls: 0,
            unanswered: VecDeque::new(),
        };
        reader.list(node, source, true);
        reader.expect_answered(node.span.clone(), source, "the script ends");
        if !reader.steps.iter().any(|step| matches!(step, Step::Reply { .. })) {
            let problem = source.problem(node.span.clone(), "the script has no `reply` step");
            reader
                .builder
                .problems
                .add(problem.help("without one the subject never speaks and nothing can be judged"));
        }
        if let Some(omit) = omit {
            reader.omit(omit, source);
        }
        reader.steps
    }

    fn list(&mut self, node: &Node, source: &Source, may_include: bool) {
        for item in list_of(node, source, "the script", self.builder.problems) {
            self.step(item, source, may_include);
        }
    }

    fn step(&mut self, node: &Node, source: &Source, may_include: bool) {
        if node.text() == Some("reply") {
            self.reply(None, node, source);
            return;
        }
        let advice = "one of `user: …`, `assistant: …`, `tool: {…}`, `reply`, `include: …`";
        if !matches!(node.kind, Kind::Map(_)) {
            let problem = wrong_kind(node, source, "a step", "a mapping or the word `reply`");
            self.builder.problems.add(problem.help(advice));
            return;
        }
        let known = [&STEPS[..], &["calls"]].concat();
        let Some(fields) = Fields::read(node, source, "a step", &known, self.builder.problems) else {
            return;
        };
        let named: Vec<&str> = STEPS.into_iter().filter(|name| fields.has(name)).collect();
        match named.as_slice() {
            ["user"] => self.user(fields),
            ["assistant"] => self.assistant(fields),
            ["tool"] => self.tool(fields),
            ["reply"] => self.reply(fields.get("reply"), node, source),
            ["include"] => self.include(fields, may_include),
            // A misspelt key has been told already.
            [] if !fields.has("calls") => {}
            [] => {
                let problem = source.problem(fields.start(), "a step that is none");
                self.builder.problems.add(problem.help(advice));
            }
            _ => {
                let problem =
                    source.problem(fields.start(), format!("one step with {}", named.join(" and ")));
                self.builder.problems.add(problem.help("begin each step with its own dash"));
            }
        }
        if fields.has("calls") && named != ["assistant"] {
            let problem = source.problem(fields.start(), "`calls` belongs to an `assistant` step");
            self.builder.problems.add(problem);
        }
    }

    fn say(&mut self, turn: Turn, fields: Fields<'_>, answers: Option<usize>) {
        let step = self.steps.len();
        self.turns.push(TurnPlace { step, source: fields.source.clone(), span: fields.start(), answers });
        self.steps.push(Step::Say { turn, omitted: false });
    }

    fn user(&mut self, fields: Fields<'_>) {
        self.expect_answered(fields.start(), fields.source, "the user speaks");
        let Some(node) = fields.required("user", self.builder.problems) else { return };
        if let Some(text) = self.builder.template(node, fields.source, "`user`") {
            self.say(Turn::User(text), fields, None);
        }
    }

    fn assistant(&mut self, fields: Fields<'_>) {
        self.expect_answered(fields.start(), fields.source, "the assistant speaks");
        let say = fields
            .get("assistant")
            .and_then(|node| self.builder.template(node, fields.source, "`assistant`"));
        let mut calls = Vec::new();
        if let Some(node) = fields.get("calls") {
            for item in list_of(node, fields.source, "`calls`", self.builder.problems) {
                calls.extend(self.call(item, fields.source));
            }
        }
        if say.is_none() && calls.is_empty() && fields.get("assistant").is_none() {
            let problem =
                fields.source.problem(fields.start(), "an assistant turn with neither text nor calls");
            self.builder.problems.add(problem);
        }
        let turn = self.turns.len();
        self.unanswered.extend(calls.iter().map(|call| Unanswered {
            id: call.id.clone(),
            tool: call.tool.clone(),
            turn,
        }));
        self.say(Turn::Assistant { say, calls }, fields, None);
    }

    fn call(&mut self, node: &Node, source: &Source) -> Option<SeededCall> {
        let problems = &mut *self.builder.problems;
        let fields = Fields::read(node, source, "a call", &["tool", "arguments"], problems)?;
        let (tool, place) = fields.required_text("tool", problems)?;
        if !self.tools.iter().any(|offered| offered.name == tool)
            && let Some(problem) = tools::unknown(tool, place, source)
        {
            problems.add(problem);
        }
        let arguments = match fields.get("arguments") {
            Some(node) => self.builder.object(node, source, "`arguments`")?,
            None => Vec::new(),
        };
        self.calls += 1;
        let id = format!("script_{}", self.calls);
        Some(SeededCall { id, tool: tool.to_owned(), arguments: ValueTemplate::Object(arguments) })
    }

    fn tool(&mut self, fields: Fields<'_>) {
        let source = fields.source;
        let Some(node) = fields.required("tool", self.builder.problems) else { return };
        let known = ["name", "content", "is_error"];
        let Some(tool) = Fields::read(node, source, "`tool`", &known, self.builder.problems) else { return };
        let named = tool.text("name", self.builder.problems);
        let content = tool
            .required("content", self.builder.problems)
            .and_then(|node| self.builder.template(node, source, "`content`"));
        let is_error = tool.flag("is_error", self.builder.problems);
        let Some(call) = self.unanswered.pop_front() else {
            let problem = source.problem(fields.start(), "a tool's answer without a call");
            let help =
                "an `assistant` step before it must make the call: `calls: [{ tool: …, arguments: {…} }]`";
            self.builder.problems.add(problem.help(help));
            return;
        };
        if let Some((name, place)) = named.filter(|(name, _)| *name != call.tool) {
            let message = format!("an answer of `{name}`, but the oldest open call is of `{}`", call.tool);
            self.builder.problems.add(source.problem(place.span.clone(), message));
        }
        if let Some(content) = content {
            let turn = Turn::Tool { call_id: call.id, name: call.tool, content, is_error };
            self.say(turn, fields, Some(call.turn));
        }
    }

    fn reply(&mut self, settings: Option<&Node>, node: &Node, source: &Source) {
        self.expect_answered(node.span.clone(), source, "the subject speaks");
        let mut max_steps = self.max_steps;
        if let Some(settings) = settings {
            let problems = &mut *self.builder.problems;
            let Some(fields) = Fields::read(settings, source, "`reply`", &["max_steps"], problems) else {
                return;
            };
            if let Some(node) = fields.get("max_steps") {
                max_steps = count_of(node, source, "`max_steps`", problems).unwrap_or(max_steps);
            }
        }
        self.steps.push(Step::Reply { max_steps });
    }

    fn include(&mut self, fields: Fields<'_>, may_include: bool) {
        let Some(node) = fields.required("include", self.builder.problems) else { return };
        if !may_include {
            let problem = fields.source.problem(fields.start(), "an included file cannot include another");
            self.builder.problems.add(problem);
            return;
        }
        let Some(file) = self.builder.file(node, fields.source, "`include`") else { return };
        if let Some(steps) = Node::parse(&file, self.builder.problems) {
            self.list(&steps, &file, false);
        }
    }

    /// Model APIs refuse a conversation in which a call has no answer.
    fn expect_answered(&mut self, span: Range<usize>, source: &Source, when: &str) {
        let Some(call) = self.unanswered.front() else { return };
        let message = format!("{when} while a seeded call of `{}` has no answer", call.tool);
        let help = "add a `tool: { content: … }` step for each call";
        self.builder.problems.add(source.problem(span, message).help(help));
        self.unanswered.clear();
    }

    fn omit(&mut self, node: &Node, source: &Source) {
        let single = std::slice::from_ref(node);
        let items = if let Kind::List(items) = &node.kind { items } else { single };
        let mut omitted = BTreeSet::new();
        for item in items {
            match range_of(item, self.turns.len()) {
                Ok(range) => omitted.extend(range),
                Err(why) => {
                    let problem = source.problem(item.span.clone(), format!("`omit`: {why}"));
                    self.builder
                        .problems
                        .add(problem.help("turns are counted from 1: `omit: 1-10` or `omit: [1-10, 12]`"));
                }
            }
        }
        for (index, turn) in self.turns.iter().enumerate() {
            let left_out = omitted.contains(&(index + 1));
            if let Some(call) = turn.answers.filter(|call| omitted.contains(&(call + 1)) != left_out) {
                let message =
                    format!("turn {} answers a call of turn {}; omit both or neither", index + 1, call + 1);
                self.builder.problems.add(turn.source.problem(turn.span.clone(), message));
            }
            if let Some(Step::Say { omitted, .. }) = self.steps.get_mut(turn.step) {
                *omitted = left_out;
            }
        }
    }
}

fn range_of(node: &Node, turns: usize) -> Result<std::ops::RangeInclusive<usize>, String> {
    let text = match &node.kind {
        Kind::Number(number) => number.to_string(),
        Kind::Text(text) => text.clone(),
        _ => return Err(format!("a turn or a range of turns, not {}", node.describe())),
    };
    let (first, last) = text.split_once('-').unwrap_or((&text, &text));
    let parsed = first.trim().parse::<usize>().ok().zip(last.trim().parse::<usize>().ok());
    let (first, last) = parsed.ok_or_else(|| format!("`{text}` is not a range of turns"))?;
    if first == 0 || first > last {
        return Err(format!("`{text}` is not a range of turns"));
    }
    if last > turns {
        return Err(format!("there is no turn {last}, the script has {turns}"));
    }
    Ok(first..=last)
}

/// The texts of a list.
pub(crate) fn texts_of<'n>(
    node: &'n Node,
    source: &Source,
    what: &str,
    problems: &mut Problems,
) -> Vec<(&'n str, &'n Node)> {
    let items = list_of(node, source, what, problems);
    items.iter().filter_map(|item| Some((text_of(item, source, what, problems)?, item))).collect()
}
