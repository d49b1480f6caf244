//! SARIF 2.1.0 for code scanning: a rule a case, a result for each cell that is not as it should be, placed at the
//! case's file.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{RenderError, text};
use crate::digest::sha256_hex;
use crate::report::{CellView, FixtureView, Report, Tone};

/// The most results that GitHub takes from one run.
const MOST: usize = 25_000;

/// Writes the log, indented, with a line end.
///
/// # Errors
/// [`RenderError::Json`].
pub fn render(report: &Report) -> Result<String, RenderError> {
    let troubled: Vec<_> = report.cells().filter(|view| view.tone != Tone::Good).collect();
    let ids: Vec<&str> = report
        .manifest
        .cells
        .iter()
        .map(|record| record.cell.case.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let faults = report.faults();
    let mut results: Vec<Value> = faults.iter().map(|fault| fault_result(fault)).collect();
    let fixtures = report.fixtures();
    results.extend(fixtures.iter().filter_map(fixture_result));
    results.extend(troubled.iter().map(|view| result(report, view, &ids)));
    let left_out = results.len().saturating_sub(MOST);
    results.truncate(MOST);
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Assize",
                "semanticVersion": report.manifest.plan.assize,
                "rules": ids.iter().map(|id| rule(report, id)).chain([run_rule(), fixture_rule()]).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": format!("assize/{}", report.manifest.plan.run) },
            "results": results,
            "properties": { "resultsLeftOut": left_out },
        }],
    });
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

fn rule(report: &Report, id: &str) -> Value {
    let Some(case) = report.cases.get(id) else {
        let text = format!("The case {id}.");
        return json!({ "id": id, "shortDescription": { "text": text }, "fullDescription": { "text": text }, "help": { "text": text } });
    };
    let help = format!(
        "{}\nBinds: {}. Failure modes: {}.",
        case.shows,
        case.binds.join(", "),
        case.failure_modes.join(", ")
    );
    json!({
        "id": id,
        "name": case.name,
        "shortDescription": { "text": format!("{id} {}", case.name) },
        "fullDescription": { "text": case.shows },
        "help": { "text": help },
        "properties": { "tags": ["agent-charter", case.kind] },
    })
}

/// The rule for what is wrong with a run as a whole; it stands after those of the cases.
const RUN_RULE: &str = "assize/run";

fn run_rule() -> Value {
    let text = "A run must owe something, its checkers must judge their own controls right, and it may hold nothing that it does not owe.";
    json!({
        "id": RUN_RULE,
        "name": "run",
        "shortDescription": { "text": "The run can be believed" },
        "fullDescription": { "text": text },
        "help": { "text": text },
    })
}

fn fault_result(fault: &str) -> Value {
    json!({
        "ruleId": RUN_RULE,
        "level": "error",
        "message": { "text": text::line(fault, 1000) },
        "locations": [place("assize.yaml")],
        "partialFingerprints": { "primaryLocationLineHash": sha256_hex(fault.as_bytes()) },
    })
}

/// The rule for static fixtures; it stands last.
const FIXTURE_RULE: &str = "assize/fixture";

fn fixture_rule() -> Value {
    let text = "The command of a static fixture must answer as the fixture says.";
    json!({
        "id": FIXTURE_RULE,
        "name": "fixture",
        "shortDescription": { "text": "A static fixture holds" },
        "fullDescription": { "text": text },
        "help": { "text": text },
    })
}

/// A static fixture that is not as it should be; what is set aside is no result.
fn fixture_result(view: &FixtureView<'_>) -> Option<Value> {
    let level = match view.tone? {
        Tone::Good => return None,
        Tone::Bad => "error",
        Tone::Open => "warning",
    };
    Some(json!({
        "ruleId": FIXTURE_RULE,
        "level": level,
        "message": { "text": text::fixture(view) },
        "locations": [place(&view.path())],
        "partialFingerprints": { "primaryLocationLineHash": sha256_hex(view.record.fixture.as_bytes()) },
    }))
}

fn place(path: &str) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(path) },
        "region": { "startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2 },
    }})
}

fn result(report: &Report, view: &CellView<'_>, ids: &[&str]) -> Value {
    let path = report.case(view.cell()).map_or("assize.yaml", |case| case.path.as_str());
    json!({
        "ruleId": view.cell().case,
        "ruleIndex": ids.iter().position(|id| *id == view.cell().case),
        "level": if view.tone == Tone::Bad { "error" } else { "warning" },
        "message": { "text": format!("{}\n{}", text::headline(view), text::troubles(view)) },
        "locations": [place(path)],
        "partialFingerprints": { "primaryLocationLineHash": sha256_hex(view.key.as_bytes()) },
    })
}

/// A relative URI reference: what is not a plain path character is percent-encoded.
fn uri(path: &str) -> String {
    use std::fmt::Write as _;
    path.bytes().fold(String::new(), |mut uri, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            // Writing to a String cannot fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
        uri
    })
}
