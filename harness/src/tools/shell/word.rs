//! Words of a command line: quoting, braces and wildcards.

use globset::{GlobBuilder, GlobMatcher};

/// The most words that one word may become.
const MAX_EXPANSION: usize = 2000;
/// The most braces of a word that are expanded, and the longest word in which any is.
const MAX_BRACES: usize = 8;
const MAX_BRACED_BYTES: usize = 2048;

/// What holding a path against a wildcard comes to.
pub(super) const BYTES_A_MATCH: usize = 64;

/// A word in which every special character that was quoted stands behind a backslash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pattern: String,
    /// Whether some of it was quoted; then it is no keyword, and empty it is still a word.
    pub(super) quoted: bool,
}

impl Word {
    /// Adds a character that means itself.
    pub(super) fn literal(&mut self, c: char) {
        if "*?[]{},\\!-^".contains(c) {
            self.pattern.push('\\');
        }
        self.pattern.push(c);
    }

    /// Adds a character as it stood outside of quotes.
    pub(super) fn plain(&mut self, c: char) {
        self.pattern.push(c);
    }

    /// The word without wildcards' meaning.
    pub(super) fn text(&self) -> String {
        unescape(&self.pattern)
    }

    /// The words it becomes: braces first, then what `matching` gives for a text that has wildcards and its pattern; one
    /// that fits nothing stays as it is.
    pub(super) fn expand(&self, mut matching: impl FnMut(&str, &str) -> Vec<String>) -> Vec<String> {
        let mut out = Vec::new();
        for pattern in braces(&self.pattern) {
            let text = unescape(&pattern);
            let found = if is_wild(&pattern) { matching(&text, &pattern) } else { Vec::new() };
            if found.is_empty() {
                out.push(text);
            } else {
                out.extend(found);
            }
            out.truncate(MAX_EXPANSION);
        }
        out
    }
}

/// A matcher for a shell's wildcards, for options such as `--include`.
pub(super) fn wildcard(pattern: &str) -> Option<GlobMatcher> {
    let escaped = pattern.replace('{', "\\{").replace('}', "\\}");
    GlobBuilder::new(&escaped)
        .backslash_escape(true)
        .literal_separator(false)
        .build()
        .ok()
        .map(|glob| glob.compile_matcher())
}

fn is_wild(pattern: &str) -> bool {
    let mut escaped = false;
    pattern.chars().any(|c| {
        let wild = !escaped && matches!(c, '*' | '?' | '[');
        escaped = !escaped && c == '\\';
        wild
    })
}

/// A matcher for a word's wildcards.
pub(super) fn glob(pattern: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(pattern)
        .backslash_escape(true)
        .literal_separator(true)
        .build()
        .ok()
        .map(|glob| glob.compile_matcher())
}

fn unescape(pattern: &str) -> String {
    let mut chars = pattern.chars();
    let mut out = String::with_capacity(pattern.len());
    while let Some(c) = chars.next() {
        if c == '\\' { out.extend(chars.next()) } else { out.push(c) }
    }
    out
}

/// `a{b,c}d` as `abd` and `acd`. Braces within braces, and braces without a comma, stay as they are.
fn braces(pattern: &str) -> Vec<String> {
    let mut done = vec![String::new()];
    let mut rest = pattern;
    // Each brace may double what there is; a word made to grow stays as it is.
    let mut left = if pattern.len() > MAX_BRACED_BYTES { 0 } else { MAX_BRACES };
    while let Some((head, choices, tail)) = first_brace(rest).filter(|_| left > 0) {
        left -= 1;
        let mut next = Vec::new();
        for start in &done {
            for choice in &choices {
                if next.len() < MAX_EXPANSION {
                    next.push(format!("{start}{}{choice}", brace_free(head)));
                }
            }
        }
        done = next;
        rest = tail;
    }
    done.iter().map(|start| format!("{start}{}", brace_free(rest))).collect()
}

/// The matcher has its own meaning for braces, which a shell's wildcards do not share.
fn brace_free(text: &str) -> String {
    let mut out = String::new();
    let mut escaped = false;
    for c in text.chars() {
        if !escaped && matches!(c, '{' | '}') {
            out.push('\\');
        }
        escaped = !escaped && c == '\\';
        out.push(c);
    }
    out
}

fn first_brace(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (mut open, mut cuts, mut escaped) = (None, Vec::new(), false);
    for (at, c) in text.char_indices() {
        if escaped || c == '\\' {
            escaped = !escaped;
            continue;
        }
        match (c, open) {
            ('{', _) => {
                open = Some(at);
                cuts.clear();
            }
            (',', Some(_)) => cuts.push(at),
            ('}', Some(start)) if !cuts.is_empty() => {
                let mut choices = Vec::new();
                let mut from = start + 1;
                for cut in cuts.into_iter().chain([at]) {
                    choices.push(&text[from..cut]);
                    from = cut + 1;
                }
                return Some((&text[..start], choices, &text[at + 1..]));
            }
            ('}', Some(_)) => open = None,
            _ => {}
        }
    }
    None
}
