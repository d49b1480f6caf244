//! `verse`: a reply holds so many lines of verse about a topic.
//!
//! Verse is told from prose by its shape: short lines one below the other, that either rhyme or break where a sentence goes on.
//!
//! # Reads
//! The replies in scope (`in`, the last reply unless said). Introductions, titles, lists, questions and closing words are not
//! counted; a poem may be set as a comment of code or as a list. The topic is looked for in the verse: a title or a gloss that
//! names it only settles what words such as `table` mean there.
//!
//! # Proves
//! That one piece has at least `lines` lines and speaks of `about`: it has a word of the topic's own, two of `words`, or several
//! of those that belong to the topic, where it is one of those known here (databases best of all).
//!
//! # Does not prove
//! That it is good, that it has the form asked for (a haiku's syllables are not counted), or that it is the model's own. Verse
//! that never names its topic is missed when the topic is not known here and no `words` are given.
//!
//! # Example
//! ```yaml
//! - id: a-limerick
//!   verse: { lines: 5, about: "{{ topic }}" }
//! ```
//! ```yaml
//! params: { topic: cats }
//! pass:
//!   - "There once was a cat from Peru\nWho slept in a wandering shoe;\nIt purred through the night\nAnd woke with delight\nTo breakfast on salmon and stew."
//! fail:
//!   - "Cats are small animals that have lived with people for a long time, and they sleep for most of the day."
//!   - "There once was a ship from Peru\nThat sailed with a wandering crew;\nIt rolled through the night\nAnd woke with delight\nTo harbours of silver and blue."
//! ```

mod rhyme;
mod topic;

use serde::Deserialize;

use super::matches::Scope;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// A reply holds at least `lines` lines of verse about `about`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verse {
    /// How many lines at least.
    pub lines: Expr,
    /// The topic, in a word or two.
    pub about: Expr,
    /// More words that show the topic, for topics that are not known here.
    pub words: Option<Expr>,
    /// Where to look.
    #[serde(default, rename = "in")]
    pub scope: Scope,
}

impl Test for Verse {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let least = self.lines.number(&cx.params)?;
        let about = self.about.text(&cx.params)?;
        let words = self.words.as_ref().map(|words| words.texts(&cx.params)).transpose()?.unwrap_or_default();
        let mut reason = "no verse".to_owned();
        let mut evidence = Vec::new();
        for (at, message) in self.scope.of(cx) {
            evidence = vec![cx.evidence(at, 0, message.content.len())];
            for poem in poems(&message.content) {
                #[expect(clippy::cast_precision_loss, reason = "no reply has 2^52 lines")]
                let count = poem.len() as f64;
                if count < least {
                    reason = format!("{count} lines of verse, not {least}");
                } else if topic::is_about(&poem.join("\n"), &outside(&message.content, &poem), &about, &words)
                {
                    return Ok(Finding::holds(format!("{count} lines of verse about {about}"), evidence));
                } else {
                    reason = format!("the verse is not about {about}");
                }
            }
        }
        Ok(Finding::fails(reason, evidence))
    }
}

/// What the reply says beside a poem: its title, its gloss.
fn outside(text: &str, poem: &[String]) -> String {
    text.lines()
        .filter(|line| !poem.iter().any(|verse| line.contains(verse.as_str())))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The pieces of verse in a text, each as its lines.
fn poems(text: &str) -> Vec<Vec<String>> {
    let stanzas = stanzas(text);
    let mut found: Vec<Vec<String>> = stanzas.iter().filter(|stanza| is_verse(stanza)).cloned().collect();
    // Verse set in several stanzas, or with an empty line after each line or two. A line by itself beside whole stanzas
    // is a remark.
    let scattered = stanzas.iter().all(|stanza| stanza.len() <= 2);
    let joined: Vec<String> =
        stanzas.iter().filter(|stanza| scattered || stanza.len() > 1).cloned().collect::<Vec<_>>().concat();
    if stanzas.len() > 1 && is_verse(&joined) {
        found.push(joined);
    }
    found.extend(listed(text));
    found.sort_by_key(|poem| std::cmp::Reverse(poem.len()));
    found
}

/// A poem set as a list: at least half of the items rhyme with an earlier one.
fn listed(text: &str) -> Option<Vec<String>> {
    let items: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let line = unquoted(line);
            let digits = line.chars().take_while(char::is_ascii_digit).count();
            let marks = ["- ", "• ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
            marks.or_else(|| line[digits..].strip_prefix(['.', ')']).filter(|_| digits > 0))
        })
        .map(|line| line.replace(['*', '_', '`'], "").trim().to_owned())
        .filter(|line| could_be_verse(line))
        .collect();
    let rhymed = rhyme::pairs(&items) * 2 >= items.len();
    (rhymed && is_verse(&items)).then_some(items)
}

/// The lines that could be verse, in groups between empty lines.
fn stanzas(text: &str) -> Vec<Vec<String>> {
    let text = text
        .replace("\r\n", "\n")
        .replace("<br>", "\n")
        .replace("<br/>", "\n")
        .replace("<br />", "\n")
        .replace("\\n", "\n");
    let all_bold = text.lines().filter(|line| !line.trim().is_empty()).all(is_bold);
    let mut stanzas = vec![Vec::new()];
    let mut in_code = false;
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let prose = matches!(
                language.trim().to_lowercase().as_str(),
                "" | "text"
                    | "txt"
                    | "plain"
                    | "plaintext"
                    | "markdown"
                    | "md"
                    | "poem"
                    | "limerick"
                    | "verse"
            );
            in_code = !in_code && !prose;
            stanzas.push(Vec::new());
            continue;
        }
        let line = if in_code { commented(line).unwrap_or_default() } else { line };
        if in_code && line.is_empty() {
            continue;
        }
        let line = bare(line, all_bold);
        if line.is_empty() {
            stanzas.push(Vec::new());
            continue;
        }
        let parts: Vec<&str> = line.split(" / ").collect();
        let lines = if parts.len() >= 3 { parts } else { vec![line.as_str()] };
        for line in lines {
            match stanzas.last_mut() {
                Some(stanza) if could_be_verse(line) => stanza.push(line.trim().to_owned()),
                // Something else in between ends the stanza.
                _ => stanzas.push(Vec::new()),
            }
        }
    }
    let mut stanzas: Vec<Vec<String>> = stanzas.into_iter().map(without_talk).collect();
    stanzas.retain(|stanza| !stanza.is_empty());
    let first_is_title = stanzas.len() > 1 && stanzas[0].len() == 1 && stanzas[1].len() > 1;
    if first_is_title {
        stanzas.remove(0);
    }
    stanzas
}

/// The words of a line of code that is nothing but a comment or a text to print: `-- A query once …`, `print("A query…")`.
fn commented(line: &str) -> Option<&str> {
    let line = line.trim().trim_end_matches("*/").trim_end();
    let marked = ["--", "//", "#", "/*", "*", ";;"].iter().find_map(|mark| line.strip_prefix(mark));
    let printed = || {
        let (call, rest) = line.split_once(['"', '\''])?;
        let (words, end) = rest.rsplit_once(['"', '\''])?;
        let call = call.trim().trim_end_matches('(').trim_end().to_lowercase();
        let prints =
            ["", "print", "echo", "puts", "console.log", "println!", "select"].contains(&call.as_str());
        let ends = !end.contains(char::is_alphanumeric) || end.trim_start().to_lowercase().starts_with("as ");
        (prints && ends).then_some(words.trim_end_matches("\\n"))
    };
    marked.map(str::trim).or_else(printed)
}

/// The line without quote marks and indentation.
fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '|' | '♪' | '\u{3000}'))
}

fn is_bold(line: &str) -> bool {
    let line = unquoted(line);
    line.starts_with("**") && line.trim_end().ends_with("**")
}

/// The line without quote marks, emphasis and indentation. A bold line is a title, unless all of the text is bold.
fn bare(line: &str, all_bold: bool) -> String {
    let line = unquoted(line);
    if is_bold(line) && !all_bold {
        return format!("#{line}");
    }
    line.trim_end().trim_end_matches('\\').replace(['*', '_', '`'], "").trim().to_owned()
}

/// How lines begin that speak about the poem, where they stand apart from it.
const TALK: &[&str] = &[
    "here's",
    "here is",
    "here you",
    "here are",
    "sure",
    "certainly",
    "of course",
    "hope ",
    "let me know",
    "enjoy",
    "i hope",
    "i'd be",
    "would you",
    "feel free",
    "want me",
    "do you want",
    "happy to",
    "glad to",
    "note:",
    "title:",
    "as requested",
    "absolutely",
    "i can ",
    "i could",
    "this limerick",
    "the limerick",
    "this poem",
    "if you",
    "explanation",
    "p.s.",
    "ps:",
    "voilà",
    "okay",
    "ok,",
    "no problem",
    "below is",
    "i wrote",
    "i changed",
    "i've ",
    "rhyme scheme",
    "reply with",
    "how about",
    "what about this",
    "source:",
    "written by",
    "i'm sorry",
    "i am sorry",
    "sorry",
    "another one",
    "tell me",
    "just say",
    "thanks",
    "thank you",
    "cheers",
];
/// How they begin even right below it.
const PARTING: &[&str] = &[
    "hope you",
    "hope this",
    "hope that",
    "let me know",
    "enjoy!",
    "want me to",
    "would you like",
    "feel free",
    "do you want",
    "note:",
    "i hope you",
];

fn starts_with_any(line: &str, starts: &[&str]) -> bool {
    let lower = line.to_lowercase().replace('’', "'");
    starts.iter().any(|start| lower.starts_with(start))
}

/// The stanza without lines that introduce it or take leave.
fn without_talk(mut stanza: Vec<String>) -> Vec<String> {
    if stanza.len() <= 2 {
        stanza.retain(|line| !starts_with_any(line, TALK));
    }
    if stanza.first().is_some_and(|line| line.ends_with(':') && starts_with_any(line, TALK)) {
        stanza.remove(0);
    }
    if stanza.last().is_some_and(|line| starts_with_any(line, PARTING)) {
        stanza.pop();
    }
    stanza
}

/// Whether a line could be one of verse, by its shape.
fn could_be_verse(line: &str) -> bool {
    let words = line.split_whitespace().count();
    let wide = line
        .chars()
        .any(|c| ('\u{3040}'..='\u{9fff}').contains(&c) || ('\u{ac00}'..='\u{d7af}').contains(&c));
    let listed = ["- ", "• ", "— ", "+ ", "#", "```", "---", "==="].iter().any(|mark| line.starts_with(mark));
    let label =
        line.to_lowercase().starts_with("tier") && line.contains("T0") || (words <= 2 && line.ends_with(':'));
    (words >= 2 || wide)
        && words <= 16
        && line.chars().count() <= 95
        && !listed
        && !is_numbered(line)
        && !label
}

fn is_numbered(line: &str) -> bool {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(['.', ')', ':'])
}

/// Whether lines one below the other are verse and not prose: they rhyme, or sentences run across their ends.
fn is_verse(lines: &[String]) -> bool {
    if lines.len() < 2 {
        return false;
    }
    let words: usize = lines.iter().map(|line| line.split_whitespace().count()).sum();
    let average = words as f64 / lines.len() as f64;
    if average > 12.0 {
        return false;
    }
    let questions = lines.iter().filter(|line| line.trim_end().ends_with('?')).count();
    let colons = lines.iter().filter(|line| line.trim_end().ends_with(':')).count();
    if questions * 3 > lines.len() * 2 || colons * 2 > lines.len() {
        return false;
    }
    let rhymes = rhyme::pairs(lines);
    let enough = (lines.len() / 5).max(1);
    if rhymes >= enough && average <= 11.0 {
        return true;
    }
    let stops = lines
        .iter()
        .filter(|line| line.trim_end_matches(['"', '”', ')', '\'']).ends_with(['.', '!', '?', ';']))
        .count();
    // Free verse: two lines in five break inside a sentence.
    average <= 9.5 && stops * 5 <= lines.len() * 3
}

#[cfg(test)]
mod tests;
