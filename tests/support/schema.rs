//! Enough of JSON Schema (draft 2020-12) to try files against the schemas that the program prints. A keyword that is not
//! understood fails the test: nothing is passed over.

#![expect(clippy::panic, reason = "a schema that cannot be understood fails the test")]

use serde_json::{Map, Value};

/// What in `value` is not as `schema` says, with its place.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, schema, value, "", &mut faults);
    faults
}

/// Keywords that only speak to people or name things.
const SILENT: [&str; 8] =
    ["$schema", "$id", "$defs", "title", "description", "default", "examples", "format"];

fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let Value::Object(keywords) = schema else {
        if schema == &Value::Bool(false) {
            faults.push(format!("{at}: nothing may stand here"));
        }
        return;
    };
    for (keyword, want) in keywords {
        match keyword.as_str() {
            silent if SILENT.contains(&silent) => {}
            "$ref" => {
                let path = want.as_str().unwrap().strip_prefix('#').unwrap();
                check(root, root.pointer(path).unwrap(), value, at, faults);
            }
            "type" => {
                let wanted: Vec<&str> = match want {
                    Value::String(one) => vec![one],
                    many => many.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect(),
                };
                if !wanted.iter().any(|kind| is_a(value, kind)) {
                    faults.push(format!("{at}: {value} is no {wanted:?}"));
                }
            }
            "enum" if !want.as_array().unwrap().contains(value) => {
                faults.push(format!("{at}: {value} is none of {want}"));
            }
            "const" if want != value => faults.push(format!("{at}: {value} is not {want}")),
            "anyOf" | "oneOf" => {
                let fits = want.as_array().unwrap().iter().filter(|one| fits(root, one, value)).count();
                if fits == 0 || (keyword == "oneOf" && fits > 1) {
                    faults.push(format!("{at}: {value} fits {fits} of {keyword}"));
                }
            }
            "allOf" => {
                want.as_array().unwrap().iter().for_each(|one| check(root, one, value, at, faults));
            }
            "not" if fits(root, want, value) => faults.push(format!("{at}: {value} is excluded")),
            "pattern" => {
                let pattern = regex::Regex::new(want.as_str().unwrap()).unwrap();
                if value.as_str().is_some_and(|text| !pattern.is_match(text)) {
                    faults.push(format!("{at}: {value} does not match {want}"));
                }
            }
            "minimum" if value.as_f64().is_some_and(|number| number < want.as_f64().unwrap()) => {
                faults.push(format!("{at}: {value} is less than {want}"));
            }
            "maximum" if value.as_f64().is_some_and(|number| number > want.as_f64().unwrap()) => {
                faults.push(format!("{at}: {value} is more than {want}"));
            }
            // These hold, or their arm above would have been taken.
            "enum" | "const" | "not" | "minimum" | "maximum" => {}
            "minLength" => count(value.as_str().map(|text| text.chars().count()), want, "short", at, faults),
            "minItems" => count(value.as_array().map(Vec::len), want, "short", at, faults),
            "minProperties" => count(value.as_object().map(Map::len), want, "small", at, faults),
            "maxProperties" => {
                if value.as_object().is_some_and(|fields| fields.len() as u64 > want.as_u64().unwrap()) {
                    faults.push(format!("{at}: has more than {want} keys"));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, want, item, &format!("{at}/{index}"), faults);
                }
            }
            "required" => {
                for name in want.as_array().unwrap() {
                    if value.as_object().is_some_and(|fields| !fields.contains_key(name.as_str().unwrap())) {
                        faults.push(format!("{at}: {name} is missing"));
                    }
                }
            }
            "properties" => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = want.get(name) {
                        check(root, schema, field, &format!("{at}/{name}"), faults);
                    }
                }
            }
            "propertyNames" => {
                for name in value.as_object().into_iter().flatten().map(|(name, _)| name) {
                    check(root, want, &Value::from(name.as_str()), &format!("{at}/{name}"), faults);
                }
            }
            "additionalProperties" => {
                let known = keywords.get("properties");
                for (name, field) in value.as_object().into_iter().flatten() {
                    if known.is_none_or(|known| known.get(name).is_none()) {
                        check(root, want, field, &format!("{at}/{name}"), faults);
                    }
                }
            }
            other => panic!("the schema has a keyword that this test does not understand: {other}"),
        }
    }
}

fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    let mut faults = Vec::new();
    check(root, schema, value, "", &mut faults);
    faults.is_empty()
}

fn count(number: Option<usize>, least: &Value, word: &str, at: &str, faults: &mut Vec<String>) {
    if number.is_some_and(|number| (number as u64) < least.as_u64().unwrap()) {
        faults.push(format!("{at}: too {word}"));
    }
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    }
}
