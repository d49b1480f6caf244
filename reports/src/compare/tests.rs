//! Pairing, attribution and the rule, on figures made up.

use super::*;
use crate::figures::{Identity, Missing};
use crate::row::Standing;

/// A cell of case `case` on model `m1`, whose parts are told apart by their text.
fn figure(case: &str, passed: usize, n: usize) -> Figure {
    let text = |part: &str| part.to_owned();
    Figure {
        cell: Cell { case: case.to_owned(), variant: None, row: 1, model: "m1".to_owned() },
        identity: Identity {
            case_sha256: format!("case {case}"),
            params_sha256: text("params"),
            pin_sha256: text("pin"),
            charter_sha256: text("charter"),
            checker: text("word@1"),
            checker_sha256: text("checker"),
        },
        tally: Tally::of(passed, n).unwrap(),
        owed: u32::try_from(n).unwrap(),
        failures: Vec::new(),
        missing: Vec::new(),
    }
}

fn run(cells: Vec<Figure>) -> Figures {
    Figures {
        run: "r".to_owned(),
        planned: "2026-01-01T00:00:00Z".to_owned(),
        charter_version: Some("1.0.0".to_owned()),
        trials: 3,
        models: Vec::new(),
        cells,
    }
}

fn compared(before: Vec<Figure>, after: Vec<Figure>) -> Comparison {
    compare(&run(before), &run(after), None, Pins::Same)
}

#[test]
fn a_break_is_told_from_a_slip() {
    let slip = compared(vec![figure("E1", 3, 3)], vec![figure("E1", 2, 3)]);
    assert_eq!((slip.answer, slip.pairs[0].change), (Answer::NothingWorse, Change::Slipped));
    assert!((slip.pairs[0].p - 0.5).abs() < 1e-9);
    let broken = compared(vec![figure("E1", 3, 3)], vec![figure("E1", 0, 3)]);
    assert_eq!((broken.answer, broken.pairs[0].change), (Answer::Worse, Change::Worse));
    assert!((broken.pairs[0].p - 0.05).abs() < 1e-9);
    let once = compared(vec![figure("E1", 1, 1)], vec![figure("E1", 0, 1)]);
    assert_eq!(once.pairs[0].change, Change::Slipped, "one trial is no evidence");
    let mended = compared(vec![figure("E1", 0, 3)], vec![figure("E1", 3, 3)]);
    assert_eq!((mended.answer, mended.pairs[0].change), (Answer::NothingWorse, Change::Better));
}

#[test]
fn a_break_counts_among_many_cells() {
    let cells =
        |broken: usize| (0..50).map(move |n| figure(&format!("E{n}"), if n < broken { 0 } else { 3 }, 3));
    let comparison = compared(cells(0).collect(), cells(1).collect());
    assert_eq!(comparison.answer, Answer::Worse);
    assert!(comparison.pairs[0].adjusted_p > 0.99, "Holm alone would never see it");
}

#[test]
fn many_slips_are_the_models() {
    let cells = |passed| (0..12).map(move |n| figure(&format!("E{n}"), passed, 3));
    let comparison = compared(cells(3).collect(), cells(2).collect());
    assert!(comparison.pairs.iter().all(|pair| pair.change == Change::Slipped));
    assert_eq!(comparison.models[0].change, Change::Worse);
    assert_eq!(comparison.answer, Answer::Worse);
    assert_eq!((comparison.sides.broke, comparison.sides.mended), (12, 0));
    assert!(comparison.sides.p < 0.001);
}

#[test]
fn what_has_no_counterpart_leaves_it_incomplete() {
    let removed = compared(vec![figure("E1", 3, 3), figure("E2", 3, 3)], vec![figure("E1", 3, 3)]);
    assert_eq!((removed.answer, removed.removed.len()), (Answer::Incomplete, 1));
    let new = compared(vec![figure("E1", 3, 3)], vec![figure("E1", 3, 3), figure("E2", 0, 3)]);
    assert_eq!((new.answer, new.new.len()), (Answer::NothingWorse, 1));
    let mut edited = figure("E1", 0, 3);
    edited.identity.case_sha256 = "another".to_owned();
    let changed = compared(vec![figure("E1", 3, 3)], vec![edited]);
    assert_eq!(changed.answer, Answer::Incomplete);
    assert_eq!(changed.removed[0].changed, [Part::Case]);
    assert_eq!(compared(Vec::new(), Vec::new()).answer, Answer::Incomplete);
}

#[test]
fn missing_trials_leave_it_incomplete_and_a_break_is_still_told() {
    let mut cell = figure("E1", 2, 2);
    cell.missing.push(Missing { trial: "t".to_owned(), standing: Standing::Error, reason: "x".to_owned() });
    assert_eq!(compared(vec![figure("E1", 3, 3)], vec![cell.clone()]).answer, Answer::Incomplete);
    let both = compared(vec![figure("E1", 3, 3), figure("E2", 3, 3)], vec![cell, figure("E2", 0, 3)]);
    assert_eq!(both.answer, Answer::Worse);
    let none = compared(vec![figure("E1", 3, 3)], vec![figure("E1", 0, 0)]);
    assert_eq!(none.pairs[0].change, Change::Unknown);
}

#[test]
fn a_changed_checker_is_no_regression() {
    let mut after = figure("E1", 0, 3);
    after.identity.checker_sha256 = "stricter".to_owned();
    let (before, after) = (run(vec![figure("E1", 3, 3)]), run(vec![after]));
    let again = run(vec![figure("E1", 0, 3)]);
    let comparison = compare(&before, &after, Some(&again), Pins::Same);
    assert_eq!((comparison.answer, comparison.pairs[0].change), (Answer::NothingWorse, Change::Same));
    assert_eq!(comparison.pairs[0].before_as_judged, Tally::of(3, 3));
    assert_eq!(comparison.changed, [Part::Checker]);
}

#[test]
fn a_changed_charter_is_compared_and_a_changed_pin_only_when_asked_for() {
    let mut after = figure("E1", 0, 3);
    after.identity.charter_sha256 = "edited".to_owned();
    let comparison = compared(vec![figure("E1", 3, 3)], vec![after.clone()]);
    assert_eq!((comparison.answer, comparison.changed), (Answer::Worse, vec![Part::Charter]));
    after.identity.pin_sha256 = "newer".to_owned();
    let (before, after) = (run(vec![figure("E1", 3, 3)]), run(vec![after]));
    let apart = compare(&before, &after, None, Pins::Same);
    assert_eq!((apart.answer, apart.pairs.len()), (Answer::Incomplete, 0));
    assert_eq!(apart.removed[0].changed, [Part::Pin, Part::Charter]);
    let across = compare(&before, &after, None, Pins::Across);
    assert_eq!((across.answer, across.changed), (Answer::Worse, vec![Part::Pin, Part::Charter]));
}

#[test]
fn two_entries_with_one_pin_are_paired_by_name_and_a_renamed_one_all_the_same() {
    let named = |model: &str, passed| {
        let mut figure = figure("E1", passed, 3);
        figure.cell.model = model.to_owned();
        figure
    };
    let comparison = compared(vec![named("a", 3), named("b", 0)], vec![named("b", 0), named("a", 3)]);
    assert!(comparison.pairs.iter().all(|pair| pair.change == Change::Same));
    let renamed = compared(vec![named("a", 3)], vec![named("c", 0)]);
    assert_eq!(renamed.pairs[0].change, Change::Worse);
}
