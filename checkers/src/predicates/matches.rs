//! `matches` and `absent`: a regular expression matches in what the subject said, or none of some does.
//!
//! # Reads
//! The replies in scope as they stand: `in: final_reply` (meant when it is left out), `first_reply` or `any_reply`. `^` and `$` match at
//! line ends, and letter case counts unless the pattern says `(?i)`.
//!
//! # Proves
//! `matches`: that the pattern matches in one of them. `absent`: that none of the patterns matches in any.
//!
//! # Does not prove
//! What the reply claims: a pattern matches in a quotation, a denial and a question as well, and its absence says nothing of other
//! words. For numbers, facts and tasks there are predicates that read.
//!
//! # Example
//! ```yaml
//! - id: names-path
//!   matches: { in: first_reply, pattern: 'CHARTER_STATE\.md' }
//! ```
//! ```yaml
//! pass:
//!   - "My state is in CHARTER_STATE.md."
//! fail:
//!   - "My state is in a file."
//!   - - "I start."
//!     - "My state is in CHARTER_STATE.md."
//! ```
//!
//! # Example
//! ```yaml
//! - id: no-apology
//!   absent: { in: any_reply, patterns: ["(?i)\\bsorry\\b", "(?i)apologi[sz]e"] }
//! ```
//! ```yaml
//! pass:
//!   - "It is Paris."
//! fail:
//!   - "Sorry, it is Paris."
//! ```

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use transcript::Message;

use super::{Finding, Test};
use crate::context::Context;
use crate::expr::EvalError;
use crate::lean::{Regex, RegexBuilder};

/// Which of the subject's messages a predicate looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The last one that says something.
    #[default]
    FinalReply,
    /// The first one that says something.
    FirstReply,
    /// All that say something.
    AnyReply,
}

impl Scope {
    /// The messages in this scope.
    pub fn of<'a>(self, cx: &Context<'a>) -> Vec<(usize, &'a Message)> {
        match self {
            Self::FinalReply => cx.final_reply().into_iter().collect(),
            Self::FirstReply => cx.first_reply().into_iter().collect(),
            Self::AnyReply => cx.replies().collect(),
        }
    }
}

/// A regular expression, compiled when the definition is loaded. `^` and `$` match at line ends.
#[derive(Debug, Clone)]
pub struct Pattern(pub Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let source = String::deserialize(deserializer)?;
        RegexBuilder::new(&source)
            .multi_line(true)
            .size_limit(1 << 20)
            .build()
            .map(Self)
            .map_err(|error| D::Error::custom(format!("not a regular expression: {error}")))
    }
}

/// A pattern matches somewhere in scope.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matches {
    /// The pattern.
    pub pattern: Pattern,
    /// Where to look.
    #[serde(default, rename = "in")]
    pub scope: Scope,
}

/// None of the patterns matches in scope.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// The patterns.
    pub patterns: Vec<Pattern>,
    /// Where to look.
    #[serde(default, rename = "in")]
    pub scope: Scope,
}

impl Test for Matches {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        for (at, message) in self.scope.of(cx) {
            if let Some(found) = self.pattern.0.find(&message.content) {
                let evidence = vec![cx.evidence(at, found.start(), found.end())];
                return Ok(Finding::holds(format!("`{}` matches", self.pattern.0), evidence));
            }
        }
        Ok(Finding::fails(format!("`{}` matches nowhere", self.pattern.0), Vec::new()))
    }
}

impl Test for Absent {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        for (at, message) in self.scope.of(cx) {
            for pattern in &self.patterns {
                if let Some(found) = pattern.0.find(&message.content) {
                    let evidence = vec![cx.evidence(at, found.start(), found.end())];
                    return Ok(Finding::fails(format!("`{}` matches", pattern.0), evidence));
                }
            }
        }
        Ok(Finding::holds("none of the patterns matches", Vec::new()))
    }
}
