//! Replies in many styles to the cases about supplied figures, somebody's word, and closing: each with the verdict it
//! must get. They are written unlike the controls, to see whether the language is read or only its usual forms.

use checkers::{Library, Outcome, control};

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
