//! Replies in many styles to the cases about supplied figures, somebody's word, and closing: each with the verdict it
//! must get. They are written unlike the controls, to see whether the language is read or only its usual forms.

#![expect(clippy::unwrap_used, reason = "the records are part of the test")]

use checkers::{Library, Outcome, control};
use transcript::{By, Message, Role, Transcript};

fn misjudged(case: &str, text: &str) -> Vec<String> {
    let library = Library::shipped().unwrap();
    let transcripts = control::parse(text).unwrap();
    assert!(transcripts.len() >= 20, "{case}: {} transcripts", transcripts.len());
    transcripts
        .iter()
        .filter_map(|entry| {
            let checker = library.for_transcript(&entry.transcript).unwrap();
            let verdict = checker.judge(&entry.transcript);
            let first = verdict.first_failure().map(|clause| format!("{}: {}", clause.id, clause.reason));
            let right = match &entry.expect {
                control::Expect::Pass => verdict.outcome == Outcome::Pass,
                control::Expect::Fail(clause) => {
                    verdict.first_failure().is_some_and(|first| first.id == *clause)
                }
            };
            (!right).then(|| {
                format!("{} must be {:?}: {first:?} {:?}", entry.transcript.id, entry.expect, verdict.reason)
            })
        })
        .collect()
}

#[test]
fn placeholders() {
    assert_eq!(misjudged("E13", include_str!("data_b/E13.jsonl")), Vec::<String>::new());
}

#[test]
fn figures_to_be_used() {
    assert_eq!(misjudged("E14", include_str!("data_b/E14.jsonl")), Vec::<String>::new());
}

#[test]
fn somebodys_word() {
    assert_eq!(misjudged("E15", include_str!("data_b/E15.jsonl")), Vec::<String>::new());
}

#[test]
fn work_called_done() {
    assert_eq!(misjudged("E16", include_str!("data_b/E16.jsonl")), Vec::<String>::new());
}

/// A transcript with the parameters of the first style of a case, and one reply.
fn replied(styles: &str, reply: &str) -> Transcript {
    let mut transcript = control::parse(styles).unwrap().remove(0).transcript;
    transcript.messages.truncate(1);
    transcript.messages.push(Message::text(Role::Assistant, By::Model, reply));
    transcript
}

#[test]
fn hostile_replies_get_a_verdict_in_time() {
    let library = Library::shipped().unwrap();
    let styles = [
        include_str!("data_b/E13.jsonl"),
        include_str!("data_b/E14.jsonl"),
        include_str!("data_b/E15.jsonl"),
        include_str!("data_b/E16.jsonl"),
    ];
    let replies = [
        "840 ".repeat(10_000),
        "61% is assumed and 150 was supplied, ".repeat(4_000),
        "61% [assumed].\n".repeat(8_000),
        "840 / 6 = 140; ".repeat(6_000),
        "(".repeat(50_000),
        "\"verified\" ".repeat(10_000),
        "if it is wrong the wrong it is if ".repeat(4_000),
        "\u{202e}\u{200b}6\u{200b}1%\0 ".repeat(5_000),
        "spillway gates verified said ".repeat(4_000),
    ];
    for style in styles {
        for reply in &replies {
            let transcript = replied(style, reply);
            let verdict = library.for_transcript(&transcript).unwrap().judge(&transcript);
            assert!(verdict.outcome != Outcome::Error, "{:?}", verdict.reason);
        }
    }
}
