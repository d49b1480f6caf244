//! What is recorded of a subject beside its replies: whether it had the charter, and, of a program, which one it was and
//! what it was kept from.

use serde::{Deserialize, Serialize};
use transcript::Transcript;

/// Whether the subject had the charter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadVerdict {
    /// The charter was there, and nothing from below its marker.
    Verified,
    /// It was not there, or not whole.
    Missing,
    /// Text from below its marker was there.
    Leaked,
    /// It could not be looked for.
    NotRun,
}

/// What came of looking for the charter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadRecord {
    /// What was found.
    pub verdict: LoadVerdict,
    /// Where it was looked for and by what, or why it was not.
    pub how: String,
}

impl LoadRecord {
    /// Nothing was looked at.
    #[must_use]
    pub fn not_run(why: &str) -> Self {
        Self { verdict: LoadVerdict::NotRun, how: why.to_owned() }
    }

    /// The record of a transcript.
    #[must_use]
    pub fn of(transcript: &Transcript) -> Option<Self> {
        Self::deserialize(transcript.extra.get("load")?).ok()
    }

    /// Takes in what came of another attempt: the worst stands, and what was looked at stands before what was not.
    pub(crate) fn add(&mut self, other: &Self) {
        let weight = |record: &Self| match record.verdict {
            LoadVerdict::NotRun => 0,
            LoadVerdict::Verified => 1,
            LoadVerdict::Missing => 2,
            LoadVerdict::Leaked => 3,
        };
        if weight(other) > weight(self) || weight(other) == 0 && weight(self) == 0 {
            self.clone_from(other);
        }
    }
}

/// A program on trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProgramRecord {
    /// How it was spoken to, such as `codex`.
    pub adapter: String,
    /// What it prints for `--version`.
    pub version: Option<String>,
    /// What it was kept from.
    pub fenced: Vec<String>,
    /// What it could not be kept from.
    pub open: Vec<String>,
}

impl ProgramRecord {
    /// The record of a transcript.
    #[must_use]
    pub fn of(transcript: &Transcript) -> Option<Self> {
        Self::deserialize(transcript.extra.get("program")?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_all_attempts_stands() {
        let record = |verdict| LoadRecord { verdict, how: format!("{verdict:?}") };
        let mut sum = LoadRecord::not_run("no trial was played");
        for (verdict, expected) in [
            (LoadVerdict::NotRun, LoadVerdict::NotRun),
            (LoadVerdict::Verified, LoadVerdict::Verified),
            (LoadVerdict::NotRun, LoadVerdict::Verified),
            (LoadVerdict::Leaked, LoadVerdict::Leaked),
            (LoadVerdict::Missing, LoadVerdict::Leaked),
        ] {
            sum.add(&record(verdict));
            assert_eq!(sum.verdict, expected);
        }
    }
}
