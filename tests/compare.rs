//! `assize compare`: what is worse, what only may be, and what is not the model's doing.

use serde_json::Value;

use crate::support::shifting::{Does, PINNED, Shifting};
use crate::support::{Project, Ran};

fn play(project: &Project, out: &str) {
    project.run(&["run", "--rows", "all", "--out", out, "--quiet", "--concurrency", "2"]);
    assert!(project.path().join(out).join("manifest.json").exists());
}

/// A project with a run `a` in which every row passed.
fn first(rows: usize) -> (Shifting, Project) {
    let model = Shifting::start();
    let project = model.project(rows);
    play(&project, "a");
    (model, project)
}

fn says(ran: &Ran, parts: &[&str]) {
    for part in parts {
        assert!(ran.stdout.contains(part), "no {part:?} in:\n{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_break_is_worse_and_a_slip_may_be_chance() {
    let (model, project) = first(3);
    play(&project, "same");
    says(&project.run(&["compare", "a", "same"]).expect(0), &["nothing is worse", "3 pairs", "9/9"]);
    model.becomes(|row, asked| if row == "piano 2" && asked == 1 { Does::Fails } else { Does::Passes });
    play(&project, "slip");
    let ran = project.run(&["compare", "a", "slip"]).expect(0);
    says(&ran, &["W1/r2/m1  3/3  2/3  0.500", "SLIPPED", "failed word", "slip/transcripts.jsonl:"]);
    model.becomes(|row, _| if row == "piano 2" { Does::Fails } else { Does::Passes });
    play(&project, "broken");
    says(
        &project.run(&["compare", "a", "broken"]).expect(1),
        &["✗ worse", "W1/r2/m1  3/3  0/3  0.050", "WORSE"],
    );
    says(&project.run(&["compare", "broken", "a"]).expect(0), &["BETTER"]);
}

#[test]
fn slips_all_over_are_the_models() {
    let (model, project) = first(10);
    model.becomes(|_, asked| if asked == 1 { Does::Fails } else { Does::Passes });
    play(&project, "b");
    let ran = project.run(&["compare", "a", "b"]).expect(1);
    says(&ran, &["SLIPPED", "m1     10     30/30  20/30", "WORSE", "10 broke, 0 mended"]);
}

#[test]
fn a_charter_edit_is_compared_on_the_same_pins() {
    let (model, project) = first(2);
    project.edit("CHARTER.md", "Version 1.0.0", "Version 1.1.0");
    model.becomes(|row, _| if row == "piano 1" { Does::Fails } else { Does::Passes });
    play(&project, "b");
    let ran = project.run(&["compare", "a", "b"]).expect(1);
    says(&ran, &["the charter changed (1.0.0 → 1.1.0)", "W1/r1/m1  3/3  0/3"]);
}

#[test]
fn a_changed_checker_is_not_a_worse_model() {
    let (model, project) = first(2);
    let (stricter, text) = ("{ pattern: \"(?i)^(a )?piano( it is.)?$\" }", "checkers/says-the-word/v1.yaml");
    model.becomes(|_, _| Does::Passes);
    project.edit(text, "{ pattern: \"(?i)\\\\bpiano\\\\b\" }", stricter);
    play(&project, "b");
    says(
        &project.run(&["compare", "a", "b"]).expect(0),
        &["checker changed", "judged again by B's checkers"],
    );
    // The stricter one fails what the other passed: of the same transcripts it says the same.
    project.edit(text, "^(a )?piano( it is.)?$", "^a piano");
    let controls = project.read("checkers/says-the-word/v1.controls.jsonl");
    project.write("checkers/says-the-word/v1.controls.jsonl", &controls.replace("\"piano\"", "\"a piano\""));
    play(&project, "c");
    let ran = project.run(&["compare", "a", "c"]).expect(0);
    says(&ran, &["0/3 (then 3/3)", "0/3", "SAME", "nothing is worse"]);
}

#[test]
fn what_cannot_be_compared_leaves_it_incomplete() {
    let (model, project) = first(2);
    project.run(&["run", "--rows", "1", "--out", "less", "--quiet"]).expect(0);
    says(&project.run(&["compare", "a", "less"]).expect(3), &["W1/r2/m1 3/3 is not in B"]);
    says(&project.run(&["compare", "less", "a"]).expect(0), &["W1/r2/m1 3/3 is not in A"]);

    model.becomes(|row, asked| if row == "piano 2" && asked == 1 { Does::Refuses } else { Does::Passes });
    play(&project, "torn");
    says(&project.run(&["compare", "a", "torn"]).expect(3), &["1 trials without a verdict"]);

    model.becomes(|_, _| Does::Passes);
    project.edit("cases/w1-say-the-word/case.yaml", "please", "if you please");
    play(&project, "case");
    says(&project.run(&["compare", "a", "case"]).expect(3), &["is not in B: its case changed", "0 pairs"]);
}

#[test]
fn another_pin_is_another_model_unless_asked_for() {
    let (model, project) = first(2);
    model.pin(&project, "test-model-2026-02-02");
    model.becomes(|_, _| Does::AnswersAs("test-model-2026-02-02"));
    play(&project, "b");
    says(&project.run(&["compare", "a", "b"]).expect(3), &["its model pin changed"]);
    let ran = project.run(&["compare", "a", "b", "--across-pins"]).expect(0);
    says(&ran, &["the model pin changed for 2 cells", "nothing is worse"]);
    model.pin(&project, PINNED);
}

#[test]
fn an_edited_run_is_refused_and_json_has_the_figures() {
    let (model, project) = first(2);
    model.becomes(|_, _| Does::Fails);
    play(&project, "b");
    let ran = project.run(&["compare", "a", "b", "--format", "json"]).expect(1);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["answer"], "WORSE");
    assert_eq!(answer["pairs"][0]["change"], "WORSE");
    assert!((answer["pairs"][0]["p"].as_f64().unwrap() - 0.05).abs() < 1e-12);
    assert_eq!(answer["pairs"][0]["failures"][0]["clauses"], serde_json::json!(["word"]));
    assert_eq!(answer["sides"]["broke"], 2);
    project.edit("b/transcripts.jsonl", "Say piano 1", "Say organ 1");
    let ran = project.run(&["compare", "a", "b"]).expect(2);
    assert!(ran.stderr.contains("not as this program wrote it"), "{}", ran.stderr);
    project.run(&["compare", "a", "nowhere"]).expect(2);
}
