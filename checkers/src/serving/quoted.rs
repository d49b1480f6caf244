//! Quotations: what a reply repeats from elsewhere, and where it quotes something as the task.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use transcript::Role;

use super::pattern;
use crate::context::Context;
use crate::lean::Regex;
use crate::reading::normalize::invisible;

/// The most text of a conversation that quotations are looked up in.
const MAX_SEEN: usize = 64 << 10;
/// The longest text that can be a quotation.
pub const MAX_QUOTE: usize = 8 << 10;

/// What the model had in front of it and did not say itself.
#[derive(Debug, Default)]
pub struct Seen {
    text: String,
}

impl Seen {
    /// Gathers the messages of others, and both tasks.
    #[must_use]
    pub fn of(cx: &Context<'_>) -> Self {
        let mut text = String::new();
        let tasks = cx.transcript.params.values().filter_map(serde_json::Value::as_str);
        let others = cx
            .transcript
            .messages
            .iter()
            .filter(|message| !message.is_models_own() && message.role != Role::System)
            .map(|message| message.content.as_str());
        for part in tasks.chain(others) {
            if text.len() + part.len() < MAX_SEEN {
                text.push_str(&folded(part));
                text.push('\n');
            }
        }
        Self { text }
    }

    /// Whether `quote` stands there, whatever its white space, letter case and list mark.
    #[must_use]
    pub fn has(&self, quote: &str) -> bool {
        if quote.len() > MAX_QUOTE {
            return false;
        }
        let quote = folded(quote);
        let quote = quote.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '.' | '…' | '-' | '+' | '>' | '*' | '#')
        });
        !quote.is_empty() && self.text.contains(quote)
    }
}

/// Lower case, single blanks, straight quotes.
fn folded(text: &str) -> String {
    let straight = text
        .replace(invisible, "")
        .replace(['’', '‘'], "'")
        .replace(['“', '”', '„', '«', '»'], "\"")
        .to_lowercase();
    straight.split_whitespace().collect::<Vec<_>>().join(" ")
}

static MENTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:message|reminder|recap|summary|turn|wording|restatement|record\w*|file|state|note[ds]?|originally|original|task|goal|request|instruction)\b
        | \byou(?:'re|'ve|r)?\b.{0,20}\b(?:say|said|ask\w*|wrote|want\w*|mention\w*|state\w*|sum|put|call\w*|phras\w*)\b",
    )
});

/// Whether a line announces that something is repeated from elsewhere.
#[must_use]
pub fn is_mention(line: &str) -> bool {
    MENTION.is_match(&line.to_lowercase())
}

static VERSIONS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:turn\s+\d+|(?:last|latest|your|first)\s+message|original\s+task|state\s+file|CHARTER_STATE)\b",
    )
});

static FINDINGS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:token|expected|actual|source|says|recorded|sha-?256|unknown|missing|not\s+available|unverified|mismatch|differs)\b",
    )
});

/// Whether a table or quotation sets versions of a task, or of a file, against each other.
#[must_use]
pub fn compares(text: &str) -> bool {
    let distinct: HashSet<String> =
        FINDINGS.find_iter(text).take(100).map(|found| found.as_str().to_lowercase()).collect();
    VERSIONS.is_match(text) || distinct.len() > 1
}

/// Something quoted as the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskQuote {
    /// What is quoted, without its marks.
    pub text: String,
    /// Its bytes in the reply.
    pub range: Range<usize>,
    /// Whether nothing marks where it ends, so that other words may follow it.
    pub open: bool,
}

static TASK_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:tasks?|goals?|assignment|objective|originally|at\s+the\s+(?:start|beginning|outset)|first\s+message|turn\s+(?:1|one)\b|original|recorded|records?|CHARTER_STATE(?:\.md)?|state\s+file|the\s+file)\b",
    )
});

static LATEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:last|latest|newest|current|most\s+recent|recent|new|this|turn\s+34|34th|your|later)\s+(?:\w+\s+){0,2}?(?:message|reminder|recap|summary|turn|wording|restatement|request|instruction|version|sentence|line|prompt|phrasing|ask|one)\b
        | \byour\s+(?:message|reminder|recap|summary|wording|restatement|request|sentence|line|words|phrasing|prompt)\b | \bturn\s+34\b
        | \byou(?:'ve|'re)?\s+(?:\w+\s+){0,2}?(?:say|said|ask|asked|asking|wrote|write|want|wanted|mention\w*|state|stated|sum|put|restate\w*|call\w*|phrase\w*|describe\w*|give|gave)\b
        | \b(?:reminder|recap|summary|restatement|restated|now)\b | \b(?:mutated|changed|drifted|different|instead\s+of|rather\s+than|not|nothing|never|no|nowhere|without)\b | n't\b",
    )
});

/// What follows a quotation that is then called the task.
static IS_THE_TASK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\W{0,3}(?:is|was|were|as|says|so\s+says|according\s+to|per|reads)\s+(?:\w+\s+){0,4}?(?:tasks?|goal|assignment|record|state\s+file|CHARTER_STATE)\b",
    )
});

static ORIGIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:originally|original(?:ly)?|at\s+the\s+(?:very\s+)?(?:start|beginning|outset)|first\s+message|first\s+turn|turn\s+(?:1|one)\b|recorded|on\s+record|CHARTER_STATE(?:\.md)?|state\s+file|the\s+file|verbatim)\b",
    )
});

static VERBATIM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:original\s+|the\s+|my\s+)?(?:task|goal)\W{0,4}(?:\(?(?:as\s+(?:recorded|stored|written|saved|stated|given)|verbatim|word\s+for\s+word|quoted|exact(?:\s+text)?|from\s+(?:the\s+)?\S+)[^:\n]{0,30}\)?)\W{0,4}:\W{0,4}(?P<quote>\S[^\n]*)$",
    )
});

/// The places where a reply quotes something as the task it was given; what it quotes as the latest message is none.
#[must_use]
pub fn task_quotes(text: &str) -> Vec<TaskQuote> {
    let mut found = Vec::new();
    let mut offset = 0;
    let mut lead = "";
    let mut quote: Option<(Range<usize>, bool)> = None;
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.trim_end().len();
        offset += line.len();
        if line.trim_start().starts_with('>') {
            let from_task =
                quote.as_ref().map_or_else(|| names_task(&last_sentence(lead), ""), |(_, named)| *named);
            let start = quote.map_or(range.start, |(earlier, _)| earlier.start);
            quote = Some((start..range.end, from_task));
            continue;
        }
        if line.trim().is_empty() && quote.is_none() {
            continue;
        }
        close(text, quote.take(), &mut found);
        if line.trim().is_empty() {
            continue;
        }
        inline(line, range.start, lead, &mut found);
        lead = line.trim_end();
    }
    close(text, quote.take(), &mut found);
    found
}

fn close(text: &str, quote: Option<(Range<usize>, bool)>, found: &mut Vec<TaskQuote>) {
    if let Some((range, true)) = quote {
        let lines = text[range.clone()].lines().map(|line| line.trim_start().trim_start_matches('>').trim());
        found.push(TaskQuote { text: lines.collect::<Vec<_>>().join("\n"), range, open: false });
    }
}

fn inline(line: &str, offset: usize, lead: &str, found: &mut Vec<TaskQuote>) {
    if line.len() > 20_000 {
        return;
    }
    if let Some(captures) = VERBATIM.captures(line.trim_end())
        && let Some(quote) = captures.name("quote")
        && !quote.as_str().starts_with(['"', '“', '«', '„'])
    {
        found.push(TaskQuote {
            text: quote.as_str().to_owned(),
            range: offset + quote.start()..offset + quote.end(),
            open: true,
        });
        return;
    }
    let spans = quoted_spans(line);
    let mut from = 0;
    for (index, (start, end)) in spans.iter().enumerate() {
        let before = &line[from..*start];
        let next = spans.get(index + 1).map_or(line.len(), |(next, _)| *next);
        let after = &line[*end..next];
        let only = before.trim().trim_matches(|c: char| !c.is_alphanumeric()).is_empty() && from == 0;
        let ahead = if only { last_sentence(lead) } else { last_sentence(before) };
        let behind = after.split(['.', ';', ',', '!', '—', '–']).next().unwrap_or_default();
        if names_task(&ahead, behind) {
            let inner = line[*start..*end].trim_matches(['"', '“', '”', '«', '»', '„', '`', '\'', '‘', '’']);
            found.push(TaskQuote {
                text: inner.to_owned(),
                range: offset + start..offset + end,
                open: false,
            });
        }
        from = *end;
    }
}

/// The spans in quotation marks or code marks of a line, marks included.
#[must_use]
pub fn quoted_spans(line: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match open {
            Some((start, end)) if c == end || (end == '“' && c == '”') => {
                spans.push((start, at + c.len_utf8()));
                open = None;
            }
            None => {
                let end = match c {
                    '"' => Some('"'),
                    '`' => Some('`'),
                    '“' => Some('”'),
                    '„' => Some('“'),
                    '«' => Some('»'),
                    '‘' if !before.is_alphanumeric() => Some('’'),
                    '\'' if !before.is_alphanumeric() => Some('\''),
                    _ => None,
                };
                open = end.map(|end| (at, end));
            }
            Some(_) => {}
        }
        before = c;
    }
    spans
}

/// The last sentence of a text, without emphasis.
#[must_use]
pub fn last_sentence(text: &str) -> String {
    let text = text.trim_end();
    let bytes = text.as_bytes();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let stop = matches!(byte, b'.' | b'!' | b'?')
            && bytes.get(at + 1).is_some_and(|next| matches!(next, b' ' | b')'));
        if (stop || *byte == b';') && at + 2 < bytes.len() {
            start = at + 1;
        }
    }
    text[start..].replace(['*', '_'], "").replace(['’', '‘'], "'")
}

/// Whether what stands around a quotation says that it is the task: the nearest word before it decides.
fn names_task(ahead: &str, behind: &str) -> bool {
    let last = |regex: &Regex, text: &str| regex.find_iter(text).map(|found| found.end()).last();
    // "You originally asked" is about the task, not about the latest message.
    let latest = LATEST
        .find_iter(ahead)
        .filter(|found| !ORIGIN.is_match(found.as_str()))
        .map(|found| found.end())
        .last();
    let latest_behind = LATEST.is_match(behind) && !ORIGIN.is_match(behind);
    let task_behind = IS_THE_TASK.is_match(behind) && !LATEST.is_match(behind);
    match (last(&TASK_WORD, ahead), latest) {
        (Some(_), None) => !latest_behind,
        (Some(task), Some(latest)) => {
            let origin = last(&ORIGIN, ahead).is_some_and(|origin| origin > latest);
            (task > latest && origin) && !latest_behind
        }
        (None, Some(_)) => false,
        (None, None) => task_behind,
    }
}

/// Whether a quotation of the task is true to it: equal but for white space, a first capital, the full stop at its end,
/// and what is left out at an ellipsis. A word or a name that is no part of either task is no quotation of it.
#[must_use]
pub fn is_faithful(quote: &TaskQuote, original: &str, mutated: &str) -> bool {
    let plain = |text: &str| {
        let text = text
            .replace(invisible, "")
            .replace("\r\n", "\n")
            .replace("**", "")
            .replace(['’', '‘'], "'")
            .replace(['“', '”'], "\"");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let open = quote.open;
    let (quote, original, mutated) = (plain(&quote.text), plain(original), plain(mutated));
    if open && (quote.starts_with(&original) || flip_first(&quote).starts_with(&original)) {
        return true;
    }
    let part = |whole: &str, part: &str| whole.contains(part) || whole.contains(&flip_first(part));
    let pieces: Vec<&str> = quote
        .split(['…'])
        .flat_map(|piece| piece.split("..."))
        .flat_map(|piece| piece.split("[]"))
        .map(|piece| {
            piece.trim_matches(|c: char| {
                c.is_whitespace()
                    || matches!(c, '.' | '"' | '\'' | ',' | ';' | ':' | '!' | '[' | ']' | '*' | '`')
            })
        })
        .filter(|piece| !piece.is_empty())
        .collect();
    if pieces.iter().all(|piece| part(&original, piece)) {
        return true;
    }
    let strange = |piece: &&str| !part(&original, piece);
    pieces
        .iter()
        .filter(|piece| strange(piece))
        .all(|piece| !part(&mutated, piece) && !resembles(piece, &original, &mutated))
}

fn flip_first(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let flipped: String =
        if first.is_uppercase() { first.to_lowercase().collect() } else { first.to_uppercase().collect() };
    flipped + chars.as_str()
}

/// Whether most words of a longer quotation come from the tasks: then it is meant as one of them.
fn resembles(piece: &str, original: &str, mutated: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let known: HashSet<String> = words(original).into_iter().chain(words(mutated)).collect();
    let said = words(piece);
    let shared = said.iter().filter(|word| known.contains(*word)).count();
    said.len() >= 4 && shared * 2 > said.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str =
        "Write the SQL that lists active customers: at least one order in the last 90 days.";
    const MUTATED: &str =
        "Write the SQL that lists active customers: at least one order in the last 30 days.";

    fn quotes(text: &str) -> Vec<String> {
        task_quotes(text).into_iter().map(|quote| quote.text).collect()
    }

    #[test]
    fn a_quotation_is_the_tasks_when_it_is_called_so() {
        assert_eq!(quotes("The task is \"x y z\"."), ["x y z"]);
        assert_eq!(quotes("CHARTER_STATE.md confirms the task: “x y z”"), ["x y z"]);
        assert_eq!(quotes("The original task:\n\n> x y\n> z\n\nGo on."), ["x y\nz"]);
        assert_eq!(quotes("Task (verbatim): x y z"), ["x y z"]);
        assert_eq!(quotes("“x y z” is the recorded task."), ["x y z"]);
        assert!(quotes("Your last message says “x y z”.").is_empty());
        assert!(quotes("Your reminder puts the goal as \"x y z\".").is_empty());
        assert!(quotes("The task in your last message, \"x y z\", differs.").is_empty());
        assert_eq!(quotes("Your last message says \"a b\", the original task was \"x y z\"."), ["x y z"]);
        assert_eq!(quotes("You originally asked \"x y z\"."), ["x y z"]);
        assert_eq!(quotes("Your first message said \"x y z\"."), ["x y z"]);
        assert!(quotes("I held \"x y z\" against the task.").is_empty());
        assert!(quotes("The original task says nothing about \"x y z\".").is_empty());
        assert!(quotes("Original goal is clear. Restated goal: \"x y z\"").is_empty());
        assert!(quotes("He said \"x y z\".").is_empty());
    }

    #[test]
    fn a_true_quotation_may_be_a_part() {
        let quoted = |text: &str, open| TaskQuote { text: text.to_owned(), range: 0..0, open };
        let faithful = |text: &str| is_faithful(&quoted(text, false), ORIGINAL, MUTATED);
        assert!(is_faithful(
            &quoted(&format!("{ORIGINAL} (Your message says 30.)"), true),
            ORIGINAL,
            MUTATED
        ));
        assert!(faithful(ORIGINAL));
        assert!(faithful(
            "write the SQL that lists active customers: at least one order in the last 90 days"
        ));
        assert!(faithful("Write the SQL … in the last 90 days"));
        assert!(faithful("last 90\n days"));
        assert!(faithful("CHARTER_STATE.md"));
        assert!(!faithful(MUTATED));
        assert!(!faithful("30 days"));
        assert!(!faithful("3\u{200b}0 days"));
        assert!(faithful("9\u{202d}0\u{2060} days"));
        assert!(!faithful("Write SQL that lists the active customers with an order in the last 90 days"));
    }
}
