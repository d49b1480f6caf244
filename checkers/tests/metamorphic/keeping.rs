//! Rewrites that keep the verdict: other notations, other white space, words beside the point.

use transcript::Transcript;

use crate::prose::{outside_quotes, replace};
use crate::records::seed;

/// Two sentences that have nothing to do with any case.
const WEATHER: &str = "It has been mild and a little cloudy here lately, with some wind in the evening.";
/// The cases that are about numbers alone, where every digit may be written in full width.
const NUMBERS: &[&str] = &["E1", "E2", "E4"];

/// A rewrite of the model's messages that says the same.
pub struct Keeping {
    pub name: &'static str,
    /// The cases it is for; empty for all.
    pub cases: &'static [&'static str],
    /// The fewest records it must reach: a rewrite that matches nothing tests nothing.
    pub least: usize,
    rewrite: fn(&str) -> String,
}

impl Keeping {
    pub fn is_for(&self, transcript: &Transcript) -> bool {
        self.cases.is_empty() || self.cases.contains(&transcript.case.as_str())
    }

    /// The transcript in other signs, unless the rewrite finds nothing to change.
    pub fn apply(&self, transcript: &Transcript) -> Option<Transcript> {
        let mut rewritten = transcript.clone();
        for message in &mut rewritten.messages {
            if message.is_models_own() && !message.content.trim().is_empty() {
                message.content = (self.rewrite)(&message.content);
            }
        }
        (rewritten != *transcript).then_some(rewritten)
    }
}

const fn all(name: &'static str, least: usize, rewrite: fn(&str) -> String) -> Keeping {
    Keeping { name, cases: &[], least, rewrite }
}

pub const KEEPING: &[Keeping] = &[
    // In E4 a list of members such as `103,104,105` is no number in groups of three.
    Keeping { name: "80,000 as 80000", cases: GROUPED, least: 50, rewrite: |text| grouped(text, "") },
    Keeping { name: "80,000 as 80 000", cases: GROUPED, least: 50, rewrite: |text| grouped(text, " ") },
    Keeping {
        name: "80,000 with thin spaces",
        cases: GROUPED,
        least: 20,
        rewrite: |text| grouped(text, "\u{202f}"),
    },
    all("25% as 25 %", 300, |text| replace(text, r"(\d)%", "$1 %")),
    all("25% as 25 percent", 300, |text| replace(text, r"(\d) ?%", "$1 percent")),
    all("25 percent as 25%", 10, |text| replace(text, r"(\d) percent\b", "$1%")),
    all("× as *", 200, |text| replace(text, r" × ", " * ")),
    all("* as ×", 5, |text| replace(text, r"(\d) \* (\d)", "$1 × $2")),
    all("÷ as /", 20, |text| replace(text, r" ÷ ", " / ")),
    all("/ as ÷", 50, |text| replace(text, r"(\d|\)) / (\d|\()", "$1 ÷ $2")),
    all("− as -", 100, |text| replace(text, "−", "-")),
    all("- as −", 10, |text| replace(text, r"(\d) - (\d)", "$1 − $2")),
    all("a paragraph before", 300, |text| format!("{WEATHER}\n\n{text}")),
    all("a paragraph after", 300, |text| format!("{text}\n\n{WEATHER}")),
    all("bold numbers", 200, |text| replace(text, r"(^|[ (])(\d+(?:\.\d+)?%)($|[ ,;)])", "$1**$2**$3")),
    all("bold paragraphs", 100, bold_paragraphs),
    all("a block around", 300, |text| format!("<div>\n\n{text}\n\n</div>")),
    all("CRLF", 100, |text| text.replace("\r\n", "\n").replace('\n', "\r\n")),
    all("NBSP before units", 300, |text| replace(text, r"(\d) ([A-Za-z%€$£])", "$1\u{a0}$2")),
    all("zero width between words", 300, |text| replace(text, r"([a-z]) ([a-z])", "$1 \u{200b}$2")),
    all("isn't as is not", 20, |text| {
        let text = replace(text, r"([a-z]) (is|does)n['’]t\b", "$1 $2 not");
        replace(&text, r"\b(I|[Ii]t|[Tt]hat) (is|does)n['’]t\b", "$1 $2 not")
    }),
    all("is not as isn't", 5, |text| replace(text, r"([a-z]) (is|does) not\b", "$1 ${2}n't")),
    all("apostrophes as ’", 50, |text| replace(text, r"([A-Za-z])'([a-z])", "$1’$2")),
    Keeping { name: "full-width digits", cases: NUMBERS, least: 500, rewrite: full_width },
];

/// Several rewrites in a row, which ones depending on the record.
pub fn several(transcript: &Transcript) -> Transcript {
    let mut choice = seed(transcript);
    let mut rewritten = transcript.clone();
    for rewrite in KEEPING.iter().filter(|rewrite| rewrite.is_for(transcript)) {
        choice = (choice * 1_103 + 12_345) % 65_537;
        if choice.is_multiple_of(4) {
            rewritten = rewrite.apply(&rewritten).unwrap_or(rewritten);
        }
    }
    rewritten
}

const GROUPED: &[&str] = &["E1", "E2", "E13", "H1"];

/// Numbers in groups of three, with another mark between the groups.
fn grouped(text: &str, mark: &str) -> String {
    let pattern = regex::Regex::new(r"(?:^|[^\d,.\w])\d{1,3}(?:,\d{3})+(?:$|[^\d,\w]|, )").unwrap();
    outside_quotes(text, |prose| {
        pattern
            .replace_all(prose, |found: &regex::Captures<'_>| {
                let (number, tail) =
                    found[0].split_at(found[0].rfind(|c: char| c.is_ascii_digit()).map_or(0, |at| at + 1));
                format!("{}{tail}", number.replace(',', mark))
            })
            .into_owned()
    })
}

/// Paragraphs of one line without any mark of their own, in bold.
fn bold_paragraphs(text: &str) -> String {
    let plain = |paragraph: &str| {
        !paragraph.contains(['\n', '*', '_', '`', '|', '#', '$', '\\', '<', '>', '[', '"'])
            && paragraph.starts_with(|c: char| c.is_alphanumeric())
            && !paragraph.starts_with("INV")
    };
    let paragraphs: Vec<_> = text
        .split("\n\n")
        .map(|paragraph| if plain(paragraph) { format!("**{paragraph}**") } else { paragraph.to_owned() })
        .collect();
    if text.contains("```") { text.to_owned() } else { paragraphs.join("\n\n") }
}

fn full_width(text: &str) -> String {
    outside_quotes(text, |prose| {
        prose
            .chars()
            .map(|c| c.to_digit(10).and_then(|digit| char::from_u32(0xff10 + digit)).unwrap_or(c))
            .collect()
    })
}
