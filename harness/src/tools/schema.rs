//! Checking a call's arguments against the tool's schema, so that the model is told what is wrong and no tool sees what it does not expect.
//!
//! A subset of JSON Schema: what tool declarations use. A declaration with another keyword is refused when the case is loaded,
//! since a keyword that is passed over would be a check that cannot fail.

use serde_json::{Map, Value};

use super::{Args, excerpt};

/// Keywords that say something to people only.
const ANNOTATIONS: [&str; 5] = ["description", "title", "default", "examples", "$schema"];
const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];
/// How deep schemas and values may be nested.
const MAX_DEPTH: usize = 16;

/// The arguments as a map, or what is wrong with them.
///
/// Nothing at all counts as no arguments, as does a `null` given for an argument that may be left out: models and servers write both.
///
/// # Errors
/// A message for the model.
pub fn arguments(value: &Value, schema: &Value) -> Result<Args, String> {
    let mut args = match value {
        Value::Object(args) => args.clone(),
        Value::Null => Args::new(),
        Value::String(text) if text.trim().is_empty() => Args::new(),
        Value::String(text) => return Err(format!("arguments are not a JSON object: {}", excerpt(text))),
        other => return Err(format!("arguments are not a JSON object: {}", excerpt(&other.to_string()))),
    };
    let required = names(schema, "required");
    args.retain(|key, value| !value.is_null() || required.contains(&key.as_str()));
    check(&Value::Object(args.clone()), schema, "", 0)?;
    Ok(args)
}

fn check(value: &Value, schema: &Value, at: &str, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("{} is nested too deeply", place(at)));
    }
    let types = names(schema, "type");
    if !types.is_empty() && !types.iter().any(|kind| is_of(value, kind)) {
        return Err(format!("{} must be {}, not {}", place(at), types.join(" or "), kind_of(value)));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
        return Err(format!("{} must be one of {}", place(at), allowed.join(", ")));
    }
    if let (Some(number), Some(minimum)) = (value.as_f64(), schema.get("minimum").and_then(Value::as_f64))
        && number < minimum
    {
        return Err(format!("{} must be at least {minimum}", place(at)));
    }
    match value {
        Value::Object(map) => check_object(map, schema, at, depth),
        Value::Array(items) => schema.get("items").map_or(Ok(()), |schema| {
            (0..)
                .zip(items)
                .try_for_each(|(n, item): (usize, _)| check(item, schema, &format!("{at}[{n}]"), depth + 1))
        }),
        _ => Ok(()),
    }
}

fn check_object(map: &Map<String, Value>, schema: &Value, at: &str, depth: usize) -> Result<(), String> {
    let inner = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    if let Some(missing) = names(schema, "required").iter().find(|key| !map.contains_key(**key)) {
        return Err(format!("missing argument `{}`", inner(missing)));
    }
    let known = schema.get("properties").and_then(Value::as_object);
    for (key, value) in map {
        if let Some(schema) = known.and_then(|known| known.get(key)) {
            check(value, schema, &inner(key), depth + 1)?;
        } else if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            let known: Vec<&str> = known.into_iter().flat_map(Map::keys).map(String::as_str).collect();
            let known = if known.is_empty() {
                "it takes none".to_owned()
            } else {
                format!("it takes {}", known.join(", "))
            };
            return Err(format!("unknown argument `{}`; {known}", excerpt(&inner(key))));
        }
    }
    Ok(())
}

/// Whether `schema` can be the schema of a tool's arguments: an object, in the keywords that are checked here.
///
/// # Errors
/// What is wrong, with the place in the schema.
pub fn validate(schema: &Map<String, Value>) -> Result<(), String> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("its `type` must be `object`".to_owned());
    }
    validate_at(&Value::Object(schema.clone()), "parameters", 0)
}

fn validate_at(schema: &Value, at: &str, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("`{at}` is nested too deeply"));
    }
    let Some(map) = schema.as_object() else {
        return Err(format!("`{at}` must be a map"));
    };
    for (key, value) in map {
        let here = format!("{at}.{key}");
        let is_right = match key.as_str() {
            "type" => is_texts(value, true) && names(schema, key).iter().all(|kind| TYPES.contains(kind)),
            "required" => is_texts(value, false),
            "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
            "minimum" => value.is_number(),
            "additionalProperties" => value.is_boolean(),
            "items" => {
                validate_at(value, &here, depth + 1)?;
                true
            }
            "properties" => {
                let Some(properties) = value.as_object() else {
                    return Err(format!("`{here}` must be a map"));
                };
                for (name, schema) in properties {
                    validate_at(schema, &format!("{here}.{name}"), depth + 1)?;
                }
                true
            }
            key if ANNOTATIONS.contains(&key) => true,
            _ => return Err(format!("`{here}`: this keyword is not supported")),
        };
        if !is_right {
            return Err(format!("`{here}` cannot be {value}"));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(name) = names(schema, "required")
        .iter()
        .find(|name| !properties.is_some_and(|known| known.contains_key(**name)))
    {
        return Err(format!("`{at}.required` names `{name}`, which is no property"));
    }
    Ok(())
}

fn is_texts(value: &Value, one_will_do: bool) -> bool {
    one_will_do && value.is_string()
        || value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_string))
}

/// A keyword that holds one name or a list of them.
fn names<'a>(schema: &'a Value, key: &str) -> Vec<&'a str> {
    match schema.get(key) {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "number" => value.is_number(),
        kind => kind_of(value) == kind,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn place(at: &str) -> String {
    if at.is_empty() { "the arguments".to_owned() } else { format!("argument `{at}`") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_model_is_told_what_is_wrong() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "limit": { "type": "integer", "minimum": 1 },
                "mode": { "enum": ["a", "b"] },
                "tags": { "type": "array", "items": { "type": ["string", "null"] } },
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        validate(schema.as_object().unwrap()).unwrap();
        for (args, expected) in [
            (json!({}), "missing argument `path`"),
            (json!({ "path": null }), "argument `path` must be string, not null"),
            (json!({ "path": 3 }), "argument `path` must be string, not number"),
            (json!({ "path": "x", "file": 1 }), "unknown argument `file`; it takes path, limit, mode, tags"),
            (json!({ "path": "x", "limit": "3" }), "argument `limit` must be integer, not string"),
            (json!({ "path": "x", "limit": 1.5 }), "argument `limit` must be integer, not number"),
            (json!({ "path": "x", "limit": 0 }), "argument `limit` must be at least 1"),
            (json!({ "path": "x", "mode": "c" }), "argument `mode` must be one of \"a\", \"b\""),
            (
                json!({ "path": "x", "tags": [null, 1] }),
                "argument `tags[1]` must be string or null, not number",
            ),
            (json!("{\"path\": \"x"), "arguments are not a JSON object: {\"path\": \"x"),
            (json!(["x"]), "arguments are not a JSON object: [\"x\"]"),
        ] {
            assert_eq!(arguments(&args, &schema).unwrap_err(), expected, "{args}");
        }
        let args = arguments(&json!({ "path": "x", "limit": null, "tags": [null] }), &schema).unwrap();
        assert_eq!(
            Value::Object(args),
            json!({ "path": "x", "tags": [null] }),
            "a null for what may be left out is left out"
        );
    }

    #[test]
    fn a_schema_that_would_not_be_checked_is_refused() {
        for (schema, expected) in [
            (json!({}), "its `type` must be `object`"),
            (
                json!({ "type": "object", "properties": { "a": { "type": "str" } } }),
                "`parameters.properties.a.type` cannot be \"str\"",
            ),
            (json!({ "type": "object", "oneOf": [] }), "`parameters.oneOf`: this keyword is not supported"),
            (
                json!({ "type": "object", "required": ["a"] }),
                "`parameters.required` names `a`, which is no property",
            ),
            (
                json!({ "type": "object", "properties": { "a": { "items": 3 } } }),
                "`parameters.properties.a.items` must be a map",
            ),
        ] {
            assert_eq!(validate(schema.as_object().unwrap()).unwrap_err(), expected, "{schema}");
        }
    }
}
