//! The kinds of characters beyond ASCII that patterns tell apart by `\w`, `\d` and `\s`.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// A kind of character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `\w`, but not `\d`.
    Letter,
    /// `\d`.
    Digit,
    /// `\s`.
    Space,
    /// None of these.
    Other,
}

/// All kinds; a set of them is a number with bit `kind as u8` set for each.
pub(super) const KINDS: [Kind; 4] = [Kind::Letter, Kind::Digit, Kind::Space, Kind::Other];

/// The set of the kinds that make up words.
pub(super) const WORD: u8 = 1 << Kind::Letter as u8 | 1 << Kind::Digit as u8;

/// The set of all kinds.
pub(super) const ALL: u8 = 0b1111;

/// The characters beyond ASCII of each set of kinds.
static SETS: LazyLock<Vec<ClassUnicode>> = LazyLock::new(|| {
    let everything = ClassUnicode::new([ClassUnicodeRange::new('\u{80}', char::MAX)]);
    let beyond_ascii = |source: &str| {
        let mut class = match regex_syntax::parse(source).map(regex_syntax::hir::Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => class,
            // The three are classes; were one not, no character would be of its kind.
            _ => ClassUnicode::empty(),
        };
        class.intersect(&everything);
        class
    };
    let (mut letter, digit, space) = (beyond_ascii(r"\w"), beyond_ascii(r"\d"), beyond_ascii(r"\s"));
    let mut other = everything;
    other.difference(&letter);
    other.difference(&space);
    letter.difference(&digit);
    let kinds = [letter, digit, space, other];
    (0..=ALL)
        .map(|set| {
            let mut union = ClassUnicode::empty();
            kinds
                .iter()
                .zip(KINDS)
                .filter(|(_, kind)| holds(set, *kind))
                .for_each(|(class, _)| union.union(class));
            union
        })
        .collect()
});

/// Whether a set of kinds holds this one.
pub(super) fn holds(set: u8, kind: Kind) -> bool {
    set & (1 << kind as u8) != 0
}

/// The characters beyond ASCII of a set of kinds.
pub(super) fn characters(set: u8) -> &'static ClassUnicode {
    &SETS[usize::from(set & ALL)]
}

/// The kind of a character beyond ASCII.
pub(super) fn of(c: char) -> Kind {
    let is = |kind: Kind| {
        characters(1 << kind as u8)
            .ranges()
            .binary_search_by(|range| {
                if range.end() < c {
                    std::cmp::Ordering::Less
                } else if range.start() > c {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok()
    };
    KINDS.into_iter().find(|kind| is(*kind)).unwrap_or(Kind::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_character_is_of_one_kind_and_the_kinds_are_those_of_patterns() {
        let word = regex::Regex::new(r"^\w$").unwrap();
        let digit = regex::Regex::new(r"^\d$").unwrap();
        let space = regex::Regex::new(r"^\s$").unwrap();
        for c in '\u{80}'..=char::MAX {
            let text = c.to_string();
            let expected = match (word.is_match(&text), digit.is_match(&text), space.is_match(&text)) {
                (true, false, false) => Kind::Letter,
                (true, true, false) => Kind::Digit,
                (false, false, true) => Kind::Space,
                (false, false, false) => Kind::Other,
                both => panic!("{c:?} is of several kinds: {both:?}"),
            };
            assert_eq!(of(c), expected, "{c:?}");
        }
    }
}
