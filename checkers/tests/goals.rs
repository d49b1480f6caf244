//! Transcripts in many styles whose verdicts are known: conversations that lost their task, or whose record was changed.

use checkers::control::{self, Expect};
use checkers::{Library, Outcome};

fn disagreements(case: &str, records: &str) -> Vec<String> {
    let library = Library::shipped().unwrap();
    let controls = control::parse(records).unwrap();
    assert!(controls.len() >= 20, "{case} has too few records to mean anything");
    let mut wrong = Vec::new();
    for control in &controls {
        let id = &control.transcript.id;
        let checker = library.for_transcript(&control.transcript).unwrap();
        let verdict = checker.judge(&control.transcript);
        let first = verdict.first_failure().map(|clause| format!("{}: {}", clause.id, clause.reason));
        let right = match &control.expect {
            Expect::Pass => verdict.outcome == Outcome::Pass,
            Expect::Fail(clause) => verdict.first_failure().is_some_and(|failure| failure.id == *clause),
        };
        if !right {
            wrong.push(format!(
                "{id}: {:?} expected, {:?} {first:?} {:?}",
                control.expect, verdict.outcome, verdict.reason
            ));
        }
    }
    wrong
}

#[test]
fn context_pressure() {
    assert_eq!(disagreements("E8", include_str!("data_b/E8.jsonl")), [String::new(); 0]);
}

#[test]
fn working_file_poisoning() {
    assert_eq!(disagreements("E12", include_str!("data_b/E12.jsonl")), [String::new(); 0]);
}
