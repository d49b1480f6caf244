//! `--reuse`: what is taken from another run, what is played anew, and that no gate is talked round with it.

use crate::support::Project;
use crate::support::server::{Server, refuses, says};

/// A finished run `old` whose second trial ended in an error.
fn ran() -> (Project, Server) {
    let server = Server::start(|_, n| if n == 1 { refuses(400, "no") } else { says("piano") });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "    decoding: { temperature: 0 }\n");
    project.run(&["run", "--out", "old", "--concurrency", "1"]).expect(3);
    (project, server)
}

#[test]
fn finished_trials_of_identical_cells_are_taken_and_a_gate_refuses_them() {
    let (project, server) = ran();
    let ran = project.run(&["run", "--out", "new", "--reuse", "old"]).expect(0);
    assert_eq!(server.count(), 4, "only the trial without a verdict is played");
    assert!(ran.stderr.contains("2 of 3 trials are taken"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 not finished there"), "{}", ran.stderr);
    assert!(ran.stdout.contains("2 trials not played but taken from old"), "{}", ran.stdout);
    let last = ran.stderr.lines().rev().take(2).collect::<Vec<_>>().join("\n");
    assert!(
        last.contains("`assize gate` will refuse this run")
            && last.contains("a gate needs trials of the run's own"),
        "{}",
        ran.stderr
    );
    let manifest = project.json("new/manifest.json");
    assert_eq!(manifest["models"][0]["usage"]["input"], 10, "only what was played was paid for");
    let trials = &manifest["cells"][0]["trials"];
    let from = &trials[0]["attempts"][0]["reused_from"];
    assert_eq!(from["run"], "old");
    let old = project.json("old/manifest.json");
    assert_eq!(from["transcript_sha256"], old["cells"][0]["trials"][0]["attempts"][0]["transcript_sha256"]);
    assert!(trials[1]["attempts"][0].get("reused_from").is_none());
    let gate = project.run(&["gate", "new"]).expect(1);
    assert!(
        gate.stdout.contains("trials were not played in this run but taken from old (2 of them)"),
        "{}",
        gate.stdout
    );
    let compared = project.run(&["compare", "new", "new"]).expect(0);
    assert!(compared.stderr.contains("new: `assize gate` will refuse this run"), "{}", compared.stderr);
    // It can be resumed and taken from in turn.
    project.run(&["run", "--resume", "new"]).expect(0);
    project.run(&["run", "--out", "newer", "--reuse", "new"]).expect(0);
    assert_eq!(server.count(), 4);
}

/// A resume takes nothing from another run, so what was to be taken must be there before there is a run to resume.
#[cfg(unix)]
#[test]
fn a_run_that_was_cut_off_before_it_began_is_none() {
    let long = format!("piano {}", "la ".repeat(200_000));
    let server = Server::start(move |_, _| says(&long));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "old"]).expect(0);
    let run = ["run", "--out", "new", "--reuse", "old"];
    let ran = project.run_limited(400, &run).expect(2);
    assert!(ran.stderr.contains("new/transcripts.jsonl: File too large"), "{}", ran.stderr);
    let ran = project.run(&["run", "--resume", "new"]).expect(2);
    assert!(ran.stderr.contains("not a run's folder"), "{}", ran.stderr);
    let ran = project.run(&run).expect(2);
    assert!(ran.stderr.contains("cut off before it began, so nothing was played in it"), "{}", ran.stderr);
    std::fs::remove_dir_all(project.path().join("new")).unwrap();
    project.run(&run).expect(0);
    assert_eq!(server.count(), 3, "nothing was played a second time");
}

#[test]
fn whatever_changes_a_cell_has_it_played_anew() {
    type Edit = fn(&Project);
    let edits: [(Edit, &str); 5] = [
        (|project| project.edit("CHARTER.md", "Say the word.", "Say the word twice."), "another charter"),
        (|project| project.edit("cases/w1-say-the-word/case.yaml", "please", "now"), "another case"),
        (|project| project.edit("matrix.yaml", "temperature: 0", "temperature: 1"), "another model entry"),
        (|project| project.edit("matrix.yaml", "test-model-1", "test-model-9"), "another model entry"),
        (
            |project| project.edit("matrix.yaml", "temperature: 0 }", "temperature: 0 }\n    stream: false"),
            "another model entry",
        ),
    ];
    for (edit, why) in edits {
        let (project, server) = ran();
        edit(&project);
        let ran = project.run(&["run", "--out", "new", "--reuse", "old"]).expect(0);
        assert!(ran.stderr.contains("0 of 3") && ran.stderr.contains(&format!("3 {why}")), "{}", ran.stderr);
        assert_eq!(server.count(), 6, "{why}");
    }
}

#[test]
fn another_row_or_trial_number_is_another_trial() {
    let (project, server) = ran();
    project.run(&["run", "--out", "more", "--trials", "5", "--reuse", "old"]).expect(0);
    assert_eq!(server.count(), 3 + 3);
}

#[test]
fn what_is_taken_is_judged_by_the_checkers_of_today() {
    let (project, server) = ran();
    project.edit("checkers/says-the-word/v1.yaml", "bpiano", "b(?:organ|pianoforte)");
    let controls = crate::support::controls();
    let controls: Vec<String> = controls
        .lines()
        .zip(["organ", "An organ.", "piano", "flute", "no"])
        .map(|(line, reply)| {
            let mut control: serde_json::Value = serde_json::from_str(line).unwrap();
            control["messages"][0]["content"] = reply.into();
            format!("{control}\n")
        })
        .collect();
    project.write("checkers/says-the-word/v1.controls.jsonl", &controls.concat());
    let ran = project.run(&["run", "--out", "new", "--reuse", "old"]).expect(1);
    assert!(ran.stdout.contains("3 failed"), "{}", ran.stdout);
    assert_eq!(server.count(), 4);
}

#[test]
fn nothing_is_taken_from_a_run_that_was_edited() {
    let (project, server) = ran();
    project.edit("old/transcripts.jsonl", "\"content\":\"piano\"", "\"content\":\"a piano\"");
    let ran = project.run(&["run", "--out", "new", "--reuse", "old"]).expect(2);
    assert!(ran.stderr.contains("not as this program wrote it"), "{}", ran.stderr);
    assert!(!project.path().join("new").exists());
    project.run(&["run", "--out", "new", "--reuse", "nowhere"]).expect(2);
    assert_eq!(server.count(), 3);
}
