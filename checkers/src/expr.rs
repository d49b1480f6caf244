//! Values in checker definitions that depend on the parameter row: `"{{ (end - start) / start }}"`.
//!
//! A string that is one `{{ expression }}` keeps the expression's type; a string with a template in it renders to
//! text; everything else stands for itself. Expressions are compiled when the definition is loaded.

use std::fmt;
use std::sync::LazyLock;

use minijinja::value::Serde;
use minijinja::{Environment, Expression, UndefinedBehavior, Value, filters, tests};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Why an expression has no value for this transcript. The verdict is then an error, not a fail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{expression}`: {message}")]
pub struct EvalError {
    /// The expression as written.
    pub expression: String,
    /// What is wrong.
    pub message: String,
}

/// The steps that one expression may take.
const FUEL: u64 = 10_000;

/// A definition is data from a user's repository: it may compute, not run away. So there are no functions, and of the
/// filters only those whose result is not much larger than what they are given (`indent`, `slice` and `replace` can ask
/// for any amount of memory).
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_recursion_limit(64);
    environment.set_fuel(Some(FUEL));
    environment.add_filter("abs", filters::abs);
    environment.add_filter("default", filters::default);
    environment.add_filter("first", filters::first);
    environment.add_filter("float", filters::float);
    environment.add_filter("int", filters::int);
    environment.add_filter("join", filters::join);
    environment.add_filter("last", filters::last);
    environment.add_filter("length", filters::length);
    environment.add_filter("lower", filters::lower);
    environment.add_filter("max", filters::max);
    environment.add_filter("min", filters::min);
    environment.add_filter("round", filters::round);
    environment.add_filter("sum", filters::sum);
    environment.add_filter("trim", filters::trim);
    environment.add_filter("upper", filters::upper);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("none", tests::is_none);
    environment
});

enum Kind {
    Literal(Value),
    Expression(Box<Expression<'static, 'static>>),
    /// Texts and expressions in turn.
    Template(Vec<Kind>),
}

/// A value, or an expression over the parameters.
pub struct Expr {
    source: String,
    kind: Kind,
}

impl Expr {
    /// Compiles `source`.
    ///
    /// # Errors
    /// The text of the compiler's message.
    pub fn compile(source: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = source;
        while let Some(open) = rest.find("{{") {
            let close =
                rest[open..].find("}}").ok_or_else(|| format!("`{{{{` without `}}}}` in `{source}`"))? + open;
            if open > 0 {
                parts.push(Kind::Literal(Value::from(&rest[..open])));
            }
            let inner = rest[open + 2..close].trim();
            let expression = ENVIRONMENT
                .compile_expression_owned(inner.to_owned())
                .map_err(|error| format!("`{inner}`: {error}"))?;
            parts.push(Kind::Expression(Box::new(expression)));
            rest = &rest[close + 2..];
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(Kind::Literal(Value::from(rest)));
        }
        let kind = match <[Kind; 1]>::try_from(parts) {
            Ok([one]) => one,
            Err(many) => Kind::Template(many),
        };
        Ok(Self { source: source.to_owned(), kind })
    }

    /// The value for these parameters.
    ///
    /// # Errors
    /// [`EvalError`] when a parameter is missing or of the wrong type.
    pub fn value(&self, params: &Value) -> Result<Value, EvalError> {
        self.eval(&self.kind, params)
    }

    fn eval(&self, kind: &Kind, params: &Value) -> Result<Value, EvalError> {
        match kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Expression(expression) => {
                let value = expression.eval(params.clone()).map_err(|error| self.error(error.to_string()))?;
                if value.is_undefined() {
                    return Err(self.error("a parameter it needs is not in the transcript"));
                }
                Ok(value)
            }
            Kind::Template(parts) => {
                let mut text = String::new();
                for part in parts {
                    text += &self.eval(part, params)?.to_string();
                }
                Ok(Value::from(text))
            }
        }
    }

    /// The value as a finite number.
    ///
    /// # Errors
    /// As [`Self::value`], and when it is no number.
    pub fn number(&self, params: &Value) -> Result<f64, EvalError> {
        let value = self.value(params)?;
        f64::try_from(value.clone())
            .ok()
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.error(format!("not a finite number: {value}")))
    }

    /// The value as text; a number is written out.
    ///
    /// # Errors
    /// As [`Self::value`], and when it is empty or no text.
    pub fn text(&self, params: &Value) -> Result<String, EvalError> {
        let value = self.value(params)?;
        let text = value.to_string();
        if text.is_empty() || value.is_none() {
            return Err(self.error("an empty text where one is needed"));
        }
        Ok(text)
    }

    /// The value as a list of texts; a single text is a list of one.
    ///
    /// # Errors
    /// As [`Self::value`], and when the list is empty.
    pub fn texts(&self, params: &Value) -> Result<Vec<String>, EvalError> {
        let value = self.value(params)?;
        let texts: Vec<String> = match value.kind() {
            minijinja::value::ValueKind::Seq | minijinja::value::ValueKind::Iterable => value
                .try_iter()
                .map_err(|error| self.error(error.to_string()))?
                .map(|v| v.to_string())
                .collect(),
            minijinja::value::ValueKind::String => vec![value.to_string()],
            _ => return Err(self.error(format!("not a list: {value}"))),
        };
        if texts.is_empty() {
            return Err(self.error("an empty list where one is needed"));
        }
        Ok(texts)
    }

    fn error(&self, message: impl Into<String>) -> EvalError {
        EvalError { expression: self.source.clone(), message: message.into() }
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({:?})", self.source)
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let literal = serde_json::Value::deserialize(deserializer)?;
        match literal {
            serde_json::Value::String(source) => Self::compile(&source).map_err(D::Error::custom),
            other => Ok(Self { source: other.to_string(), kind: Kind::Literal(Value::from(Serde(&other))) }),
        }
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;
    use minijinja::context;

    #[test]
    fn what_an_expression_may_use() {
        let value = |source: &str| {
            let params = context! { n => -7.26, list => ["b", "a"], name => " Ada " };
            Expr::compile(source)?
                .value(&params)
                .map(|value| value.to_string())
                .map_err(|error| error.to_string())
        };
        for (source, gold) in [
            ("{{ n | abs | round(1) }}", "7.3"),
            ("{{ list | first }}-{{ list | last }}-{{ list | length }}-{{ list | join('+') }}", "b-a-2-b+a"),
            ("{{ name | trim | upper }}", "ADA"),
            ("{{ [3, 1, 2] | max + [3, 1, 2] | min + [3, 1] | sum }}", "8"),
            ("{{ 'x' if absent is defined else 'y' }}", "y"),
            ("{{ 'a' in list }}", "True"),
        ] {
            assert_eq!(value(source).as_deref(), Ok(gold), "{source}");
        }
        for source in [
            "{{ 'a' | indent(99999999999) }}",
            "{{ list | slice(999999999) }}",
            "{{ 'a' | replace('', 'aaaaaaaa') }}",
            "{{ range(100000) }}",
            "{{ lipsum() }}",
        ] {
            assert!(value(source).is_err(), "{source}");
        }
    }

    #[test]
    fn a_lone_expression_keeps_its_type() {
        let expr = Expr::compile("{{ (end - start) / start }}").unwrap();
        assert_eq!(expr.number(&context! { start => 80000, end => 100_000 }).unwrap(), 0.25);
    }

    #[test]
    fn text_around_an_expression_makes_it_text() {
        let expr = Expr::compile("a {{ n }} b").unwrap();
        assert_eq!(expr.text(&context! { n => 7 }).unwrap(), "a 7 b");
    }

    #[test]
    fn a_missing_parameter_is_an_error_that_names_the_expression() {
        let expr = Expr::compile("{{ end - start }}").unwrap();
        let error = expr.number(&context! { start => 1 }).unwrap_err();
        assert!(error.to_string().starts_with("`{{ end - start }}`: "), "{error}");
    }

    #[test]
    fn an_expression_that_does_not_parse_is_refused_at_load() {
        assert!(Expr::compile("{{ end - }}").is_err());
        assert!(Expr::compile("{{ end").is_err());
    }
}
