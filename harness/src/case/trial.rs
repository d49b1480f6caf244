//! Trying templates before anything is played: each on every row, with its faults told at their places in the file.

use std::ops::Range;

use serde_json::{Map, Value};

use super::folder::clean_path;
use super::problem::{Problem, Source, nearest};
use super::table::Row;
use crate::template::{Context, TemplateError, Typed, ValueTemplate};

/// A template that is tried on every row before anything is played.
pub(crate) struct Trial {
    pub(crate) template: ValueTemplate,
    pub(crate) place: Place,
    pub(crate) wants: Wants,
    pub(crate) each: Option<Typed>,
    /// The derived parameter it belongs to.
    pub(crate) deriving: Option<String>,
}

/// What a template must give.
#[derive(Clone, Copy)]
pub(crate) enum Wants {
    Anything,
    /// A path within the workspace.
    Path,
    List,
}

/// Where a template stands in its file, and its text as the file's syntax decoded it.
pub(crate) struct Place {
    pub(crate) source: Source,
    pub(crate) span: Range<usize>,
    pub(crate) text: String,
}

impl Trial {
    /// Fills the template in with one row's values, called `known`; the problem, if there is one.
    pub(crate) fn run(&self, context: &Context, known: &[&str], line: usize) -> Option<Problem> {
        match self.each.as_ref().map(|each| each.eval(context)) {
            None => self.run_once(context, known, line),
            Some(Ok(Value::Array(items))) => {
                items.iter().find_map(|item| self.run_once(&context.with("item", item), known, line))
            }
            // A list that cannot be had is told where it stands.
            Some(_) => None,
        }
    }

    /// Whether it uses any of `names`.
    pub(crate) fn uses(&self, names: &[&str]) -> bool {
        !names.is_empty() && self.template.names().iter().any(|name| names.contains(&name.as_str()))
    }

    fn run_once(&self, context: &Context, known: &[&str], line: usize) -> Option<Problem> {
        let whole = |message: String| self.place.source.problem(self.place.span.clone(), message);
        let rendered = match self.template.render(context) {
            Ok(rendered) => rendered,
            Err(error) if error.undefined => return Some(self.place.undefined(&error, known)),
            Err(error) => {
                let problem = self.place.problem(&error);
                let help = format!("with the parameters of line {line}");
                return Some(if line > 0 { problem.help(help) } else { problem });
            }
        };
        match (self.wants, &rendered) {
            (Wants::Path, _) => {
                let path = rendered.as_str().unwrap_or_default();
                clean_path(path).err().map(|why| whole(format!("the workspace path `{path}` {why}")))
            }
            (Wants::List, Value::Array(_)) | (Wants::Anything, _) => None,
            (Wants::List, _) => Some(whole(format!("must give a list, not `{rendered}`"))),
        }
    }
}

impl Trial {
    /// The problem of a name that is none of `known`, when the table holds no row to try.
    pub(crate) fn unknown_name(&self, known: &[&str]) -> Option<Problem> {
        let names = self.template.names().into_iter();
        let names: Vec<String> = names.chain(self.each.iter().flat_map(Typed::names)).collect();
        let is_known = |name: &str| {
            known.contains(&name) || name == "charter" || (name == "item" && self.each.is_some())
        };
        let name = names.iter().find(|name| !is_known(name))?;
        let error = TemplateError::lacks(&self.place.text, name);
        Some(self.place.undefined(&error, known))
    }
}

impl Place {
    fn undefined(&self, error: &TemplateError, names: &[&str]) -> Problem {
        let problem = self.problem(error);
        if names.contains(&self.offending(error)) {
            return problem.help("a derived parameter can only use those above it");
        }
        match nearest(self.offending(error), names.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None if names.is_empty() => problem.help("the case has no parameters"),
            None => problem.help(format!("the parameters are: {}", names.join(", "))),
        }
    }

    /// The problem of a template, at its place in the file.
    pub(crate) fn problem(&self, error: &TemplateError) -> Problem {
        self.source.problem(self.in_file(error), format!("in a template: {}", error.message))
    }

    fn offending(&self, error: &TemplateError) -> &str {
        self.text.get(error.span.clone()).unwrap_or_default()
    }

    /// Where the template's error stands in the file.
    ///
    /// The file's syntax may indent, fold or escape a text, so its lines are looked for one after the other in what
    /// the file holds at the node's place; when one cannot be found the node as a whole is meant.
    fn in_file(&self, error: &TemplateError) -> Range<usize> {
        let raw = self.source.text.get(self.span.clone()).unwrap_or_default();
        let mut from = 0;
        let mut start_of_line = 0;
        for (number, line) in self.text.split_inclusive('\n').enumerate() {
            let bare = line.trim_end();
            let Some(found) = raw.get(from..).and_then(|rest| rest.find(bare)) else { break };
            if number + 1 == error.line {
                let within = error.span.start.saturating_sub(start_of_line);
                let length = error.span.len().min(bare.len().saturating_sub(within)).max(1);
                let start = self.span.start + from + found + within;
                return start..start + length;
            }
            from += found + bare.len();
            start_of_line += line.len();
        }
        let offending = self.offending(error);
        match raw.find(offending).filter(|_| !offending.is_empty()) {
            Some(found) => self.span.start + found..self.span.start + found + offending.len(),
            None => self.span.clone(),
        }
    }
}

/// The row's values, and the charter's.
pub(crate) fn values_of(row: &Row, charter: Option<&Value>) -> Map<String, Value> {
    let mut values = row.clone();
    if let Some(charter) = charter {
        values.insert("charter".to_owned(), charter.clone());
    }
    values
}

/// The parameters of a row with the derived ones, and what its templates see.
pub(crate) fn context_of(
    row: &Row,
    derived: &[(String, ValueTemplate)],
    charter: Option<&Value>,
) -> Result<(Row, Context), TemplateError> {
    let mut params = row.clone();
    for (name, template) in derived {
        let value = template.render(&Context::new(&values_of(&params, charter)))?;
        params.insert(name.clone(), value);
    }
    let context = Context::new(&values_of(&params, charter));
    Ok((params, context))
}
