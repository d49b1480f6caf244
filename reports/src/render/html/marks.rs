//! Where evidence lies in a message, in the units of a browser.
//!
//! Checkers count bytes of UTF-8; a script in a page counts units of UTF-16. The translation happens here, once, and
//! overlapping spans come out as pieces that do not overlap, so that the page only has to cut.

use std::collections::BTreeMap;

use serde::Serialize;

/// A piece of text that one or more clauses rest on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Mark {
    /// Where it starts, in units of UTF-16.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The clauses, by their place in the verdict.
    pub clauses: Vec<usize>,
}

/// A span of evidence in bytes, with its clause.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// The clause's place in the verdict.
    pub clause: usize,
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// The pieces of `text` that `spans` cover, in order. Spans that are empty or do not lie in the text are passed over.
pub(super) fn marks(text: &str, spans: &[Span]) -> Vec<Mark> {
    // At each place, how many spans of a clause begin there less those that end.
    let mut turns: BTreeMap<usize, Vec<(usize, bool)>> = BTreeMap::new();
    for span in spans {
        if text.get(span.start..span.end).is_some_and(|piece| !piece.is_empty()) {
            turns.entry(span.start).or_default().push((span.clause, true));
            turns.entry(span.end).or_default().push((span.clause, false));
        }
    }
    let mut marks: Vec<Mark> = Vec::new();
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut byte, mut unit) = (0, 0);
    for (place, turned) in turns {
        let here = unit + units(text, byte, place);
        if !open.is_empty() {
            push(&mut marks, Mark { start: unit, end: here, clauses: open.keys().copied().collect() });
        }
        (byte, unit) = (place, here);
        for (clause, begins) in turned {
            let count = open.entry(clause).or_default();
            // Ends of a place may come before beginnings there, never before the beginning of the same span.
            *count = if begins { *count + 1 } else { count.saturating_sub(1) };
            if *count == 0 {
                open.remove(&clause);
            }
        }
    }
    marks
}

fn units(text: &str, from: usize, to: usize) -> usize {
    text.get(from..to).map_or(0, |piece| piece.encode_utf16().count())
}

/// Adds a piece, as part of the last one when it goes on with the same clauses.
fn push(marks: &mut Vec<Mark>, mark: Mark) {
    match marks.last_mut() {
        Some(last) if last.end == mark.start && last.clauses == mark.clauses => last.end = mark.end,
        _ => marks.push(mark),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(clause: usize, start: usize, end: usize) -> Span {
        Span { clause, start, end }
    }

    fn mark(start: usize, end: usize, clauses: &[usize]) -> Mark {
        Mark { start, end, clauses: clauses.to_vec() }
    }

    #[test]
    fn bytes_become_units() {
        // € is three bytes and one unit, 𝄞 four bytes and two units.
        let text = "a€𝄞b";
        assert_eq!(marks(text, &[span(0, 1, 4)]), [mark(1, 2, &[0])]);
        assert_eq!(marks(text, &[span(0, 4, 8)]), [mark(2, 4, &[0])]);
        assert_eq!(marks(text, &[span(0, 8, 9)]), [mark(4, 5, &[0])]);
    }

    #[test]
    fn overlaps_become_pieces() {
        let spans = [span(0, 0, 6), span(1, 3, 9), span(0, 5, 7)];
        assert_eq!(marks("0123456789", &spans), [mark(0, 3, &[0]), mark(3, 7, &[0, 1]), mark(7, 9, &[1])]);
        assert_eq!(marks("0123", &[span(0, 0, 2), span(0, 2, 4)]), [mark(0, 4, &[0])]);
    }

    #[test]
    fn what_does_not_lie_in_the_text_is_passed_over() {
        let backwards = Span { clause: 0, start: 3, end: 1 };
        assert_eq!(marks("a€b", &[span(0, 2, 4), span(0, 9, 10), span(0, 1, 1), backwards]), []);
    }

    proptest! {
        /// Pieces do not overlap, and together they hold just what the spans cover.
        #[test]
        fn pieces_are_what_spans_cover(text in "\\PC{0,30}", ends in proptest::collection::vec((0usize..3, 0usize..60, 0usize..60), 0..6)) {
            let spans: Vec<Span> = ends.iter().map(|(clause, start, end)| span(*clause, *start, *end)).collect();
            let found = marks(&text, &spans);
            let utf16: Vec<u16> = text.encode_utf16().collect();
            let mut covered = vec![Vec::new(); utf16.len()];
            let mut last = 0;
            for piece in &found {
                prop_assert!(piece.start >= last && piece.end > piece.start && piece.end <= utf16.len());
                prop_assert!(String::from_utf16(&utf16[piece.start..piece.end]).is_ok());
                last = piece.end;
                covered[piece.start..piece.end].fill(piece.clauses.clone());
            }
            let mut unit = 0;
            for (byte, c) in text.char_indices() {
                let mut expected: Vec<usize> = spans
                    .iter()
                    .filter(|span| text.get(span.start..span.end).is_some() && span.start <= byte && byte < span.end)
                    .map(|span| span.clause)
                    .collect();
                expected.sort_unstable();
                expected.dedup();
                prop_assert_eq!(&covered[unit], &expected);
                unit += c.len_utf16();
            }
        }
    }
}
