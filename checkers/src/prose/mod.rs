//! Prose: a message as sentences in one plain spelling, for predicates that ask what is *said* rather than what number
//! is given.
//!
//! A sentence may run over soft line ends; list items, headings, table rows and lines of code stand for themselves. The
//! plain spelling is lower case, without emphasis, with white space collapsed and contractions written out, so that
//! `UTC **doesn’t**⏎observe` and `utc does not observe` are one text. Linear in the text, and total.

pub mod claim;
mod drafts;
mod structured;
mod tests_abroad;
pub mod tests_pass;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use crate::closing;
use crate::lean::{Regex, RegexBuilder};
use crate::reading::normalize::Folded;

/// The longest sentence in bytes; a longer one is cut, so that what reads sentences stays linear in the message.
const LONGEST: usize = 2_000;

/// What a sentence is laid out as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Running text, or an item of a list.
    Prose,
    /// A heading.
    Heading,
    /// A row of a table.
    Row,
    /// A line of a fenced code block.
    Code,
}

/// One sentence, or a line that stands for one.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// Its plain spelling.
    pub text: String,
    /// Its bytes in the message.
    pub range: Range<usize>,
    /// What it is laid out as.
    pub layout: Layout,
    /// Whether it ends with a question mark.
    pub question: bool,
    /// The paragraph or list item it belongs to, counted from 0.
    pub block: usize,
}

impl Sentence {
    /// The text without what stands in double quotation marks.
    #[must_use]
    pub fn unquoted(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut inside = false;
        for c in self.text.chars() {
            if c == '"' {
                inside = !inside;
                out.push(c);
            } else if !inside {
                out.push(c);
            }
        }
        if inside { self.text.clone() } else { out }
    }
}

/// A pattern that is part of the program.
#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests run each of them")]
#[must_use]
pub(crate) fn pattern(source: &str) -> Regex {
    RegexBuilder::new(source)
        .case_insensitive(true)
        .ignore_whitespace(true)
        .size_limit(4 << 20)
        .build()
        .expect("a constant pattern")
}

/// The sentences of a message, in order.
#[must_use]
pub fn sentences(message: &str) -> Vec<Sentence> {
    let folded = Folded::of(message);
    let mut reader = Reader { folded: &folded, out: Vec::new(), block: 0 };
    if structured::is_json(&folded.text) {
        reader.fields(0..folded.text.len(), structured::json);
        return reader.out;
    }
    let mut pending: Option<Range<usize>> = None;
    let mut at = 0;
    while at < folded.text.len() {
        let line = folded.text[at..].split_inclusive('\n').next().unwrap_or_default();
        let range = at..at + line.len();
        at = range.end;
        let block = folded.code[..].partition_point(|code| code.end <= range.start);
        let block = folded.code.get(block).filter(|code| code.contains(&range.start));
        let kind = Line::of(line, block.is_some());
        if kind == Line::Text
            && let Some(open) = &mut pending
        {
            open.end = range.end;
            continue;
        }
        if let Some(open) = pending.take() {
            reader.paragraph(open);
        }
        if let Some(block) = block
            && block.start == range.start
            && let Some(fields) = structured::notation(&folded.text[block.clone()])
        {
            reader.fields(block.clone(), fields);
            at = block.end.max(at);
            continue;
        }
        match kind {
            Line::Blank => reader.block += 1,
            Line::Text => pending = Some(range),
            Line::Item => {
                reader.block += 1;
                pending = Some(range);
            }
            Line::Alone(layout) => reader.alone(range, layout),
        }
    }
    if let Some(open) = pending {
        reader.paragraph(open);
    }
    reader.out
}

#[derive(PartialEq)]
enum Line {
    Blank,
    Text,
    Item,
    Alone(Layout),
}

impl Line {
    fn of(line: &str, code: bool) -> Self {
        if code {
            return if line.trim().is_empty() { Self::Blank } else { Self::Alone(Layout::Code) };
        }
        let text = line.trim();
        let indented = line.starts_with("    ") || line.starts_with('\t');
        match text.chars().next() {
            None => Self::Blank,
            Some('#') => Self::Alone(Layout::Heading),
            Some('|') => Self::Alone(Layout::Row),
            Some('•' | '>') => Self::Item,
            Some(mark @ ('-' | '+' | '–')) if text[mark.len_utf8()..].starts_with([' ', '\t']) => {
                Self::Item
            }
            Some(c) if c.is_ascii_digit() => {
                let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
                if rest.starts_with(". ") || rest.starts_with(") ") { Self::Item } else { Self::Text }
            }
            Some(_) if indented || structured::is_entry(text) => Self::Item,
            Some(_) => Self::Text,
        }
    }
}

struct Reader<'f> {
    folded: &'f Folded,
    out: Vec<Sentence>,
    block: usize,
}

impl Reader<'_> {
    /// The values of a structured text, each with its key ahead of it.
    fn fields(&mut self, range: Range<usize>, read: fn(&str) -> Vec<structured::Field>) {
        let text = &self.folded.text[range.clone()];
        for field in read(text) {
            self.block += 1;
            let first = self.out.len();
            self.paragraph(range.start + field.value.start..range.start + field.value.end);
            let (key, of_others) = structured::words(&text[field.key]);
            for sentence in &mut self.out[first..] {
                if of_others {
                    sentence.text = format!("\"{}\"", sentence.text);
                    sentence.question = false;
                }
            }
            if let Some(sentence) = self.out.get_mut(first).filter(|_| !key.is_empty()) {
                sentence.text = format!("{key}: {}", sentence.text);
            }
        }
    }

    fn paragraph(&mut self, range: Range<usize>) {
        let text = &self.folded.text[range.clone()];
        let mut start = 0;
        for (at, c) in text.char_indices() {
            // The marks that close a sentence belong to it, and are not looked at again.
            if at < start {
                continue;
            }
            if at - start > LONGEST && c.is_whitespace() {
                self.push(range.start + start..range.start + at, Layout::Prose);
                start = at;
            }
            if !matches!(c, '.' | '!' | '?') {
                continue;
            }
            let after = &text[at + 1..];
            let closing = after.len() - after.trim_start_matches(['"', '\'', ')', ']', '!', '?']).len();
            let ends = after[closing..].chars().next().is_none_or(char::is_whitespace);
            let goes_on = || abbreviated(&text[start..at]) || closing::is_ordinal(&text[start..at], after);
            if !ends || (c == '.' && goes_on()) {
                continue;
            }
            let end = at + 1 + closing;
            self.push(range.start + start..range.start + end, Layout::Prose);
            start = end;
        }
        self.push(range.start + start..range.end, Layout::Prose);
    }

    fn alone(&mut self, range: Range<usize>, layout: Layout) {
        let mut start = range.start;
        for (at, c) in self.folded.text[range.clone()].char_indices() {
            if range.start + at - start > LONGEST && c.is_whitespace() {
                self.push(start..range.start + at, layout);
                start = range.start + at;
            }
        }
        self.push(start..range.end, layout);
    }

    fn push(&mut self, range: Range<usize>, layout: Layout) {
        let raw = &self.folded.text[range.clone()];
        let text = plain(raw, layout);
        if text.chars().all(|c| !c.is_alphanumeric()) && !text.contains('?') {
            return;
        }
        let lead = raw.len() - raw.trim_start().len();
        let trimmed = range.start + lead..range.start + raw.trim_end().len().max(lead + 1);
        let question =
            layout != Layout::Code && text.trim_end_matches(['"', '\'', ')', ' ', '!']).ends_with('?');
        self.out.push(Sentence {
            text,
            range: self.folded.original(trimmed),
            layout,
            question,
            block: self.block,
        });
    }
}

/// Whether a stop after this text ends no sentence: `e.g.`, `vs.`, the number of a list item.
fn abbreviated(text: &str) -> bool {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(['(', '"']);
    let number = word.chars().all(|c| c.is_ascii_digit()) && text.trim().len() == word.len();
    number
        || matches!(word, "e.g" | "i.e" | "eg" | "ie" | "vs" | "etc" | "approx" | "ca" | "cf" | "incl" | "no" if word != "no")
}

fn plain(raw: &str, layout: Layout) -> String {
    let mut text = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    if layout != Layout::Code {
        let body = text.trim_start_matches(['•', '-', '+', '–', '>', '#', ' ']);
        let rest = body.trim_start_matches(|c: char| c.is_ascii_digit());
        let body = if rest.len() < body.len() && (rest.starts_with(". ") || rest.starts_with(") ")) {
            &rest[2..]
        } else {
            body
        };
        text = body.to_owned();
        for (contraction, full) in CONTRACTIONS.iter() {
            if let Cow::Owned(changed) = contraction.replace_all(&text, full) {
                text = changed;
            }
        }
    }
    text
}

static CONTRACTIONS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (r"\bwon'?t\b", "will not"),
        (r"\bcan'?t\b|\bcannot\b", "can not"),
        (r"\bshan't\b", "shall not"),
        (r"\b(do|does|did|is|are|was|were|has|have|had|should|would|could|must|need)n'?t\b", "$1 not"),
        (r"\bain't\b", "is not"),
        (r"'re\b", " are"),
        (r"'ll\b", " will"),
        (r"'ve\b", " have"),
        (r"'m\b", " am"),
        (r"\b(i|you|he|she|we|they|it|that|who)'d\b", "$1 would"),
        (r"\b(it|that|there|here|what|who|where|he|she|everything|suite|utc|which)'s\b", "$1 is"),
    ]
    .map(|(source, full)| (pattern(source), full))
    .into()
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(message: &str) -> Vec<String> {
        sentences(message).into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn soft_line_ends_and_emphasis_go() {
        assert_eq!(
            texts("UTC **doesn’t**\nobserve _DST_. Which zone?"),
            ["utc does not observe dst .", "which zone?"]
        );
    }

    #[test]
    fn items_rows_and_code_stand_for_themselves() {
        let found = sentences("One:\n1. a b\n2. c?\n\n| x | y |\n```\nlet a = 1;\n```\nEnd.");
        let shapes: Vec<_> = found.iter().map(|s| (s.text.as_str(), s.layout, s.question)).collect();
        assert_eq!(
            shapes,
            [
                ("one:", Layout::Prose, false),
                ("a b", Layout::Prose, false),
                ("c?", Layout::Prose, true),
                ("| x | y |", Layout::Row, false),
                ("let a = 1;", Layout::Code, false),
                ("end.", Layout::Prose, false),
            ]
        );
    }

    #[test]
    fn ranges_point_into_the_message() {
        let message = "Fine. **UTC** can’t do that!";
        let found = sentences(message);
        assert_eq!(&message[found[1].range.clone()], "UTC** can’t do that!");
        assert_eq!(found[1].text, "utc can not do that!");
    }

    #[test]
    fn quotations_can_be_left_out() {
        assert_eq!(sentences("He wrote “all pass” today")[0].unquoted(), "he wrote \"\" today");
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,80}|[-#|>.?!`*\"' a-c\n1’é]{0,80}") {
            for sentence in sentences(&text) {
                prop_assert!(text.get(sentence.range).is_some());
            }
        }
    }
}

#[cfg(test)]
mod boundary_tests {
    use super::sentences;

    #[test]
    fn closing_marks_and_wide_dashes_are_no_trap() {
        for text in
            ["Really?! No.", "x.)\"!? y", "– item", "–item", "-", "?!?!?!", "a.\u{301}b", "“Sure?!” he said."]
        {
            let _ = sentences(text);
        }
        assert_eq!(sentences("Really?! No.").len(), 2);
    }
}
