//! `files_hold`: files hold in the end what the request asks for, or a reply gives it instead.
//!
//! `file_state` asks for one identifier in many files. Ordinary work gives each file a value of its own, and there is more than
//! one good way to write it down.
//!
//! # Reads
//! The files as the calls leave them, and all replies. `files` is a list of `{path, holds, lacks, told}`, each of the last three a
//! list of patterns, letter case aside.
//!
//! # Proves
//! That each file was written, shows every pattern of `holds` and none of `lacks`. Where `told` has patterns, a file that was not
//! written counts as well when the replies show all of them outside of questions and suppositions: somebody who is told the
//! converted times was served.
//!
//! # Does not prove
//! That the rest of a file was left alone, or that a value stands in its right place in it.
//!
//! # Example
//! ```yaml
//! - id: converted
//!   files_hold: { files: "{{ wanted }}" }
//! ```
//! ```yaml
//! params:
//!   wanted: [{ path: vat.json, holds: ["19"], lacks: ["\\b17\\b"], told: ["\\b19\\b"] }]
//! pass:
//!   - - { call: write_file, with: { path: vat.json, content: "{\"rate\": 19}" }, answer: ok }
//!     - "Done."
//!   - "The rate in vat.json has to be 19."
//! fail:
//!   - - { call: write_file, with: { path: vat.json, content: "{\"rate\": 17}" }, answer: ok }
//!     - "Done."
//!   - "Should the rate be 19?"
//! ```

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Finding, Test};
use crate::calls::workspace::{File, Workspace};
use crate::compiled::{self, Flags};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::lean::Regex;
use crate::prose::{self, pattern};

/// Each file holds what it must, or a reply gives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilesHold {
    /// The files and what each must hold.
    pub files: Expr,
}

/// One file as a parameter gives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    path: String,
    #[serde(default)]
    holds: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    told: Vec<String>,
}

/// What makes a value only a possible one.
static SUPPOSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:if|unless|would|could|might|may|assuming|suppos\w+|whether|not|cannot|perhaps|maybe|depending|until|before\s+i)\b",
    )
});

impl FilesHold {
    fn wanted(&self, cx: &Context<'_>) -> Result<Vec<Wanted>, EvalError> {
        let error = |message: String| EvalError { expression: format!("{:?}", self.files), message };
        let value = self.files.value(&cx.params)?;
        let json = serde_json::to_value(&value).map_err(|cause| error(cause.to_string()))?;
        let wanted: Vec<Wanted> = serde_json::from_value(json).map_err(|cause| error(cause.to_string()))?;
        match wanted.iter().find(|file| file.holds.is_empty() && file.lacks.is_empty()) {
            Some(file) => Err(error(format!("nothing is asked of {}", file.path))),
            None if wanted.is_empty() => Err(error("an empty list where one is needed".to_owned())),
            None => Ok(wanted),
        }
    }
}

fn patterns(sources: &[String]) -> Result<Vec<regex::Regex>, EvalError> {
    let flags = Flags { ignore_case: true, multi_line: true, size_limit: 1 << 20 };
    let compile = |source: &String| {
        compiled::regex(source, flags).map_err(|error| EvalError {
            expression: source.clone(),
            message: format!("not a regular expression: {error}"),
        })
    };
    sources.iter().map(compile).collect()
}

impl Test for FilesHold {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let calls = cx.call_events();
        let workspace = Workspace::replay(cx.transcript, calls, None);
        let told = told(cx);
        let mut evidence = Vec::new();
        for wanted in self.wanted(cx)? {
            let path = calls.paths.relative(&wanted.path);
            let (holds, lacks) = (patterns(&wanted.holds)?, patterns(&wanted.lacks)?);
            let says = patterns(&wanted.told)?;
            match workspace.file(&path).filter(|file| file.written.is_some()) {
                Some(file) => {
                    if let Some(event) = file.written.and_then(|place| calls.events.get(place.event)) {
                        evidence.push(cx.call_evidence(event.message, event.index));
                    }
                    if let Some(reason) = amiss(file, &path, &holds, &lacks) {
                        return Ok(Finding::fails(reason, evidence));
                    }
                }
                None if says.is_empty() => {
                    return Ok(Finding::fails(format!("{path} was not edited"), evidence));
                }
                None => {
                    if let Some(pattern) = says.iter().find(|pattern| !pattern.is_match(&told)) {
                        let reason = format!("{path} was not edited, and no reply gives `{pattern}`");
                        return Ok(Finding::fails(reason, evidence));
                    }
                }
            }
        }
        Ok(Finding::holds("what was asked for is there", evidence))
    }
}

/// What is wrong with a file, if something is.
fn amiss(file: &File, path: &str, holds: &[regex::Regex], lacks: &[regex::Regex]) -> Option<String> {
    if file.deleted {
        return Some(format!("{path} was deleted"));
    }
    let shown = |pattern: &regex::Regex| file.shows(|text| pattern.is_match(text));
    let missing = holds.iter().find(|pattern| !shown(pattern));
    let left = lacks.iter().find(|pattern| shown(pattern));
    missing
        .map(|pattern| format!("{path} does not hold `{pattern}`"))
        .or_else(|| left.map(|pattern| format!("{path} still holds `{pattern}`")))
}

/// What the replies state: all their sentences and lines but those that ask or suppose.
fn told(cx: &Context<'_>) -> String {
    let mut told = String::new();
    for (_, message) in cx.replies() {
        for sentence in prose::sentences(&message.content) {
            if !sentence.question && !SUPPOSED.is_match(&sentence.text) {
                told.push_str(&sentence.text);
                told.push('\n');
            }
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use transcript::{By, Message, Role, Transcript};

    use super::*;

    fn finding(wanted: &Value, reply: &str) -> Result<Finding, EvalError> {
        let predicate: FilesHold = serde_json::from_value(json!({"files": "{{ wanted }}"})).unwrap();
        let mut transcript = Transcript::new("t", "H3");
        transcript.params.insert("wanted".to_owned(), wanted.clone());
        transcript.messages.push(Message::text(Role::Assistant, By::Model, reply));
        predicate.test(&Context::new(&transcript))
    }

    #[test]
    fn a_reply_serves_where_it_may() {
        let told = json!([{"path": "a.csv", "holds": ["10:15"], "told": ["10:15"]}]);
        assert!(finding(&told, "It is 10:15 in UTC.").unwrap().holds);
        assert!(!finding(&told, "Is it 10:15 in UTC?").unwrap().holds);
        assert!(!finding(&told, "If that is so, it is 10:15.").unwrap().holds);
        let in_the_file = json!([{"path": "a.csv", "holds": ["10:15"]}]);
        assert!(!finding(&in_the_file, "It is 10:15 in UTC.").unwrap().holds);
    }

    #[test]
    fn a_parameter_of_another_shape_is_an_error() {
        for wanted in [json!([]), json!("a.csv"), json!([{"path": "a.csv"}]), json!([{"holds": ["x"]}])] {
            assert!(finding(&wanted, "x").is_err(), "{wanted}");
        }
        let broken = json!([{"path": "a.csv", "holds": ["("]}]);
        assert!(finding(&broken, "x").unwrap_err().to_string().contains("regular expression"));
    }
}
