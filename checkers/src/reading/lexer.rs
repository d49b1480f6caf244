//! Cuts a folded text into words, numbers, signs and line ends.

use super::normalize::Folded;
use super::numeral::{self, Numeral};
use super::vocabulary::{self, Class};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A number in digits.
    Number(Numeral),
    /// A word, with what it can mean.
    Word(Class),
    /// Any other sign.
    Sign(char),
    /// A line end.
    Newline,
}

/// A piece of the folded text.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it starts in the folded text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Whether it follows the token before it without a space.
    pub glued: bool,
}

impl Token {
    /// Whether it is this sign.
    #[must_use]
    pub fn is(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    /// Whether it is a word of one of these classes.
    #[must_use]
    pub fn has(&self, class: Class) -> bool {
        matches!(self.kind, Kind::Word(classes) if classes.has(class))
    }

    /// Whether it is a word.
    #[must_use]
    pub fn is_word(&self) -> bool {
        matches!(self.kind, Kind::Word(_))
    }
}

/// Cuts `folded` into tokens.
#[must_use]
pub fn tokens(folded: &Folded) -> Vec<Token> {
    let text = folded.text.as_str();
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(text.len() / 4 + 4);
    let mut at = 0;
    let mut glued = false;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'\n' {
            tokens.push(Token { kind: Kind::Newline, start: at, end: at + 1, glued });
            at += 1;
            glued = false;
            continue;
        }
        if byte.is_ascii_whitespace() {
            at += 1;
            glued = false;
            continue;
        }
        let (kind, len) = token_at(text, at);
        tokens.push(Token { kind, start: at, end: at + len, glued });
        at += len;
        glued = true;
    }
    tokens
}

fn token_at(text: &str, at: usize) -> (Kind, usize) {
    let rest = &text[at..];
    let bytes = rest.as_bytes();
    let point_starts = bytes[0] == b'.'
        && bytes.get(1).is_some_and(u8::is_ascii_digit)
        && !text[..at].ends_with(|c: char| c.is_alphanumeric());
    // Within a list without spaces, `3,4,5,6`, each number ends at its comma.
    let listed = text[..at].ends_with(',') && text[..at - 1].ends_with(|c: char| c.is_ascii_digit());
    if listed && bytes[0].is_ascii_digit() {
        let len = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = rest[..len].parse().unwrap_or(numeral::LARGEST).min(numeral::LARGEST);
        return (Kind::Number(Numeral { value, unit: 1.0, other: None }), len);
    }
    if (bytes[0].is_ascii_digit() || point_starts)
        && let Some((numeral, len)) = numeral::read(rest)
    {
        return (Kind::Number(numeral), len);
    }
    // `x1.25`, `80x1.25`: a multiplication, not a name.
    if bytes[0] == b'x' && bytes.get(1).is_some_and(u8::is_ascii_digit) {
        return (Kind::Sign('*'), 1);
    }
    let len = word_len(rest);
    if len > 0 {
        return (Kind::Word(vocabulary::classes(&rest[..len])), len);
    }
    let c = rest.chars().next().unwrap_or(' ');
    (Kind::Sign(c), c.len_utf8())
}

/// Letters, with apostrophes inside; after a letter also digits, so that `q2` and `v2` are names.
fn word_len(rest: &str) -> usize {
    let mut len = 0;
    for (at, c) in rest.char_indices() {
        let inside = at > 0;
        let next_is_letter = || rest[at + c.len_utf8()..].starts_with(char::is_alphabetic);
        let next_is_digit = || rest[at + c.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let digit_before = || rest[..at].ends_with(|c: char| c.is_ascii_digit());
        let belongs = c.is_alphabetic()
            || (inside && c.is_ascii_digit())
            || (inside && c == '\'' && next_is_letter())
            || (inside && c == '.' && digit_before() && next_is_digit());
        if !belongs {
            break;
        }
        len = at + c.len_utf8();
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(text: &str) -> Vec<String> {
        let folded = Folded::of(text);
        tokens(&folded).iter().map(|t| folded.text[t.start..t.end].to_owned()).collect()
    }

    #[test]
    fn cuts_words_numbers_and_signs() {
        assert_eq!(shapes("It isn't 20%."), ["it", "isn't", "20", "%", "."]);
        assert_eq!(shapes("$80k×1.25x"), ["$", "80", "k", "*", "1.25", "x"]);
        assert_eq!(shapes("v2.1 and Q2"), ["v2.1", "and", "q2"]);
        assert_eq!(shapes("x=5-3"), ["x", "=", "5", "-", "3"]);
        assert_eq!(shapes("5..."), ["5", "…"]);
    }
}
