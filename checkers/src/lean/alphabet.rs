//! A small alphabet: the characters that a pattern names, and stand-ins for all others.

use std::borrow::Cow;
use std::collections::BTreeSet;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::kind::{self, KINDS, Kind};

/// The first and the last character of 2, 3 and 4 bytes.
const BY_LENGTH: [(char, char); 3] =
    [('\u{80}', '\u{7ff}'), ('\u{800}', '\u{ffff}'), ('\u{10000}', char::MAX)];

/// How texts are respelled for one pattern. ASCII always stands for itself.
#[derive(Debug, Clone)]
pub(super) struct Alphabet {
    /// The characters beyond ASCII that the pattern tells apart from others of their kind, in order.
    named: Box<[char]>,
    /// By kind and by length in UTF-8, which is 2, 3 or 4.
    stand_ins: [[Option<char>; 3]; 4],
}

impl Alphabet {
    /// The alphabet in which `named` stand for themselves, and kinds that are in the same sets of `told_apart` are one.
    pub(super) fn new(named: &BTreeSet<char>, told_apart: &[u8]) -> Self {
        let alike = |kind: Kind| {
            let same = |other: Kind| {
                told_apart.iter().all(|set| kind::holds(*set, kind) == kind::holds(*set, other))
            };
            KINDS.into_iter().filter(|other| same(*other)).fold(0, |set, other| set | 1 << other as u8)
        };
        let stand_in = |set: u8, (first, last): (char, char)| {
            let within = |range: &ClassUnicodeRange| range.start().max(first)..=range.end().min(last);
            kind::characters(set).iter().flat_map(within).find(|c| !named.contains(c))
        };
        let stand_ins = KINDS.map(|kind| BY_LENGTH.map(|length| stand_in(alike(kind), length)));
        Self { named: named.iter().copied().collect(), stand_ins }
    }

    /// All characters of the alphabet.
    pub(super) fn characters(&self) -> ClassUnicode {
        let beyond = self.named.iter().chain(self.stand_ins.iter().flatten().flatten());
        let ascii = ClassUnicodeRange::new('\0', '\u{7f}');
        ClassUnicode::new(beyond.map(|c| ClassUnicodeRange::new(*c, *c)).chain([ascii]))
    }

    /// `text` in this alphabet, each character by one of as many bytes.
    pub(super) fn respell<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        out.extend(text.chars().map(|c| self.spelling(c)));
        Cow::Owned(out)
    }

    /// The character that stands for `c`.
    pub(super) fn spelling(&self, c: char) -> char {
        if c.is_ascii() || self.named.binary_search(&c).is_ok() {
            return c;
        }
        // Where there is no stand-in, all characters of the kind and length are named.
        self.stand_ins[kind::of(c) as usize][c.len_utf8() - 2].unwrap_or(c)
    }
}
