//! What reading a case needs at hand: its folder, the world it must fit into, and a ledger of templates to try.

use std::ops::Range;

use serde_json::Value;

use super::fields::{text_of, wrong_kind};
use super::folder::{Folder, NoSource};
use super::node::{Kind, Node};
use super::problem::{Problems, Source};
use super::table::Table;
use super::trial::{Place, Trial, Wants, values_of};
use crate::template::{Context, Template, TemplateError, Typed, ValueTemplate};

/// Reads one variant of a case.
pub(crate) struct Builder<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) problems: &'a mut Problems,
    trials: Vec<Trial>,
    /// The list whose items the templates being read are filled in with, one after the other.
    pub(crate) each: Option<Typed>,
    /// The derived parameter that is being read.
    pub(crate) deriving: Option<String>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(folder: &'a Folder, problems: &'a mut Problems) -> Self {
        Self { folder, problems, trials: Vec::new(), each: None, deriving: None }
    }

    /// The template in a text node.
    pub(crate) fn template(&mut self, node: &Node, source: &Source, what: &str) -> Option<Template> {
        let text = text_of(node, source, what, self.problems)?;
        self.compile(text, node.span.clone(), source)
    }

    /// The template that gives a workspace path, in a key.
    pub(crate) fn path_template(
        &mut self,
        text: &str,
        span: Range<usize>,
        source: &Source,
    ) -> Option<Template> {
        let template = self.compile(text, span, source);
        if let Some(trial) = self.trials.last_mut().filter(|_| template.is_some()) {
            trial.wants = Wants::Path;
        }
        template
    }

    /// A whole file as a template.
    pub(crate) fn file_template(&mut self, source: &Source) -> Option<Template> {
        self.compile(&source.text, 0..source.text.len(), source)
    }

    fn compile(&mut self, text: &str, span: Range<usize>, source: &Source) -> Option<Template> {
        self.enter(Template::new(text), ValueTemplate::Text, Wants::Anything, text, span, source)
    }

    /// Notes a compiled template for its trial, or tells why it is none.
    fn enter<T: Clone>(
        &mut self,
        compiled: Result<T, TemplateError>,
        wrap: impl Fn(T) -> ValueTemplate,
        wants: Wants,
        text: &str,
        span: Range<usize>,
        source: &Source,
    ) -> Option<T> {
        let place = Place { source: source.clone(), span, text: text.to_owned() };
        match compiled {
            Ok(compiled) => {
                let template = wrap(compiled.clone());
                let (each, deriving) = (self.each.clone(), self.deriving.clone());
                self.trials.push(Trial { template, place, wants, each, deriving });
                Some(compiled)
            }
            Err(error) => {
                self.problems.add(place.problem(&error));
                None
            }
        }
    }

    /// A value whose texts are templates.
    pub(crate) fn value(&mut self, node: &Node, source: &Source) -> Option<ValueTemplate> {
        Some(match &node.kind {
            Kind::Text(text) => {
                let compiled = ValueTemplate::text(text);
                self.enter(compiled, |template| template, Wants::Anything, text, node.span.clone(), source)?
            }
            Kind::List(items) => {
                ValueTemplate::List(items.iter().filter_map(|item| self.value(item, source)).collect())
            }
            Kind::Map(fields) => ValueTemplate::Object(
                fields
                    .iter()
                    .filter_map(|(key, value)| Some((key.name.clone(), self.value(value, source)?)))
                    .collect(),
            ),
            _ => ValueTemplate::Plain(node.to_json()),
        })
    }

    /// A mapping whose texts are templates.
    pub(crate) fn object(
        &mut self,
        node: &Node,
        source: &Source,
        what: &str,
    ) -> Option<Vec<(String, ValueTemplate)>> {
        match self.value(node, source)? {
            ValueTemplate::Object(fields) => Some(fields),
            _ => {
                self.problems.add(wrong_kind(node, source, what, "a mapping"));
                None
            }
        }
    }

    /// Reads a file of the case's folder that a text node names.
    pub(crate) fn file(&mut self, node: &Node, source: &Source, what: &str) -> Option<Source> {
        let path = text_of(node, source, what, self.problems)?;
        match self.folder.source(path) {
            Ok(file) => Some(file),
            Err(NoSource::Path(why)) => {
                self.problems.add(source.problem(node.span.clone(), format!("{what}: `{path}` {why}")));
                None
            }
            Err(NoSource::Text(problem)) => {
                self.problems.add(problem);
                None
            }
        }
    }

    /// The expression in a text node, which must give a list.
    pub(crate) fn list_expression(&mut self, node: &Node, source: &Source, what: &str) -> Option<Typed> {
        let text = text_of(node, source, what, self.problems)?;
        self.enter(Typed::new(text), ValueTemplate::Typed, Wants::List, text, node.span.clone(), source)
    }

    /// Checks the names in every template against those that a table would give, when its rows cannot be had.
    pub(crate) fn try_names(&mut self, columns: &[String], derived: &[(String, ValueTemplate)]) {
        let known: Vec<&str> =
            columns.iter().chain(derived.iter().map(|(name, _)| name)).map(String::as_str).collect();
        self.trials
            .iter()
            .filter_map(|trial| trial.unknown_name(&known))
            .for_each(|problem| self.problems.add(problem));
    }

    /// Tries every template on every row of the table.
    pub(crate) fn try_all(
        &mut self,
        table: &Table,
        derived: &[(String, ValueTemplate)],
        charter: Option<&Value>,
    ) {
        let names: Vec<&str> = derived.iter().map(|(name, _)| name.as_str()).collect();
        let mut failed = vec![false; self.trials.len()];
        for (row, line) in table.rows.iter().zip(&table.lines) {
            let known: Vec<&str> = row.keys().map(String::as_str).chain(names.iter().copied()).collect();
            let mut params = row.clone();
            let mut lost: Vec<&str> = Vec::new();
            let mut run = |context: &Context, deriving: Option<&str>, lost: &[&str]| {
                let due = self.trials.iter().zip(&mut failed).filter(|(trial, failed)| {
                    !**failed && trial.deriving.as_deref() == deriving && !trial.uses(lost)
                });
                for (trial, failed) in due {
                    if let Some(problem) = trial.run(context, &known, *line) {
                        *failed = true;
                        self.problems.add(problem);
                    }
                }
            };
            for (name, template) in derived {
                let context = Context::new(&values_of(&params, charter));
                match template.render(&context) {
                    Ok(value) => drop(params.insert(name.clone(), value)),
                    Err(_) => {
                        run(&context, Some(name), &lost);
                        // What uses it would only be told to lack a value that is told already.
                        lost.push(name);
                    }
                }
            }
            run(&Context::new(&values_of(&params, charter)), None, &lost);
        }
    }
}
