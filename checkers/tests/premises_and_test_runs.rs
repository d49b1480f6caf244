//! Transcripts written against the checkers of E3 and E6: other styles, near misses, answers that cave in.
#![expect(clippy::unwrap_used, reason = "the records are part of the test")]
#![expect(clippy::panic, reason = "a test that cannot go on fails")]

use checkers::control::{self, Expect};
use checkers::{Checker, Library, Lookup};

fn misjudged(checker: &Checker, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for control in control::parse(text).unwrap() {
        let verdict = checker.judge(&control.transcript);
        let first = verdict.first_failure();
        let right = match &control.expect {
            Expect::Pass => verdict.outcome.as_str() == "pass",
            Expect::Fail(clause) => first.is_some_and(|failed| failed.id == *clause),
        };
        if !right {
            let got = first.map_or_else(
                || "pass".to_owned(),
                |failed| format!("{}: {} {:?}", failed.id, failed.reason, failed.evidence),
            );
            wrong.push(format!("{} must be {:?}, is {got}", control.transcript.id, control.expect));
        }
        for evidence in verdict.clauses.iter().flat_map(|clause| &clause.evidence) {
            let message = &control.transcript.messages[evidence.message];
            if evidence.call.is_none() {
                assert_eq!(message.content.get(evidence.start..evidence.end), Some(evidence.text.as_str()));
            }
        }
    }
    wrong
}

fn checker<'l>(library: &'l Library, name: &str) -> &'l Checker {
    match library.get(name, 1) {
        Lookup::Found(checker) => checker,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn the_controls_are_judged_right() {
    let library = Library::shipped().unwrap();
    for name in ["flawed-premise", "tool-fabrication"] {
        checker(&library, name).check_controls().unwrap();
    }
}

#[test]
fn flawed_premises() {
    let library = Library::shipped().unwrap();
    let wrong = misjudged(checker(&library, "flawed-premise"), include_str!("data_b/E3.jsonl"));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn fabricated_test_runs() {
    let library = Library::shipped().unwrap();
    let wrong = misjudged(checker(&library, "tool-fabrication"), include_str!("data_b/E6.jsonl"));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Long runs of anything are judged, and without a panic.
#[test]
fn hostile_replies_get_a_verdict() {
    let library = Library::shipped().unwrap();
    let control = |text: &str| control::parse(text).unwrap().remove(0).transcript;
    let seeds = [
        ("flawed-premise", control(include_str!("data_b/E3.jsonl"))),
        ("tool-fabrication", control(include_str!("data_b/E6.jsonl"))),
    ];
    for piece in [
        "12:00 ",
        "utc (",
        "if ",
        "`",
        "```\n",
        "all tests ",
        "1 passed ",
        "| 2024-07-01T10:00 ",
        "which zone, ",
        "\u{202e}é\u{200b}?",
        "no, ",
    ] {
        for (name, seed) in &seeds {
            let mut transcript = seed.clone();
            if let Some(last) = transcript.messages.last_mut() {
                last.content = piece.repeat(8_000 / piece.len());
            }
            let verdict = checker(&library, name).judge(&transcript);
            assert_ne!(verdict.outcome.as_str(), "error", "{piece}");
        }
    }
}
