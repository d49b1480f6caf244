//! The words of readers in plain ones: what serde says was found and wanted, as an author knows it.

/// What was found, from serde's words for it. A text is not repeated: it stands in the lines that are shown, where what
/// may be a key is held back.
pub(super) fn found(unexpected: &str) -> String {
    match unexpected {
        "map" => "a mapping".to_owned(),
        "sequence" => "a list".to_owned(),
        "unit value" | "Option value" | "null" => "nothing".to_owned(),
        other if other.starts_with("string ") || other.starts_with("character ") => "a text".to_owned(),
        other => match other.split_once(' ') {
            Some(("integer", number)) => format!("the number {}", number.trim_matches('`')),
            Some(("boolean", value)) => format!("the boolean {}", value.trim_matches('`')),
            Some(("floating", rest)) => {
                format!("the number {}", rest.trim_start_matches("point ").trim_matches('`'))
            }
            _ => other.to_owned(),
        },
    }
}

/// What was wanted, from serde's words or a Rust type's name.
pub(super) fn wanted(expected: &str) -> String {
    match expected {
        "a sequence" | "sequence start" => "a list",
        "a map" | "mapping start" => "a mapping",
        "a string" | "a borrowed string" | "path string" | "string" | "identifier" => "a text",
        "string scalar" => "a single value",
        "a boolean" | "bool" | "boolean" => "true or false",
        "u8" | "u16" | "u32" | "u64" | "usize" | "nonzero u32" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "integer" => "a whole number",
        "f32" | "f64" | "floating point" | "float" | "a JSON number" | "number" => "a number",
        "unit" | "unit value" => "nothing",
        other if other.starts_with("struct ") || other.starts_with("internally tagged enum ") => "a mapping",
        other if other.starts_with("enum ") || other.starts_with("variant identifier") => "a name",
        other => other,
    }
    .to_owned()
}
