//! The forms in which a key's value turns up in texts.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// A shorter form than this hits ordinary words.
const SHORTEST_FORM: usize = 8;

/// What RFC 3986 leaves as it is in every part of a URL.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What may also stand as it is in a path or a query.
const WHOLE: &AsciiSet = &COMPONENT
    .remove(b'/')
    .remove(b':')
    .remove(b'@')
    .remove(b'?')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$')
    .remove(b',')
    .remove(b';')
    .remove(b'!')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// Every form of `value` that is looked for, the value itself among them.
pub(super) fn all(value: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    // JSON inside a string of JSON escapes it twice.
    let escaped = json(value);
    forms.insert(json(&escaped));
    forms.insert(escaped);
    for set in [COMPONENT, WHOLE] {
        let encoded = utf8_percent_encode(value, set).to_string();
        forms.insert(small_digits(&encoded));
        forms.insert(encoded);
    }
    forms.insert(html(value));
    let hex = hex(value);
    forms.insert(hex.to_uppercase());
    forms.insert(hex);
    forms.insert(value.to_lowercase());
    forms.insert(value.to_uppercase());
    forms.extend(base64s(value));
    forms.retain(|form| form.len() >= SHORTEST_FORM);
    // It is looked for even if it is shorter than a form made of it may be.
    forms.insert(value.to_owned());
    forms
}

/// Its bytes in hexadecimal digits.
pub(super) fn hex(value: &str) -> String {
    value.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// What base64 makes of it, wherever it stands in what is encoded.
pub(super) fn base64s(value: &str) -> impl Iterator<Item = String> {
    (0..3).flat_map(move |lead| base64(value, lead)).filter(|form| form.len() >= SHORTEST_FORM)
}

/// The value inside a JSON string.
fn json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A percent-encoded text with the digits of its escapes in lower case.
fn small_digits(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Two digits follow each sign.
        let (digits, rest) = part.split_at(2.min(part.len()));
        out.push('%');
        out.push_str(&digits.to_lowercase());
        out.push_str(rest);
    }
    out
}

fn html(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// What is sure to stand in the base64 of any text in which `lead` bytes, modulo three, stand before the value: the
/// digits that hold nothing of what stands before or after it.
fn base64(value: &str, lead: usize) -> [String; 2] {
    let bytes: Vec<u8> = std::iter::repeat_n(0, lead).chain(value.bytes()).collect();
    // A digit holds six bits.
    let first = (8 * lead).div_ceil(6);
    let end = 8 * bytes.len() / 6;
    [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD].map(|engine| {
        let digits = engine.encode(&bytes);
        digits.get(first..end).unwrap_or_default().to_owned()
    })
}
