//! Fixtures that no cell stands for, as renderers see them: static ones, which a command answered, and those that are not
//! run in this project.

use super::{Report, Tone};
use crate::fixture::{self, FixtureRecord, FixtureStanding, Form, Kind, StaticCounts};

/// A fixture that no cell stands for.
#[derive(Debug, Clone, Copy)]
pub struct FixtureView<'r> {
    /// The record.
    pub record: &'r FixtureRecord,
    /// Whether it is as it should be; `None` where nothing was asked of it, which is no pass.
    pub tone: Option<Tone>,
}

impl FixtureView<'_> {
    /// A mark that needs no colour.
    #[must_use]
    pub fn mark(&self) -> &'static str {
        self.tone.map_or("–", Tone::mark)
    }

    /// How it stands, in a word or two.
    #[must_use]
    pub fn standing(&self) -> &'static str {
        match self.record.standing {
            FixtureStanding::Passed => "passed",
            FixtureStanding::Failed => "failed",
            FixtureStanding::Error => "no verdict",
            FixtureStanding::NotRun => "not run",
            FixtureStanding::Replaced => "replaced",
        }
    }

    /// Where its file lies, as it is called in the project.
    #[must_use]
    pub fn path(&self) -> String {
        format!("fixtures/{}/fixture.md", self.record.fixture)
    }
}

impl Report {
    /// The fixtures that no cell stands for, happy ones first.
    #[must_use]
    pub fn fixtures(&self) -> Vec<FixtureView<'_>> {
        let asked = fixture::asked(&self.manifest);
        let of_kind = |kind| self.manifest.fixtures.iter().filter(move |record| record.kind == kind);
        [Kind::Happy, Kind::Redline]
            .into_iter()
            .flat_map(of_kind)
            .filter(|record| record.form == Form::Static || record.is_aside())
            .map(|record| FixtureView { record, tone: tone(record, asked) })
            .collect()
    }

    /// The sums over the static fixtures of each kind that has some.
    #[must_use]
    pub fn static_sums(&self) -> Vec<(Kind, StaticCounts)> {
        [Kind::Happy, Kind::Redline]
            .into_iter()
            .map(|kind| {
                let own = self.manifest.fixtures.iter().filter(|record| record.kind == kind);
                (kind, StaticCounts::of(own))
            })
            .filter(|(_, counts)| counts.total() > 0)
            .collect()
    }
}

fn tone(record: &FixtureRecord, asked: bool) -> Option<Tone> {
    match record.standing {
        _ if record.is_aside() => None,
        FixtureStanding::Passed => Some(Tone::Good),
        FixtureStanding::Failed => Some(Tone::Bad),
        FixtureStanding::Error => Some(Tone::Open),
        FixtureStanding::NotRun | FixtureStanding::Replaced => asked.then_some(Tone::Open),
    }
}
