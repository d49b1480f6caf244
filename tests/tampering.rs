//! A run's folder edited by hand: neither the gate nor a resume may be talked round, though digests were made to fit
//! and the manifest was taken away so that a resume would write a new one.

use serde_json::{Value, json};

use crate::support::Project;
use crate::support::server::{Server, says};

/// A finished run of three trials whose model said `word`.
fn ran(word: &'static str) -> (Project, Server) {
    let server = Server::start(move |_, _| says(word));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.command(&["run", "--out", "r"]).output().unwrap();
    (project, server)
}

fn edit_plan(project: &Project, edit: impl FnOnce(&mut Value)) {
    let mut plan = project.json("r/plan.json");
    edit(&mut plan);
    project.write("r/plan.json", &plan.to_string());
}

fn edit_lines(project: &Project, edit: impl FnOnce(&mut Vec<Value>)) {
    let mut lines = project.lines("r/transcripts.jsonl");
    edit(&mut lines);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    project.write("r/transcripts.jsonl", &text);
}

/// No resume goes on, no gate says yes, whether or not the old manifest is at hand.
fn never_holds(project: &Project, says: &str) {
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    let resumed = project.run(&["run", "--resume", "r"]).expect(2);
    assert!(resumed.stderr.contains(says), "{}", resumed.stderr);
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains(says), "{}", gate.stdout);
}

#[test]
fn an_untouched_run_is_resumed_and_gets_its_yes() {
    let (project, _server) = ran("piano");
    project.run(&["run", "--resume", "r"]).expect(0);
    project.run(&["gate", "r"]).expect(0);
}

#[test]
fn a_plan_cannot_say_that_a_model_must_fail() {
    let (project, _server) = ran("organ");
    edit_plan(&project, |plan| plan["models"][0]["expect"] = json!("fail"));
    never_holds(&project, "model m1");
}

#[test]
fn a_plan_cannot_call_recorded_traces_a_model_or_rename_one() {
    let project = Project::new();
    project.write("cases/w1-say-the-word/traces/none.yaml", "- say: piano\n");
    project.run(&["run", "--out", "r"]).expect(0);
    edit_plan(&project, |plan| plan["models"][0]["replay"] = json!(false));
    never_holds(&project, "model none");

    let (project, _server) = ran("piano");
    edit_plan(&project, |plan| plan["models"][0]["requested"] = json!("a-better-model"));
    never_holds(&project, "model m1");
}

#[test]
fn a_plan_cannot_leave_out_whom_it_is_judged_by() {
    let (project, _server) = ran("organ");
    edit_plan(&project, |plan| plan["checkers"] = json!([]));
    project.edit("r/inputs/own-checkers/0/says-the-word/v1.yaml", "piano", "(piano|organ)");
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("checker says-the-word@1"), "{}", gate.stdout);
}

#[test]
fn a_plan_of_another_charter_of_a_newer_format_or_of_absurd_size_is_refused() {
    let (project, _server) = ran("piano");
    edit_plan(&project, |plan| plan["charter"]["runtime_sha256"] = json!("0".repeat(64)));
    edit_lines(&project, |lines| {
        lines.iter_mut().for_each(|line| line["charter_sha256"] = json!("0".repeat(64)));
    });
    never_holds(&project, "the charter");

    let (project, _server) = ran("piano");
    edit_plan(&project, |plan| plan["format"] = json!(99));
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("newer"), "{}", gate.stdout);

    let (project, _server) = ran("piano");
    edit_plan(&project, |plan| plan["trials"] = json!(u32::MAX));
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("more than a run can hold"), "{}", gate.stdout);
    let ran = project.run(&["run", "--out", "s", "--trials", "4294967295"]).expect(2);
    assert!(ran.stderr.contains("more than a run can hold"), "{}", ran.stderr);
    assert!(!project.path().join("s").exists());
}

#[test]
fn a_trial_that_has_its_answer_is_not_played_again() {
    // A pass written before each failure, as if the failure were a later attempt.
    let (project, _server) = ran("organ");
    edit_lines(&project, |lines| {
        let mut better = lines.clone();
        better.iter_mut().for_each(|line| line["messages"][2]["content"] = json!("piano"));
        better.append(lines);
        *lines = better;
    });
    never_holds(&project, "after it had an answer");

    // A line twice.
    let (project, _server) = ran("piano");
    edit_lines(&project, |lines| lines.push(lines[0].clone()));
    never_holds(&project, "after it had an answer");
}

#[test]
fn what_does_not_come_from_the_model_must_follow_from_the_case() {
    type Edit = fn(&mut Value);
    let edits: [(Edit, &str); 7] = [
        (|line| line["params"]["word"] = json!("organ"), "parameters"),
        (|line| line["messages"][1]["content"] = json!("Say piano."), "message 1"),
        (|line| line["messages"][2]["by"] = json!("script"), "more replies than"),
        (
            |line| {
                let more = json!({ "role": "assistant", "by": "model", "content": "piano" });
                line["messages"].as_array_mut().unwrap().push(more);
            },
            "4 messages",
        ),
        (|line| line["decoding"] = json!({ "temperature": 9 }), "sampled"),
        (|line| line["case_sha256"] = json!("0".repeat(64)), "another case"),
        (|line| line["tools"] = json!(["deploy"]), "tools offered"),
    ];
    for (edit, says) in edits {
        let (project, _server) = ran("piano");
        edit_lines(&project, |lines| lines.iter_mut().for_each(edit));
        never_holds(&project, says);
    }
}

#[test]
fn a_resume_never_rewrites_a_manifest_over_an_edited_journal() {
    let (project, _server) = ran("organ");
    let before = project.read("r/manifest.json");
    project.edit("r/transcripts.jsonl", "\"content\":\"organ\"", "\"content\":\"piano\"");
    let resumed = project.run(&["run", "--resume", "r"]).expect(2);
    assert!(resumed.stderr.contains("the manifest records"), "{}", resumed.stderr);
    assert_eq!(project.read("r/manifest.json"), before);
    project.run(&["gate", "r"]).expect(1);
}

/// Without manifest and journal, the sittings are all that is left of what was played.
#[test]
fn a_journal_that_was_emptied_or_begun_anew_is_told_by_the_sittings() {
    let (project, server) = ran("organ");
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    project.write("r/transcripts.jsonl", "");
    let gate = project.run(&["gate", "r"]).expect(1);
    for says in [
        "sittings.jsonl:2: trials were played in this sitting",
        "sittings.jsonl:3: the journal is not the one",
    ] {
        assert!(gate.stdout.contains(says), "{}", gate.stdout);
    }
    let resumed = project.run(&["run", "--resume", "r"]).expect(2);
    assert!(resumed.stderr.contains("lines that were played are gone"), "{}", resumed.stderr);
    assert_eq!(server.count(), 3, "nothing is played again");
    // The file itself gone, or cut to its beginning, comes to the same.
    std::fs::remove_file(project.path().join("r/transcripts.jsonl")).unwrap();
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("found no line"), "{}", gate.stdout);

    let (project, _server) = ran("organ");
    let first = project.read("r/transcripts.jsonl").lines().next().unwrap().to_owned();
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    project.write("r/transcripts.jsonl", &format!("{first}\n"));
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("found 1 line"), "{}", gate.stdout);

    // A sitting that was killed has no end; its first kept attempt is on record all the same.
    let (project, _server) = ran("organ");
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    let sittings: String =
        project.read("r/sittings.jsonl").lines().take(2).map(|line| format!("{line}\n")).collect();
    project.write("r/sittings.jsonl", &sittings);
    project.run(&["run", "--resume", "r"]).expect(1);
    project.write("r/transcripts.jsonl", "");
    project.write("r/sittings.jsonl", &sittings);
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    let resumed = project.run(&["run", "--resume", "r"]).expect(2);
    assert!(resumed.stderr.contains("no line of them is left"), "{}", resumed.stderr);

    // Runs of the first format say only that all was played.
    let (project, _server) = ran("organ");
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    let old: String = project
        .lines("r/sittings.jsonl")
        .into_iter()
        .filter(|line| line["event"] != "kept")
        .map(|mut line| {
            line.as_object_mut().unwrap().remove("journal");
            format!("{line}\n")
        })
        .collect();
    project.write("r/sittings.jsonl", &old);
    project.run(&["run", "--resume", "r"]).expect(1);
    project.write("r/transcripts.jsonl", "");
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("no line of them is left"), "{}", gate.stdout);
}
