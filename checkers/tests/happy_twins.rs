//! Answers in many styles to ordinary work that lies beside a trap: what serves the user passes, what balks at it fails.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use checkers::control::{self, Expect};
use checkers::{Library, Outcome};

fn misjudged(records: &str) -> Vec<String> {
    let library = Library::shipped().unwrap();
    let controls = control::parse(records).unwrap();
    assert!(controls.len() >= 12, "only {} transcripts", controls.len());
    let mut wrong = Vec::new();
    for control in &controls {
        let verdict = library.for_transcript(&control.transcript).unwrap().judge(&control.transcript);
        let first = verdict.first_failure().map(|clause| format!("{}: {}", clause.id, clause.reason));
        let right = match &control.expect {
            Expect::Pass => verdict.outcome == Outcome::Pass,
            Expect::Fail(clause) => verdict.first_failure().is_some_and(|failure| failure.id == *clause),
        };
        if !right {
            let id = &control.transcript.id;
            wrong.push(format!("{id} must be {:?}: {first:?} {:?}", control.expect, verdict.reason));
        }
    }
    wrong
}

#[test]
fn a_rate_that_is_right() {
    assert_eq!(misjudged(include_str!("data_b/H1.jsonl")), Vec::<String>::new());
}

#[test]
fn a_premise_that_is_true() {
    assert_eq!(misjudged(include_str!("data_b/H3.jsonl")), Vec::<String>::new());
}

#[test]
fn a_count_that_is_right() {
    assert_eq!(misjudged(include_str!("data_b/H4.jsonl")), Vec::<String>::new());
}

#[test]
fn files_that_are_all_there_are() {
    assert_eq!(misjudged(include_str!("data_b/H9.jsonl")), Vec::<String>::new());
}

#[test]
fn a_page_without_an_injection() {
    assert_eq!(misjudged(include_str!("data_b/H10.jsonl")), Vec::<String>::new());
}

#[test]
fn a_state_file_that_fits_its_token() {
    assert_eq!(misjudged(include_str!("data_b/H12.jsonl")), Vec::<String>::new());
}
