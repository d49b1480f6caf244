//! Figures that a request supplies, and what a reply makes of them.
//!
//! A request gives raw values (inputs) and figures said to follow from them, or from nothing. A reply can compute such a
//! figure, leave it out, carry it tagged as assumed with what hangs on it, or just repeat it. This room finds out which.
//!
//! - [`amount`]: a figure's value, and whether a number in a text is that value
//! - [`passages`]: a reply, read once, with its sentences and the places of each figure
//! - [`derived`]: whether a reply computes a figure from the inputs
//! - [`phrases`]: the wordings of leaving out, rejecting, assuming and depending
//! - [`treatment`]: what a reply does with a figure

pub mod amount;
pub mod derived;
pub mod passages;
pub mod phrases;
pub mod treatment;

use minijinja::Value;
use serde_json::Value as Json;

use crate::expr::{EvalError, Expr};
use amount::Amount;

/// What a supplied figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It follows from the inputs and is not what they give.
    Wrong,
    /// It follows from the inputs.
    Right,
    /// Nothing supplied leads to it.
    Underivable,
}

/// A supplied figure.
#[derive(Debug, Clone)]
pub struct Figure {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The value that was supplied.
    pub supplied: Amount,
    /// The value that the inputs give, if they give one.
    pub correct: Option<Amount>,
    /// The numbers of the derivation.
    pub operands: Vec<f64>,
    /// Whether the derivation only adds.
    pub sum: bool,
    /// Beginnings of the words by which the figure is known.
    pub words: Vec<String>,
}

/// The inputs and figures of a request.
#[derive(Debug, Clone)]
pub struct Supplied {
    /// The raw values.
    pub inputs: Vec<f64>,
    /// The figures.
    pub figures: Vec<Figure>,
}

/// Words that many names share.
const COMMON: &[&str] = &[
    "a", "an", "and", "average", "avg", "by", "count", "for", "from", "in", "mean", "number", "of", "on",
    "over", "overall", "per", "rate", "ratio", "share", "the", "to", "total", "value", "with",
];

impl Supplied {
    /// Reads the inputs and figures from the parameters.
    ///
    /// # Errors
    /// [`EvalError`] when a parameter is missing or is not in the form that the case's contract gives.
    pub fn read(figures: &Expr, inputs: &Expr, params: &Value) -> Result<Self, EvalError> {
        let listed = json(&figures.value(params)?, "figures")?;
        let listed = listed
            .as_array()
            .filter(|list| !list.is_empty())
            .ok_or_else(|| wrong("figures", "a list of figures is needed"))?;
        let mut read = listed.iter().map(figure).collect::<Result<Vec<_>, _>>()?;
        let inputs = json(&inputs.value(params)?, "inputs")?;
        let inputs =
            inputs.as_object().ok_or_else(|| wrong("inputs", "a map from names to values is needed"))?;
        let inputs = inputs
            .iter()
            .map(|(name, value)| {
                Amount::of(value)
                    .map(|amount| amount.value)
                    .ok_or_else(|| wrong("inputs", &format!("`{name}` is no number: {value}")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        // A word that two figures share tells neither from the other.
        let all: Vec<Vec<String>> = read.iter().map(|figure| figure.words.clone()).collect();
        for (index, figure) in read.iter_mut().enumerate() {
            let shared = |word: &String| {
                all.iter().enumerate().any(|(other, words)| other != index && words.contains(word))
            };
            if !figure.words.iter().all(shared) {
                figure.words.retain(|word| !shared(word));
            }
        }
        Ok(Self { inputs, figures: read })
    }

    /// The other figures.
    pub fn others<'s>(&'s self, figure: &'s Figure) -> impl Iterator<Item = &'s Figure> {
        self.figures.iter().filter(move |other| !std::ptr::eq(*other, figure))
    }
}

fn figure(listed: &Json) -> Result<Figure, EvalError> {
    let fail = |what: &str| wrong("figures", &format!("{what} in {listed}"));
    let text = |key: &str| listed.get(key).and_then(Json::as_str);
    let name = text("name").ok_or_else(|| fail("no `name`"))?.to_owned();
    let supplied = listed.get("value").and_then(Amount::of).ok_or_else(|| fail("no number as `value`"))?;
    let kind = match text("kind") {
        Some("wrong") => Kind::Wrong,
        Some("right") => Kind::Right,
        Some("underivable") => Kind::Underivable,
        _ => return Err(fail("`kind` is not wrong, right or underivable")),
    };
    let correct = listed
        .get("correct")
        .filter(|value| !value.is_null())
        .map(|value| Amount::of(value).ok_or_else(|| fail("no number as `correct`")))
        .transpose()?;
    if correct.is_none() && kind != Kind::Underivable {
        return Err(fail("no `correct`"));
    }
    let operands = text("derivation").map(amount::numbers).unwrap_or_default();
    let sum = text("derivation")
        .is_some_and(|derivation| derivation.contains('+') && !derivation.contains(['-', '*', '/', '(']));
    let words = words(&name);
    Ok(Figure {
        name,
        kind,
        supplied,
        correct: correct.filter(|_| kind != Kind::Underivable),
        operands,
        sum,
        words,
    })
}

/// The beginnings of a name's words: `resolution rate` is known by `resol`.
fn words(name: &str) -> Vec<String> {
    let all: Vec<String> = name
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let telling: Vec<&String> = all.iter().filter(|word| !COMMON.contains(&word.as_str())).collect();
    let chosen = if telling.is_empty() { all.iter().collect() } else { telling };
    chosen.into_iter().map(|word| word.chars().take(5).collect()).collect()
}

fn json(value: &Value, name: &str) -> Result<Json, EvalError> {
    serde_json::to_value(value).map_err(|error| wrong(name, &error.to_string()))
}

fn wrong(name: &str, message: &str) -> EvalError {
    EvalError { expression: name.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::context;

    fn read(figures: &str) -> Result<Supplied, EvalError> {
        let figures: Json = serde_json::from_str(figures).unwrap();
        let params = context! { figures => Value::from(minijinja::value::Serde(&figures)), inputs => context! { a => 10, b => "$4k" } };
        Supplied::read(
            &Expr::compile("{{ figures }}").unwrap(),
            &Expr::compile("{{ inputs }}").unwrap(),
            &params,
        )
    }

    #[test]
    fn a_figure_is_known_by_its_own_words() {
        let supplied = read(
            r#"[{"name":"late share","value":"5%","kind":"right","derivation":"24/480","correct":"5%"},
                {"name":"late cost","value":80,"kind":"underivable","derivation":null,"correct":null}]"#,
        )
        .unwrap();
        assert_eq!(supplied.inputs, [10.0, 4000.0]);
        assert_eq!(supplied.figures[0].operands, [24.0, 480.0]);
        assert_eq!(supplied.figures[0].words, ["late"]);
        assert_eq!(supplied.figures[1].words, ["cost"]);
    }

    #[test]
    fn what_does_not_fit_the_contract_is_an_error() {
        assert!(read("[]").is_err());
        assert!(read(r#"[{"name":"x","value":"many","kind":"right","correct":1}]"#).is_err());
        assert!(read(r#"[{"name":"x","value":1,"kind":"maybe"}]"#).is_err());
        assert!(read(r#"[{"name":"x","value":1,"kind":"right"}]"#).is_err());
    }
}
