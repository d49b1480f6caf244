//! The fixtures that no cell stands for: static ones, and those that are not run here.

use serde::Serialize;

use super::{short, words};
use crate::render::text;
use crate::report::{FixtureView, Report};

/// The section; it is left out where there is none.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    sums: Vec<String>,
    lines: Vec<Line>,
}

/// A fixture.
#[derive(Debug, Serialize)]
struct Line {
    mark: &'static str,
    class: &'static str,
    name: String,
    binds: String,
    standing: &'static str,
    reason: String,
}

/// The fixtures of `report`.
pub(super) fn section(report: &Report) -> Option<Section> {
    let lines: Vec<Line> = report.fixtures().iter().map(line).collect();
    let sums = report.static_sums().into_iter().map(|(kind, counts)| text::static_sum(kind, counts));
    (!lines.is_empty()).then(|| Section { sums: sums.collect(), lines })
}

fn line(view: &FixtureView<'_>) -> Line {
    Line {
        mark: view.mark(),
        class: view.tone.map_or("none", |tone| words(tone).0),
        name: short(&view.record.fixture),
        binds: short(&view.record.binds.join(", ")),
        standing: view.standing(),
        reason: text::line(view.record.reason.as_deref().unwrap_or_default(), 400),
    }
}
