//! Reading mappings: known keys, slips in keys, and values of the expected kind, with every fault told.

use std::ops::Range;

use super::node::{Key, Kind, Node};
use super::problem::{Problems, Source, suggestion};

/// A mapping of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'n> {
    fields: &'n [(Key, Node)],
    node: &'n Node,
    pub(crate) source: &'n Source,
}

impl<'n> Fields<'n> {
    /// `node` as a mapping with only `known` keys; `what` says what it is in messages.
    pub(crate) fn read(
        node: &'n Node,
        source: &'n Source,
        what: &str,
        known: &[&str],
        problems: &mut Problems,
    ) -> Option<Self> {
        let fields = Self::open(node, source, what, problems)?;
        for (key, _) in fields.fields {
            if !known.contains(&key.name.as_str()) {
                let problem =
                    source.problem(key.span.clone(), format!("unknown key `{}` in {what}", key.name));
                problems.add(problem.help(suggestion(&key.name, known.iter().copied())));
            }
        }
        Some(fields)
    }

    /// `node` as a mapping with keys of the author's choosing.
    pub(crate) fn open(
        node: &'n Node,
        source: &'n Source,
        what: &str,
        problems: &mut Problems,
    ) -> Option<Self> {
        match &node.kind {
            Kind::Map(fields) => Some(Self { fields, node, source }),
            _ => {
                problems.add(wrong_kind(node, source, what, "a mapping"));
                None
            }
        }
    }

    /// Whether the key is there, even with nothing behind it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(key, _)| key.name == name)
    }

    /// The value of `name`; an empty value counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&'n Node> {
        self.fields.iter().find(|(key, value)| key.name == name && !value.is_null()).map(|(_, value)| value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &'n (Key, Node)> {
        self.fields.iter()
    }

    /// Where the mapping begins: its first key.
    pub(crate) fn start(&self) -> Range<usize> {
        self.fields.first().map_or(self.node.span.clone(), |(key, _)| key.span.clone())
    }

    /// The text under `name`, if any.
    pub(crate) fn text(&self, name: &str, problems: &mut Problems) -> Option<(&'n str, &'n Node)> {
        let node = self.get(name)?;
        text_of(node, self.source, name, problems).map(|text| (text, node))
    }

    /// The text under `name`; its absence is a problem.
    pub(crate) fn required_text(&self, name: &str, problems: &mut Problems) -> Option<(&'n str, &'n Node)> {
        self.required(name, problems)?;
        self.text(name, problems)
    }

    /// The value under `name`; its absence is a problem.
    pub(crate) fn required(&self, name: &str, problems: &mut Problems) -> Option<&'n Node> {
        let found = self.get(name);
        if found.is_none() {
            problems.add(self.source.problem(self.start(), format!("`{name}` is missing")));
        }
        found
    }

    /// The boolean under `name`, or false.
    pub(crate) fn flag(&self, name: &str, problems: &mut Problems) -> bool {
        match self.get(name) {
            None => false,
            Some(Node { kind: Kind::Bool(value), .. }) => *value,
            Some(node) => {
                problems.add(wrong_kind(node, self.source, name, "true or false"));
                false
            }
        }
    }
}

/// `node` as a text.
pub(crate) fn text_of<'n>(
    node: &'n Node,
    source: &Source,
    what: &str,
    problems: &mut Problems,
) -> Option<&'n str> {
    let text = node.text();
    if text.is_none() {
        let problem = wrong_kind(node, source, what, "a text");
        problems.add(match node.kind {
            Kind::Number(_) | Kind::Bool(_) => problem.help("put it in quotes"),
            _ => problem,
        });
    }
    text
}

/// `node` as a list.
pub(crate) fn list_of<'n>(
    node: &'n Node,
    source: &Source,
    what: &str,
    problems: &mut Problems,
) -> &'n [Node] {
    match &node.kind {
        Kind::List(items) => items,
        _ => {
            problems.add(wrong_kind(node, source, what, "a list"));
            &[]
        }
    }
}

/// `node` as a count of at least one.
pub(crate) fn count_of(node: &Node, source: &Source, what: &str, problems: &mut Problems) -> Option<u32> {
    let count = match &node.kind {
        Kind::Number(number) => {
            number.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0)
        }
        _ => None,
    };
    if count.is_none() {
        problems.add(wrong_kind(node, source, what, "a whole number from 1"));
    }
    count
}

pub(crate) fn wrong_kind(node: &Node, source: &Source, what: &str, wanted: &str) -> super::problem::Problem {
    source.problem(node.span.clone(), format!("{what} must be {wanted}, not {}", node.describe()))
}
