//! The file's shape, before it is known to make sense. Every field is optional here, so that what is missing or
//! out of place is reported by the checks, all at once and in plain words.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use serde_yaml::Spanned;

use super::{Expect, MatrixError, MatrixErrors, Role};
use crate::Wire;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) models: Spanned<Vec<Spanned<Entry>>>,
}

/// One entry.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) id: Option<Spanned<String>>,
    pub(super) role: Option<Spanned<Role>>,
    pub(super) provider: Option<Spanned<ProviderName>>,
    pub(super) trace: Option<Spanned<String>>,
    pub(super) wire: Option<Spanned<Wire>>,
    pub(super) expect: Option<Spanned<Expect>>,
    pub(super) model: Option<Spanned<String>>,
    pub(super) base_url: Option<Spanned<String>>,
    pub(super) key_env: Option<Spanned<String>>,
    pub(super) decoding: Option<Spanned<Map<String, Value>>>,
    pub(super) stream: Option<bool>,
    pub(super) limits: Option<Limits>,
    pub(super) notes: Option<String>,
}

/// The names of the providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ProviderName {
    OpenaiChat,
    OpenaiResponses,
    Anthropic,
    Gemini,
    Replay,
}

/// The limits as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    pub(super) in_flight: Option<Spanned<u32>>,
    pub(super) timeout_s: Option<Spanned<u64>>,
    pub(super) idle_timeout_s: Option<Spanned<u64>>,
    pub(super) max_steps: Option<Spanned<u32>>,
}

/// Parses `text`.
pub(super) fn read(path: &Path, text: &str) -> Result<File, MatrixErrors> {
    let options = serde_yaml::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        with_snippet: false,
    };
    serde_yaml::from_str_with_options(text, options).map_err(|error| {
        let place = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        let message = error.without_snippet().to_string();
        let message = message.split(" at line ").next().unwrap_or_default().trim().to_owned();
        let hint = if names_a_key(&message) { KEY_HINT } else { "" };
        MatrixError::at(path, text, place, format!("{message}{hint}")).into()
    })
}

const KEY_HINT: &str = "; keys are never written here: set an environment variable and name it in `key_env`";

/// Whether the message is about an unknown field that looks like a place for a key.
fn names_a_key(message: &str) -> bool {
    let field = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    field.is_some_and(|field| ["key", "token", "secret", "password"].iter().any(|word| field.contains(word)))
}
