//! Files of the workspace that depend on the row: their paths and contents are templates.

use serde_json::Value;

use super::builder::Builder;
use super::fields::{Fields, text_of};
use super::node::{Kind, Node};
use super::problem::Source;
use super::variant::Layers;
use crate::template::{Context, Template, TemplateError, Typed};

/// A file of the workspace that depends on the row, or one for each item of a list.
#[derive(Debug, Clone)]
pub struct FileTemplate {
    /// The list whose items, called `item`, each give a file; none means one file.
    pub each: Option<Typed>,
    /// Its path.
    pub path: Template,
    /// Its content.
    pub content: Template,
}

impl FileTemplate {
    /// The files, as paths and contents.
    ///
    /// # Errors
    /// When a template cannot be filled in.
    pub fn render(&self, context: &Context) -> Result<Vec<(String, String)>, TemplateError> {
        let one = |context: &Context| Ok((self.path.render(context)?, self.content.render(context)?));
        let Some(each) = &self.each else { return Ok(vec![one(context)?]) };
        match each.eval(context)? {
            Value::Array(items) => items.iter().map(|item| one(&context.with("item", item))).collect(),
            _ => Ok(Vec::new()),
        }
    }
}

/// Reads `files`: a mapping of paths to contents, or a list with `each`, `path` and `content` or `template`.
pub(crate) fn read(builder: &mut Builder<'_>, layers: Layers<'_>) -> Vec<FileTemplate> {
    let source = layers.source();
    let Some(node) = layers.get("files") else { return Vec::new() };
    if let Kind::List(items) = &node.kind {
        return items.iter().filter_map(|item| entry(builder, item, source)).collect();
    }
    let Some(fields) = Fields::open(node, source, "`files`", builder.problems) else { return Vec::new() };
    let mut files = Vec::new();
    for (key, value) in fields.iter() {
        let path = builder.path_template(&key.name, key.span.clone(), source);
        let content = match &value.kind {
            Kind::Map(_) => Fields::read(value, source, "a file", &["template"], builder.problems)
                .and_then(|fields| fields.required("template", builder.problems))
                .and_then(|node| from_file(builder, node, source)),
            _ => builder.template(value, source, "a file's content"),
        };
        files.extend(path.zip(content).map(|(path, content)| FileTemplate { each: None, path, content }));
    }
    files
}

fn entry(builder: &mut Builder<'_>, node: &Node, source: &Source) -> Option<FileTemplate> {
    let keys = ["each", "path", "content", "template"];
    let fields = Fields::read(node, source, "a file", &keys, builder.problems)?;
    let each = match fields.get("each") {
        Some(node) => Some(builder.list_expression(node, source, "`each`")?),
        None => None,
    };
    builder.each.clone_from(&each);
    let path = fields.required("path", builder.problems).and_then(|node| {
        let text = text_of(node, source, "`path`", builder.problems)?;
        builder.path_template(text, node.span.clone(), source)
    });
    let content = match (fields.get("content"), fields.get("template")) {
        (Some(node), None) => builder.template(node, source, "a file's content"),
        (None, Some(node)) => from_file(builder, node, source),
        _ => {
            let message = "a file needs `content` or `template`, one of them";
            builder.problems.add(source.problem(fields.start(), message));
            None
        }
    };
    builder.each = None;
    Some(FileTemplate { each, path: path?, content: content? })
}

fn from_file(builder: &mut Builder<'_>, node: &Node, source: &Source) -> Option<Template> {
    builder.file(node, source, "`template`").and_then(|file| builder.file_template(&file))
}
