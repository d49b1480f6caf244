//! The templates inside case files: one small engine for prompts, fixture files, tool answers and traces.
//!
//! A prompt with a hole in it would be sent to every model and judged as if nothing were wrong, so an undefined
//! value is an error, never an empty string, and numbers print without floating-point noise.
//! A template is compiled the first time its text is seen and then kept, so a sweep of many trials only renders.

pub mod filters;
pub mod number;
mod value;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use minijinja::value::ValueKind;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use serde_json::Map;

pub use value::{Typed, ValueTemplate};

/// How much work one rendering may do, in the engine's instructions; stops loops over loops.
const FUEL: u64 = 2_000_000;

static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut engine = Environment::new();
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    if let Ok(syntax) = minijinja::syntax::SyntaxConfig::builder().keep_trailing_newline(true).build() {
        engine.set_syntax(syntax);
    }
    engine.set_debug(true);
    engine.set_fuel(Some(FUEL));
    engine.set_recursion_limit(64);
    // The text is its own name: the engine compiles it once and finds it again.
    engine.set_loader(|source| Ok(Some(source.to_owned())));
    engine.set_formatter(|out, state, value| match tidy_text(value) {
        Some(text) => Ok(out.write_str(&text)?),
        None => minijinja::escape_formatter(out, state, value),
    });
    filters::add_to(&mut engine);
    engine
});

/// Why a template was refused, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column} of the template)")]
pub struct TemplateError {
    /// What is wrong.
    pub message: String,
    /// The line of the template's text, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The offending bytes of the template's text.
    pub span: Range<usize>,
    /// Whether the template asked for a value that does not exist.
    pub undefined: bool,
}

/// The values a template sees; made once and used for many templates.
#[derive(Debug, Clone)]
pub struct Context(Value);

impl Context {
    /// The values of `map`, each under its own name.
    #[must_use]
    pub fn new(map: &Map<String, serde_json::Value>) -> Self {
        Self(Value::from(minijinja::value::Serde(map)))
    }

    /// The same values and one more.
    #[must_use]
    pub fn with(&self, name: &str, value: &serde_json::Value) -> Self {
        let mut merged: BTreeMap<String, Value> = BTreeMap::new();
        if let Ok(keys) = self.0.try_iter() {
            for key in keys {
                if let (Some(key), Ok(value)) = (key.as_str(), self.0.get_item(&key)) {
                    merged.insert(key.to_owned(), value);
                }
            }
        }
        merged.insert(name.to_owned(), Value::from(minijinja::value::Serde(value)));
        Self(Value::from(merged))
    }

    /// Those of `names`, dotted paths of values, that lead to nothing.
    fn lacking(&self, names: HashSet<String>) -> Vec<String> {
        let leads_nowhere = |name: &String| {
            let end = name.split('.').try_fold(self.0.clone(), |value, part| value.get_attr(part));
            end.map_or(true, |value| value.is_undefined())
        };
        own_names(names).into_iter().filter(leads_nowhere).collect()
    }
}

/// A text with holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    source: Arc<str>,
}

impl Template {
    /// Compiles `source`.
    ///
    /// # Errors
    /// When its syntax is wrong, or it names a filter that does not exist and the engine can tell.
    pub fn new(source: &str) -> Result<Self, TemplateError> {
        ENGINE.get_template(source).map_err(|error| place(&error, source, 0))?;
        Ok(Self { source: source.into() })
    }

    /// The text as it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names of the values it uses.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let template = ENGINE.get_template(&self.source);
        template.map(|template| own_names(template.undeclared_variables(false))).unwrap_or_default()
    }

    /// Fills the holes.
    ///
    /// # Errors
    /// When a value does not exist, or a filter refuses what it is given.
    pub fn render(&self, context: &Context) -> Result<String, TemplateError> {
        let template = ENGINE.get_template(&self.source).map_err(|error| place(&error, &self.source, 0))?;
        template.render(context.0.clone()).map_err(|error| {
            let placed = place(&error, &self.source, 0);
            blame_name(placed, &self.source, &context.lacking(template.undeclared_variables(true)))
        })
    }
}

/// Those of `names` that are not the engine's own, such as `range`.
fn own_names(names: HashSet<String>) -> Vec<String> {
    let engines: HashSet<&str> = ENGINE.globals().map(|(name, _)| name).collect();
    names.into_iter().filter(|name| !engines.contains(name.as_str())).collect()
}

/// A float as a hole prints it; `None` for what the engine prints well itself.
fn tidy_text(value: &Value) -> Option<String> {
    if value.kind() != ValueKind::Number || value.is_integer() {
        return None;
    }
    f64::try_from(value.clone()).ok().map(number::plain)
}

/// Turns the engine's error into ours. `offset` is where the engine's text starts within `source`.
fn place(error: &minijinja::Error, source: &str, offset: usize) -> TemplateError {
    let undefined = error.kind() == ErrorKind::UndefinedError;
    let range = error.range().map(|range| range.start + offset..range.end + offset);
    let span = range.filter(|range| {
        range.start < range.end && source.is_char_boundary(range.start) && source.is_char_boundary(range.end)
    });
    let Some(span) = span.or_else(|| error.line().map(|line| whole_line(source, line))) else {
        return whole_text(source, message_of(error, None), undefined);
    };
    let text = source.get(span.clone()).unwrap_or_default();
    let (line, column) = line_and_column(source, span.start);
    TemplateError { message: message_of(error, Some(text)), line, column, span, undefined }
}

impl TemplateError {
    /// The error of a template that uses `name`, which does not exist.
    pub(crate) fn lacks(source: &str, name: &str) -> Self {
        blame_name(whole_text(source, String::new(), true), source, &[name.to_owned()])
    }
}

/// Points an undefined value's error at its name: the engine points at the filter that stumbled over it.
fn blame_name(error: TemplateError, source: &str, lacking: &[String]) -> TemplateError {
    if !error.undefined {
        return error;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let whole_word = |at: usize, name: &str| {
        !source[..at].ends_with(is_word) && !source[at + name.len()..].starts_with(|c| is_word(c) && c != '.')
    };
    let found = lacking
        .iter()
        .flat_map(|name| source.match_indices(name.as_str()))
        .filter(|(at, name)| *at < error.span.end && whole_word(*at, name))
        .max_by_key(|(at, name)| (*at, name.len()));
    let Some((at, name)) = found else { return error };
    let (line, column) = line_and_column(source, at);
    let message = format!("`{name}` is not defined");
    TemplateError { message, line, column, span: at..at + name.len(), undefined: true }
}

fn message_of(error: &minijinja::Error, text: Option<&str>) -> String {
    match (error.kind(), error.detail(), text) {
        (ErrorKind::UndefinedError, _, Some(text)) => format!("`{text}` is not defined"),
        (ErrorKind::InvalidOperation, Some(detail), _) => detail.to_owned(),
        (ErrorKind::OutOfFuel, ..) => "the template does too much work".to_owned(),
        (kind, Some(detail), _) => format!("{kind}: {detail}"),
        (kind, None, _) => kind.to_string(),
    }
}

fn whole_text(source: &str, message: String, undefined: bool) -> TemplateError {
    TemplateError { message, line: 1, column: 1, span: 0..source.len(), undefined }
}

fn whole_line(source: &str, line: usize) -> Range<usize> {
    let mut start = 0;
    for (number, text) in source.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            return start..start + text.trim_end().len();
        }
        start += text.len();
    }
    0..source.len()
}

fn line_and_column(source: &str, at: usize) -> (usize, usize) {
    let before = source.get(..at).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn context(value: &serde_json::Value) -> Context {
        Context::new(value.as_object().unwrap())
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads better in the tests")]
    fn render(source: &str, values: serde_json::Value) -> Result<String, TemplateError> {
        Template::new(source)?.render(&context(&values))
    }

    #[test]
    fn an_undefined_value_is_an_error_with_a_place() {
        let error = render("first line\nwas {{ strat | money }}", json!({"start": 1})).unwrap_err();
        assert!(error.undefined);
        assert_eq!((error.line, error.column), (2, 8), "{error}");
        assert!(error.message.contains("strat"), "{error}");
        assert!(render("{{ a.missing }}", json!({"a": {}})).is_err());
        assert!(render("{% for x in missing %}{% endfor %}", json!({})).is_err());
    }

    #[test]
    fn the_name_that_is_blamed_is_the_authors() {
        let error =
            render("{% for i in range(3) %}{{ i }}{{ nope | money }}{% endfor %}", json!({})).unwrap_err();
        assert_eq!(error.message, "`nope` is not defined");
        let names = Template::new("{% for i in range(n) %}{{ i }}{% endfor %}").unwrap().names();
        assert_eq!(names, ["n"]);
    }

    #[test]
    fn a_syntax_error_and_an_unknown_filter_have_a_place() {
        let error = Template::new("ab\n{{ 1 + }}").unwrap_err();
        assert_eq!(error.line, 2, "{error}");
        let error = render("{{ 1 | mony }}", json!({})).unwrap_err();
        assert!(error.message.contains("mony"), "{error}");
    }

    #[test]
    fn floats_print_without_noise() {
        assert_eq!(
            render("{{ a + b }} {{ c / 2 }} {{ d }}", json!({"a": 0.1, "b": 0.2, "c": 50, "d": 3.0}))
                .unwrap(),
            "0.3 25 3"
        );
    }

    #[test]
    fn nothing_is_escaped_and_the_last_newline_stays() {
        assert_eq!(render("<{{ a }}>\n", json!({"a": "x & \"y\""})).unwrap(), "<x & \"y\">\n");
    }

    #[test]
    fn exactly_one_hole_keeps_its_type() {
        let eval = |source: &str| {
            ValueTemplate::text(source).unwrap().render(&context(&json!({"n": 16, "l": [1, 2]}))).unwrap()
        };
        assert_eq!(eval("{{ l }}"), json!([1, 2]));
        assert_eq!(eval(" {{ n / 2 }} "), json!(8));
        assert_eq!(eval("{{ n }} and {{ n }}"), json!("16 and 16"));
        assert_eq!(eval("{{ {'a': {'b': n}} }}"), json!({"a": {"b": 16}}));
        assert!(ValueTemplate::text("{{ nope }}").unwrap().render(&context(&json!({}))).is_err());
    }

    #[test]
    fn endless_work_is_stopped() {
        let source = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
        let error = render(source, json!({})).unwrap_err();
        assert!(error.message.contains("too much work"), "{error}");
    }

    #[test]
    fn a_context_grows_without_changing_the_first() {
        let first = context(&json!({"a": 1}));
        let second = first.with("item", &json!("x"));
        assert_eq!(Template::new("{{ a }}{{ item }}").unwrap().render(&second).unwrap(), "1x");
        assert!(Template::new("{{ item }}").unwrap().render(&first).is_err());
    }
}
