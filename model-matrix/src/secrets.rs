//! API keys. Whatever a subject or an endpoint echoes is masked by the key's *value*: a name says nothing about
//! where the value turns up.
//!
//! A value does not always turn up as it is: a JSON string escapes it, a URL percent-encodes it, a `Basic` header holds
//! it in base64, and an excerpt may end in its middle. All of these are looked for.

mod forms;

use std::borrow::Cow;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// Shorter values are not masked: they would hit ordinary words. For the same reason they are only taken for endpoints
/// on this machine, which need no real key.
pub(crate) const SHORTEST_MASKED: usize = 6;

/// This much of a key's beginning is public: makers let all their keys begin alike.
const PUBLIC_START: usize = 12;

/// What stands where a key stood begins with this; the name of its variable and `]` follow. Nothing is concluded from
/// finding it: a subject can write it too.
const MASK_START: &str = "[secret ";

/// Where a text was cut off.
const CUT: char = '…';

/// The values of all keys in use, by the name of the variable they came from.
#[derive(Clone, Default)]
pub struct Secrets {
    keys: Vec<(String, SecretString)>,
    /// Each form of each value, the longest first: what contains another one must go before it, or its rest would stay.
    needles: Vec<Needle>,
}

#[derive(Clone)]
struct Needle {
    form: SecretString,
    name: usize,
}

impl Secrets {
    /// Remembers the value of the variable `name`.
    pub fn add(&mut self, name: &str, value: &SecretString) {
        if self.get(name).is_some() {
            return;
        }
        self.keys.push((name.to_owned(), value.clone()));
        let value = value.expose_secret();
        if value.len() < SHORTEST_MASKED {
            return;
        }
        let name = self.keys.len() - 1;
        let forms = forms::all(value).into_iter();
        self.needles.extend(forms.map(|form| Needle { form: SecretString::from(form), name }));
        self.needles.sort_by_key(|needle| std::cmp::Reverse(needle.form.expose_secret().len()));
    }

    /// The value of the variable `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&SecretString> {
        self.keys.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// `text` with each key's value replaced by `[secret NAME]`.
    #[must_use]
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        for needle in &self.needles {
            let form = needle.form.expose_secret();
            if masked.contains(form) {
                masked = Cow::Owned(masked.replace(form, &self.marker(needle)));
            }
        }
        if masked.contains(CUT)
            && let Some(whole) = self.mask_cut(&masked)
        {
            masked = Cow::Owned(whole);
        }
        masked
    }

    /// Masks what is left of keys that were cut off in their middle.
    fn mask_cut(&self, text: &str) -> Option<String> {
        let mut pieces: Vec<Cow<'_, str>> = text.split(CUT).map(Cow::Borrowed).collect();
        let last = pieces.len() - 1;
        let mut any = false;
        for piece in &mut pieces[..last] {
            let found = self
                .needles
                .iter()
                .filter_map(|needle| Some((cut_form(piece, needle.form.expose_secret())?, needle)));
            let Some((start, needle)) = found.min_by_key(|(start, _)| *start) else { continue };
            *piece = Cow::Owned(format!("{}{}", &piece[..start], self.marker(needle)));
            any = true;
        }
        any.then(|| pieces.join(CUT.encode_utf8(&mut [0; 4])))
    }

    fn marker(&self, needle: &Needle) -> String {
        format!("{MASK_START}{}]", self.keys[needle.name].0)
    }

    /// Whether there is no key at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The variable whose value stands in `text`, if one does.
    #[must_use]
    pub fn found_in(&self, text: &str) -> Option<&str> {
        let needle = self.needles.iter().find(|needle| text.contains(needle.form.expose_secret()))?;
        Some(&self.keys[needle.name].0)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.keys.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Secrets").field("names", &names).finish_non_exhaustive()
    }
}

/// Where in `text` the beginning of `form` starts that ends it, when more of it is left than makers make public.
fn cut_form(text: &str, form: &str) -> Option<usize> {
    let least = PUBLIC_START.min(form.len() / 2).max(SHORTEST_MASKED);
    let cuts = (least..form.len()).rev().filter(|cut| form.is_char_boundary(*cut));
    let found = cuts.map(|cut| &form[..cut]).find(|start| text.ends_with(start))?;
    Some(text.len() - found.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(pairs: &[(&str, &str)]) -> Secrets {
        let mut secrets = Secrets::default();
        for (name, value) in pairs {
            secrets.add(name, &SecretString::from(*value));
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
        assert!(matches!(secrets.mask("nothing about it…"), Cow::Borrowed("nothing about it…")));
    }

    #[test]
    fn debug_output_holds_no_value() {
        let shown = format!("{:?}", secrets(&[("A_KEY", "fake-123456")]));
        assert!(shown.contains("A_KEY") && !shown.contains("123456"), "{shown}");
    }

    #[test]
    fn a_key_is_found_in_whatever_form_it_comes() {
        let key = "fk/7+Q\"9\\c&z=Ä-0123";
        let secrets = secrets(&[("K", key)]);
        for form in [
            "fk/7+Q\\\"9\\\\c&z=Ä-0123",
            "fk%2F7%2BQ%229%5Cc%26z%3D%C3%84-0123",
            "fk%2f7%2bQ%229%5cc%26z%3d%c3%84-0123",
            "fk/7+Q&quot;9\\c&amp;z=Ä-0123",
            "666b2f372b5122395c63267a3dc3842d30313233",
        ] {
            let text = format!("a {form} b");
            let masked = secrets.mask(&text);
            assert!(masked.contains("[secret K]"), "{form}: {masked}");
        }
        for lead in ["", "x", "xy", "xyz"] {
            use base64::Engine as _;
            let coded = base64::engine::general_purpose::STANDARD.encode(format!("{lead}{key}!"));
            assert!(secrets.mask(&coded).contains("[secret K]"), "{lead}: {coded}");
        }
    }

    #[test]
    fn what_is_left_of_a_key_that_was_cut_off_is_masked_too() {
        let secrets = secrets(&[("K", "fk-maker-v1-0123456789abcdef")]);
        assert_eq!(secrets.mask("bad key fk-maker-v1-0123…; see"), "bad key [secret K]…; see");
        assert_eq!(secrets.mask("keys begin with fk-maker-…"), "keys begin with fk-maker-…");
        assert_eq!(secrets.mask("no key…"), "no key…");
    }
}
