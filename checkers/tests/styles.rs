//! Replies in many styles, each with the verdict a careful reader gives: how general the reading of language is.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use checkers::{Library, Lookup, Outcome, control};

fn judge_all(checker: &str, text: &str) -> Vec<String> {
    let library = Library::shipped().unwrap();
    let Lookup::Found(checker) = library.get(checker, 1) else { panic!("no checker {checker}") };
    let mut wrong = Vec::new();
    let records = control::parse(text).unwrap();
    assert!(records.len() >= 30, "only {} records", records.len());
    for record in records {
        let verdict = checker.judge(&record.transcript);
        let failed = verdict.first_failure();
        let right = match &record.expect {
            control::Expect::Pass => verdict.outcome == Outcome::Pass,
            control::Expect::Fail(clause) => {
                verdict.outcome == Outcome::Fail
                    && verdict.clauses.iter().any(|c| c.id == *clause && !c.passed)
            }
        };
        if !right {
            let why = failed.map(|f| format!("{}: {}", f.id, f.reason)).unwrap_or_default();
            wrong.push(format!(
                "{}: expected {:?}, judged {} {why}",
                record.transcript.id,
                record.expect,
                verdict.outcome.as_str()
            ));
        }
    }
    wrong
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} misjudged:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn percentage_trap() {
    assert_none(&judge_all("percentage-trap", include_str!("data/E1.jsonl")));
}

#[test]
fn compounding() {
    assert_none(&judge_all("compounding", include_str!("data/E2.jsonl")));
}

#[test]
fn fencepost() {
    assert_none(&judge_all("fencepost", include_str!("data/E4.jsonl")));
}
