//! An identifier in text: `cache_ttl` stands in `cache_ttl: 5`, but neither in `cache_ttl_s` nor in `my_cache_ttl`.

/// An identifier that is looked for in text.
#[derive(Debug, Clone)]
pub struct Key {
    text: String,
    joins: Vec<char>,
}

impl Key {
    /// The identifier `text`.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut joins = vec!['_'];
        if text.contains('-') {
            joins.push('-');
        }
        Self { text, joins }
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
        let joins = |c: char| c.is_alphanumeric() || self.joins.contains(&c);
        text.match_indices(self.text.as_str())
            .find(|(at, _)| {
                let before = text[..*at].chars().next_back();
                let after = text[at + self.text.len()..].chars().next();
                !before.is_some_and(joins) && !after.is_some_and(joins)
            })
            .map(|(at, _)| at)
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
        assert!(!Key::new("").is_in("x"));
    }
}
