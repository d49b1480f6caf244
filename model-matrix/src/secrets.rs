//! API keys. Whatever a subject or an endpoint echoes is masked by the key's *value*: a name says nothing about
//! where the value turns up.

use std::borrow::Cow;

use secrecy::{ExposeSecret, SecretString};

/// Shorter values are not masked: they would hit ordinary words.
const SHORTEST_MASKED: usize = 6;

/// What stands where a key stood begins with this; the name of its variable and `]` follow.
pub const MASK_START: &str = "[secret ";

/// The values of all keys in use, by the name of the variable they came from.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    entries: Vec<(String, SecretString)>,
}

impl Secrets {
    /// Remembers the value of the variable `name`.
    pub fn add(&mut self, name: &str, value: SecretString) {
        if self.entries.iter().any(|(known, _)| known == name) {
            return;
        }
        self.entries.push((name.to_owned(), value));
        // A key that contains another one must go first, or its rest would stay.
        self.entries.sort_by_key(|(_, value)| std::cmp::Reverse(value.expose_secret().len()));
    }

    /// The value of the variable `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&SecretString> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// `text` with each key's value replaced by `[secret NAME]`.
    #[must_use]
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        for (name, value) in &self.entries {
            let value = value.expose_secret();
            if value.len() >= SHORTEST_MASKED && masked.contains(value) {
                masked = Cow::Owned(masked.replace(value, &format!("{MASK_START}{name}]")));
            }
        }
        masked
    }

    /// Whether there is no key at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(pairs: &[(&str, &str)]) -> Secrets {
        let mut secrets = Secrets::default();
        for (name, value) in pairs {
            secrets.add(name, SecretString::from(*value));
        }
        secrets
    }

    #[test]
    fn every_occurrence_is_masked_and_the_longer_key_goes_first() {
        let secrets = secrets(&[("A_KEY", "fake-123456"), ("B_KEY", "fake-123456-789")]);
        assert_eq!(
            secrets.mask("x fake-123456-789 y fake-123456 fake-123456."),
            "x [secret B_KEY] y [secret A_KEY] [secret A_KEY]."
        );
    }

    #[test]
    fn text_without_keys_is_not_copied() {
        let secrets = secrets(&[("A_KEY", "fake-123456"), ("SHORT", "ab")]);
        assert!(matches!(secrets.mask("nothing about it"), Cow::Borrowed("nothing about it")));
    }

    #[test]
    fn debug_output_holds_no_value() {
        let shown = format!("{:?}", secrets(&[("A_KEY", "fake-123456")]));
        assert!(shown.contains("A_KEY") && !shown.contains("123456"), "{shown}");
    }
}
