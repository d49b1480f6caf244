//! `checkers.lock`: what each released definition was, and what it said of its controls.
//!
//! A definition is immutable once released. The lock holds, for each `name@version`, the engine, the digest of the
//! definition and the digest of its controls' verdicts. A definition that was edited in place moves the first, a
//! predicate that judges otherwise than it did moves the second; both ask for a new version file. Lines are only ever
//! added.
//!
//! ```text
//! percentage-trap@1 engine=1 definition=9f0c… verdicts=51aa…
//! ```

use std::collections::BTreeMap;
use std::fmt;

use crate::checker::{Checker, sha256_hex};
use crate::library::Library;

/// The lock of one checker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// `name@version`.
    pub label: String,
    /// The engine it was written for.
    pub engine: u32,
    /// sha256 of the definition, in hex.
    pub definition: String,
    /// sha256 over the controls' verdicts, clause by clause, in hex.
    pub verdicts: String,
}

impl Entry {
    /// The lock of a checker as it is now.
    #[must_use]
    pub fn of(checker: &Checker) -> Self {
        Self {
            label: checker.label(),
            engine: checker.definition.engine,
            definition: checker.sha256.clone(),
            verdicts: verdict_digest(checker),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { label, engine, definition, verdicts } = self;
        write!(f, "{label} engine={engine} definition={definition} verdicts={verdicts}")
    }
}

/// What differs from the lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockFailure {
    /// A line of the lock is no entry.
    #[error("line {line}: not `name@version engine=N definition=… verdicts=…`: {text}")]
    Line {
        /// The line, counted from 1.
        line: usize,
        /// Its text.
        text: String,
    },
    /// A checker is not locked yet.
    #[error("{0} is not locked yet; add it with `assize lock`")]
    Missing(String),
    /// A locked checker is gone.
    #[error("{0} is locked but gone; old versions stay, so that recorded runs can be judged again")]
    Gone(String),
    /// The definition was edited in place.
    #[error("the definition of {0} was changed after its release; put it back and write a new version file")]
    Definition(String),
    /// The controls are judged otherwise than at release.
    #[error(
        "{0} judges its controls otherwise than at its release: what it means has changed; write a new version file"
    )]
    Verdicts(String),
}

/// Reads a lock.
///
/// # Errors
/// The lines that are no entries.
pub fn parse(text: &str) -> Result<BTreeMap<String, Entry>, Vec<LockFailure>> {
    let mut entries = BTreeMap::new();
    let mut failures = Vec::new();
    for (index, line) in
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        match parse_line(line) {
            Some(entry) => {
                entries.insert(entry.label.clone(), entry);
            }
            None => failures.push(LockFailure::Line { line: index + 1, text: line.to_owned() }),
        }
    }
    if failures.is_empty() { Ok(entries) } else { Err(failures) }
}

fn parse_line(line: &str) -> Option<Entry> {
    let mut words = line.split_whitespace();
    let label = words.next()?.to_owned();
    let engine = words.next()?.strip_prefix("engine=")?.parse().ok()?;
    let definition = words.next()?.strip_prefix("definition=")?.to_owned();
    let verdicts = words.next()?.strip_prefix("verdicts=")?.to_owned();
    (words.next().is_none() && label.contains('@')).then_some(Entry { label, engine, definition, verdicts })
}

/// Compares checkers with their lock.
#[must_use]
pub fn compare<'a>(
    locked: &BTreeMap<String, Entry>,
    checkers: impl IntoIterator<Item = &'a Checker>,
) -> Vec<LockFailure> {
    let now: BTreeMap<String, Entry> =
        checkers.into_iter().map(Entry::of).map(|entry| (entry.label.clone(), entry)).collect();
    let mut failures = Vec::new();
    for (label, was) in locked {
        match now.get(label) {
            None => failures.push(LockFailure::Gone(label.clone())),
            Some(is) if is.definition != was.definition => {
                failures.push(LockFailure::Definition(label.clone()));
            }
            Some(is) if is.verdicts != was.verdicts => failures.push(LockFailure::Verdicts(label.clone())),
            Some(_) => {}
        }
    }
    failures
        .extend(now.keys().filter(|label| !locked.contains_key(*label)).cloned().map(LockFailure::Missing));
    failures
}

/// The lines to add to a lock for checkers that it does not hold.
#[must_use]
pub fn additions(locked: &BTreeMap<String, Entry>, library: &Library) -> String {
    library
        .iter()
        .map(Entry::of)
        .filter(|entry| !locked.contains_key(&entry.label))
        .map(|entry| format!("{entry}\n"))
        .collect()
}

/// The digest of what a checker says of its controls: outcome and clauses, not the wording of reasons.
fn verdict_digest(checker: &Checker) -> String {
    let mut text = String::new();
    for control in &checker.controls {
        let verdict = checker.judge_untried(&control.transcript);
        text += &format!("{} {}", control.transcript.id, verdict.outcome.as_str());
        for clause in &verdict.clauses {
            text += &format!(" {}={}", clause.id, clause.passed);
        }
        text.push('\n');
    }
    sha256_hex(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str = "id: word\nversion: 1\nengine: 1\nproves: x\ndoes_not_prove: y\nrequire:\n  - id: word\n    matches: { pattern: piano }\n";

    fn library(definition: &str) -> Library {
        let control = |id: &str, expect: &str, text: &str| {
            format!(
                "{{\"id\":\"{id}\",\"case\":\"W\",\"messages\":[{{\"role\":\"assistant\",\"by\":\"model\",\"content\":\"{text}\"}}],\"expect\":{expect}}}\n"
            )
        };
        let controls = control("a", "\"pass\"", "piano") + &control("b", "{\"fail\":\"word\"}", "pianino");
        let mut library = Library::default();
        library.add("v1.yaml", definition, &controls).unwrap();
        library
    }

    #[test]
    fn a_locked_checker_is_compared_by_text_and_by_what_it_says() {
        let original = library(DEFINITION);
        let locked = parse(&additions(&BTreeMap::new(), &original)).unwrap();
        assert_eq!(compare(&locked, original.iter()), []);
        let edited = library(&DEFINITION.replace("proves: x", "proves: z"));
        assert_eq!(compare(&locked, edited.iter()), [LockFailure::Definition("word@1".into())]);
        let mut moved = locked.clone();
        moved.get_mut("word@1").unwrap().verdicts = "0".into();
        assert_eq!(compare(&moved, original.iter()), [LockFailure::Verdicts("word@1".into())]);
        assert_eq!(compare(&BTreeMap::new(), original.iter()), [LockFailure::Missing("word@1".into())]);
        assert_eq!(compare(&locked, Library::default().iter()), [LockFailure::Gone("word@1".into())]);
    }

    #[test]
    fn a_line_that_is_no_entry_is_told() {
        assert!(matches!(parse("word@1 engine=one\n").unwrap_err()[..], [LockFailure::Line { line: 1, .. }]));
    }
}
