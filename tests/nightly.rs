//! `assize nightly` over many nights, against a model whose behaviour shifts between them.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::shifting::{Does, Shifting};
use crate::support::{Project, Ran};

/// Plays a night into `out`, with three trials a cell.
fn night(project: &Project, out: &str) -> Ran {
    night_of(project, out, "3")
}

fn night_of(project: &Project, out: &str, trials: &str) -> Ran {
    let rest = ["--rows", "all", "--trials", trials, "--history", "h", "--out", out, "--concurrency", "2"];
    project.run(&[&["nightly", "--quiet"][..], &rest].concat())
}

/// Three good nights of ten trials: a baseline of 30/30 in each cell.
fn settled(rows: usize) -> (Shifting, Project) {
    let model = Shifting::start();
    let project = model.project(rows);
    for out in ["a", "b", "c"] {
        night_of(&project, out, "10").expect(0);
    }
    (model, project)
}

fn says(ran: &Ran, parts: &[&str]) {
    for part in parts {
        assert!(ran.stdout.contains(part), "no {part:?} in:\n{}{}", ran.stdout, ran.stderr);
    }
}

/// The line of the answer's table that is about `cell`.
fn row<'a>(ran: &'a Ran, cell: &str) -> Vec<&'a str> {
    let line = ran.stdout.lines().find(|line| line.starts_with(&format!("{cell} ")));
    assert!(line.is_some(), "no row of {cell} in:\n{}", ran.stdout);
    line.unwrap_or_default().split_whitespace().collect()
}

/// The cells on record for a night.
fn on_record(project: &Project, number: u32) -> Vec<Value> {
    let lines = project.lines(&format!("h/night-{number:06}.jsonl"));
    lines.iter().filter_map(|line| line.get("cell").cloned()).collect()
}

#[test]
fn the_first_night_has_nothing_to_compare_with_and_the_second_is_as_ever() {
    let model = Shifting::start();
    let project = model.project(2);
    says(&night(&project, "n1").expect(0), &["NEW  night 1", "nothing is said of them", "W1/r2/m1  3/3"]);
    says(&night(&project, "n2").expect(0), &["OK  night 2", "baseline", "3/3", "as ever", "two points"]);
    assert_eq!(model.count(), 12, "no fresh trials without a suspect, and nothing is reused");
    let program = project.json("n1/manifest.json")["plan"]["binary_sha256"].clone();
    assert_eq!(
        program.as_str().map(str::len),
        Some(64),
        "a night names the program that played it, as a run does"
    );
}

#[test]
fn a_broken_cell_has_regressed_until_it_is_mended() {
    let (model, project) = settled(2);
    model.becomes(|row, _| if row == "piano 2" { Does::Fails } else { Does::Passes });
    let ran = night(&project, "n4").expect(1);
    says(
        &ran,
        &[
            "REGRESSED  night 4",
            "W1/r2/m1  0/3",
            "30/30",
            "0/10",
            "W1/r2/m1/t1 failed word",
            "n4/transcripts.jsonl:",
        ],
    );
    says(&ran, &["n4-fresh/transcripts.jsonl:", "1 suspect got 10 fresh trials"]);
    // The fresh trials are a run of their own and never join the first ones.
    assert_eq!(project.lines("n4/transcripts.jsonl").len(), 6);
    assert_eq!(project.lines("n4-fresh/transcripts.jsonl").len(), 10);
    let cells = on_record(&project, 4);
    assert_eq!(cells[1]["tally"], serde_json::json!({ "passed": 0, "failed": 3 }));
    assert_eq!(cells[1]["state"], "REGRESSED");
    // A regression does not become the measure of the next night.
    says(&night(&project, "n5").expect(1), &["REGRESSED  night 5", "30/30"]);
    model.becomes(|_, _| Does::Passes);
    says(&night(&project, "n6").expect(0), &["OK  night 6"]);
    // Each night can be gated and compared like any run, the second stage too.
    project.run(&["compare", "a", "n4"]).expect(1);
    project.run(&["gate", "n4-fresh"]).expect(1);
}

#[test]
fn a_bad_moment_is_not_a_regression() {
    let (model, project) = settled(2);
    // Two of three fail, then all of the fresh ones pass.
    model.becomes(|row, asked| if row == "piano 1" && asked <= 2 { Does::Fails } else { Does::Passes });
    says(&night(&project, "n4").expect(0), &["FLAKY  night 4", "W1/r1/m1  1/3", "10/10", "failed word"]);
    model.becomes(|row, asked| if row == "piano 1" && asked <= 3 { Does::Fails } else { Does::Passes });
    says(&night(&project, "n5").expect(0), &["WATCH  night 5", "W1/r1/m1  0/3", "31/33", "10/10"]);
}

#[test]
fn many_small_slips_are_the_models_regression() {
    let (model, project) = settled(12);
    let slips = |row: &str| matches!(row, "piano 3" | "piano 8");
    model.becomes(move |row, asked| if slips(row) && asked == 1 { Does::Fails } else { Does::Passes });
    let ran = night(&project, "n4").expect(1);
    says(&ran, &["MODEL_REGRESSED  night 4", "2 suspects", "FLAKY"]);
    assert!(!ran.stdout.contains(" REGRESSED"), "{}", ran.stdout);
}

#[test]
fn what_always_failed_and_now_passes_has_improved() {
    let model = Shifting::start();
    let project = model.project(2);
    model.becomes(|row, _| if row == "piano 2" { Does::Fails } else { Does::Passes });
    for out in ["a", "b", "c"] {
        says(&night_of(&project, out, "10").expect(0), &["WATCH", "0/10"]);
    }
    model.becomes(|_, _| Does::Passes);
    says(&night(&project, "n4").expect(0), &["IMPROVED  night 4"]);
}

#[test]
fn a_night_that_lacks_a_trial_is_incomplete_and_can_be_completed() {
    let (model, project) = settled(2);
    // The one trial without a verdict hides a failure in another cell: nothing is said of either.
    model.becomes(|row, asked| match (row, asked) {
        ("piano 1", 1) => Does::Refuses,
        ("piano 2", _) => Does::Fails,
        _ => Does::Passes,
    });
    let ran = night(&project, "n4").expect(3);
    says(&ran, &["INCOMPLETE  night 4", "W1/r1/m1/t", "not today"]);
    assert!(ran.stderr.contains("assize nightly --resume n4"), "{}", ran.stderr);
    assert!(!project.path().join("n4-fresh").exists());
    model.becomes(|row, _| if row == "piano 2" { Does::Fails } else { Does::Passes });
    let resume = ["nightly", "--quiet", "--resume", "n4", "--history", "h"];
    let resumed = project.run(&resume).expect(1);
    says(&resumed, &["REGRESSED  night 5"]);
    // Measured by the nights before it, and not by what it was itself when it was incomplete.
    for cell in ["W1/r1/m1", "W1/r2/m1"] {
        assert_eq!(row(&resumed, cell)[3], "30/30", "{}", resumed.stdout);
    }
    let again = project.run(&resume).expect(2);
    assert!(again.stderr.contains("night 5 already"), "{}", again.stderr);
}

#[test]
fn fresh_trials_that_break_off_are_played_again_and_no_others() {
    let (model, project) = settled(1);
    model.becomes(|_, asked| if asked <= 3 { Does::Fails } else { Does::Refuses });
    says(&night(&project, "n4").expect(3), &["INCOMPLETE  night 4", "SUSPECT", "0/3"]);
    model.becomes(|_, _| Does::Fails);
    let before = model.count();
    let resume = ["nightly", "--quiet", "--resume", "n4", "--history", "h"];
    says(&project.run(&resume).expect(1), &["REGRESSED  night 5", "0/10"]);
    assert_eq!(model.count() - before, 10);
}

/// Three trials are the whole baseline: were an incomplete night pooled into its own, its failures would hide themselves.
#[test]
fn a_night_is_never_measured_by_itself() {
    let model = Shifting::start();
    let project = model.project(1);
    night(&project, "n1").expect(0);
    model.becomes(|_, asked| if asked <= 3 { Does::Fails } else { Does::Refuses });
    night(&project, "n2").expect(3);
    let resume = ["nightly", "--quiet", "--resume", "n2", "--history", "h"];
    project.run(&resume).expect(3);
    model.becomes(|_, _| Does::Fails);
    let resumed = project.run(&resume).expect(1);
    says(&resumed, &["REGRESSED  night 4", "0/10"]);
    assert_eq!(row(&resumed, "W1/r1/m1")[3], "3/3", "{}", resumed.stdout);
}

/// Stopped by its budget a night has no answer, which is no interrupt; and it can be given more.
#[test]
fn a_night_stopped_by_its_budget_is_incomplete_and_goes_on_with_more() {
    let (model, project) = settled(1);
    model.becomes(|_, _| Does::Fails);
    let before = model.count();
    let play = ["nightly", "-q", "--rows", "all", "--history", "h", "--out", "n4", "--concurrency", "1"];
    let ran = project.run(&[&play[..], &["--max-tokens", "20"]].concat()).expect(3);
    assert!(ran.stderr.contains("nothing is decided"), "{}", ran.stderr);
    let line = "assize nightly --resume n4 --history h --max-tokens MORE";
    assert!(ran.stderr.contains(line), "{}", ran.stderr);
    assert_eq!(model.count() - before, 2);
    assert!(!project.path().join("h/night-000004.jsonl").exists());
    // Enough for the first stage, and not for the fresh trials of its suspect.
    let resume = ["nightly", "-q", "--resume", "n4", "--history", "h", "--concurrency", "1"];
    let more = |tokens: &str| project.run(&[&resume[..], &["--max-tokens", tokens]].concat());
    more("50").expect(3);
    let fresh = project.lines("n4-fresh/transcripts.jsonl").len();
    assert!((1..10).contains(&fresh), "{fresh}");
    says(&more("1000").expect(1), &["REGRESSED  night 4", "0/10"]);
    assert_eq!(model.count() - before, 13, "no trial is played twice");
}

#[test]
fn fresh_trials_that_were_cut_off_before_they_were_planned_are_planned_again() {
    let (model, project) = settled(1);
    model.becomes(|_, asked| if asked <= 3 { Does::Fails } else { Does::Refuses });
    night(&project, "n4").expect(3);
    // As a kill leaves it between the inputs and the plan.
    for file in ["plan.json", "transcripts.jsonl", "sittings.jsonl", "verdicts.jsonl", "manifest.json"] {
        std::fs::remove_file(project.path().join("n4-fresh").join(file)).unwrap();
    }
    project.write("n4-fresh/.assize-k1ll3d.tmp", "{");
    model.becomes(|_, _| Does::Fails);
    let resume = ["nightly", "--quiet", "--resume", "n4", "--history", "h"];
    says(&project.run(&resume).expect(1), &["REGRESSED  night 5", "0/10"]);
}

#[test]
fn a_killed_night_leaves_no_record_and_is_gone_on_with() {
    let model = Shifting::start();
    let project = model.project(5);
    model.becomes(|_, _| {
        std::thread::sleep(Duration::from_millis(30));
        Does::Passes
    });
    let mut child = project
        .command(&["nightly", "--quiet", "--rows", "all", "--history", "h", "--out", "n1"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while model.count() < 6 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!project.path().join("h/night-000001.jsonl").exists());
    let ran = project.run(&["nightly", "--quiet", "--resume", "n1", "--history", "h"]).expect(0);
    says(&ran, &["NEW  night 1"]);
    assert_eq!(project.lines("n1/transcripts.jsonl").len(), 15, "no trial is played twice");
    assert!(!project.path().join("h/night-000002.jsonl").exists());
}

#[test]
fn another_model_under_the_same_name_is_told_before_anything_else() {
    let (model, project) = settled(2);
    model.becomes(
        |row, _| if row == "piano 2" { Does::AnswersAs("test-model-2026-02-02") } else { Does::Fails },
    );
    let ran = night(&project, "n4").expect(1);
    says(&ran, &["CHANGED PIN  night 4", "test-model-2026-02-02", "test-model-2026-01-01"]);
    assert!(!project.path().join("n4-fresh").exists(), "no statistics, so no suspects");
    // Once the new name is pinned, the baseline begins anew.
    model.pin(&project, "test-model-2026-02-02");
    model.becomes(|_, _| Does::AnswersAs("test-model-2026-02-02"));
    says(
        &night(&project, "n5").expect(0),
        &["NEW  night 5", "the baseline of 2 cells begins anew tonight", "model pin changed for"],
    );
}

#[test]
fn a_new_fingerprint_that_the_pin_leaves_open_is_told() {
    let (model, project) = settled(1);
    model.becomes(|_, _| Does::PassesWith("fp_new"));
    let ran = night(&project, "n4").expect(0);
    says(
        &ran,
        &[
            "OK  night 4",
            "m1 answers as test-model-2026-01-01 fp_new; the last time it was test-model-2026-01-01",
        ],
    );
}

#[test]
fn a_changed_charter_begins_a_new_baseline() {
    let (model, project) = settled(1);
    project.edit("CHARTER.md", "Say the word.", "Say the word, always.");
    model.becomes(|_, _| Does::Fails);
    says(&night(&project, "n4").expect(0), &["WATCH  night 4", "charter changed", "0/3"]);
}

#[test]
fn a_history_that_was_edited_is_refused_before_anything_is_paid_for() {
    let (model, project) = settled(1);
    let before = model.count();
    project.edit("h/night-000002.jsonl", "\"passed\":10", "\"passed\":9");
    let ran = night(&project, "n4").expect(2);
    assert!(ran.stderr.contains("night-000002.jsonl: was changed after it was written"), "{}", ran.stderr);
    let text = project.read("h/night-000003.jsonl");
    project.edit("h/night-000002.jsonl", "\"passed\":9", "\"passed\":10");
    project.write("h/night-000003.jsonl", &text[..text.len() / 2]);
    let ran = night(&project, "n4").expect(2);
    assert!(ran.stderr.contains("cut short"), "{}", ran.stderr);
    project.write("h/night-000003.jsonl", &text);
    let ran = night(&project, "a").expect(2);
    assert!(ran.stderr.contains("run a is on record as night 1 already"), "{}", ran.stderr);
    assert_eq!(model.count(), before);
    assert!(!project.path().join("n4").exists());
}

#[test]
fn the_answer_as_json_has_every_figure() {
    let (model, project) = settled(2);
    model.becomes(|row, _| if row == "piano 2" { Does::Fails } else { Does::Passes });
    let rest = ["--rows", "all", "--history", "h", "--out", "n4", "--format", "json", "-q"];
    let ran = project.run(&[&["nightly"][..], &rest].concat()).expect(1);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["answer"], "REGRESSED");
    assert_eq!(answer["comparisons"], serde_json::json!({ "cells": 2, "suspects": 1, "models": 1 }));
    let cell = &answer["cells"][1];
    assert_eq!(cell["state"], "REGRESSED");
    assert_eq!(cell["tonight"], serde_json::json!({ "passed": 0, "failed": 3 }));
    assert_eq!(cell["fresh"], serde_json::json!({ "passed": 0, "failed": 10 }));
    assert_eq!(cell["baseline"]["nights"], 3);
    // 1 / C(33, 3).
    assert!((cell["p"].as_f64().unwrap() - 1.0 / 5456.0).abs() < 1e-12);
    assert_eq!(cell["failures"].as_array().unwrap().len(), 13);
    assert_eq!(cell["failures"][0]["clauses"], serde_json::json!(["word"]));
    let model = &answer["models"][0];
    assert_eq!(model["counts"]["expected"], 6);
    assert_eq!(model["pass_at_1"]["mean"], 0.5);
    assert_eq!(model["pass_hat_k"], 0.5);
    assert_eq!(model["observed"][0]["model"], "test-model-2026-01-01");
    assert!(answer["cannot_see"].as_str().unwrap().contains("broad"));
}

/// A night says something of tonight's models only: trials of another run are no part of it.
#[test]
fn a_run_with_reused_trials_is_no_night() {
    let (model, project) = settled(1);
    project.run(&["run", "--rows", "all", "--reuse", "c", "--out", "mixed", "-q"]).expect(0);
    let before = model.count();
    let ran = project.run(&["nightly", "--resume", "mixed", "--history", "h", "-q"]).expect(2);
    assert!(ran.stderr.contains("a night is played fresh"), "{}", ran.stderr);
    assert_eq!(model.count(), before);
}

/// Whatever is not exactly what a night of this project plays would be taken for its models' doing.
#[test]
fn only_a_night_of_this_project_as_it_is_now_is_gone_on_with() {
    let (model, project) = settled(2);
    let play = |more: &[&str], out: &str| {
        project.run(&[&["run", "-q", "--rows", "all", "--out", out][..], more].concat()).expect(0)
    };
    play(&["--case", "W1"], "narrowed");
    play(&["--shard", "1/2"], "part");
    play(&[], "whole");
    let before = model.count();
    let refused = |run: &str, why: &[&str]| {
        let ran = project.run(&["nightly", "--resume", run, "--history", "h", "-q"]).expect(2);
        for part in [&["cannot be tonight's run", "without --resume"], why].concat() {
            assert!(ran.stderr.contains(part), "no {part:?} in:\n{}", ran.stderr);
        }
        assert!(!project.path().join("h/night-000004.jsonl").exists(), "{run} became a night");
    };
    refused("narrowed", &["narrowed", "only cases W1"]);
    refused("part", &["shard 1/2"]);
    // Another charter since: what the run showed is nothing about tonight's.
    let charter = project.read("CHARTER.md");
    project.edit("CHARTER.md", "Say the word.", "Say the word, always.");
    refused("whole", &["the charter among the project's files"]);
    project.write("CHARTER.md", &charter);
    project.write("cases/w1-say-the-word/params.csv", "word\npiano 1\n");
    refused("whole", &["case W1"]);
    project.write("cases/w1-say-the-word/params.csv", "word\npiano 1\npiano 2\n");
    // Times are written in whole seconds.
    std::thread::sleep(Duration::from_millis(1100));
    night(&project, "n4").expect(0);
    std::fs::remove_file(project.path().join("h/night-000004.jsonl")).unwrap();
    project.run(&["nightly", "-q", "--resume", "n4", "--history", "h"]).expect(0);
    let ran = project.run(&["nightly", "--resume", "whole", "--history", "h", "-q"]).expect(2);
    assert!(ran.stderr.contains("before night 4"), "{}", ran.stderr);
    assert_eq!(model.count() - before, 6, "a refused run asks nobody");
}

#[test]
fn a_night_with_another_matrix_is_gone_on_with_by_the_line_that_is_printed() {
    let model = Shifting::start();
    let project = model.project(1);
    project.write("other.yaml", &project.read("matrix.yaml").replace("id: m1", "id: m7"));
    model.becomes(|_, asked| if asked == 1 { Does::Refuses } else { Does::Passes });
    let ran =
        project.run(&["nightly", "--history", "h", "--out", "n1", "--matrix", "other.yaml", "-q"]).expect(3);
    let line = ran.stderr.lines().find_map(|line| line.trim().strip_prefix("assize ")).unwrap();
    assert!(line.contains("--matrix other.yaml"), "{line}");
    let words: Vec<&str> = line.split(' ').collect();
    project.run(&words).expect(0);
}

/// A baseline is of one experiment: with another matrix it begins anew, and that is said in a line.
#[test]
fn another_matrix_begins_baselines_anew_and_says_so() {
    let model = Shifting::start();
    let project = model.project(1);
    night(&project, "n1").expect(0);
    project.edit("matrix.yaml", "id: m1", "id: m9");
    let ran = night(&project, "n2").expect(0);
    says(
        &ran,
        &[
            "NEW  night 2",
            "another matrix than in night 1: without m1, with m9",
            "begins its baseline tonight",
        ],
    );
    says(&night(&project, "n3").expect(0), &["OK  night 3"]);
    model.becomes(|_, asked| if asked <= 3 { Does::Fails } else { Does::Passes });
    let ran = night(&project, "n4").expect(0);
    says(&ran, &["WATCH  night 4", "This is no alarm, and the exit code is 0"]);
}
