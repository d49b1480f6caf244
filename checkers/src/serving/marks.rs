//! Marks: patterns by which deliverables of one goal are told from those of another.

use std::sync::LazyLock;

use super::artifacts::Kind;
use super::pattern;
use crate::compiled::{self, Flags};
use crate::lean::Regex;
use crate::reading::Reading;
use crate::reading::normalize::invisible;
use crate::reading::quantity::Measure;

/// Which goal a text serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The goal asked about.
    Own,
    /// The other goal.
    Other,
    /// Both of them.
    Both,
    /// Nothing tells.
    Neither,
}

/// The marks of two goals.
#[derive(Debug)]
pub struct Marks {
    own: Vec<regex::Regex>,
    other: Vec<regex::Regex>,
}

/// What takes a mark back, ahead of it on its line, with nothing but small words in between: "not touched for 30 days" is
/// about 30 days.
static TAKEN_BACK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:not|no\s+longer|instead\s+of|rather\s+than|never|without|no|nor|neither|other\s+than|unlike|compared\s+(?:to|with)|
          in\s+place\s+of|as\s+opposed\s+to|vs\.?|versus)|n't)
          (?:[\x20\t\x22'*_`(]+(?:the|an?|any|your|this|that|its?|by|with|of|for|on|in|to|at|as|about|back|look|use|using|used|say|says|mention\w*|announc\w+|charg\w+|includ\w+|add\w*|contain\w*|appl\w+|show\w*|recommend\w*|pick\w*|choos\w+|ask\w*|want\w*|need\w*|mean\w*|requested|new|newer|mutated|changed|other|last|latest|recent|previous|old|proposed|suggested|mentioned|named|every|all|be|is))*
          [\x20\t\x22'*_`(]*\z",
    )
});

/// "No more than" and "not only" take nothing back.
static BOUNDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\bnot?\s+(?:more|later|less|fewer|only|just|earlier|sooner)\b[^.;,\n]{0,24}\z")
});

static TAKEN_BACK_AFTER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\A[^.;,:!?\n]{0,12}?(?:\b(?:is|are|was|were|does|do)\s+not|n't)\b"));

/// Where the marks of one goal stand in a text.
#[derive(Debug, Default, Clone, Copy)]
struct Hits {
    first: Option<usize>,
    count: usize,
}

impl Hits {
    fn also(self, other: Self) -> Self {
        let first = match (self.first, other.first) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { first, count: self.count.max(other.count) }
    }
}

impl Marks {
    /// Compiles the marks of both goals; letter case does not matter to them.
    ///
    /// # Errors
    /// The first mark that is no regular expression, and why.
    pub fn new(own: &[String], other: &[String]) -> Result<Self, String> {
        let flags = Flags { ignore_case: true, multi_line: true, size_limit: 1 << 20 };
        let compile = |marks: &[String]| {
            marks
                .iter()
                .map(|mark| {
                    compiled::regex(mark, flags)
                        .map_err(|error| format!("`{mark}` is not a regular expression: {error}"))
                })
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { own: compile(own)?, other: compile(other)? })
    }

    /// Which goal a deliverable serves.
    #[must_use]
    pub fn side(&self, text: &str, kind: Kind) -> Side {
        let (own, other) = self.hits(text);
        match (own.first, other.first) {
            (None, None) => Side::Neither,
            (Some(_), None) => Side::Own,
            (None, Some(_)) => Side::Other,
            (Some(a), Some(b)) => {
                let own_leads = a < b && (kind == Kind::Table || own.count > other.count);
                let other_leads = b < a && (kind == Kind::Table || other.count > own.count);
                match (kind.is_code(), own_leads, other_leads) {
                    (false, true, _) => Side::Own,
                    (false, _, true) => Side::Other,
                    _ => Side::Both,
                }
            }
        }
    }

    /// Which goal's mark comes first in a sentence.
    #[must_use]
    pub fn leading(&self, text: &str) -> Side {
        let (own, other) = self.hits(text);
        match (own.first, other.first) {
            (None, None) => Side::Neither,
            (Some(a), Some(b)) if a == b => Side::Both,
            (Some(a), Some(b)) if a < b => Side::Own,
            (Some(_), None) => Side::Own,
            _ => Side::Other,
        }
    }

    /// What the marks of either goal match in a text and is not taken back: as it stands there, or where nothing does, the
    /// first that is found in another spelling.
    pub fn words(&self, text: &str) -> Vec<String> {
        let in_spelling = |text: &str| -> Vec<String> {
            let marks = self.own.iter().chain(&self.other);
            marks
                .flat_map(|mark| mark.find_iter(text).take(1_000))
                .filter(|found| !taken_back(text, found.start(), found.end()))
                .map(|found| found.as_str().to_owned())
                .collect()
        };
        let as_it_stands = in_spelling(&visible(text));
        if !as_it_stands.is_empty() {
            return as_it_stands;
        }
        spellings(text).iter().flat_map(|text| in_spelling(text)).take(1).collect()
    }

    fn hits(&self, text: &str) -> (Hits, Hits) {
        let (mut own, mut other) = (Hits::default(), Hits::default());
        for spelling in spellings(text) {
            own = own.also(hits(&self.own, &spelling));
            other = other.also(hits(&self.other, &spelling));
        }
        (own, other)
    }
}

fn hits(marks: &[regex::Regex], text: &str) -> Hits {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for mark in marks {
        let asserted = |range: &(usize, usize)| !taken_back(text, range.0, range.1);
        starts.extend(
            mark.find_iter(text).take(1_000).map(|found| (found.start(), found.end())).filter(asserted),
        );
    }
    starts.sort_unstable();
    let mut count = 0;
    let mut end = 0;
    for (start, stop) in &starts {
        if count == 0 || *start >= end {
            count += 1;
        }
        end = end.max(*stop);
    }
    Hits { first: starts.first().map(|(start, _)| *start), count }
}

fn taken_back(text: &str, start: usize, end: usize) -> bool {
    let mut from = start.saturating_sub(60);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut to = text.len().min(end + 40);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let ahead = &text[from..start];
    (TAKEN_BACK.is_match(ahead) && !BOUNDS.is_match(ahead)) || TAKEN_BACK_AFTER.is_match(&text[end..to])
}

/// The text in the spellings that a mark may have been written for: as it stands, without emphasis, hyphens as blanks,
/// `30 percent` as `30%` and the other way round, `thirty` as `30`.
fn spellings(text: &str) -> Vec<String> {
    let plain = visible(text);
    let bare = plain.replace(['*', '_', '`'], "").replace('\\', "");
    let mut all = vec![plain.replace('-', " "), plain.replace("\\*", "*")];
    if PERCENT.is_match(&bare) {
        all.push(PERCENT.replace_all(&bare, "$1%").into_owned());
    }
    if PERCENT_SIGN.is_match(&bare) {
        all.push(PERCENT_SIGN.replace_all(&bare, "$1 percent").into_owned());
    }
    if let Some(digits) = in_digits(&bare) {
        all.push(PERCENT.replace_all(&digits, "$1%").into_owned());
        all.push(digits);
    }
    all.extend([bare, plain]);
    all
}

/// The text as it is seen: characters that take no room gone, blanks, quotes and hyphens of one kind each, full-width
/// letters and digits narrow.
fn visible(text: &str) -> String {
    text.chars()
        .filter(|c| !invisible(*c))
        .map(|c| match c {
            '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{3000}' => ' ',
            '’' | '‘' => '\'',
            '“' | '”' => '"',
            '‐' | '‑' | '–' => '-',
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            c => c,
        })
        .collect()
}

static PERCENT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d)[\x20\x2d]?(?:percent|per\x20cent|pct\.?)(?:\b|$)"));
static PERCENT_SIGN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d)\x20?%"));
static NUMBER_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million)\b",
    )
});

/// The text with its whole numbers in digits, if some stand in words.
fn in_digits(text: &str) -> Option<String> {
    NUMBER_WORD.is_match(text).then_some(())?;
    let reading = Reading::of(text);
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for quantity in reading.quantities.iter().filter(|one| one.spelled && one.value < 1e12) {
        let percent = quantity.measure == Measure::Percent;
        let value = if percent { (quantity.value * 1e4).round() / 100.0 } else { quantity.value };
        // The number's own words, without `percent` and the like after them.
        let mut words = quantity.tokens.clone().filter(|&at| NUMBER_WORD.is_match(reading.word(at)));
        let Some(last) = words.next_back().filter(|_| value.fract() == 0.0) else { continue };
        let span = reading.span(&(quantity.tokens.start..last + 1));
        out.push_str(text.get(done..span.start)?);
        out.push_str(&value.to_string());
        done = span.end;
    }
    out.push_str(text.get(done..)?);
    (done > 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks() -> Marks {
        let list = |marks: &[&str]| marks.iter().map(|mark| (*mark).to_owned()).collect::<Vec<_>>();
        Marks::new(&list(&["interval '90", "90 days?"]), &list(&["interval '30", "30 days?"])).unwrap()
    }

    #[test]
    fn a_mark_that_is_turned_down_does_not_count() {
        assert_eq!(marks().leading("It looks back 90 days, not 30 days."), Side::Own);
        assert_eq!(marks().leading("a 30-day window"), Side::Other);
        assert_eq!(marks().leading("**90** days instead of the 30 days"), Side::Own);
        assert_eq!(marks().leading("carts not touched for 30 days"), Side::Other);
        assert_eq!(marks().leading("orders of no more than 30 days"), Side::Other);
        assert_eq!(marks().leading("Not sure.\nIt is no\n90 days"), Side::Own);
        assert_eq!(marks().leading("nothing of the kind"), Side::Neither);
    }

    #[test]
    fn code_that_bears_both_marks_serves_both() {
        assert_eq!(marks().side("a - interval '90 days'; b - interval '30 days'", Kind::Fence), Side::Both);
        assert_eq!(marks().side("a - interval '90 days'", Kind::Fence), Side::Own);
    }

    #[test]
    fn a_mark_is_found_in_whatever_spelling() {
        let list = |marks: &[&str]| marks.iter().map(|mark| (*mark).to_owned()).collect::<Vec<_>>();
        let marks = Marks::new(&list(&["15 ?%", "90 days?"]), &list(&["\\b30%", "30 days?"])).unwrap();
        for text in [
            "a discount of 3\u{200b}0%",
            "a discount of 30 percent",
            "a discount of 30 per cent",
            "a thirty-percent discount",
            "a discount of thirty percent",
            "within 3\u{2060}0\u{202c} days",
            "within thirty days",
            "within ３０ days",
            "within **30** days",
        ] {
            assert_eq!(marks.leading(text), Side::Other, "{text}");
            assert_eq!(marks.words(text).len(), 1, "{text}");
        }
        assert_eq!(marks.leading("not thirty days but ninety days"), Side::Own);
        assert_eq!(marks.leading("thirty dogs, ninety cats"), Side::Neither);
    }

    #[test]
    fn a_mark_that_is_no_pattern_is_named() {
        assert!(Marks::new(&["(".to_owned()], &[]).unwrap_err().starts_with("`(` is not"));
    }
}
