//! The record: pins, who really answered, and the digests of all that went into the run.

use serde::Serialize;

use super::short;
use crate::plan::Expectation;
use crate::report::Report;
use crate::served;
use crate::subject::{LoadVerdict, ProgramRecord};

/// The record.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    facts: Vec<Fact>,
    models: Vec<Pin>,
    /// What is worth a look in what endpoints said of themselves.
    remarks: Vec<String>,
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
    /// Whether the charter was seen to arrive, as a sign with its class and in words.
    load: (&'static str, &'static str, &'static str),
    load_how: String,
    program: String,
}

/// The record of `report`.
pub(super) fn section(report: &Report) -> Section {
    let plan = &report.manifest.plan;
    let fact = |name: &str, value: &str| Fact { name: short(name), value: short(value) };
    let commit = plan.source.as_ref().map_or("none".to_owned(), |source| {
        format!("{}{}", source.commit, if source.dirty { ", with uncommitted changes" } else { "" })
    });
    let (reused, runs) = report.manifest.reused();
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
    if reused > 0 {
        facts.push(fact("attempts reused", &format!("{reused}, of {}", runs.join(", "))));
    }
    facts.extend(plan.narrowed.iter().map(|what| fact("narrowed by hand", what)));
    let mut inputs = vec![
        fact("expected set", &plan.expected_sha256),
        fact("charter, whole", &plan.charter.sha256),
        fact("charter, as sent", &plan.charter.runtime_sha256),
        fact(&format!("project file {}", plan.policy.name), &plan.policy.sha256),
        fact(&format!("matrix {}", plan.matrix.name), &plan.matrix.sha256),
    ];
    inputs.extend(plan.binary_sha256.as_ref().map(|sha256| fact("the program itself", sha256)));
    inputs.extend(plan.cases.iter().map(|case| fact(&format!("case {}", case.name), &case.sha256)));
    for checker in &plan.checkers {
        inputs.push(fact(&format!("checker {}", checker.name), &checker.sha256));
        inputs.push(fact(&format!("controls of {}", checker.name), &checker.controls_sha256));
    }
    let folders = plan.checker_folders.iter();
    inputs.extend(folders.map(|folder| fact(&format!("folder of checkers {}", folder.name), &folder.sha256)));
    let remarks = report.manifest.models.iter().flat_map(|model| {
        served::remarks(model).into_iter().map(move |remark| short(&format!("{}: {remark}", model.id)))
    });
    Section { facts, models: models(report), remarks: remarks.collect(), inputs }
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
                .map(|seen| short(&format!("{} × {}", seen.name(), seen.replies)))
                .collect(),
            load: record.map_or(load(LoadVerdict::NotRun), |record| {
                // What is verified is what was sent. Without a reply nobody has said that it was read.
                let judged = record.counts.passed + record.counts.failed > 0;
                match (record.load.verdict, observed.is_empty() && !judged) {
                    (LoadVerdict::Verified, true) => ("!", "open", "verified as sent; no reply came"),
                    (verdict, _) => load(verdict),
                }
            }),
            load_how: record.map(|record| short(&record.load.how)).unwrap_or_default(),
            program: record.and_then(|record| record.program.as_ref()).map(program).unwrap_or_default(),
        }
    })
    .collect()
}

fn load(verdict: LoadVerdict) -> (&'static str, &'static str, &'static str) {
    match verdict {
        LoadVerdict::Verified => ("✓", "good", "verified"),
        LoadVerdict::Missing => ("✗", "bad", "missing"),
        LoadVerdict::Leaked => ("✗", "bad", "text from below its marker was there"),
        LoadVerdict::NotRun => ("!", "open", "not looked for"),
    }
}

fn program(record: &ProgramRecord) -> String {
    let version = record.version.as_deref().unwrap_or("of no known version");
    let list = |what: &str, all: &[String]| {
        if all.is_empty() { String::new() } else { format!("; {what} {}", all.join(", ")) }
    };
    let fences = list("kept from", &record.fenced) + &list("not kept from", &record.open);
    short(&format!("{} {version}{fences}", record.adapter))
}
