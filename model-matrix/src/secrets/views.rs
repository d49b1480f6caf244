//! Ways of reading a text in which a key may stand that is not there to the letter: escapes undone, line breaks left out,
//! bytes written as digits. There are more ways to escape a key than forms of it that could be listed, but few to undo them.
//!
//! Each reading is one pass over the text. Where its bytes came from is only worked out once something was found in it.

use std::ops::Range;

use memchr::{memchr3, memmem};

/// JSON in JSON in JSON, or a URL in a URL; deeper than this nobody nests an escape.
const ROUNDS: usize = 3;

/// What a pass makes of a text: bytes, and the part of the text that they stand for.
type Emit<'e> = dyn FnMut(&[u8], Range<usize>) + 'e;

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// Escapes undone, so many times: `%73`, `&#115;`, `&#x73;`, `\u0073`, `\x73`, `\"`.
    Unescaped(usize),
    /// Without blanks and line breaks, as base64 is wrapped.
    Unwrapped,
    /// Hexadecimal digits in lower case without what stands between bytes.
    Digits,
}

/// All ways of reading, from the plainest to the oddest.
pub(super) fn all() -> impl Iterator<Item = View> {
    (1..=ROUNDS).map(View::Unescaped).chain([View::Unwrapped, View::Digits])
}

impl View {
    /// Where in `text` which of `needles` stand, read this way, in order.
    pub(super) fn find(self, text: &str, needles: &[&[u8]]) -> Vec<(Range<usize>, usize)> {
        if matches!(self, Self::Unescaped(_)) && memchr3(b'%', b'&', b'\\', text.as_bytes()).is_none() {
            return Vec::new();
        }
        let mut bytes = Vec::with_capacity(text.len());
        if !self.read(text.as_bytes(), &mut |read, _| bytes.extend_from_slice(read)) {
            return Vec::new();
        }
        if needles.iter().all(|needle| memmem::find(&bytes, needle).is_none()) {
            return Vec::new();
        }
        let mut origins = Vec::with_capacity(bytes.len());
        self.read(text.as_bytes(), &mut |read, origin| origins.extend(read.iter().map(|_| origin.clone())));
        let mut found: Vec<(Range<usize>, usize)> = Vec::new();
        for (number, needle) in needles.iter().enumerate() {
            for at in memmem::find_iter(&bytes, needle) {
                found.push((origins[at].start..origins[at + needle.len() - 1].end, number));
            }
        }
        // Of two that overlap, the one that starts first stands for both.
        found.sort_by_key(|(place, number)| (place.start, *number));
        found.dedup_by(|next, kept| {
            let overlap = next.0.start < kept.0.end;
            if overlap {
                kept.0.end = kept.0.end.max(next.0.end);
            }
            overlap
        });
        found
    }

    /// Reads `text`; says whether it differs from what stands there.
    fn read(self, text: &[u8], emit: &mut Emit<'_>) -> bool {
        match self {
            Self::Unescaped(1) => pass(text, unescaped, emit),
            Self::Unescaped(rounds) => {
                let (mut inner, mut origins) = (Vec::new(), Vec::new());
                let differs = Self::Unescaped(rounds - 1).read(text, &mut |read, origin| {
                    inner.extend_from_slice(read);
                    origins.extend(read.iter().map(|_| origin.clone()));
                });
                differs
                    && pass(&inner, unescaped, &mut |read, at| {
                        emit(read, origins[at.start].start..origins[at.end - 1].end);
                    })
            }
            Self::Unwrapped => pass(text, unwrapped, emit),
            Self::Digits => pass(text, digit, emit),
        }
    }
}

/// What stands at the beginning of a text: how many bytes of it, and what they are read as. The array is only filled as far
/// as the second number says.
type Token = (usize, [u8; 4], usize);

/// Reads a text token by token; what a reader does not take is kept as it is.
fn pass(text: &[u8], reader: fn(&[u8]) -> Option<Token>, emit: &mut Emit<'_>) -> bool {
    let mut differs = false;
    let mut at = 0;
    while at < text.len() {
        let kept = (1, [text[at], 0, 0, 0], 1);
        let (taken, read, len) = reader(&text[at..]).unwrap_or(kept);
        differs |= text[at..at + taken] != read[..len];
        emit(&read[..len], at..at + taken);
        at += taken;
    }
    differs
}

/// An escape of any of the usual kinds.
fn unescaped(text: &[u8]) -> Option<Token> {
    match text {
        [b'%', digits @ ..] => Some((3, [byte(digits)?, 0, 0, 0], 1)),
        [b'\\', b'x' | b'X', digits @ ..] => Some((4, [byte(digits)?, 0, 0, 0], 1)),
        [b'\\', b'u' | b'U', digits @ ..] => character(6, number(digits.get(..4)?, 16)?),
        [b'\\', plain @ (b'"' | b'\\' | b'/' | b'\''), ..] => Some((2, [*plain, 0, 0, 0], 1)),
        [b'&', b'#', b'x' | b'X', rest @ ..] => entity(3, rest, 16),
        [b'&', b'#', rest @ ..] => entity(2, rest, 10),
        [b'&', rest @ ..] => {
            let names: [(&[u8], u8); 5] =
                [(b"amp;", b'&'), (b"lt;", b'<'), (b"gt;", b'>'), (b"quot;", b'"'), (b"apos;", b'\'')];
            let (name, plain) = names.into_iter().find(|(name, _)| rest.starts_with(name))?;
            Some((1 + name.len(), [plain, 0, 0, 0], 1))
        }
        _ => None,
    }
}

/// A numeric entity after `before` bytes of it; leading zeros and a missing semicolon are in use.
fn entity(before: usize, rest: &[u8], radix: u32) -> Option<Token> {
    let end = rest.iter().take(8).take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let code = number(&rest[..end], radix)?;
    character(before + end + usize::from(rest.get(end) == Some(&b';')), code)
}

fn character(taken: usize, code: u32) -> Option<Token> {
    let mut bytes = [0; 4];
    let len = char::from_u32(code)?.encode_utf8(&mut bytes).len();
    Some((taken, bytes, len))
}

fn byte(digits: &[u8]) -> Option<u8> {
    u8::try_from(number(digits.get(..2)?, 16)?).ok()
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    // `from_str_radix` would take a sign.
    let digits = str::from_utf8(digits).ok().filter(|text| text.chars().all(|c| c.is_digit(radix)))?;
    u32::from_str_radix(digits, radix).ok()
}

/// Blanks and line breaks, be they written out.
fn unwrapped(text: &[u8]) -> Option<Token> {
    match text {
        [b' ' | b'\t' | b'\r' | b'\n', ..] => Some((1, [0; 4], 0)),
        [b'\\', b'r' | b'n' | b't', ..] => Some((2, [0; 4], 0)),
        _ => None,
    }
}

/// Digits, and what stands between or before those of a byte.
fn digit(text: &[u8]) -> Option<Token> {
    match text {
        [b'0', b'x' | b'X', ..] | [b'\\', b'x' | b'X' | b'n' | b'r' | b't', ..] => Some((2, [0; 4], 0)),
        [b' ' | b'\t' | b'\r' | b'\n' | b':' | b'-' | b',' | b'.' | b'_' | b'%', ..] => Some((1, [0; 4], 0)),
        [letter @ b'A'..=b'F', ..] => Some((1, [letter.to_ascii_lowercase(), 0, 0, 0], 1)),
        _ => None,
    }
}
