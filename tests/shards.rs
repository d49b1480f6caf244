//! A run in parts: `assize run --shard k/n` and `assize merge`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::shifting::{Does, Shifting};
use crate::support::{Project, Ran};

fn play(project: &Project, out: &str, more: &[&str]) -> Ran {
    project.run(&[&["run", "--rows", "all", "--out", out, "--quiet"][..], more].concat())
}

/// A project of six rows, played whole into `whole` and in three shards into `s1` to `s3`.
fn sharded() -> (Shifting, Project) {
    let model = Shifting::start();
    let project = model.project(6);
    play(&project, "whole", &[]).expect(0);
    for k in 1..=3 {
        play(&project, &format!("s{k}"), &["--shard", &format!("{k}/3")]).expect(0);
    }
    (model, project)
}

fn merge(project: &Project, out: &str) -> Ran {
    project.run(&["merge", "s2", "s3", "s1", "-o", out])
}

/// What is left of a record without times, names and places.
fn lasting(value: &mut Value) {
    const PASSING: [&str; 9] = [
        "run",
        "planned",
        "line",
        "transcript_sha256",
        "started",
        "elapsed_ms",
        "evidence",
        "statistics",
        "served",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !PASSING.contains(&name.as_str()));
            fields.values_mut().for_each(lasting);
        }
        Value::Array(items) => items.iter_mut().for_each(lasting),
        _ => {}
    }
}

pub(crate) fn record(project: &Project, path: &str) -> Value {
    let mut value = project.json(path);
    lasting(&mut value);
    value
}

pub(crate) fn copy(project: &Project, from: &str, to: &str) {
    fn copy_tree(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let place = to.join(path.file_name().unwrap());
            if path.is_dir() {
                copy_tree(&path, &place);
            } else {
                fs::copy(&path, &place).unwrap();
            }
        }
    }
    let (from, to) = (project.path().join(from), project.path().join(to));
    let _ = fs::remove_dir_all(&to);
    copy_tree(&from, &to);
}

/// The merge is refused, says so, and leaves no run behind.
fn refused(project: &Project, shards: &[&str], says: &[&str]) {
    let _ = fs::remove_dir_all(project.path().join("bad"));
    let ran = project.run(&[&["merge", "-o", "bad"][..], shards].concat()).expect(2);
    for part in says {
        assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
    }
    assert!(!project.path().join("bad/plan.json").exists());
}

#[test]
fn joined_shards_are_the_run_that_one_machine_would_have_played() {
    let (model, project) = sharded();
    assert_eq!(model.count(), 36, "each trial is played once in all shards together");
    merge(&project, "m").expect(0);
    assert_eq!(model.count(), 36);
    assert_eq!(record(&project, "m/manifest.json"), record(&project, "whole/manifest.json"));
    assert_eq!(record(&project, "m/plan.json"), record(&project, "whole/plan.json"));
    let verdicts = |run: &str| -> Vec<Value> {
        let mut rows = project.lines(&format!("{run}/verdicts.jsonl"));
        rows.iter_mut().for_each(lasting);
        rows
    };
    assert_eq!(verdicts("m"), verdicts("whole"));
    let whole = project.run(&["gate", "whole"]).expect(0);
    assert_eq!(project.run(&["gate", "m"]).expect(0).stdout, whole.stdout);
    project.run(&["compare", "whole", "m"]).expect(0);
    // The journal is in the plan's order, whoever was quick.
    let ids: Vec<String> = project
        .lines("m/transcripts.jsonl")
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect();
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(ids, sorted);
    assert_eq!(ids.len(), 18);
    // A second merge comes to the same lines, but for the chain, which begins at the plan and so at the name.
    project.run(&["merge", "s1", "s2", "s3", "-o", "again"]).expect(0);
    let unchained = |run: &str| -> Vec<Value> {
        let mut lines = project.lines(&format!("{run}/transcripts.jsonl"));
        for line in &mut lines {
            assert!(line.as_object_mut().unwrap().remove("prev").is_some());
        }
        lines
    };
    assert_eq!(unchained("again"), unchained("m"));
    project.run(&["run", "--resume", "m"]).expect(0);
    assert_eq!(model.count(), 36);
}

#[test]
fn a_shard_knows_the_whole_and_satisfies_no_gate_alone() {
    let (_model, project) = sharded();
    let (whole, shard) = (project.json("whole/plan.json"), project.json("s1/plan.json"));
    assert_eq!(shard["expected_sha256"], whole["expected_sha256"]);
    assert_eq!(shard["cells"], whole["cells"]);
    assert_eq!(shard["shard"], serde_json::json!({ "index": 1, "of": 3 }));
    let gate = project.run(&["gate", "s1"]).expect(3);
    assert!(gate.stdout.contains("it is another shard's"), "{}", gate.stdout);
    let ran = play(&project, "x", &["--shard", "4/3"]).expect(2);
    assert!(ran.stderr.contains("k/n"), "{}", ran.stderr);
}

#[test]
fn failures_and_errors_are_joined_like_passes() {
    let model = Shifting::start();
    let project = model.project(6);
    model.becomes(|row, _| match row {
        "piano 2" => Does::Fails,
        "piano 5" => Does::Refuses,
        _ => Does::Passes,
    });
    play(&project, "whole", &[]).expect(1);
    for k in 1..=3 {
        play(&project, &format!("s{k}"), &["--shard", &format!("{k}/3")]);
    }
    merge(&project, "m").expect(1);
    assert_eq!(record(&project, "m/manifest.json"), record(&project, "whole/manifest.json"));
    // Their journals are in different orders, so the places differ, and nothing else.
    let said = |run: &str| -> Vec<String> {
        let said = project.run(&["gate", run]).expect(1).stdout;
        said.lines().map(|line| line.split_once("W1/").map_or(line, |(_, said)| said).to_owned()).collect()
    };
    assert_eq!(said("m"), said("whole"));
}

#[test]
fn holes_and_overlaps_are_named() {
    let (_model, project) = sharded();
    refused(&project, &["s1", "s3"], &["shard 2/3 is missing"]);
    copy(&project, "s2", "twice");
    refused(&project, &["s1", "s2", "s3", "twice"], &["shard 2/3 is there twice, in s2 and in twice"]);
    refused(&project, &["s1", "s2", "whole"], &["whole was planned whole"]);
    refused(&project, &["s1", "s2", "cases"], &["not a run's folder"]);

    // A trial that was not played.
    copy(&project, "s2", "hole");
    let lines = project.read("hole/transcripts.jsonl");
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let rest = lines.lines().count() - 1;
    let rest: String = lines.lines().take(rest).map(|line| format!("{line}\n")).collect();
    project.write("hole/transcripts.jsonl", &rest);
    let id = last["id"].as_str().unwrap();
    refused(&project, &["s1", "hole", "s3"], &[&format!("{id} was not played"), "assize run --resume hole"]);

    // A shard that was killed before it was done can be gone on with, and then joined.
    project.as_killed("hole", rest.lines().count());
    project.run(&["run", "--resume", "hole", "--quiet"]).expect(0);
    project.run(&["merge", "s1", "hole", "s3", "-o", "mended"]).expect(0);
    assert_eq!(record(&project, "mended/manifest.json"), record(&project, "whole/manifest.json"));

    // A trial of another shard.
    copy(&project, "s2", "more");
    let stranger = project.read("s1/transcripts.jsonl").lines().next().unwrap().to_owned();
    project.write("more/transcripts.jsonl", &format!("{lines}{stranger}\n"));
    refused(&project, &["s1", "more", "s3"], &["more/transcripts.jsonl:", "is another shard's"]);

    // A line that was cut.
    copy(&project, "s2", "torn");
    project.write("torn/transcripts.jsonl", &lines[..lines.len() - 20]);
    refused(&project, &["s1", "torn", "s3"], &["the last line is torn"]);

    // A line that does not end, longer than any that is read.
    let journal =
        fs::OpenOptions::new().write(true).open(project.path().join("torn/transcripts.jsonl")).unwrap();
    journal.set_len(256 << 20).unwrap();
    refused(&project, &["s1", "torn", "s3"], &["torn/transcripts.jsonl: line", "longer than 64 MiB"]);

    // Out is never written over.
    let ran = project.run(&["merge", "s1", "s2", "s3", "-o", "whole"]).expect(2);
    assert!(ran.stderr.contains("whole"), "{}", ran.stderr);
}

/// A shard takes what is its own from another run, and nothing else: a merge would find it there twice.
#[test]
fn shards_that_reuse_a_run_are_joined() {
    let (model, project) = sharded();
    let before = model.count();
    let mut taken = 0;
    for k in 1..=3 {
        let shard = format!("{k}/3");
        let run = ["run", "--rows", "all", "--out", &format!("r{k}"), "--shard", &shard, "--reuse", "whole"];
        let ran = project.run(&run).expect(0);
        let own = project.lines(&format!("r{k}/transcripts.jsonl")).len();
        assert!(ran.stderr.contains(&format!("{own} of {own} trials are taken")), "{}", ran.stderr);
        taken += own;
    }
    assert_eq!((taken, model.count()), (18, before), "each is taken by one shard, and none is played");
    project.run(&["merge", "r1", "r2", "r3", "-o", "joined"]).expect(0);
    assert_eq!(project.lines("joined/transcripts.jsonl").len(), 18);
}

#[test]
fn shards_of_different_runs_are_refused() {
    let (model, project) = sharded();
    let again = |what: &str, says: &[&str]| {
        let _ = fs::remove_dir_all(project.path().join(what));
        play(&project, what, &["--shard", "2/3"]).expect(0);
        refused(&project, &["s1", what, "s3"], says);
    };
    let before = project.read("CHARTER.md");
    project.edit("CHARTER.md", "CANARY-BELOW", "BELOW");
    again("other-charter", &["differ in the charter"]);
    project.write("CHARTER.md", &before);

    let before = project.read("matrix.yaml");
    project.write("matrix.yaml", &format!("# another\n{before}"));
    again("other-matrix", &["differ in the matrix"]);
    project.write("matrix.yaml", &before);

    let before = project.read("cases/w1-say-the-word/case.yaml");
    project.edit("cases/w1-say-the-word/case.yaml", "is said", "is spoken");
    again("other-cases", &["differ in the cases"]);
    project.write("cases/w1-say-the-word/case.yaml", &before);

    let before = project.read("checkers/says-the-word/v1.yaml");
    project.edit("checkers/says-the-word/v1.yaml", "is meant", "is sung");
    again("other-checkers", &["differ in the checkers"]);
    project.write("checkers/says-the-word/v1.yaml", &before);

    play(&project, "trials", &["--shard", "2/3", "--trials", "4"]).expect(0);
    refused(&project, &["s1", "trials", "s3"], &["differ in the expected set"]);
    play(&project, "count", &["--shard", "2/4"]).expect(0);
    refused(&project, &["s1", "count", "s3"], &["not of as many shards"]);

    // Inputs that were changed after the plan was made.
    copy(&project, "s2", "edited");
    project.edit("edited/inputs/charter.md", "Say the word.", "Say a word.");
    refused(&project, &["s1", "edited", "s3"], &["inputs/charter.md is not the first shard's"]);
    let mut plan = project.json("s2/plan.json");
    plan["shard"] = serde_json::json!({ "index": 0, "of": 3 });
    copy(&project, "s2", "zero");
    project.write("zero/plan.json", &plan.to_string());
    refused(&project, &["s1", "zero", "s3"], &["a shard is written k/n"]);
    drop(model);
}

#[cfg(not(feature = "object-store"))]
#[test]
fn a_build_without_stores_says_so() {
    let model = Shifting::start();
    let project = model.project(1);
    for arguments in [
        &["run", "--out", "r", "--store", "s3://bucket/x"][..],
        &["run", "--resume", "s3://bucket/x"],
        &["merge", "s3://bucket/x", "-o", "m"],
        &["gate", "s3://bucket/x"],
        &["report", "s3://bucket/x"],
        &["pack", "s3://bucket/x"],
    ] {
        let ran = project.run(arguments).expect(2);
        let says = "s3://bucket/x: this build has no object store; build with --features object-store";
        assert!(ran.stderr.contains(says), "{arguments:?}: {}", ran.stderr);
    }
    assert!(!project.path().join("r").exists());
    assert_eq!(model.count(), 0);
}
