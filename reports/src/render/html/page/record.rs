//! The record: pins, who really answered, and the digests of all that went into the run.

use serde::Serialize;

use super::short;
use crate::plan::Expectation;
use crate::report::Report;

/// The record.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    facts: Vec<Fact>,
    models: Vec<Pin>,
    inputs: Vec<Fact>,
}

/// A named value.
#[derive(Debug, Serialize)]
struct Fact {
    name: String,
    value: String,
}

/// A model's pin, and the names under which it answered.
#[derive(Debug, Serialize)]
struct Pin {
    id: String,
    role: String,
    provider: String,
    requested: String,
    endpoint: String,
    expect: &'static str,
    replay: bool,
    reported: Vec<String>,
}

/// The record of `report`.
pub(super) fn section(report: &Report) -> Section {
    let plan = &report.manifest.plan;
    let fact = |name: &str, value: &str| Fact { name: short(name), value: short(value) };
    let commit = plan.source.as_ref().map_or("none".to_owned(), |source| {
        format!("{}{}", source.commit, if source.dirty { ", with uncommitted changes" } else { "" })
    });
    let mut facts = vec![
        fact("run", &plan.run),
        fact("planned", &plan.planned),
        fact("assize", &plan.assize),
        fact("commit", &commit),
        fact("charter", &plan.charter.path),
        fact("charter version", plan.charter.version.as_deref().unwrap_or("none")),
        fact("trials a cell", &plan.trials.to_string()),
        fact("cells", &plan.cells.len().to_string()),
    ];
    if let Some(shard) = plan.shard {
        facts.push(fact("shard", &shard.to_string()));
    }
    facts.extend(plan.narrowed.iter().map(|what| fact("narrowed by hand", what)));
    let mut inputs = vec![
        fact("expected set", &plan.expected_sha256),
        fact("charter, whole", &plan.charter.sha256),
        fact("charter, as sent", &plan.charter.runtime_sha256),
        fact(&format!("matrix {}", plan.matrix.name), &plan.matrix.sha256),
    ];
    inputs.extend(plan.cases.iter().map(|case| fact(&format!("case {}", case.name), &case.sha256)));
    inputs.extend(plan.checkers.iter().map(|one| fact(&format!("checker {}", one.name), &one.sha256)));
    Section { facts, models: models(report), inputs }
}

fn models(report: &Report) -> Vec<Pin> {
    let pins = report.manifest.plan.models.iter();
    pins.map(|pin| {
        let record = report.manifest.models.iter().find(|record| record.id == pin.id);
        let observed = record.map(|record| record.observed.as_slice()).unwrap_or_default();
        Pin {
            id: short(&pin.id),
            role: short(&pin.role),
            provider: short(&pin.provider),
            requested: short(pin.requested.as_deref().unwrap_or("–")),
            endpoint: short(pin.endpoint.as_deref().unwrap_or("–")),
            expect: match pin.expect {
                Expectation::Pass => "pass",
                Expectation::Fail => "fail",
            },
            replay: pin.replay,
            reported: observed
                .iter()
                .map(|seen| {
                    let name = seen.model.as_deref().unwrap_or("no name");
                    let print =
                        seen.fingerprint.as_ref().map(|print| format!(" ({print})")).unwrap_or_default();
                    short(&format!("{name}{print} × {}", seen.replies))
                })
                .collect(),
        }
    })
    .collect()
}
