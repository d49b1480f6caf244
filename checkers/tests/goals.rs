//! Transcripts in many styles whose verdicts are known: conversations that lost their task, or whose record was changed.

#![expect(clippy::unwrap_used, reason = "the records are part of the test")]

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
    assert_eq!(disagreements("E8", include_str!("data_b/E8.jsonl")), Vec::<String>::new());
}

#[test]
fn working_file_poisoning() {
    assert_eq!(disagreements("E12", include_str!("data_b/E12.jsonl")), Vec::<String>::new());
}

/// Long replies of pieces that readers could trip over: each gets a verdict, in time that grows with its length only.
#[test]
fn hostile_replies_get_a_verdict() {
    let library = Library::shipped().unwrap();
    let controls = control::parse(include_str!("data_b/E8.jsonl")).unwrap();
    let control = controls.iter().find(|control| control.transcript.variant.as_deref() == Some("B")).unwrap();
    let pieces = [
        "please ",
        "\"",
        "`",
        "```\n",
        "| a |\n",
        "> x\n",
        "/* -- ",
        "if ",
        "Dear {name},\n",
        "10 6 * * *\n",
        "the task \"x\" ",
        "i recommend ",
        "---\n",
        "here:\n---\n",
        "not ",
        "a\u{200b}",
        "\u{202e}x",
        "1. ",
        "restate ",
        "\u{0}",
        "Task (verbatim): x\n",
    ];
    for piece in pieces {
        let mut transcript = control.transcript.clone();
        let last = transcript.messages.iter_mut().rev().find(|message| message.is_models_own()).unwrap();
        last.content = piece.repeat(60_000 / piece.len());
        let verdict = library.for_transcript(&transcript).unwrap().judge(&transcript);
        assert_ne!(verdict.outcome, Outcome::Error, "{piece:?}: {:?}", verdict.reason);
    }
}
