//! The YAML reader's settings, and the untyped tree it hands over.
//!
//! Strict where the format is treacherous: `yes` and `on` are texts, `007` and `1_000` too, merge keys and unknown tags
//! are refused, and depth, nodes and aliases have budgets so that a small file cannot become a large tree.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_yaml::Spanned;
use serde_yaml::options::{DuplicateKeyPolicy, MergeKeyPolicy};

/// Reads one document.
///
/// # Errors
/// What the YAML reader says; [`super::yaml::fault`] has it in words.
pub fn read(text: &str) -> Result<Spanned<Raw>, serde_yaml::Error> {
    serde_yaml::from_str_with_options(text, options())
}

fn options() -> serde_yaml::Options {
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_depth: 64,
            max_nodes: 200_000,
            max_aliases: 200,
        },
        alias_limits: serde_yaml::alias_limits! {
            max_total_replayed_events: 20_000,
            max_replay_stack_depth: 8,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

/// The tree as the YAML reader hands it over, before it is checked.
#[derive(Debug)]
pub enum Raw {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Spanned<Raw>>),
    /// A mapping; a key may occur twice.
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

/// The bytes at which a value is used, also when it came through an alias.
#[must_use]
pub fn span_of<T>(spanned: &Spanned<T>) -> Range<usize> {
    let span = spanned.referenced.span();
    let index = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let start = index(span.byte_offset().unwrap_or(0));
    start..start.saturating_add(index(span.byte_len().unwrap_or(0)))
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Raw, E> {
        Number::from_f64(value).map(Raw::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let value = map.next_value()?;
            fields.push((key, value));
        }
        Ok(Raw::Map(fields))
    }
}
