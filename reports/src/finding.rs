//! Findings of an audit or a gate: what is wrong, where, what should be there and what is.

use std::fmt;

use serde::Serialize;

/// What kind of thing is wrong. The names are stable: programs may act on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The archive cannot be unpacked, or is not one that this program wrote.
    Pack,
    /// A file cannot be read as what it is.
    Unreadable,
    /// A key stands twice in one object.
    DuplicateKey,
    /// A record is not in its canonical form.
    NotCanonical,
    /// A file that is recorded is not there.
    FileMissing,
    /// A file is there that is not recorded.
    FileExtra,
    /// A file is not the one that is recorded.
    FileChanged,
    /// Something in the folder is no file.
    FileOdd,
    /// A signature is missing, or does not hold.
    Signature,
    /// Nothing was owed.
    Empty,
    /// Less was owed than the cases, the matrix and the policy ask for.
    ExpectedSet,
    /// The run is of another commit, or of no commit.
    Commit,
    /// The working tree differed from the commit.
    Dirty,
    /// The charter is not the one that was planned, or not the commit's.
    Charter,
    /// A case is not.
    Case,
    /// A checker is not, or it is not pinned.
    Checker,
    /// The matrix or a model of it is not.
    Matrix,
    /// The project file is not, or it asks for less than it did.
    Policy,
    /// A checker gets its own controls wrong.
    Controls,
    /// A subject answers from recorded traces.
    Replay,
    /// Another model answered than the one that is pinned.
    PinDrift,
    /// One answer serves as two.
    Reused,
    /// A line of the journal cannot have been written by playing the plan.
    Line,
    /// Lines are missing from the journal, or not in the order they were written in.
    Chain,
    /// Attempts at a trial are missing, doubled, or go on after an answer.
    Attempt,
    /// A trial is in the journal that is not owed.
    Stranger,
    /// A verdict is not what the checker says of the transcript.
    Verdict,
    /// The manifest does not follow from the transcripts.
    Manifest,
    /// Figures do not add up.
    Counts,
    /// A trial did not come out as it must.
    Failed,
    /// A trial has no verdict.
    NoVerdict,
    /// A trial was not run.
    NotRun,
    /// The version does not say what the edit is.
    Version,
    /// A change to the cases or checkers breaks a rule.
    Change,
}

impl Rule {
    /// Whether it only says that something is still missing, so that the answer is "incomplete" and not "no".
    #[must_use]
    pub fn is_incomplete(self) -> bool {
        matches!(self, Self::NoVerdict | Self::NotRun)
    }

    /// Whether the record itself cannot be believed, so that nothing it says of any trial counts. The other rules leave
    /// the verdicts standing, and only forbid that a release rests on them.
    #[must_use]
    pub fn discredits(self) -> bool {
        !matches!(
            self,
            Self::Signature
                | Self::ExpectedSet
                | Self::Commit
                | Self::Dirty
                | Self::Policy
                | Self::Replay
                | Self::PinDrift
                | Self::Reused
                | Self::Failed
                | Self::NoVerdict
                | Self::NotRun
                | Self::Version
                | Self::Change
        )
    }

    /// The name, as it is printed.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of thing.
    pub rule: Rule,
    /// The file, in the run's folder or the repository; absent when no one file is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What should be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

impl Finding {
    /// A finding without a place.
    pub fn new(rule: Rule, message: impl Into<String>) -> Self {
        Self { rule, file: None, line: None, message: message.into(), expected: None, found: None }
    }

    /// The same, in a file.
    #[must_use]
    pub fn of(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The same, at a line.
    #[must_use]
    pub fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// The same, with what should be there and what is.
    #[must_use]
    pub fn but(mut self, expected: impl Into<String>, found: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.found = Some(found.into());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}")?;
            self.line.iter().try_for_each(|line| write!(f, ":{line}"))?;
            f.write_str(": ")?;
        }
        f.write_str(&self.message)?;
        match (&self.expected, &self.found) {
            (Some(expected), Some(found)) => write!(f, "; expected {expected}, found {found}"),
            (Some(expected), None) => write!(f, "; expected {expected}"),
            (None, Some(found)) => write!(f, "; found {found}"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_reads_from_the_place_to_what_was_found() {
        let finding =
            Finding::new(Rule::Line, "the answer was edited").of("transcripts.jsonl").at(3).but("a", "b");
        assert_eq!(finding.to_string(), "transcripts.jsonl:3: the answer was edited; expected a, found b");
        assert_eq!(Finding::new(Rule::NotRun, "x").to_string(), "x");
        assert_eq!(Rule::NotRun.name(), "not-run");
    }
}
