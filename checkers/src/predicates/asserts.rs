//! `asserts`: a reply states something in plain words.
//!
//! # Reads
//! The replies in scope, each sentence in one spelling: lower case, no emphasis, white space collapsed, `doesn't` written `does
//! not`. `subject` is who the statement is about and `says` what follows it, or a pronoun that stands for it; `or` has complete
//! statements in other shapes; `words` names pieces that the patterns use as `<name>`; `unless_later` has the statements that
//! take it back.
//!
//! # Proves
//! That a sentence with these words states them: it does not ask, doubt, suppose, deny or report somebody else's words, and no
//! later statement takes it back.
//!
//! # Does not prove
//! That the statement is true, that the rest of the reply acts on it, or that something said in words which no pattern has was
//! not said. Irony is not read.
//!
//! # Example
//! ```yaml
//! - id: correction
//!   asserts:
//!     in: any_reply
//!     words: { dst: "(?:dst|daylight saving)" }
//!     subject: "utc"
//!     says: ["has no <dst>", "does not observe <dst>"]
//!     or: ["no <dst> in utc"]
//!     unless_later: ["utc observes <dst>"]
//! ```
//! ```yaml
//! pass:
//!   - "**UTC** doesn't observe DST."
//!   - "UTC is the reference; it has no DST."
//! fail:
//!   - "Does UTC have no DST?"
//!   - "I think UTC has no DST."
//!   - "It's not true that UTC has no DST."
//!   - "UTC has no DST. On second thought, UTC observes DST."
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;

use super::matches::Scope;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::EvalError;
use crate::lean::{Deferred, Regex, RegexBuilder};
use crate::prose::{self, Sentence, claim};

/// A reply states something plainly, and nothing later takes it back.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Written")]
pub struct Asserts {
    scope: Scope,
    subject: Option<Subject>,
    statements: Vec<Statement>,
    contrary: Vec<Deferred>,
}

/// A wording of the statement.
#[derive(Debug)]
struct Statement {
    /// Its verb, if it has the subject ahead of it.
    says: Option<Deferred>,
    whole: Deferred,
}

/// How the subject is named.
#[derive(Debug)]
struct Subject {
    /// As a word of its own.
    word: Deferred,
    /// As a statement begins.
    begins: Deferred,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, rename = "in")]
    scope: Scope,
    #[serde(default)]
    words: BTreeMap<String, String>,
    #[serde(default)]
    subject: Option<String>,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    or: Vec<String>,
    #[serde(default)]
    unless_later: Vec<String>,
}

/// What may stand between a subject and its verb.
const BETWEEN: &str = r"(?:\s*\([^)]{0,80}\)|\s*,[^,.;]{0,80},|\s*,|\s*:|\s+[–—-]|\s+(?:itself|time|times|timestamps?|as such|alone|by definition|by design|definitely|simply|really|just|actually|strictly speaking|strictly|technically|however|though|also|in fact|of course|on the other hand|by contrast|the standard|is an? [^,.;:]{1,80}? (?:that|which|and|so)|is the [^,.;:]{1,80}? (?:that|which|and|so)|(?:and|or) [a-z/]+))*\s+";
/// A pronoun later in the sentence that stands for the subject.
const PRONOUN: &str = r"\b[^.;?!]{0,120}?(?:;\s+|\b)(?:it|which|that)(?: itself| also| simply)?\s+";

impl TryFrom<Written> for Asserts {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        if written.says.is_empty() != written.subject.is_none() {
            return Err("`subject` and `says` go together".to_owned());
        }
        let fill = |source: &str| {
            written
                .words
                .iter()
                .fold(source.to_owned(), |text, (name, words)| text.replace(&format!("<{name}>"), words))
        };
        let mut statements = Vec::new();
        let mut subject = None;
        if let Some(written_subject) = written.subject.as_deref() {
            let begins = format!(r"\b(?:{})", fill(written_subject));
            for says in &written.says {
                let says = format!("(?:{})", fill(says));
                let whole = regex(&format!("{begins}(?:{BETWEEN}|{PRONOUN}){says}"))?;
                statements.push(Statement { says: Some(regex(&says)?), whole });
            }
            subject = Some(Subject { word: regex(&format!(r"{begins}\b"))?, begins: regex(&begins)? });
        }
        for source in &written.or {
            statements.push(Statement { says: None, whole: regex(&fill(source))? });
        }
        if statements.is_empty() {
            return Err("a statement is needed: `subject` with `says`, or `or`".to_owned());
        }
        let contrary = written.unless_later.iter().map(|source| regex(&fill(source)));
        Ok(Self { scope: written.scope, subject, statements, contrary: contrary.collect::<Result<_, _>>()? })
    }
}

fn regex(source: &str) -> Result<Deferred, String> {
    RegexBuilder::new(source)
        .size_limit(8 << 20)
        .defer()
        .map_err(|error| format!("not a regular expression: {error}"))
}

impl Asserts {
    /// A subject and what may stand between it and its verb is a large pattern, and most sentences lack the one or the
    /// other. Both are looked for by themselves first; a wording that no text comes near is never compiled.
    fn states(&self, sentence: &Sentence, text: &str) -> Result<bool, EvalError> {
        let named = match &self.subject {
            Some(subject) => subject.begins.get()?.is_match(text),
            None => false,
        };
        for statement in &self.statements {
            let near = match &statement.says {
                Some(says) => named && says.get()?.is_match(text),
                None => true,
            };
            let plain = |range: Range<usize>| claim::is_plain(sentence, text, &range);
            if near && statement.whole.get()?.find_iter(text).any(|found| plain(found.range())) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn denies(&self, sentence: &Sentence, text: &str) -> Result<bool, EvalError> {
        for contrary in &self.contrary {
            let denied = contrary.get()?.find_iter(text).any(|found| {
                let start = text[..found.start()].rfind([';', ',']).map_or(0, |at| at + 1);
                let end = text[found.end()..].find([';', ',']).map_or(text.len(), |at| found.end() + at);
                claim::is_plain(sentence, text, &found.range()) && !SET_ASIDE.is_match(&text[start..end])
            });
            if denied {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The sentence's own words; a pronoun at its start is replaced by the subject that the sentence before began with.
    fn words(&self, sentence: &Sentence, before: Option<&Sentence>) -> Result<String, EvalError> {
        let text = sentence.unquoted();
        let rest = ["it ", "that ", "this "].iter().find_map(|pronoun| text.strip_prefix(pronoun));
        let (Some(rest), Some(before), Some(subject)) = (rest, before, &self.subject) else {
            return Ok(text);
        };
        Ok(match subject.word.get()?.find(&before.text) {
            Some(found) if found.start() < 40 => format!("{} {rest}", found.as_str()),
            _ => text,
        })
    }
}

static SET_ASIDE: std::sync::LazyLock<Regex> = std::sync::LazyLock::new(|| {
    prose::pattern(
        r"\b(?:not|no|never|neither|nor|none|false|wrong|incorrect|mistaken|myth|misconception|premise|assum\w+|idea|notion|belief|claim\w*|request|if|would|you\s+(?:said|say|mention\w*|wrote|describ\w*|think|thought|believe\w*|asked|may|might)|confus\w+|suppos\w+|as\s+though|as\s+if|people|says?|said|were|whether)\b",
    )
});

impl Test for Asserts {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let mut stated = None;
        let mut taken_back = None;
        for (at, message) in self.scope.of(cx) {
            let sentences = prose::sentences(&message.content);
            for (index, sentence) in sentences.iter().enumerate() {
                let before = index.checked_sub(1).and_then(|index| sentences.get(index));
                let text = self.words(sentence, before)?;
                let evidence = || cx.evidence(at, sentence.range.start, sentence.range.end);
                if self.denies(sentence, &text)? {
                    taken_back = stated.is_some().then(evidence).or(taken_back);
                }
                if self.states(sentence, &text)? {
                    stated = Some(evidence());
                    taken_back = None;
                }
            }
        }
        Ok(match (stated, taken_back) {
            (Some(stated), Some(contrary)) => {
                Finding::fails("it is stated, and taken back later", vec![stated, contrary])
            }
            (Some(stated), None) => Finding::holds("it is stated plainly", vec![stated]),
            (None, _) => Finding::fails("no reply states it plainly", Vec::new()),
        })
    }
}
