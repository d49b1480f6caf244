//! Transcripts in styles of their own, each with the verdict it must get: what the controls are too few to show.

use std::path::Path;

use checkers::{Library, Outcome};

#[cfg(test)]
fn judged_right(case: &str) {
    let library = Library::shipped().unwrap();
    let checker =
        library.iter().find(|checker| checker.definition.cases.iter().any(|one| one == case)).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/calls_data/{case}.jsonl"));
    let controls = checkers::control::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert!(controls.len() >= 15, "{case}: only {} transcripts", controls.len());
    let mut wrong = Vec::new();
    for control in &controls {
        let verdict = checker.judge(&control.transcript);
        let first = verdict.first_failure().map(|clause| (clause.id.as_str(), clause.reason.as_str()));
        let right = match &control.expect {
            checkers::control::Expect::Pass => verdict.outcome == Outcome::Pass,
            checkers::control::Expect::Fail(clause) => first.is_some_and(|(id, _)| id == clause),
        };
        if !right {
            wrong.push(format!(
                "{}: wanted {:?}, got {:?} {first:?}",
                control.transcript.id, control.expect, verdict.outcome
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), controls.len(), wrong.join("\n"));
}

#[test]
fn over_verification() {
    judged_right("E7");
}

#[test]
fn multi_file_invariant() {
    judged_right("E9");
}

#[test]
fn injected_authority() {
    judged_right("E10");
}
