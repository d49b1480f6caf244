//! The canonical form (RFC 8785) of a JSON value that is there already. A manifest has it for each of its trials, which
//! are thousands, so it is written in one pass; what a number looks like is left to the library wherever there is a
//! choice.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Whole numbers up to this are the same in all readers of JSON (2⁵³).
const SAFE: u64 = 1 << 53;

/// Adds the canonical form of `value` to `out`.
///
/// # Errors
/// Never in practice: a value that was read or made is JSON.
pub(crate) fn write(value: &Value, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => serde_json::to_writer(out, value),
        Value::Number(number) => write_number(number, out),
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(item, out)?;
            }
            out.push(b']');
            Ok(())
        }
        Value::Object(fields) => {
            let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
            sorted.sort_by(|(a, _), (b, _)| by_utf16(a, b));
            out.push(b'{');
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                serde_json::to_writer(&mut *out, key)?;
                out.push(b':');
                write(value, out)?;
            }
            out.push(b'}');
            Ok(())
        }
    }
}

fn write_number(number: &Number, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    if number.as_u64().is_some_and(|number| number <= SAFE) {
        return serde_json::to_writer(out, number);
    }
    out.append(&mut serde_json_canonicalizer::to_vec(number)?);
    Ok(())
}

/// The order of keys: by the units of UTF-16, which is that of the bytes but for what lies beyond the first plane.
fn by_utf16(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u16>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
            "[\\x00-\\x7f\u{e9}\u{ff5e}\u{1f600}]*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::hash_map("[a-c\"\\\\\u{e9}\u{ff5e}\u{1f600}]{0,3}", inner, 0..8)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_is_what_the_library_writes(value in values()) {
            let mut out = Vec::new();
            write(&value, &mut out).unwrap();
            prop_assert_eq!(
                String::from_utf8(out).unwrap(),
                serde_json_canonicalizer::to_string(&value).unwrap()
            );
        }
    }

    #[test]
    fn keys_are_sorted_and_large_numbers_are_those_of_a_script() {
        let mut out = Vec::new();
        write(&json!({ "b": u64::MAX, "\u{1f600}": 1, "\u{ff5e}": SAFE, "a": [-1, 1.5] }), &mut out).unwrap();
        let wanted =
            "{\"a\":[-1,1.5],\"b\":18446744073709552000,\"\u{1f600}\":1,\"\u{ff5e}\":9007199254740992}";
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }
}
