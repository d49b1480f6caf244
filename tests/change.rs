//! `assize gate --base`: what an edit is, what version it must lead to, and what keeps it out.

use crate::support::Project;
use crate::support::server::Server;
use crate::support::signed::{answers, commit, committed, git};

/// A committed project whose models say `frontier` and `weakest`.
fn project(frontier: &'static str, weakest: &'static str) -> (Project, Vec<Server>) {
    let servers = vec![
        Server::start(move |request, _| answers(request, frontier)),
        Server::start(move |request, _| answers(request, weakest)),
    ];
    let urls: Vec<String> = servers.iter().map(Server::url).collect();
    (committed(&urls).0, servers)
}

/// Commits, runs, and asks the gate about the change since `base`.
fn gate(project: &Project, base: &str, code: i32) -> String {
    commit(project, "edit");
    let _ = std::fs::remove_dir_all(project.path().join("runs/r"));
    project.run(&["run", "--out", "runs/r", "--quiet"]);
    project.run(&["gate", "runs/r", "--base", base]).expect(code).stdout
}

#[test]
fn each_kind_of_edit_asks_for_its_step() {
    for (old, new, version, kind) in [
        ("Say them.", "Say each of them.", "1.0.1", "a patch"),
        ("A — Words. Say them.", "A — Words. Say them.\nB — Songs. Sing them.", "1.1.0", "a minor step"),
        ("1. Say the word.", "1. Say the word, please.", "2.0.0", "a major step"),
    ] {
        let (project, _servers) = project("piano", "piano");
        let base = git(&project, &["rev-parse", "HEAD"]);
        project.edit("CHARTER.md", old, new);
        let said = gate(&project, &base, 1);
        assert!(
            said.contains("the version does not say what the edit is")
                && said.contains(&format!("expected {version}")),
            "{said}"
        );
        project.edit("CHARTER.md", "Version 1.0.0", &format!("Version {version}"));
        let said = gate(&project, &base, 0);
        assert!(said.contains(&format!("the edit is {kind}")), "{said}");
        // A bigger step than the edit is wrong too.
        project.edit("CHARTER.md", &format!("Version {version}"), "Version 3.0.0");
        gate(&project, &base, 1);
    }
}

#[test]
fn a_new_case_is_a_minor_step_and_needs_a_row() {
    let (project, _servers) = project("piano", "piano");
    let case = project
        .read("cases/w1-say-the-word/case.yaml")
        .replace("W1", "W2")
        .replace("say-the-word\n", "say-it-again\n");
    let case = case.replace("failure_modes: [forgets-the-word]", "failure_modes: []");
    project.write("cases/w2-say-it-again/case.yaml", &case);
    project.write("cases/w2-say-it-again/params.csv", "word\npiano\n");
    project.edit("CHARTER.md", "Version 1.0.0", "Version 1.1.0");
    let said = gate(&project, "HEAD~1", 1);
    assert!(said.contains("the new case W2 is in no row of the registry"), "{said}");
}

#[test]
fn a_change_without_an_edit_needs_no_step_and_a_run_of_other_files_speaks_for_nothing() {
    let (project, _servers) = project("piano", "piano");
    project.write("notes.txt", "x");
    let said = gate(&project, "HEAD", 0);
    assert!(said.contains("no edit"), "{said}");
    // The charter moves on after the run.
    project.edit("CHARTER.md", "Say them.", "Say each.");
    project.edit("CHARTER.md", "Version 1.0.0", "Version 1.0.1");
    let said = project.run(&["gate", "runs/r", "--base", "HEAD"]).expect(1).stdout;
    assert!(said.contains("the charter among the project's files is not the one"), "{said}");
    project.run(&["gate", "runs/r", "--base", "no-such-commit"]).expect(2);
}

#[test]
fn failing_only_on_the_weakest_model_blocks_and_names_the_row_to_add() {
    let (project, _servers) = project("piano", "organ");
    project.edit("CHARTER.md", "Say them.", "Say each.");
    project.edit("CHARTER.md", "Version 1.0.0", "Version 1.0.1");
    let said = gate(&project, "HEAD~1", 1);
    let row = "say-the-word-on-the-weakest-model,say the word on the weakest model,fails word on m2 and on no other model,none yet: the charter must reach this model too,W1";
    assert!(said.contains(row), "{said}");
    assert!(said.contains("W1/r1/m2/t1 failed word"), "{said}");
}

#[test]
fn failing_everywhere_asks_for_no_row_and_two_of_three_is_not_three() {
    let (project, _servers) = project("organ", "organ");
    project.write("notes.txt", "x");
    let said = gate(&project, "HEAD~1", 1);
    assert!(!said.contains("row to add"), "{said}");
    let servers = [
        Server::start(|request, n| answers(request, if n == 1 { "organ" } else { "piano" })),
        Server::start(|request, _| answers(request, "piano")),
    ];
    let (project, _) = committed(&servers.iter().map(Server::url).collect::<Vec<_>>());
    project.write("notes.txt", "x");
    let said = gate(&project, "HEAD~1", 1);
    assert!(said.contains("/m1/t") && said.contains("failed word"), "{said}");
}

#[test]
fn a_policy_that_asks_for_less_is_a_change_of_its_own() {
    let (project, _servers) = project("piano", "piano");
    project.edit("assize.yaml", "trials: 3", "trials: 5");
    let base = commit(&project, "five");
    project.edit("assize.yaml", "trials: 5", "trials: 3");
    project.edit("CHARTER.md", "Say them.", "Say each.");
    project.edit("CHARTER.md", "Version 1.0.0", "Version 1.0.1");
    let said = gate(&project, &base, 1);
    assert!(said.contains("3 trials a cell instead of 5") && said.contains("a change of its own"), "{said}");
    // By itself it is let through, and shown.
    project.edit("CHARTER.md", "Say each.", "Say them.");
    project.edit("CHARTER.md", "Version 1.0.1", "Version 1.0.0");
    let said = gate(&project, &base, 0);
    assert!(said.contains("policy edit: 3 trials a cell instead of 5"), "{said}");
    // Below the floor nothing is let through.
    project.edit("assize.yaml", "trials: 3", "trials: 1");
    let said = gate(&project, &base, 1);
    assert!(said.contains("a gate needs 3 trials"), "{said}");
}

#[test]
fn a_matrix_without_the_weakest_model_is_refused() {
    let (project, _servers) = project("piano", "piano");
    project.edit("matrix.yaml", "role: weakest-deployed", "role: other");
    let said = gate(&project, "HEAD~1", 1);
    assert!(said.contains("`weakest-deployed`"), "{said}");
}
