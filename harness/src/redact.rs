//! Keys never reach the disk: whatever a subject, an endpoint or an error echoes, the value of a key is masked by value.

use model_matrix::Secrets;
use serde_json::Value;
use transcript::Transcript;

/// Masks every key in `transcript`. Costs one scan when there is none to mask, which is the rule.
#[must_use]
pub fn redact(transcript: Transcript, secrets: &Secrets) -> Transcript {
    if secrets.is_empty() {
        return transcript;
    }
    let Ok(mut value) = serde_json::to_value(&transcript) else { return transcript };
    if !mask(&mut value, secrets) {
        return transcript;
    }
    // A masked transcript has the same shape, so this cannot fail; were it to, the messages must not leak.
    serde_json::from_value(value).unwrap_or_else(|_| {
        let mut bare = Transcript::new(transcript.id, transcript.case);
        bare.error = Some(transcript::TrialError {
            kind: "redaction".to_owned(),
            message: "a key was echoed and could not be masked; the messages were dropped".to_owned(),
        });
        bare
    })
}

/// Masks in every string and key below `value`; says whether anything was masked.
fn mask(value: &mut Value, secrets: &Secrets) -> bool {
    match value {
        Value::String(text) => {
            let masked = match secrets.mask(text) {
                std::borrow::Cow::Borrowed(_) => return false,
                std::borrow::Cow::Owned(masked) => masked,
            };
            *text = masked;
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |any, item| mask(item, secrets) | any),
        Value::Object(fields) => {
            let mut any = false;
            for (key, mut field) in std::mem::take(fields) {
                any |= mask(&mut field, secrets);
                let masked = secrets.mask(&key).into_owned();
                any |= masked != key;
                fields.insert(masked, field);
            }
            any
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
