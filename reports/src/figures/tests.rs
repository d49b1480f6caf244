//! What a manifest comes to.

use super::*;
use crate::manifest::TrialRecord;

/// The figure of a row of case E1 whose trials stand as given.
fn figure(row: usize, expect: Expectation, standings: [Standing; 2]) -> Figure {
    let trials = (1..).zip(standings).map(|(trial, standing)| TrialRecord {
        trial,
        standing,
        reason: None,
        failed_clauses: Vec::new(),
        attempts: Vec::new(),
    });
    let record = CellRecord {
        cell: Cell { case: "E1".to_owned(), variant: None, row, model: "m1".to_owned() },
        required: 2,
        checker: "c@1".to_owned(),
        case_sha256: String::new(),
        checker_sha256: String::new(),
        trials: trials.collect(),
    };
    Figure::new(&record, identity(), expect)
}

fn figures(expect: Expectation, rows: [[Standing; 2]; 2]) -> [Figure; 2] {
    [figure(1, expect, rows[0]), figure(2, expect, rows[1])]
}

fn identity() -> Identity {
    let text = || "0".to_owned();
    Identity {
        case_sha256: text(),
        params_sha256: text(),
        pin_sha256: text(),
        charter_sha256: text(),
        checker: text(),
        checker_sha256: text(),
    }
}

use Standing::{Error, Failed, NotRun, Passed};

#[test]
fn passes_and_failures_are_counted_and_rates_are_means_over_cells() {
    let [first, second] = figures(Expectation::Pass, [[Passed, Passed], [Passed, Failed]]);
    assert_eq!(second.tally, Tally { passed: 1, failed: 1 });
    assert_eq!(second.failures[0].trial, "E1/r2/m1/t2");
    let mean = pass_at_1(&[&first, &second]).unwrap();
    assert!((mean.mean - 0.75).abs() < 1e-12);
    assert_eq!(mean.cluster_se, None, "two rows of one case are one cluster");
    assert_eq!(mean_pass_hat_k(&[&first, &second]), Some(0.5));
}

#[test]
fn an_error_is_a_missing_trial_and_there_is_no_rate_without_it() {
    for missing in [Error, NotRun] {
        let [first, second] = figures(Expectation::Pass, [[Passed, Passed], [Passed, missing]]);
        assert_eq!(second.tally, Tally { passed: 1, failed: 0 });
        assert!(first.is_complete() && !second.is_complete());
        assert_eq!(second.missing[0].trial, "E1/r2/m1/t2");
        assert_eq!(pass_at_1(&[&first, &second]), None);
        assert_eq!(mean_pass_hat_k(&[&first, &second]), None);
    }
}

#[test]
fn a_control_arm_that_must_fail_is_right_when_it_fails() {
    let [first, second] = figures(Expectation::Fail, [[Failed, Failed], [Failed, Passed]]);
    assert_eq!(first.tally, Tally { passed: 2, failed: 0 });
    assert_eq!(second.failures.len(), 1);
}

#[test]
fn identities_tell_in_what_they_differ() {
    let mut other = identity();
    assert!(identity().differences(&other).is_empty());
    other.charter_sha256 = "1".to_owned();
    other.checker = "word@2".to_owned();
    assert_eq!(identity().differences(&other), [Part::Charter, Part::Checker]);
}
