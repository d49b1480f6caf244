//! Values whose texts are templates: tool arguments, derived parameters, lists to go through.

use std::sync::Arc;

use minijinja::Expression;
use serde_json::{Map, Number};

use super::{Context, ENGINE, Template, TemplateError, blame_name, number, own_names, place, whole_text};

/// An expression whose value keeps its type.
#[derive(Debug, Clone)]
pub struct Typed {
    source: Arc<str>,
    expression: Arc<Expression<'static, 'static>>,
    /// Where the expression starts in the text it was taken from.
    offset: usize,
}

impl Typed {
    /// Compiles the expression `source`.
    ///
    /// # Errors
    /// When its syntax is wrong.
    pub fn new(source: &str) -> Result<Self, TemplateError> {
        Self::within(source, source, 0)
    }

    fn within(whole: &str, inner: &str, offset: usize) -> Result<Self, TemplateError> {
        let expression = ENGINE
            .compile_expression_owned(inner.to_owned())
            .map_err(|error| place(&error, whole, offset))?;
        Ok(Self { source: whole.into(), expression: Arc::new(expression), offset })
    }

    /// The names of the values it uses.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        own_names(self.expression.undeclared_variables(false))
    }

    /// The expression's value.
    ///
    /// # Errors
    /// When a value does not exist, or a filter refuses what it is given.
    pub fn eval(&self, context: &Context) -> Result<serde_json::Value, TemplateError> {
        let blame = |error| {
            blame_name(error, &self.source, &context.lacking(self.expression.undeclared_variables(true)))
        };
        let value = self
            .expression
            .eval(context.0.clone())
            .map_err(|error| blame(place(&error, &self.source, self.offset)))?;
        if value.is_undefined() {
            return Err(blame(whole_text(&self.source, "the value is not defined".to_owned(), true)));
        }
        serde_json::to_value(&value)
            .map(tidy_json)
            .map_err(|error| whole_text(&self.source, format!("not a value JSON can hold: {error}"), false))
    }
}

/// A JSON value whose texts are templates. A text that is exactly one `{{ expression }}` keeps the expression's type.
#[derive(Debug, Clone)]
pub enum ValueTemplate {
    /// Nothing to fill in.
    Plain(serde_json::Value),
    /// A text with holes.
    Text(Template),
    /// Exactly one hole.
    Typed(Typed),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(Vec<(String, Self)>),
}

impl ValueTemplate {
    /// Compiles a single text.
    ///
    /// # Errors
    /// When its syntax is wrong.
    pub fn text(source: &str) -> Result<Self, TemplateError> {
        if !source.contains(['{', '}']) {
            return Ok(Self::Plain(source.into()));
        }
        let trimmed = source.trim();
        if let Some(inner) = trimmed.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
            let offset = source.find("{{").unwrap_or_default() + 2;
            // Two holes with text between them are no expression, and fall through to the text form.
            if let Ok(typed) = Typed::within(source, inner, offset) {
                return Ok(Self::Typed(typed));
            }
        }
        Template::new(source).map(Self::Text)
    }

    /// The names of the values it uses.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Plain(_) => Vec::new(),
            Self::Text(template) => template.names(),
            Self::Typed(typed) => typed.names(),
            Self::List(items) => items.iter().flat_map(Self::names).collect(),
            Self::Object(fields) => fields.iter().flat_map(|(_, value)| value.names()).collect(),
        }
    }

    /// Fills in every text.
    ///
    /// # Errors
    /// As for [`Template::render`].
    pub fn render(&self, context: &Context) -> Result<serde_json::Value, TemplateError> {
        Ok(match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => template.render(context)?.into(),
            Self::Typed(typed) => typed.eval(context)?,
            Self::List(items) => items.iter().map(|item| item.render(context)).collect::<Result<_, _>>()?,
            Self::Object(fields) => fields
                .iter()
                .map(|(key, value)| Ok((key.clone(), value.render(context)?)))
                .collect::<Result<Map<_, _>, _>>()?
                .into(),
        })
    }
}

/// Whole floats become integers, and the last noisy digits go, so that a computed 8 is written `8`.
pub(super) fn tidy_json(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value as Json;
    match value {
        Json::Number(number) if number.is_f64() => Json::Number(tidy_number(number)),
        Json::Array(items) => items.into_iter().map(tidy_json).collect(),
        Json::Object(fields) => {
            fields.into_iter().map(|(key, value)| (key, tidy_json(value))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

fn tidy_number(number: Number) -> Number {
    let Some(tidy) = number.as_f64().map(number::tidy) else { return number };
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53, so the conversion is exact")]
    if tidy.fract() == 0.0 && tidy.abs() <= number::MAX_SAFE_INTEGER {
        return Number::from(tidy as i64);
    }
    Number::from_f64(tidy).unwrap_or(number)
}
