//! How a case declares its tools: by the name of a standard one, or by a map that scripts its answers.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use transcript::Effect;

/// One entry of a case's `tools`.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolDecl {
    /// A standard tool as it is.
    Standard(String),
    /// A standard tool with scripted answers, or one that is scripted altogether.
    Declared(DeclaredTool),
}

/// A tool with something of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredTool {
    /// The name the model calls it by; that of a standard tool keeps what is not declared here.
    pub name: String,
    /// What the model is told about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments; none means that it takes no arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Map<String, Value>>,
    /// What a call does to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// The one answer to every call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Answers by arguments; the first that fits is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<ScriptedAnswer>>,
}

/// An answer that the case fixes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedAnswer {
    /// The arguments it answers; those not named here may be anything, and none at all fits every call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub when: Map<String, Value>,
    /// What the model gets.
    pub content: String,
    /// Whether the tool fails.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolDecl {
    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Standard(name) => name,
            Self::Declared(tool) => &tool.name,
        }
    }
}

impl Serialize for ToolDecl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Standard(name) => serializer.serialize_str(name),
            Self::Declared(tool) => tool.serialize(serializer),
        }
    }
}

// Written by hand: an untagged enum would answer every mistake with "data did not match any variant".
impl<'de> Deserialize<'de> for ToolDecl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = ToolDecl;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a standard tool, or a map with `name` and what is scripted")
            }

            fn visit_str<E>(self, name: &str) -> Result<ToolDecl, E> {
                Ok(ToolDecl::Standard(name.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ToolDecl, A::Error> {
                DeclaredTool::deserialize(MapAccessDeserializer::new(map)).map(ToolDecl::Declared)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(yaml: &str) -> Result<Vec<ToolDecl>, String> {
        serde_yaml::from_str(yaml).map_err(|error| error.to_string())
    }

    #[test]
    fn both_forms_are_read() {
        let decls = parse(
            "- search\n- name: fetch_url\n  answers:\n    - when: { url: https://a.test/x }\n      content: |\n        page\n    - content: gone\n      is_error: true\n",
        )
        .unwrap();
        assert_eq!(decls[0], ToolDecl::Standard("search".to_owned()));
        let ToolDecl::Declared(tool) = &decls[1] else { panic!("a map is a declared tool") };
        let answers = tool.answers.as_ref().unwrap();
        assert_eq!(answers[0].when["url"], "https://a.test/x");
        assert_eq!(answers[0].content, "page\n");
        assert!(answers[1].when.is_empty() && answers[1].is_error);
    }

    #[test]
    fn mistakes_are_named() {
        for (yaml, expected) in [
            ("- name: x\n  anwser: hi\n", "unknown field `anwser`"),
            ("- name: x\n  answers: [{ contents: hi }]\n", "unknown field `contents`"),
            ("- name: x\n  name: y\n", "duplicate"),
            ("- { answer: hi }\n", "missing field `name`"),
            ("- [search]\n", "the name of a standard tool, or a map"),
            ("- { name: x, effect: wirte }\n", "unknown variant `wirte`"),
        ] {
            let error = parse(yaml).unwrap_err();
            assert!(error.contains(expected), "{yaml}: {error}");
        }
    }
}
