//! Keys never reach the disk: whatever a subject, an endpoint or an error echoes, the value of a key is masked by value.
//!
//! A subject's words are masked as they come in, before any tool acts on them. So no key reaches a workspace, and whoever
//! plays the trial again from its record comes to the same tool results: a mask is never a reason to believe a record.
//! That holds as long as no key stands in the inputs themselves, so such inputs are refused.

use std::path::PathBuf;
use std::{fs, io};

use model_matrix::Secrets;
use serde_json::Value;
use transcript::{Message, Transcript};

use crate::sitting::copied::{self, Copied};
use crate::sitting::material::{Material, MaterialError};

/// Why keys and inputs cannot be kept apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The value of a key stands in an input.
    #[error(
        "{} holds the value of {variable}: take a key out of there; if it is only a placeholder, set the variable to a value that occurs nowhere else",
        path.display()
    )]
    Key {
        /// The file.
        path: PathBuf,
        /// The variable.
        variable: String,
    },
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file cannot be listed.
    #[error(transparent)]
    Material(#[from] MaterialError),
}

/// Refuses inputs that hold the value of a key: masked, the record would not follow from them; unmasked, the key would be
/// on record. What is searched is what a run copies, every byte of it.
///
/// # Errors
/// [`InputError::Key`] for the first file that holds one; [`InputError::Io`] for one that cannot be read.
pub fn inputs(material: &Material, secrets: &Secrets) -> Result<(), InputError> {
    if secrets.is_empty() {
        return Ok(());
    }
    for Copied { from: path, to } in copied::files(material)? {
        let bytes = fs::read(&path).map_err(|source| InputError::Io { path: path.clone(), source })?;
        let named = secrets.found_in(&to.to_string_lossy());
        if let Some(variable) = named.or_else(|| found_in(&bytes, secrets)) {
            let variable = variable.to_owned();
            return Err(InputError::Key { path, variable });
        }
    }
    Ok(())
}

/// The variable whose value stands in a file, be it text or not.
fn found_in<'s>(bytes: &[u8], secrets: &'s Secrets) -> Option<&'s str> {
    let text = String::from_utf8_lossy(bytes);
    let found = secrets.found_in(&text);
    // In UTF-16 every other byte of plain words is a zero.
    found.or_else(|| {
        text.contains('\0').then(|| text.replace('\0', "")).and_then(|text| secrets.found_in(&text))
    })
}

/// Masks every key in a subject's words.
#[must_use]
pub fn message(message: Message, secrets: &Secrets) -> Message {
    if secrets.is_empty() {
        return message;
    }
    let Ok(mut value) = serde_json::to_value(&message) else { return message };
    if !mask(&mut value, secrets) {
        return message;
    }
    // A masked message has the same shape, so this cannot fail; were it to, its words must not leak.
    serde_json::from_value(value).unwrap_or_else(|_| Message::text(message.role, message.by, ""))
}

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
