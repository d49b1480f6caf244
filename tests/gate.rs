//! `assize gate`: what says yes, what says no, and what is incomplete.

use crate::support::Project;
use crate::support::server::{Server, refuses, says};
use crate::support::signed::{answers, commit, committed, git};

fn passed() -> (Project, Server) {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(0);
    (project, server)
}

#[test]
fn a_whole_run_that_passed_gets_a_yes_without_a_request() {
    let (project, server) = passed();
    let ran = project.run(&["gate", "r"]).expect(0);
    assert!(ran.stdout.contains("yes"), "{}", ran.stdout);
    assert_eq!(server.count(), 3);
}

#[test]
fn one_failure_in_three_says_no_and_names_trial_and_clause() {
    let server = Server::start(|_, n| says(if n == 2 { "organ" } else { "piano" }));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(1);
    let ran = project.run(&["gate", "r"]).expect(1);
    assert!(ran.stdout.contains("W1/r1/m1/t3 failed word"), "{}", ran.stdout);
}

#[test]
fn an_error_leaves_it_incomplete() {
    let server = Server::start(|_, n| if n == 2 { refuses(403, "no") } else { says("piano") });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(3);
    project.run(&["gate", "r"]).expect(3);
    // Once it has its answer, the gate still says that it took another go.
    project.run(&["run", "--resume", "r"]).expect(0);
    let gate = project.run(&["gate", "r"]).expect(0);
    let told = "note: W1/r1/m1/t3: attempt 1 of 2 ended without a verdict (transcripts.jsonl:3)";
    assert!(gate.stdout.contains(told), "{}", gate.stdout);
}

#[test]
fn fewer_trials_or_models_than_owed_say_no() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url(), server.url()], "");
    project.run(&["run", "--out", "few", "--trials", "2"]).expect(0);
    let ran = project.run(&["gate", "few"]).expect(1);
    assert!(ran.stdout.contains("3 trials"), "{}", ran.stdout);
    project.run(&["run", "--out", "one", "--model", "m1"]).expect(0);
    let ran = project.run(&["gate", "one"]).expect(1);
    assert!(ran.stdout.contains("only models m1"), "{}", ran.stdout);
}

#[test]
fn a_plan_or_journal_that_was_cut_down_says_no() {
    // One trial's line is taken out: it is owed all the same.
    let (project, _server) = passed();
    let text = project.read("r/transcripts.jsonl");
    let cut: String = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
    project.write("r/transcripts.jsonl", &cut);
    project.run(&["gate", "r"]).expect(1);

    // The model's answer is changed: the manifest no longer follows.
    let (project, _server) = passed();
    project.edit("r/transcripts.jsonl", "\"content\":\"piano\"", "\"content\":\"piano!\"");
    let ran = project.run(&["gate", "r"]).expect(1);
    assert!(ran.stdout.contains("does not follow"), "{}", ran.stdout);

    // The plan is made smaller together with its digest.
    let (project, _server) = passed();
    project.edit("r/plan.json", "\"trials\":3", "\"trials\":1");
    project.run(&["gate", "r"]).expect(1);

    // A checker among the inputs is swapped.
    let (project, _server) = passed();
    project.edit("r/inputs/own-checkers/0/says-the-word/v1.yaml", "is meant", "is sung");
    let ran = project.run(&["gate", "r"]).expect(1);
    assert!(ran.stdout.contains("checker says-the-word@1"), "{}", ran.stdout);
}

#[test]
fn a_checker_that_misjudges_its_controls_is_refused_by_run_check_and_gate() {
    let (project, _server) = passed();
    project.edit("checkers/says-the-word/v1.controls.jsonl", "\"organ\"", "\"grand piano\"");
    let ran = project.run(&["run", "--out", "s"]).expect(2);
    assert!(ran.stderr.contains("c4") && ran.stderr.contains("says-the-word@1"), "{}", ran.stderr);
    assert!(!project.path().join("s").exists());
    let ran = project.run(&["check", "r/transcripts.jsonl"]).expect(3);
    assert!(ran.stdout.contains("controls misbehave"), "{}", ran.stdout);
    project.edit("r/inputs/own-checkers/0/says-the-word/v1.controls.jsonl", "\"organ\"", "\"grand piano\"");
    let ran = project.run(&["gate", "r"]).expect(1);
    assert!(ran.stdout.contains("cannot be believed"), "{}", ran.stdout);
    project.run(&["lint"]).expect(1);
}

#[test]
fn no_run_is_no_yes() {
    let project = Project::new();
    project.run(&["gate", "nowhere"]).expect(2);
    project.run(&["gate", "."]).expect(2);
}

/// An audit of a release refuses such a run, and it should not cost the money of all trials to learn that.
#[test]
fn a_run_of_a_changed_working_tree_says_so_at_its_start_and_at_the_gate() {
    let server = Server::start(|request, _| answers(request, "piano"));
    let (project, _) = committed(&[server.url()]);
    let ran = project.run(&["run", "--out", "runs/clean"]).expect(0);
    assert!(!ran.stderr.contains("differ"), "{}", ran.stderr);
    // What nights leave behind is no change either.
    project.run(&["nightly", "-q"]).expect(0);
    assert!(project.path().join("nights/night-000001.jsonl").exists());
    let ran = project.run(&["run", "--out", "runs/after-a-night"]).expect(0);
    assert!(!ran.stderr.contains("differ"), "{}", ran.stderr);
    let gate = project.run(&["gate", "runs/after-a-night"]).expect(0);
    assert!(!gate.stdout.contains("working tree"), "{}", gate.stdout);
    project.edit("CHARTER.md", "Say them.", "Say them well.");
    project.write("new.txt", "x");
    let ran = project.run(&["run", "--out", "runs/dirty"]).expect(0);
    let note = "a release audit will refuse this run: 2 files differ from the last commit, first CHARTER.md; commit first";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let gate = project.run(&["gate", "runs/dirty"]).expect(0);
    assert!(gate.stdout.contains("note: the working tree differed from the commit"), "{}", gate.stdout);
    commit(&project, "second");
    let ran = project.run(&["run", "--out", "runs/again"]).expect(0);
    assert!(!ran.stderr.contains("differ"), "{}", ran.stderr);
}

/// What counts as a change is not left to how somebody has set up their git.
#[test]
fn no_setting_of_git_hides_a_file_that_is_in_no_commit() {
    let server = Server::start(|request, _| answers(request, "piano"));
    let (project, _) = committed(&[server.url()]);
    git(&project, &["config", "status.showUntrackedFiles", "no"]);
    project.write("helpers/new.sh", "exit 0\n");
    let ran = project.run(&["run", "--out", "runs/r"]).expect(0);
    assert!(
        ran.stderr.contains("1 file differs from the last commit, first helpers/new.sh"),
        "{}",
        ran.stderr
    );
    let gate = project.run(&["gate", "runs/r"]).expect(0);
    assert!(gate.stdout.contains("note: the working tree differed from the commit"), "{}", gate.stdout);
}
