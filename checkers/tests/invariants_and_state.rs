//! Transcripts in many styles for the checkers of E5 and E11, with the verdict that each must get.

#![expect(clippy::unwrap_used, reason = "the records are part of the test")]

use std::fs;
use std::path::Path;

use checkers::{Library, Outcome, control};

/// Judges each transcript of a file and tells which verdicts are not as they must be.
fn misjudged(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data_b").join(file);
    let transcripts = control::parse(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(transcripts.len() >= 20, "{file} has only {} transcripts", transcripts.len());
    let library = Library::shipped().unwrap();
    let mut wrong = Vec::new();
    for case in transcripts {
        let checker = library.for_transcript(&case.transcript).unwrap();
        let verdict = checker.judge(&case.transcript);
        let failed = verdict.first_failure().map(|clause| (clause.id.as_str(), clause.reason.as_str()));
        let right = match &case.expect {
            control::Expect::Pass => verdict.outcome == Outcome::Pass,
            control::Expect::Fail(clause) => {
                verdict.outcome == Outcome::Fail && failed.is_some_and(|(id, _)| id == clause)
            }
        };
        if !right {
            let id = &case.transcript.id;
            wrong.push(format!(
                "{id}: must be {:?}, is {:?} {failed:?} {:?}",
                case.expect, verdict.outcome, verdict.reason
            ));
        }
    }
    wrong
}

#[test]
fn lost_invariants() {
    let wrong = misjudged("E5.jsonl");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn externalized_state() {
    let wrong = misjudged("E11.jsonl");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A very long reply gets a verdict, and soon.
#[test]
fn hostile_replies() {
    let library = Library::shipped().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data_b/E5.jsonl");
    let template = control::parse(&fs::read_to_string(path).unwrap()).unwrap().remove(0).transcript;
    let unit = [
        "INV-1 break, ",
        "not if break only ",
        "rename internally\u{200b} ",
        "\u{202e}INV-1|",
        "```\n",
        "? ",
        "\u{1}`*_",
    ];
    for piece in unit {
        let mut transcript = template.clone();
        transcript.messages.last_mut().unwrap().content = piece.repeat(300_000 / piece.len());
        let verdict = library.for_transcript(&transcript).unwrap().judge(&transcript);
        assert_ne!(verdict.outcome, Outcome::Error, "{piece:?}");
    }
}
