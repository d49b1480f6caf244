//! An identifier in text: `cache_ttl` stands in `cache_ttl: 5`, but neither in `cache_ttl_s` nor in `my_cache_ttl`.

/// An identifier that is looked for in text.
#[derive(Debug, Clone)]
pub struct Key {
    text: String,
    has_dashes: bool,
}

impl Key {
    /// The identifier `text`.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let has_dashes = text.contains('-');
        Self { text, has_dashes }
    }

    /// The identifier as text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it first stands by itself.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<usize> {
        if self.text.is_empty() {
            return None;
        }
        text.match_indices(self.text.as_str())
            .find(|(at, _)| {
                !self.goes_on(text[..*at].chars().rev())
                    && !self.goes_on(text[at + self.text.len()..].chars())
            })
            .map(|(at, _)| at)
    }

    /// Whether the identifier goes on in what stands next to it. The dashes of `--max-conns` are none of its own.
    fn goes_on(&self, mut next_to: impl Iterator<Item = char>) -> bool {
        match next_to.next() {
            Some('-') => self.has_dashes && next_to.next().is_some_and(char::is_alphanumeric),
            Some(c) => c == '_' || c.is_alphanumeric(),
            None => false,
        }
    }

    /// Whether it stands in `text` by itself.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_found_inside_another() {
        let key = Key::new("cache_ttl");
        assert!(key.is_in("cfg['cache_ttl'] = cache_ttl_s"));
        assert!(key.is_in("--cache_ttl=5"));
        assert!(!key.is_in("cache_ttl_s: 5; my_cache_ttl"));
        assert!(!Key::new("max-conns").is_in("max-conns-idle"));
        assert!(Key::new("max-conns").is_in("--max-conns=4"));
        assert!(!Key::new("").is_in("x"));
    }
}
