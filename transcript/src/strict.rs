//! JSON without the silence of the usual reader: a key that occurs twice is an error, because readers differ in which
//! one they believe.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads one JSON value that is all of `text`.
///
/// # Errors
/// What is not JSON, and a key that occurs twice in one object; with line and column within `text`.
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0)
}

/// Whether [`parse`] would read `text`, without keeping what it reads.
///
/// # Errors
/// As for [`parse`].
pub fn check(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<Unique>(text).map(|_| ())
}

/// What a key that stands twice is told as.
fn twice<E: serde::de::Error>(key: &str) -> E {
    E::custom(format!("the key `{key}` occurs twice"))
}

/// A JSON value in which no object has a key twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Strict(pub Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if fields.contains_key(&key) {
                return Err(twice(&key));
            }
            let Strict(value) = map.next_value()?;
            fields.insert(key, value);
        }
        Ok(fields.into())
    }
}

/// A JSON value that was looked through and not kept.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        StrictVisitor.expecting(f)
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Unique, E> {
        StrictVisitor.visit_f64(value).map(|_| Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Unique, A::Error> {
        while seq.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
        let mut keys = Keys::default();
        while let Some(Key(key)) = map.next_key()? {
            if keys.holds(&key) {
                return Err(twice(&key));
            }
            keys.add(key);
            map.next_value::<Unique>()?;
        }
        Ok(Unique)
    }
}

/// A key as it stands in the text, where it has no escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(key)))
    }

    fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(key.to_owned())))
    }
}

/// The keys of an object so far. Most objects have few, for which a list is quickest; one with many must not take the
/// square of their number.
#[derive(Default)]
struct Keys<'de> {
    few: Vec<Cow<'de, str>>,
    many: HashSet<Cow<'de, str>>,
}

impl<'de> Keys<'de> {
    const FEW: usize = 32;

    fn holds(&self, key: &str) -> bool {
        self.few.iter().any(|known| known == key) || self.many.contains(key)
    }

    fn add(&mut self, key: Cow<'de, str>) {
        if self.few.len() < Self::FEW {
            self.few.push(key);
        } else {
            self.many.insert(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_reads_is_what_was_written() {
        let text = r#"{"a":[1,-2,2.5,null,true,"x"],"b":{}}"#;
        assert_eq!(parse(text).unwrap().to_string(), text);
        assert!(parse(r#"[{"a":1,"a":1}]"#).unwrap_err().to_string().contains("`a` occurs twice"));
        assert!(parse("1 2").is_err());
    }

    #[test]
    fn looking_through_finds_what_reading_finds() {
        let many: Vec<String> = (0..100).map(|n| format!("\"k{n}\":{n}")).collect();
        let again = format!("{{{},\"k\\u0037\":0}}", many.join(","));
        for text in [
            r#"{"a":[1,-2,2.5,null,true,"x"],"b":{}}"#,
            r#"[{"a":1,"a":1}]"#,
            r#"{"a":{"b":1},"b":{"b":2,"c":3,"b":4}}"#,
            r#"{"a":1e999}"#,
            r#"{"a":"\ud800"}"#,
            "1 2",
            "{1:2}",
            "",
            &again,
        ] {
            let told = |result: Result<(), serde_json::Error>| result.map_err(|error| error.to_string());
            assert_eq!(told(check(text)), told(parse(text).map(|_| ())), "{text}");
        }
        assert!(check(&again).unwrap_err().to_string().starts_with("the key `k7` occurs twice"));
    }
}
