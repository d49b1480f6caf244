//! What a manifest is read for first: which document it is, and of which format. The rest may be of any size, and is
//! only passed over.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// What is looked at before a document is read as a manifest, whatever it is.
#[derive(Default)]
pub(super) struct Head {
    /// The name of its format.
    pub schema: Value,
    /// What it says was owed.
    pub plan: Value,
}

impl<'de> Deserialize<'de> for Head {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HeadVisitor)
    }
}

struct HeadVisitor;

impl<'de> Visitor<'de> for HeadVisitor {
    type Value = Head;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Head, A::Error> {
        let mut head = Head::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "schema" => head.schema = map.next_value()?,
                "plan" => head.plan = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(head)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Head, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Head::default())
    }

    fn visit_unit<E>(self) -> Result<Head, E> {
        Ok(Head::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Head, E> {
        Ok(Head::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Head, E> {
        Ok(Head::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Head, E> {
        Ok(Head::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Head, E> {
        Ok(Head::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Head, E> {
        Ok(Head::default())
    }
}
