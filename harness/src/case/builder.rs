//! What reading a case needs at hand: its folder, the world it must fit into, and a ledger of templates to try.

use std::ops::Range;

use serde_json::Value;

use super::fields::{text_of, wrong_kind};
use super::folder::Folder;
use super::node::{Kind, Node};
use super::problem::{Problems, Source};
use super::table::Table;
use super::trial::{Place, Trial, Wants, context_of, values_of};
use crate::template::{Context, Template, Typed, ValueTemplate};

/// Reads one variant of a case.
pub(crate) struct Builder<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) problems: &'a mut Problems,
    trials: Vec<Trial>,
    /// The list whose items the templates being read are filled in with, one after the other.
    pub(crate) each: Option<Typed>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(folder: &'a Folder, problems: &'a mut Problems) -> Self {
        Self { folder, problems, trials: Vec::new(), each: None }
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
        let place = Place { source: source.clone(), span, text: text.to_owned() };
        match Template::new(text) {
            Ok(template) => {
                self.trials.push(Trial {
                    template: ValueTemplate::Text(template.clone()),
                    place,
                    wants: Wants::Anything,
                    each: self.each.clone(),
                });
                Some(template)
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
                let place = Place { source: source.clone(), span: node.span.clone(), text: text.clone() };
                match ValueTemplate::text(text) {
                    Ok(template) => {
                        self.trials.push(Trial {
                            template: template.clone(),
                            place,
                            wants: Wants::Anything,
                            each: self.each.clone(),
                        });
                        template
                    }
                    Err(error) => {
                        self.problems.add(place.problem(&error));
                        return None;
                    }
                }
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
            Err(why) => {
                self.problems.add(source.problem(node.span.clone(), format!("{what}: `{path}` {why}")));
                None
            }
        }
    }

    /// The expression in a text node, which must give a list.
    pub(crate) fn list_expression(&mut self, node: &Node, source: &Source, what: &str) -> Option<Typed> {
        let text = text_of(node, source, what, self.problems)?;
        let place = Place { source: source.clone(), span: node.span.clone(), text: text.to_owned() };
        match Typed::new(text) {
            Ok(typed) => {
                let template = ValueTemplate::Typed(typed.clone());
                self.trials.push(Trial { template, place, wants: Wants::List, each: None });
                Some(typed)
            }
            Err(error) => {
                self.problems.add(place.problem(&error));
                None
            }
        }
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
        let mut failed = vec![false; self.trials.len()];
        for (row, line) in table.rows.iter().zip(&table.lines) {
            // A derived parameter that fails is itself on trial, and is told in its place.
            let context = context_of(row, derived, charter)
                .map_or_else(|_| Context::new(&values_of(row, charter)), |(_, context)| context);
            for (trial, failed) in self.trials.iter().zip(&mut failed).filter(|(_, failed)| !**failed) {
                if let Some(problem) = trial.run(&context, row, derived, *line) {
                    *failed = true;
                    self.problems.add(problem);
                }
            }
        }
    }
}
