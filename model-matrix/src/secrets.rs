//! API keys. Whatever a subject or an endpoint echoes is masked by the key's *value*: a name says nothing about
//! where the value turns up.
//!
//! A value does not always turn up as it is: a JSON string escapes it, a URL percent-encodes it, a `Basic` header holds
//! it in base64, and an excerpt may end in its middle. All of these are looked for, and the text is read in other ways too:
//! with its escapes undone, without its line breaks, and as bytes in digits.

mod forms;
mod views;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use secrecy::{ExposeSecret, SecretString};

use views::View;

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
    /// What is looked for in base64 that is wrapped.
    base64: Vec<Needle>,
    /// What is looked for in bytes written as digits.
    digits: Vec<Needle>,
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
        let needle = |form| Needle { form: SecretString::from(form), name };
        self.needles.extend(forms::all(value).into_iter().map(needle));
        self.base64.extend(forms::base64s(value).map(needle));
        self.digits.push(needle(forms::hex(value)));
        for needles in [&mut self.needles, &mut self.base64, &mut self.digits] {
            needles.sort_by_key(|needle| std::cmp::Reverse(needle.form.expose_secret().len()));
        }
    }

    /// These and the `others`.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        for (name, value) in &others.keys {
            self.add(name, value);
        }
        self
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
        for view in views::all() {
            if let Some(whole) = self.mask_seen(view, &masked) {
                masked = Cow::Owned(whole);
            }
        }
        if masked.contains(CUT)
            && let Some(whole) = self.mask_cut(&masked)
        {
            masked = Cow::Owned(whole);
        }
        masked
    }

    /// What is looked for in this way of reading a text.
    fn needles(&self, view: View) -> &[Needle] {
        match view {
            View::Unescaped(_) => &self.needles,
            View::Unwrapped => &self.base64,
            View::Digits => &self.digits,
        }
    }

    /// Where keys stand in `text`, read in this way.
    fn seen(&self, view: View, text: &str) -> Vec<(Range<usize>, &Needle)> {
        let needles = self.needles(view);
        let forms: Vec<&[u8]> = needles.iter().map(|needle| needle.form.expose_secret().as_bytes()).collect();
        view.find(text, &forms).into_iter().map(|(place, number)| (place, &needles[number])).collect()
    }

    /// Masks keys that stand in `text` if it is read in this way.
    fn mask_seen(&self, view: View, text: &str) -> Option<String> {
        let mut masked = String::new();
        let mut from = 0;
        for (place, needle) in self.seen(view, text) {
            masked.push_str(&text[from..place.start]);
            masked.push_str(&self.marker(needle));
            from = place.end;
        }
        (from > 0).then(|| masked + &text[from..])
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
        let plain = self.needles.iter().find(|needle| text.contains(needle.form.expose_secret()));
        let seen = || views::all().find_map(|view| Some(self.seen(view, text).first()?.1));
        let needle = plain.or_else(seen)?;
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
    fn the_keys_of_two_sets_are_masked_by_both_together() {
        let both = secrets(&[("A_KEY", "fake-123456")]).and(&secrets(&[("B_KEY", "other-987654")]));
        assert_eq!(both.mask("fake-123456 other-987654"), "[secret A_KEY] [secret B_KEY]");
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

    /// A text in which each byte of `key` is written by `byte`.
    fn spelt(key: &str, separator: &str, byte: impl Fn(u8) -> String) -> String {
        key.bytes().map(byte).collect::<Vec<_>>().join(separator)
    }

    #[test]
    fn a_key_is_found_however_it_is_spelt() {
        use base64::Engine as _;
        let key = "sk-Fake_7zq3-0123456789abcdefghijklmnopqrstuvwxyz";
        let secrets = secrets(&[("K", key)]);
        let wrap = |text: &str, line: usize, end: &str| {
            let lines = text.as_bytes().chunks(line).map(|line| String::from_utf8_lossy(line));
            lines.collect::<Vec<_>>().join(end)
        };
        let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
        let long = base64(&format!("{}{key}", "x".repeat(40)));
        for form in [
            spelt(key, "", |byte| format!("%{byte:02x}")),
            spelt(key, "", |byte| format!("%{byte:02X}")),
            spelt(key, "", |byte| format!("%25{byte:02X}")),
            spelt(key, "", |byte| format!("&#{byte};")),
            spelt(key, "", |byte| format!("&#x{byte:x};")),
            spelt(key, "", |byte| format!("&#X{byte:04X};")),
            spelt(key, "", |byte| format!("&amp;#{byte};")),
            spelt(key, "", |byte| format!("\\u{byte:04x}")),
            spelt(key, "", |byte| format!("\\u{byte:04X}")),
            spelt(key, "", |byte| format!("\\\\u{byte:04x}")),
            spelt(key, "", |byte| format!("\\x{byte:02x}")),
            spelt(key, " ", |byte| format!("{byte:02x}")),
            spelt(key, ":", |byte| format!("{byte:02X}")),
            spelt(key, ", ", |byte| format!("0x{byte:02x}")),
            spelt(key, "", |byte| format!("{byte:02x}")).replacen('b', "B", 1),
            key.replace('-', "%2D").replace('_', "&#95;"),
            wrap(&base64(key), 20, "\n"),
            wrap(&long, 76, "\r\n"),
            wrap(&long, 76, "\\n"),
        ] {
            let text = format!("ä%zz&#;\\u12 {form} – z");
            let masked = secrets.mask(&text);
            assert!(masked.contains("[secret K]"), "{form}: {masked}");
            assert!(masked.starts_with("ä%zz&#;\\u12 ") && masked.ends_with(" – z"), "{form}: {masked}");
            assert!(masked.len() < 110, "{form}: {masked}");
            assert_eq!(secrets.found_in(&text), Some("K"), "{form}");
        }
    }

    #[test]
    fn two_keys_in_a_row_are_both_masked_and_what_is_no_key_stays() {
        let secrets = secrets(&[("A_KEY", "fake-123456"), ("B_KEY", "other-987654")]);
        let percent = |key| spelt(key, "", |byte| format!("%{byte:02x}"));
        let text = format!("a{} {}b", percent("fake-123456"), percent("other-987654"));
        assert_eq!(secrets.mask(&text), "a[secret A_KEY] [secret B_KEY]b");
        for text in ["100% of &lt;b&gt; \\u00e4 \"x\"", "0x66 61:6B", "%", "&#", "\\", "\\u", "%%%"] {
            assert!(matches!(secrets.mask(text), Cow::Borrowed(same) if same == text), "{text}");
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
