//! `assize check`: recorded transcripts, offline.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Project, Ran, assize};

fn transcript(id: &str, reply: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"case\":\"W1\",\"variant\":null,\"params\":{{}},\"tools\":[],\"messages\":[{{\"role\":\"system\",\"by\":\"script\",\"content\":\"<charter>\"}},{{\"role\":\"assistant\",\"by\":\"model\",\"content\":\"{reply}\"}}]}}\n"
    )
}

#[test]
fn verdicts_come_in_input_order_with_clauses_and_evidence() {
    let project = Project::new();
    let lines: String = (0..2000)
        .map(|n| transcript(&format!("t{n}"), if n % 3 == 0 { "organ" } else { "a piano" }))
        .collect();
    project.write("t.jsonl", &lines);
    let ran = project.run(&["check", "--format", "jsonl", "t.jsonl"]).expect(1);
    let out: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(out.len(), 2000);
    for (n, line) in out.iter().enumerate() {
        assert_eq!(line["id"], format!("t{n}"));
        assert_eq!(line["verdict"], if n % 3 == 0 { "fail" } else { "pass" });
    }
    let evidence = &out[1]["clauses"][0]["evidence"][0];
    assert_eq!((evidence["message"].as_u64(), evidence["text"].as_str()), (Some(1), Some("piano")));
    assert_eq!((evidence["start"].as_u64(), evidence["end"].as_u64()), (Some(2), Some(7)));
}

#[test]
fn standard_input_is_read_and_nothing_in_it_is_an_error() {
    let project = Project::new();
    let run = |input: &str| {
        let mut child = project
            .command(&["check", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::of(&child.wait_with_output().unwrap())
    };
    run(&transcript("a", "piano")).expect(0);
    run(&transcript("a", "organ")).expect(1);
    run("").expect(2);
    run("\n\n").expect(2);
}

#[test]
fn an_unreadable_line_is_told_with_its_place_and_the_rest_is_judged() {
    let project = Project::new();
    project.write(
        "t.jsonl",
        &format!("{}{{\"id\": 3}}\n{}", transcript("a", "piano"), transcript("b", "piano")),
    );
    let ran = project.run(&["check", "t.jsonl"]).expect(2);
    assert!(ran.stdout.contains("t.jsonl: line 2, column 8"), "{}", ran.stdout);
    assert!(ran.stderr.contains("2 passed") && ran.stderr.contains("1 unreadable"), "{}", ran.stderr);
}

#[test]
fn without_a_checker_or_a_reply_there_is_no_verdict() {
    let project = Project::new();
    project.write("t.jsonl", &transcript("a", "piano").replace("W1", "Z9"));
    let ran = project.run(&["check", "t.jsonl"]).expect(3);
    assert!(ran.stdout.contains("no checker is known for case Z9"), "{}", ran.stdout);
    project.write("t.jsonl", &transcript("a", " "));
    project.run(&["check", "t.jsonl"]).expect(3);
}

#[test]
fn a_terminal_is_not_at_the_mercy_of_model_text() {
    let project = Project::new();
    project.write("t.jsonl", &transcript("a\\u001b[31m", "organ \\u001b]0;pwned\\u0007"));
    let ran = project.run(&["check", "t.jsonl"]).expect(1);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{7}'), "{:?}", ran.stdout);
}

#[test]
fn it_works_outside_a_project_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.jsonl"), transcript("a", "x")).unwrap();
    let output = assize().current_dir(folder.path()).args(["check", "t.jsonl"]).output().unwrap();
    Ran::of(&output).expect(3);
}

#[test]
fn a_runs_folder_stands_for_its_transcripts() {
    let project = Project::new();
    project.write("cases/w1-say-the-word/traces/none.yaml", "- say: piano\n");
    project.run(&["run", "--out", "r", "--quiet"]).expect(0);
    let ran = project.run(&["check", "r", "--format", "jsonl"]).expect(0);
    assert_eq!(ran.stdout, project.run(&["check", "r/transcripts.jsonl", "--format", "jsonl"]).stdout);
    assert_eq!(ran.stdout.lines().count(), 3);
    // Any other folder does not.
    let ran = project.run(&["check", "cases"]).expect(2);
    assert!(ran.stderr.contains("cases is a folder"), "{}", ran.stderr);
}

/// A checker of one's own for a case that another one judges does not take its place unseen.
#[test]
fn a_case_with_two_checkers_is_judged_by_the_one_that_the_transcript_names() {
    let project = Project::new();
    let lenient = project.read("checkers/says-the-word/v1.yaml").replace("says-the-word", "zz-lenient");
    project.write("checkers/zz-lenient/v1.yaml", &lenient.replace("\\\\bpiano\\\\b", "."));
    project.write(
        "checkers/zz-lenient/v1.controls.jsonl",
        &project.read("checkers/says-the-word/v1.controls.jsonl"),
    );
    let transcript = |checker: &str| {
        format!(
            "{{\"id\":\"t\",\"case\":\"W1\",{checker}\"messages\":[{{\"role\":\"assistant\",\"by\":\"model\",\"content\":\"organ\"}}]}}\n"
        )
    };
    project.write("t.jsonl", &transcript(""));
    let ran = project.run(&["check", "t.jsonl"]).expect(3);
    assert!(ran.stdout.contains("case W1 is judged by says-the-word and by zz-lenient"), "{}", ran.stdout);
    project.write("t.jsonl", &transcript("\"checker\":\"says-the-word@1\","));
    project.run(&["check", "t.jsonl"]).expect(1);
}
