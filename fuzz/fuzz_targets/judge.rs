//! Any text as the last reply of a control of any shipped checker: there is a verdict, the same each time, its evidence
//! stands in the transcript, and the checker did not break down.

#![no_main]

use std::sync::LazyLock;

use checkers::{Checker, Library, Outcome};
use libfuzzer_sys::fuzz_target;
use transcript::{By, Message, Role};

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::shipped().expect("the shipped checkers load"));

fuzz_target!(|data: &[u8]| {
    let [which, control, text @ ..] = data else { return };
    let checkers: Vec<&Checker> = LIBRARY.iter().collect();
    let checker = checkers[usize::from(*which) % checkers.len()];
    let control = &checker.controls[usize::from(*control) % checker.controls.len()];
    let text = String::from_utf8_lossy(text).into_owned();

    let mut transcript = control.transcript.clone();
    if transcript.messages.last().is_some_and(|last| last.role == Role::Assistant) {
        transcript.messages.pop();
    }
    transcript.messages.push(Message::text(Role::Assistant, By::Model, text));
    let verdict = checker.judge(&transcript);
    assert_eq!(verdict, checker.judge(&transcript), "a second look is another verdict");

    let reason = verdict.reason.as_deref().unwrap_or_default();
    assert!(!reason.contains("broke down"), "{reason}");
    assert_eq!(verdict.outcome == Outcome::Error, verdict.clauses.is_empty());
    assert!(verdict.outcome != Outcome::Pass || verdict.clauses.iter().all(|clause| clause.passed));
    for evidence in verdict.clauses.iter().flat_map(|clause| &clause.evidence) {
        let message = &transcript.messages[evidence.message];
        match evidence.call {
            Some(call) => assert!(call < message.tool_calls.len()),
            None => assert_eq!(message.content.get(evidence.start..evidence.end), Some(evidence.text.as_str())),
        }
    }
});
