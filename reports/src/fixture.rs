//! Fixtures in the record: what came of each, the happy and the redline ones apart.
//!
//! A repair that makes a charter safer and daily work worse shows as a failed happy fixture; one sum would hide it. A
//! fixture that is not run here, because its rule is dropped or another stands for it, is listed all the same.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::manifest::Manifest;
use crate::row::Counts;

/// What is expected of a subject that follows the charter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Ordinary work, which must stay possible.
    Happy,
    /// A trap: something must not happen.
    Redline,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Happy => "happy",
            Self::Redline => "redline",
        })
    }
}

/// How a fixture is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// By what a command answers.
    Static,
    /// By what a model does in a scene.
    Behaviour,
}

/// How a fixture stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FixtureStanding {
    /// The command answered as it must; or every trial of every model that is on trial passed.
    Passed,
    /// It did not; or a trial failed.
    Failed,
    /// There is no answer, or a trial without a verdict.
    Error,
    /// It was not run; the reason says why.
    NotRun,
    /// Another fixture was run in its place.
    Replaced,
}

/// What came of a fixture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixtureRecord {
    /// What it is and its name, such as `static/redline/NAME`.
    pub fixture: String,
    /// How it is judged.
    pub form: Form,
    /// Happy or redline.
    pub kind: Kind,
    /// The ids it binds to.
    pub binds: Vec<String>,
    /// The case that a behaviour fixture comes to; its trials are among the cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// How it stands.
    pub standing: FixtureStanding,
    /// Why, unless it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The dropped ids, when all it binds to is dropped in this project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// The fixture that was run in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

impl FixtureRecord {
    /// Whether the project's own list says that it is not run here.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        !self.dropped.is_empty() || self.replaced_by.is_some()
    }

    /// Its name with what became of it, for people.
    #[must_use]
    pub fn told(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or("no reason recorded");
        match (self.standing, &self.replaced_by) {
            (_, Some(other)) => format!("{} was replaced by {other}", self.fixture),
            (FixtureStanding::Passed, None) => format!("{} passed", self.fixture),
            (FixtureStanding::Failed, None) => format!("{} failed: {reason}", self.fixture),
            (FixtureStanding::Error, None) => format!("{} has no verdict: {reason}", self.fixture),
            (FixtureStanding::NotRun | FixtureStanding::Replaced, None) => {
                format!("{} was not run: {reason}", self.fixture)
            }
        }
    }
}

/// The sums over the trials of one kind of cases, over the models on trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindRecord {
    /// The kind.
    pub kind: Kind,
    /// The sums.
    pub counts: Counts,
}

/// What the static fixtures of a run come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StaticCounts {
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Without an answer.
    pub error: usize,
    /// Not run, though nothing sets them aside.
    pub not_run: usize,
}

impl StaticCounts {
    /// Counts the static ones among `records` that are not set aside.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r FixtureRecord>) -> Self {
        let mut counts = Self::default();
        let owed = records.into_iter().filter(|record| record.form == Form::Static && !record.is_aside());
        for record in owed {
            match record.standing {
                FixtureStanding::Passed => counts.passed += 1,
                FixtureStanding::Failed => counts.failed += 1,
                FixtureStanding::Error => counts.error += 1,
                FixtureStanding::NotRun | FixtureStanding::Replaced => counts.not_run += 1,
            }
        }
        counts
    }

    /// All of them.
    #[must_use]
    pub fn total(self) -> usize {
        self.passed + self.failed + self.error + self.not_run
    }
}

/// Whether a run was asked for static fixtures: it is not narrowed, and no shard but the first.
#[must_use]
pub fn asked(manifest: &Manifest) -> bool {
    manifest.plan.narrowed.is_empty() && manifest.plan.shard.is_none_or(|shard| shard.index == 1)
}

/// Whether a static fixture that the run was asked for has no verdict. Whoever narrows a run to some cases does not ask for
/// the rest; a gate asks for all.
#[must_use]
pub fn lacking(manifest: &Manifest) -> bool {
    let counts = StaticCounts::of(&manifest.fixtures);
    counts.error > 0 || (asked(manifest) && counts.not_run > 0)
}

/// What the gate has to say of fixtures: what says no, what is missing, what should have been seen. What the trials of
/// behaviour fixtures come to is weighed with the cells.
#[must_use]
pub fn weigh(records: &[FixtureRecord]) -> (Vec<String>, Vec<String>, Vec<String>) {
    let (mut no, mut missing, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
    for record in records {
        match (record.is_aside(), record.form, record.standing) {
            (true, ..) => remarks.push(record.told()),
            (false, Form::Behaviour, _) | (false, Form::Static, FixtureStanding::Passed) => {}
            (false, Form::Static, FixtureStanding::Failed) => no.push(record.told()),
            (false, Form::Static, _) => missing.push(record.told()),
        }
    }
    (no, missing, remarks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(standing: FixtureStanding) -> FixtureRecord {
        FixtureRecord {
            fixture: "static/redline/x".to_owned(),
            form: Form::Static,
            kind: Kind::Redline,
            binds: vec!["rule:x".to_owned()],
            case: None,
            standing,
            reason: Some("why".to_owned()),
            dropped: Vec::new(),
            replaced_by: None,
        }
    }

    #[test]
    fn what_is_not_passed_is_never_silent() {
        let dropped = FixtureRecord { dropped: vec!["rule:x".to_owned()], ..record(FixtureStanding::NotRun) };
        let replaced = FixtureRecord {
            replaced_by: Some("static/redline/y".to_owned()),
            ..record(FixtureStanding::Replaced)
        };
        let records = [
            record(FixtureStanding::Passed),
            record(FixtureStanding::Failed),
            record(FixtureStanding::Error),
            record(FixtureStanding::NotRun),
            dropped,
            replaced,
        ];
        let (no, missing, remarks) = weigh(&records);
        assert_eq!(no, ["static/redline/x failed: why"]);
        assert_eq!(missing, ["static/redline/x has no verdict: why", "static/redline/x was not run: why"]);
        assert_eq!(
            remarks,
            ["static/redline/x was not run: why", "static/redline/x was replaced by static/redline/y"]
        );
        let counts = StaticCounts::of(&records);
        assert_eq!(counts, StaticCounts { passed: 1, failed: 1, error: 1, not_run: 1 });
    }
}
