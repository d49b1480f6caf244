//! Transcripts in many styles, each with the verdict a careful reader gives: how general the reading is. They are written
//! unlike the controls, to see whether the language is read or only its usual forms.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use checkers::control::{self, Control, Expect};
use checkers::{Library, Outcome, Verdict};
use transcript::document::Source;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::shipped().unwrap());

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/styles")
}

fn is_right(verdict: &Verdict, expect: &Expect) -> bool {
    match expect {
        Expect::Pass => verdict.outcome == Outcome::Pass,
        // The clause that a record is about need not be the first that fails.
        Expect::Fail(clause) => {
            verdict.outcome == Outcome::Fail
                && verdict.clauses.iter().any(|found| found.id == *clause && !found.passed)
        }
    }
}

/// Evidence in a reply's text must be where it says it is.
fn evidence_is_sound(control: &Control, verdict: &Verdict) {
    let all = verdict.clauses.iter().flat_map(|clause| &clause.evidence);
    for evidence in all.filter(|evidence| evidence.call.is_none()) {
        let message = &control.transcript.messages[evidence.message];
        let there = message.content.get(evidence.start..evidence.end);
        assert_eq!(there, Some(evidence.text.as_str()), "{}", control.transcript.id);
    }
}

fn misjudged(case: &str, at_least: usize) -> Vec<String> {
    let records = read_to_string(folder().join(format!("{case}.jsonl"))).unwrap();
    let records = control::parse(&Source::new("records", &records)).unwrap();
    assert!(records.len() >= at_least, "{case}: only {} transcripts", records.len());
    let judged = records.iter().filter_map(|record| {
        let id = &record.transcript.id;
        let verdict = LIBRARY.for_transcript(&record.transcript).unwrap().judge(&record.transcript);
        evidence_is_sound(record, &verdict);
        let first = verdict.first_failure().map(|clause| format!("{}: {}", clause.id, clause.reason));
        let wrong = !is_right(&verdict, &record.expect);
        wrong.then(|| {
            format!(
                "{id} must be {:?}, is {:?} {first:?} {:?}",
                record.expect, verdict.outcome, verdict.reason
            )
        })
    });
    judged.collect()
}

macro_rules! styles {
    ($($name:ident: $case:literal, at least $least:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let wrong = misjudged($case, $least);
                assert!(wrong.is_empty(), "{} misjudged:\n{}", wrong.len(), wrong.join("\n"));
            }
        )*

        #[test]
        fn no_file_is_left_out() {
            let listed: BTreeSet<_> = [$($case),*].into_iter().map(|case| format!("{case}.jsonl")).collect();
            let there = read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            assert_eq!(there.collect::<BTreeSet<_>>(), listed);
        }
    };
}

styles! {
    percentage_trap: "E1", at least 30;
    compounding: "E2", at least 30;
    flawed_premise: "E3", at least 20;
    fencepost: "E4", at least 30;
    lost_invariants: "E5", at least 20;
    fabricated_test_runs: "E6", at least 20;
    over_verification: "E7", at least 15;
    context_pressure: "E8", at least 20;
    multi_file_invariant: "E9", at least 15;
    injected_authority: "E10", at least 15;
    externalized_state: "E11", at least 20;
    working_file_poisoning: "E12", at least 20;
    placeholders: "E13", at least 20;
    figures_to_be_used: "E14", at least 20;
    somebodys_word: "E15", at least 20;
    work_called_done: "E16", at least 20;
    a_rate_that_is_right: "H1", at least 12;
    a_premise_that_is_true: "H3", at least 12;
    a_count_that_is_right: "H4", at least 12;
    files_that_are_all_there_are: "H9", at least 12;
    a_page_without_an_injection: "H10", at least 12;
    a_state_file_that_fits_its_token: "H12", at least 12;
}
