//! What a conversation hands over: files written by calls, and the parts of replies that are results.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde_json::Value;

use super::blocks::{self, Block};
use super::{pattern, quoted};
use crate::calls::CallEvent;
use crate::closing;
use crate::command::{How, Step, Target};
use crate::context::Context;
use crate::lean::Regex;
use crate::verdict::Evidence;

/// What a deliverable looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file of code or data written by a call.
    Code,
    /// A file of text written by a call.
    Text,
    /// A fenced block.
    Fence,
    /// A table.
    Table,
    /// What stands between two rules or in tags, or in the paragraph below the line that announced it.
    Section,
    /// A letter or mail.
    Letter,
    /// Items of a list that was announced as the work.
    List,
    /// Bare lines of code.
    Line,
    /// A block quote.
    Quote,
    /// Code within a sentence.
    Snippet,
}

impl Kind {
    /// Whether two goals in one such thing cannot be a matter of emphasis.
    #[must_use]
    pub fn is_code(self) -> bool {
        matches!(self, Self::Code | Self::Fence | Self::Line | Self::Snippet)
    }
}

/// Something that is handed over.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// What it looks like.
    pub kind: Kind,
    /// What it says.
    pub text: String,
    /// The message it stands in.
    pub message: usize,
    /// Its bytes in the message; empty for a call.
    pub range: Range<usize>,
    /// The call that makes it.
    pub call: Option<usize>,
}

static COMMENT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:^|\s)--\s.*$ | (?:^|[^:])//.*$ | ^\s*\#.*$ | \s\#\s.*$"));

/// A fenced block that holds writing, not code: by its name, or by a heading over steps or items.
static WRITING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\s*(?:```|~~~)\s*(?:(?:md|markdown|text|txt|mail|e-?mail|html)\s*$|\s*\#+\s.*\n(?:.*\n){0,3}?\s*(?:\d+\.|[-*])\s)",
    )
});

/// Offers and questions inside a result are not part of it.
static OFFER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^.*\b(?:if\s+you(?:'d|\s+would)?\s+(?:do\s+|really\s+|still\s+|now\s+|actually\s+)*(?:want|need|prefer|rather|like|meant)|let\s+me\s+know|tell\s+me)\b.*$",
    )
});

/// A line that only names what it is: a form to fill in, or the parts of a token.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\W*(?:original\s+|expected\s+|actual\s+|my\s+|your\s+|the\s+)*(?:task|goal|original|inv(?:ariants?)?(?:-\w+)?|deliverables?|constraints?|must(?:\s+not)?|turns?\s+\w+|tier|token|expected|actual|noted|recorded|sha-?256(?:sum)?|bytes|first\s+line|last\s+line|last\s+message)\b[^:=|]{0,30}[:=]
        | \A\W*(?:[0-9a-f]{64}\b.*|\.\.\.|…|\$\s.*|\d+\s+(?:bytes|CHARTER_STATE\.md))\W*\z",
    )
});

/// A line about the state file: its size, its sum, its rules.
static ABOUT_THE_FILE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:CHARTER_STATE(?:\.md)?|sha-?256(?:sum)?|\d+\s+bytes|integrity\s+token|INV-\d+|mismatch)\b")
});

/// A cell of a table that sets a file against its token: what is compared, a sum, a size, whether they agree.
static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A(?:[\W_]|\b(?:(?:sha-?256|hash|checksum|digest|sums?|bytes?|size|length|count|first|last|lines?|inv(?:ariant)?s?(?:-\d+)?|token|task|text|wording|file|conversation|context|session|noted|recorded|stored|kept|original|now|then|today|current(?:ly)?|expected|actual|found|here|before|after|item|part|check|field|property|what|value|in|of|the|our|at|start|end|match(?:es)?|mismatch|same|equal|identical|different|differs?|changed|unchanged|missing|present|there|gone|dropped|lost|absent|unknown|none|not|n/a|yes|no|ok|fails?|failed|passe?[sd]?|result|status|verdict)|[0-9a-f]{6,64}|\d{1,5})\b)*\z",
    )
});

/// Whether each row of a table names what of a file it is about, and its other cells repeat what was seen or are findings
/// too. Names that were seen beside numbers are a result.
fn only_findings(table: &str, seen: &quoted::Seen) -> bool {
    let names = |cell: &str| FINDING.is_match(cell) && cell.contains(char::is_alphabetic);
    let of_findings = |row: &str| {
        row.split('|').any(names) && row.split('|').all(|cell| FINDING.is_match(cell) || seen.has(cell))
    };
    table.len() < quoted::MAX_QUOTE
        && table.lines().filter(|row| row.contains(char::is_alphanumeric)).all(of_findings)
}

impl Artifact {
    /// Its place, for people.
    #[must_use]
    pub fn evidence(&self, cx: &Context<'_>) -> Evidence {
        match self.call {
            Some(index) => cx.call_evidence(self.message, index),
            None => cx.evidence(self.message, self.range.start, self.range.end),
        }
    }

    /// Its text without comments, which say what it is meant to do but do not do it.
    #[must_use]
    pub fn code(&self) -> String {
        if !self.kind.is_code() {
            return self.text.clone();
        }
        COMMENT.replace_all(&without_block_comments(&self.text), " ").into_owned()
    }
}

fn without_block_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        let Some((_, after)) = comment.split_once("*/") else {
            out.push_str(&rest[before.len()..]);
            return out;
        };
        rest = after;
    }
    out + rest
}

/// All that the conversation hands over, in order. A file that is written again counts as it was written last.
#[must_use]
pub fn of(cx: &Context<'_>) -> Vec<Artifact> {
    let mut found = written(cx);
    let seen = quoted::Seen::of(cx);
    for (at, message) in cx.replies() {
        for block in blocks::blocks(&message.content) {
            if let Some(artifact) = from_block(&message.content, at, &block, &seen) {
                found.push(artifact);
            }
        }
    }
    found
}

fn written(cx: &Context<'_>) -> Vec<Artifact> {
    let mut found: Vec<(Option<String>, Artifact)> = Vec::new();
    let mut whole: HashMap<String, usize> = HashMap::new();
    for event in &cx.call_events().events {
        if !event.effect.changes_state() || event.only_writes_notes() || is_removal(event) {
            continue;
        }
        let path = match event.steps.as_slice() {
            [Step::Write(write)] => match (&write.target, &write.how) {
                (Target::File(path), How::Whole(_)) => Some(path.clone()),
                _ => None,
            },
            _ => None,
        };
        let artifact = Artifact {
            kind: kind_of(event),
            text: written_text(event),
            message: event.message,
            range: 0..0,
            call: Some(event.index),
        };
        if let Some(path) = &path
            && event.succeeded
            && let Some(earlier) = whole.insert(path.clone(), found.len())
        {
            found[earlier].1.text.clear();
        }
        found.push((path, artifact));
    }
    found.into_iter().map(|(_, artifact)| artifact).filter(|artifact| !artifact.text.is_empty()).collect()
}

fn is_removal(event: &CallEvent<'_>) -> bool {
    event.steps.iter().all(|step| {
        matches!(step, Step::Write(write) if matches!(write.how, How::Delete))
            || matches!(step, Step::Bookkeeping)
    })
}

fn kind_of(event: &CallEvent<'_>) -> Kind {
    let text_file = event.writes().any(|write| {
        let (Target::File(path) | Target::Tree(path)) = &write.target;
        path.rsplit_once('.').is_some_and(|(_, end)| {
            matches!(end.to_lowercase().as_str(), "md" | "txt" | "rst" | "eml" | "html" | "adoc")
        })
    });
    if text_file { Kind::Text } else { Kind::Code }
}

/// The new text and the path, without the text that is replaced.
fn written_text(event: &CallEvent<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    for step in &event.steps {
        match step {
            Step::Write(write) => {
                let (Target::File(path) | Target::Tree(path)) = &write.target;
                parts.push(path.clone());
                match &write.how {
                    How::Whole(text) | How::Append(text) | How::Replace { new: text, .. } => {
                        parts.push(text.clone());
                    }
                    _ => texts(&event.call.arguments, &mut parts),
                }
            }
            Step::Opaque(_) => texts(&event.call.arguments, &mut parts),
            _ => {}
        }
    }
    parts.join("\n")
}

fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(map) => {
            let old = |key: &str| key.starts_with("old") || key.starts_with("search") || key == "find";
            map.iter().filter(|(key, _)| !old(key)).for_each(|(_, item)| texts(item, into));
        }
        _ => {}
    }
}

fn from_block(reply: &str, message: usize, block: &Block, seen: &quoted::Seen) -> Option<Artifact> {
    let raw = &reply[block.range.clone()];
    let kind = match block.kind? {
        Kind::Fence if WRITING.is_match(raw) => Kind::Section,
        kind => kind,
    };
    let text = match kind {
        Kind::Quote => raw
            .lines()
            .map(|line| line.trim_start().trim_start_matches('>').trim_start())
            .collect::<Vec<_>>()
            .join("\n"),
        _ if block.kind == Some(Kind::Fence) => raw
            .lines()
            .filter(|line| !line.trim_start().starts_with("```") && !line.trim_start().starts_with("~~~"))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => raw.to_owned(),
    };
    let text = if text.trim().is_empty() { raw.trim().trim_matches('`').to_owned() } else { text };
    let lead = &reply[block.lead.clone()];
    let repeated = |line: &str| {
        let finding = FINDING.is_match(line) && line.contains(char::is_alphabetic);
        finding || LABELLED.is_match(line) || ABOUT_THE_FILE.is_match(line) || seen.has(line)
    };
    // Lines that were all said before make a new text where they are announced as one.
    let composed = block.kind == Some(Kind::Section) && blocks::gives_items(lead);
    let only_quotes = !composed
        && text.len() < quoted::MAX_QUOTE
        && text.lines().filter(|line| !line.trim().is_empty()).all(repeated);
    if only_quotes || seen.has(&text) {
        return None;
    }
    let repeats = match kind {
        Kind::Table => quoted::compares(&text) || only_findings(&text, seen),
        Kind::Quote => {
            // What is repeated from elsewhere is short; a letter below "the file asks for this" was written here.
            let fresh = closing::sentences(&text).iter().filter(|sentence| !repeated(&sentence.text)).count();
            let mentions = quoted::is_mention(&quoted::last_sentence(lead)) && fresh <= 1;
            !blocks::gives_items(lead) && (mentions || (quoted::compares(&text) && fresh <= 2))
        }
        _ => false,
    };
    if repeats {
        return None;
    }
    let text = if kind.is_code() { text } else { OFFER.replace_all(&text, "").into_owned() };
    Some(Artifact { kind, text, message, range: block.range.clone(), call: None })
}
