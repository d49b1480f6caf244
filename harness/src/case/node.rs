//! YAML with places: a document as a tree in which every key and value knows the bytes it came from.
//!
//! Deserializing straight into structs would stop at the first fault; a tree lets the reader go on and tell all of
//! them, and point at the place even for faults that only show when files are put together.

use std::ops::Range;

use serde_json::{Map, Number, Value};
use serde_yaml::Spanned;
use transcript::document::tree::{self, Raw, span_of};
use transcript::document::yaml;

use super::problem::{Problem, Problems, Source};
use crate::template::number::MAX_SAFE_INTEGER;

/// The largest file that is read as YAML.
const MAX_BYTES: usize = 16 << 20;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) span: Range<usize>,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
}

impl Node {
    /// Reads the one document in `source`; `None` when a problem kept it from being read.
    pub(crate) fn parse(source: &Source, problems: &mut Problems) -> Option<Self> {
        if source.text.len() > MAX_BYTES {
            problems.add(source.problem(0..0, format!("larger than {} MiB", MAX_BYTES >> 20)));
            return None;
        }
        if source.is_blank() {
            problems.add(Problem::whole(&source.path, "the file is empty"));
            return None;
        }
        match tree::read(&source.text) {
            Ok(raw) => Some(build(raw, source, problems)),
            Err(error) => {
                problems.add(yaml::fault(source, &error));
                None
            }
        }
    }

    /// What the value is, in words.
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".to_owned(),
            Kind::Bool(value) => format!("the boolean {value}"),
            Kind::Number(number) => format!("the number {number}"),
            Kind::Text(_) => "a text".to_owned(),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a mapping".to_owned(),
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as JSON.
    pub(crate) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => (*value).into(),
            Kind::Number(number) => number.clone().into(),
            Kind::Text(text) => text.clone().into(),
            Kind::List(items) => items.iter().map(Self::to_json).collect(),
            Kind::Map(fields) => fields
                .iter()
                .map(|(key, value)| (key.name.clone(), value.to_json()))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}

/// Whether every program that reads the record will see the same number.
pub(super) fn is_exact(number: &Number) -> bool {
    const MAX: u64 = 1 << 53;
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(integer), ..) => integer.unsigned_abs() <= MAX,
        (_, Some(integer), _) => integer <= MAX,
        (.., float) => float.is_some_and(|float| float.abs() <= MAX_SAFE_INTEGER),
    }
}

fn build(raw: Spanned<Raw>, source: &Source, problems: &mut Problems) -> Node {
    let span = span_of(&raw);
    let kind = match raw.value {
        Raw::Null => Kind::Null,
        Raw::Bool(value) => Kind::Bool(value),
        Raw::Number(number) => {
            if !is_exact(&number) {
                let problem =
                    source.problem(span.clone(), format!("the number {number} is too large to be exact"));
                problems.add(problem.help("numbers go up to 2^53; write larger ones as a quoted text"));
            }
            Kind::Number(number)
        }
        Raw::Text(text) => Kind::Text(text),
        Raw::List(items) => Kind::List(items.into_iter().map(|item| build(item, source, problems)).collect()),
        Raw::Map(fields) => {
            let mut built: Vec<(Key, Node)> = Vec::with_capacity(fields.len());
            for (key, value) in fields {
                let key = Key { span: span_of(&key), name: key.value };
                let value = build(value, source, problems);
                if let Some((first, _)) = built.iter().find(|(known, _)| known.name == key.name) {
                    let (line, _) = source.place(first.span.start);
                    let problem =
                        source.problem(key.span.clone(), format!("the key `{}` occurs twice", key.name));
                    problems
                        .add(problem.help(format!("it is first set in line {line}; remove one of the two")));
                } else {
                    built.push((key, value));
                }
            }
            Kind::Map(built)
        }
    };
    Node { kind, span }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Option<Node>, String) {
        let mut problems = Problems::default();
        let node = Node::parse(&Source::new("case.yaml", text), &mut problems);
        let told = problems.settle(Some(())).map_or_else(|errors| errors.to_string(), |()| String::new());
        (node, told)
    }

    #[test]
    fn keys_and_values_know_their_bytes() {
        let text = "a: é\nb:\n  - {c: 1.5}\n  - |\n    x {{ y }}\n    z\nd: \"q\\\"r\"\n";
        let (node, told) = parse(text);
        assert_eq!(told, "");
        let Kind::Map(fields) = node.unwrap().kind else { panic!("no mapping") };
        let of = |span: &Range<usize>| &text[span.clone()];
        assert_eq!(of(&fields[0].1.span), "é");
        assert_eq!(of(&fields[1].0.span), "b");
        assert_eq!(of(&fields[2].1.span), "\"q\\\"r\"");
        let Kind::List(items) = &fields[1].1.kind else { panic!("no list") };
        assert!(of(&items[1].span).contains("x {{ y }}"), "{:?}", of(&items[1].span));
        let Kind::Map(inner) = &items[0].kind else { panic!("no mapping") };
        assert_eq!(of(&inner[0].0.span), "c");
        assert_eq!(of(&inner[0].1.span), "1.5");
    }

    #[test]
    fn scalars_are_read_as_written() {
        let (node, told) = parse("[yes, no, on, true, 007, 1_000, 0x1F, 1e3, ~, '5', -3, 80000.0]");
        assert_eq!(told, "");
        let expected =
            serde_json::json!(["yes", "no", "on", true, "007", "1_000", 31, 1000.0, null, "5", -3, 80000.0]);
        assert_eq!(node.unwrap().to_json(), expected);
    }

    #[test]
    fn every_duplicate_key_is_told() {
        let (_, told) = parse("a: 1\nb: {c: 1, c: 2}\na: 2\n");
        insta::assert_snapshot!(told, @r"
        error: the key `c` occurs twice
         --> case.yaml:2:11
          |
        2 | b: {c: 1, c: 2}
          |           ^
          |
          = help: it is first set in line 2; remove one of the two

        error: the key `a` occurs twice
         --> case.yaml:3:1
          |
        3 | a: 2
          | ^
          |
          = help: it is first set in line 1; remove one of the two

        2 problems
        ");
    }

    #[test]
    fn numbers_that_would_change_are_refused() {
        let (_, told) =
            parse("a: 9007199254740993\nb: 123456789012345678901234567890\nc: -9007199254740994\n");
        insta::assert_snapshot!(told, @r"
        error: the number 9007199254740993 is too large to be exact
         --> case.yaml:1:4
          |
        1 | a: 9007199254740993
          |    ^^^^^^^^^^^^^^^^
          |
          = help: numbers go up to 2^53; write larger ones as a quoted text

        error: the number 1.2345678901234568e+29 is too large to be exact
         --> case.yaml:2:4
          |
        2 | b: 123456789012345678901234567890
          |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: numbers go up to 2^53; write larger ones as a quoted text

        error: the number -9007199254740994 is too large to be exact
         --> case.yaml:3:4
          |
        3 | c: -9007199254740994
          |    ^^^^^^^^^^^^^^^^^
          |
          = help: numbers go up to 2^53; write larger ones as a quoted text

        3 problems
        ");
    }

    #[test]
    fn broken_yaml_has_a_place() {
        insta::assert_snapshot!(parse("a: [1, 2\nb: 3\n").1, @r"
        error: not readable as YAML: illegal placement of ':' indicator
         --> case.yaml:2:2
          |
        2 | b: 3
          |  ^
          |
          = help: is a bracket or a quote before it left open?

        1 problem
        ");
        insta::assert_snapshot!(parse("a: 1\n---\nb: 2\n").1, @r"
        error: a second document begins here
         --> case.yaml:3:1
          |
        3 | b: 2
          | ^
          |
          = help: a file holds one: take the line `---` out

        1 problem
        ");
        insta::assert_snapshot!(parse("a: &x {b: 1}\nc:\n  <<: *x\n").1, @r"
        error: not readable as YAML: YAML merge keys are not allowed by configured policy
         --> case.yaml:3:3
          |
        3 |   <<: *x
          |   ^^

        1 problem
        ");
        insta::assert_snapshot!(parse("a: .nan\n").1, @r"
        error: not readable as YAML: non-finite float `.nan` rejected by the configured policy
         --> case.yaml:1:4
          |
        1 | a: .nan
          |    ^^^^

        1 problem
        ");
    }

    #[test]
    fn an_alias_bomb_is_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let previous = format!("*a{}", level - 1);
            text.push_str(&format!("a{level}: &a{level} [{}]\n", [previous.as_str(); 9].join(", ")));
        }
        let (node, told) = parse(&text);
        assert!(node.is_none() && told.contains("not readable as YAML"), "{told}");
    }
}
