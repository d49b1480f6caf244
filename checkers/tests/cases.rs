//! The traces of the shipped number cases, rendered for every row: the exemplar passes, the naive one fails.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs::read_to_string;
use std::path::Path;

use checkers::{Library, Lookup, Outcome};
use minijinja::value::Serde;
use serde_json::{Map, Value};
use transcript::{By, Message, Role, Transcript};

fn outcomes(case: &str, folder: &str, checker: &str, trace: &str) -> Vec<(String, Outcome, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/charter").join(folder);
    let library = Library::shipped().unwrap();
    let Lookup::Found(checker) = library.get(checker, 1) else { panic!("no checker {checker}") };
    let table = read_to_string(root.join("params.csv")).unwrap();
    let steps: Vec<Map<String, Value>> =
        serde_yaml::from_str(&read_to_string(root.join("traces").join(trace)).unwrap()).unwrap();
    let mut rows = table.lines();
    let names: Vec<&str> = rows.next().unwrap().split(',').collect();
    rows.map(|row| {
        let cells =
            row.split(',').map(|cell| serde_json::from_str(cell).unwrap_or_else(|_| Value::from(cell)));
        let params: Map<String, Value> = names.iter().map(|name| (*name).to_owned()).zip(cells).collect();
        let mut transcript = Transcript::new(row, case);
        for step in &steps {
            let text = minijinja::Environment::new()
                .render_str(step["say"].as_str().unwrap(), Serde(&params))
                .unwrap();
            transcript.messages.push(Message::text(Role::Assistant, By::Model, text));
        }
        transcript.params = params;
        let verdict = checker.judge(&transcript);
        let why = verdict.first_failure().map(|f| format!("{}: {}", f.id, f.reason)).unwrap_or_default();
        (row.to_owned(), verdict.outcome, why)
    })
    .collect()
}

fn check(case: &str, folder: &str, checker: &str) {
    for (trace, wanted) in [("exemplar.yaml", Outcome::Pass), ("naive.yaml", Outcome::Fail)] {
        let outcomes = outcomes(case, folder, checker, trace);
        assert!(outcomes.len() >= 10, "{folder} has {} rows", outcomes.len());
        for (row, outcome, why) in outcomes {
            assert_eq!(outcome, wanted, "{folder} {trace} row {row}: {why}");
        }
    }
}

#[test]
fn compounding() {
    check("E2", "e02-compounding", "compounding");
}

#[test]
fn fencepost() {
    check("E4", "e04-fencepost", "fencepost");
}
