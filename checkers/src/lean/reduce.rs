//! From a pattern to one for a small alphabet.
//!
//! Let *h* replace each character by the one that stands for it in the alphabet. A pattern looks at a text only through
//! its literals, its classes and the borders of words. Literals are made of characters that stand for themselves. For
//! each class *C* and each character *c*, *c* ∈ *C* exactly if *h(c)* ∈ *C*: the characters in which *C* differs from a
//! union of kinds are named, and stand for themselves; all others are stood for by one of their kind, or of a kind that
//! no class of the pattern tells from it. Borders of words count as a class, `\w`. So the pattern matches a text where it
//! matches *h* of the text; and there, characters that are not in the alphabet can be left out of its classes.

use std::collections::BTreeSet;

use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

use super::alphabet::Alphabet;
use super::kind::{self, ALL, WORD};

/// Up to so many ranges a class is cheap as it is.
const CHEAP: usize = 8;
/// The most characters that are named for the sake of one class.
const MOST_NAMED: usize = 128;

/// A pattern that finds in respelled texts what `hir` finds in texts, and how to respell them; no alphabet if the pattern
/// is cheap as it is, or has a class that is far from any union of kinds.
pub(super) fn reduce(hir: Hir) -> (Hir, Option<Alphabet>) {
    let mut seen = Seen::default();
    if !seen.read(&hir) || !seen.classes.iter().any(is_costly) {
        return (hir, None);
    }
    let alphabet = Alphabet::new(&seen.named, &seen.told_apart);
    let characters = alphabet.characters();
    let costly = seen.classes.into_iter().filter(is_costly);
    let classes: Vec<_> = costly
        .map(|class| {
            let mut small = class.clone();
            small.intersect(&characters);
            (class, small)
        })
        .collect();
    (rebuilt(hir, &classes), Some(alphabet))
}

/// What a pattern tells apart.
#[derive(Default)]
struct Seen {
    /// Characters beyond ASCII that must stand for themselves.
    named: BTreeSet<char>,
    /// The sets of kinds that its classes hold.
    told_apart: Vec<u8>,
    /// Its classes, each once.
    classes: Vec<ClassUnicode>,
}

impl Seen {
    /// Takes in all of `hir`; `false` if a class is far from any union of kinds.
    fn read(&mut self, hir: &Hir) -> bool {
        match hir.kind() {
            HirKind::Empty => true,
            HirKind::Literal(literal) => match str::from_utf8(&literal.0) {
                Ok(text) => {
                    self.named.extend(text.chars().filter(|c| !c.is_ascii()));
                    true
                }
                Err(_) => false,
            },
            HirKind::Class(Class::Unicode(class)) => self.read_class(class),
            HirKind::Class(Class::Bytes(class)) => class.is_ascii(),
            HirKind::Look(look) => {
                if is_unicode_border(*look) {
                    self.tell_apart(WORD);
                }
                true
            }
            HirKind::Repetition(repetition) => self.read(&repetition.sub),
            HirKind::Capture(capture) => self.read(&capture.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(|part| self.read(part)),
        }
    }

    fn read_class(&mut self, class: &ClassUnicode) -> bool {
        if class.is_ascii() || self.classes.contains(class) {
            return true;
        }
        let Some((set, exceptions)) = nearest(class) else { return false };
        self.named.extend(exceptions.iter().flat_map(|range| range.start()..=range.end()));
        self.tell_apart(set);
        self.classes.push(class.clone());
        true
    }

    fn tell_apart(&mut self, set: u8) {
        if !self.told_apart.contains(&set) {
            self.told_apart.push(set);
        }
    }
}

fn is_costly(class: &ClassUnicode) -> bool {
    class.ranges().len() > CHEAP
}

/// The set of kinds that a class holds beyond ASCII, and the few characters in which it differs from that.
fn nearest(class: &ClassUnicode) -> Option<(u8, ClassUnicode)> {
    let mut beyond = class.clone();
    beyond.intersect(kind::characters(ALL));
    if let Some(set) = (0..=ALL).find(|set| *kind::characters(*set) == beyond) {
        return Some((set, ClassUnicode::empty()));
    }
    // None and all are by far the most frequent.
    [0, ALL].into_iter().chain(1..ALL).find_map(|set| {
        let mut difference = beyond.clone();
        difference.symmetric_difference(kind::characters(set));
        (count(&difference) <= MOST_NAMED).then_some((set, difference))
    })
}

fn count(class: &ClassUnicode) -> usize {
    class.iter().map(ClassUnicodeRange::len).sum()
}

fn is_unicode_border(look: Look) -> bool {
    match look {
        Look::WordUnicode
        | Look::WordUnicodeNegate
        | Look::WordStartUnicode
        | Look::WordEndUnicode
        | Look::WordStartHalfUnicode
        | Look::WordEndHalfUnicode => true,
        Look::Start
        | Look::End
        | Look::StartLF
        | Look::EndLF
        | Look::StartCRLF
        | Look::EndCRLF
        | Look::WordAscii
        | Look::WordAsciiNegate
        | Look::WordStartAscii
        | Look::WordEndAscii
        | Look::WordStartHalfAscii
        | Look::WordEndHalfAscii => false,
    }
}

/// `hir` with its costly classes replaced.
fn rebuilt(hir: Hir, classes: &[(ClassUnicode, ClassUnicode)]) -> Hir {
    let all = |parts: Vec<Hir>| parts.into_iter().map(|part| rebuilt(part, classes)).collect();
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(class)) => {
            let small = classes.iter().find(|(whole, _)| *whole == class).map(|(_, small)| small.clone());
            Hir::class(Class::Unicode(small.unwrap_or(class)))
        }
        HirKind::Class(class @ Class::Bytes(_)) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            Hir::repetition(Repetition { min, max, greedy, sub: Box::new(rebuilt(*sub, classes)) })
        }
        HirKind::Capture(Capture { index, name, sub }) => {
            Hir::capture(Capture { index, name, sub: Box::new(rebuilt(*sub, classes)) })
        }
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
    }
}
