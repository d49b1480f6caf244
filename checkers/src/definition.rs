//! The checker file: who it judges, what it proves, and its clauses. Read strictly, with places in every error.

use std::collections::HashSet;
use std::fmt;

use serde::de::{self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer};
use transcript::document::{Problem, Source, yaml};

use crate::predicates::Predicate;

/// The semantics of the predicates in this build. A definition names the one it was written for.
pub const ENGINE: u32 = 1;

/// A definition that cannot be used: what is wrong, and where.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct DefinitionError(#[from] pub Problem);

/// A checker definition, as in `definitions/<name>/v<N>.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The checker's name.
    pub id: String,
    /// Its version; a released version never changes.
    pub version: u32,
    /// The predicates' semantics it was written for.
    pub engine: u32,
    /// The shipped cases it judges, for transcripts that name no checker.
    #[serde(default)]
    pub cases: Vec<String>,
    /// What a pass proves.
    pub proves: String,
    /// What a pass does not prove.
    pub does_not_prove: String,
    /// The clauses; all must hold.
    pub require: Vec<Clause>,
}

/// One requirement.
#[derive(Debug)]
pub struct Clause {
    /// Its name, unique in the definition.
    pub id: String,
    /// What it asks, in a sentence, where the predicate does not say enough.
    pub says: Option<String>,
    /// The case variants it is asked in; empty means all.
    pub variants: Vec<String>,
    /// What it asks.
    pub predicate: Predicate,
}

impl Definition {
    /// Reads a definition.
    ///
    /// # Errors
    /// [`DefinitionError`] when the text is not YAML, has unknown or duplicate keys, or makes no sense.
    pub fn parse(file: &str, text: &str) -> Result<Self, DefinitionError> {
        let source = Source::new(file, text);
        let definition: Self = yaml::read(&source)?;
        definition.check(&source)?;
        Ok(definition)
    }

    fn check(&self, source: &Source) -> Result<(), Problem> {
        let wrong = |keys: &[&str], message: String| Err(source.problem(yaml::place(source, keys), message));
        if self.engine == 0 || self.engine > ENGINE {
            let message = format!("engine {} is not known here; this build has engine {ENGINE}", self.engine);
            return wrong(&["engine"], message);
        }
        if self.version == 0 {
            return wrong(&["version"], "versions count from 1".to_owned());
        }
        if self.require.is_empty() {
            let message = "a checker without a clause would pass everything: add one under `require`";
            return wrong(&["require"], message.to_owned());
        }
        let mut seen = HashSet::new();
        match self.require.iter().position(|clause| !seen.insert(&clause.id)) {
            Some(twice) => wrong(
                &["require", &twice.to_string(), "id"],
                format!("clause `{}` stands twice", self.require[twice].id),
            ),
            None => Ok(()),
        }
    }
}

impl<'de> Deserialize<'de> for Clause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ClauseVisitor)
    }
}

struct ClauseVisitor;

impl<'de> Visitor<'de> for ClauseVisitor {
    type Value = Clause;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a clause: an `id` and one predicate")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Clause, A::Error> {
        let (mut id, mut says, mut variants, mut predicate) = (None, None, Vec::new(), None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => id = Some(map.next_value()?),
                "says" => says = Some(map.next_value()?),
                "variants" => variants = map.next_value()?,
                _ if predicate.is_some() => {
                    return Err(de::Error::custom(format!(
                        "a second predicate `{key}` in one clause: give it a clause of its own, or use `all`"
                    )));
                }
                _ => predicate = Some(Predicate::deserialize(OneEntry { key, map: &mut map })?),
            }
        }
        Ok(Clause {
            id: id.ok_or_else(|| de::Error::missing_field("id"))?,
            says,
            variants,
            predicate: predicate
                .ok_or_else(|| de::Error::custom("a clause without a predicate asks nothing"))?,
        })
    }
}

/// The rest of a map, read as the enum whose variant is the key just seen.
struct OneEntry<'m, A> {
    key: String,
    map: &'m mut A,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for OneEntry<'_, A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, 'm, A: MapAccess<'de>> EnumAccess<'de> for OneEntry<'m, A> {
    type Error = A::Error;
    type Variant = OneValue<'m, A>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        Ok((seed.deserialize(self.key.into_deserializer())?, OneValue(self.map)))
    }
}

struct OneValue<'m, A>(&'m mut A);

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for OneValue<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.next_value()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, A::Error> {
        Err(de::Error::custom("a predicate takes one value"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, A::Error> {
        Err(de::Error::custom("a predicate takes one value"))
    }
}
