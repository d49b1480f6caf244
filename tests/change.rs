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

/// An edit of the charter that is a patch, with the version that it asks for.
fn edit_charter(project: &Project) {
    project.edit("CHARTER.md", "Say them.", "Say each.");
    project.edit("CHARTER.md", "Version 1.0.0", "Version 1.0.1");
}

/// What `edit` does to a project is refused beside an edit of the charter, and by itself told as a policy edit.
fn is_a_change_of_its_own(prepare: impl Fn(&Project), edit: impl Fn(&Project), told: &str) {
    let (project, _servers) = project("piano", "piano");
    prepare(&project);
    project.write("notes.txt", "prepared");
    let base = commit(&project, "prepared");
    edit(&project);
    let said = gate(&project, &base, 0);
    assert!(said.contains(&format!("policy edit: {told}")), "{told}: {said}");
    edit_charter(&project);
    let said = gate(&project, &base, 1);
    assert!(said.contains(told) && said.contains("a change of its own"), "{told}: {said}");
}

#[test]
fn a_model_is_not_swapped_beside_an_edit_of_the_charter() {
    for (new, told) in [
        ("model: test-model-9", "model m2 is another (the model that is asked for)"),
        (
            "model: test-model-2\n    decoding: { temperature: 0 }",
            "model m2 is another (its decoding parameters)",
        ),
        (
            "model: test-model-2\n    pin: { model: test-model-2, fingerprint: null }\n    limits: { max_steps: 2 }",
            "model m2 is another (its replies to a step)",
        ),
    ] {
        is_a_change_of_its_own(
            |_| {},
            |project| project.edit("matrix.yaml", "model: test-model-2", new),
            told,
        );
    }
    let (project, _servers) = project("piano", "piano");
    project.edit("matrix.yaml", "127.0.0.1", "localhost");
    edit_charter(&project);
    let said = gate(&project, "HEAD~1", 1);
    assert!(said.contains("model m2 is another (the endpoint)"), "{said}");
    let (project, _servers) = self::project("piano", "piano");
    project.edit("matrix.yaml", "model: test-model-2", "model: test-model-2\n    pin: { model: other }");
    edit_charter(&project);
    let said = gate(&project, "HEAD~1", 1);
    assert!(said.contains("model m2 is another (the pin)"), "{said}");
}

#[test]
fn a_row_of_a_table_is_not_taken_out_or_changed_beside_an_edit_of_the_charter() {
    const CASE: &str = "cases/w1-say-the-word/case.yaml";
    const TABLE: &str = "cases/w1-say-the-word/params.csv";
    let table = |text: &'static str| move |project: &Project| project.write(TABLE, text);
    let inline = |text: &'static str| {
        move |project: &Project| {
            let case = project.read(CASE);
            let kept: String = case
                .split_inclusive('\n')
                .map(|line| if line.starts_with("params:") { text } else { line })
                .collect();
            project.write(CASE, &kept);
        }
    };
    let two = "word\npiano\nviolin\n";
    is_a_change_of_its_own(table(two), table("word\npiano\nflute\n"), "row 2 of W1 reads otherwise");
    is_a_change_of_its_own(table(two), table("word\npiano\n"), "row 2 of W1 is gone");
    let two = inline("params: [{ word: piano }, { word: violin }]\n");
    is_a_change_of_its_own(two, inline("params: [{ word: piano }]\n"), "row 2 of W1 is gone");
    is_a_change_of_its_own(
        table("word\npiano\n"),
        inline("params: [{ word: pianos }]\n"),
        "row 1 of W1 reads",
    );
    // More rows, and the same rows from elsewhere, ask for no less.
    let (project, _servers) = project("piano", "piano");
    inline("params: [{ word: piano }, { word: violin }]\n")(&project);
    edit_charter(&project);
    gate(&project, "HEAD~1", 0);
}

/// Adds a checker beside the project's own one, that takes an organ too.
fn add_checker(project: &Project, id: &str, version: u32) {
    let definition = project.read("checkers/says-the-word/v1.yaml");
    let definition = definition
        .replace("id: says-the-word\nversion: 1", &format!("id: {id}\nversion: {version}"))
        .replace("bpiano", "b(?:piano|organ)");
    project.write(&format!("checkers/{id}/v{version}.yaml"), &definition);
    let controls = project.read("checkers/says-the-word/v1.controls.jsonl").replace("\"organ\"", "\"harp\"");
    project.write(&format!("checkers/{id}/v{version}.controls.jsonl"), &controls);
}

#[test]
fn who_judges_a_case_changes_by_itself_and_only_to_a_higher_version() {
    const CASE: &str = "cases/w1-say-the-word/case.yaml";
    let judged_by = |checker: &'static str| {
        move |project: &Project| {
            let case = project.read(CASE);
            let at = case.find("checker:").unwrap();
            project.write(CASE, &format!("{}checker: {checker}\n", &case[..at]));
        }
    };
    let (project, _servers) = project("piano", "organ");
    add_checker(&project, "weak", 1);
    add_checker(&project, "says-the-word", 2);
    let base = commit(&project, "checkers");
    judged_by("weak@1")(&project);
    let said = gate(&project, &base, 1);
    assert!(said.contains("says-the-word@1 judged it, and now weak@1 does"), "{said}");
    let linted = project.run(&["lint", "--base", &base]).stdout;
    assert!(linted.contains("says-the-word@1 judged it, and now weak@1 does"), "{linted}");
    edit_charter(&project);
    let said = gate(&project, &base, 1);
    assert!(said.contains("W1 is judged by weak@1 instead of says-the-word@1"), "{said}");
    // The same through a variant.
    judged_by("says-the-word@1\nvariants:\n  i: {}\n")(&project);
    let base = commit(&project, "variants");
    judged_by("says-the-word@1\nvariants:\n  i: { checker: weak@1 }\n")(&project);
    let said = gate(&project, &base, 1);
    assert!(said.contains("variant i: says-the-word@1 judged it, and now weak@1 does"), "{said}");

    let prepare = |project: &Project| add_checker(project, "says-the-word", 2);
    is_a_change_of_its_own(
        prepare,
        judged_by("says-the-word@2"),
        "W1 is judged by says-the-word@2 instead of says-the-word@1",
    );
    let (project, _servers) = self::project("piano", "piano");
    add_checker(&project, "says-the-word", 2);
    judged_by("says-the-word@2")(&project);
    let base = commit(&project, "second version");
    judged_by("says-the-word@1")(&project);
    let said = gate(&project, &base, 1);
    assert!(said.contains("says-the-word@2 judged it, and now says-the-word@1 does"), "{said}");
}

#[test]
fn an_edit_of_a_case_lands_before_the_edit_of_the_charter() {
    let (project, _servers) = project("piano", "piano");
    let base = git(&project, &["rev-parse", "HEAD"]);
    project.edit("cases/w1-say-the-word/case.yaml", "please", "now");
    let named =
        "cases/w1-say-the-word/case.yaml:9: case W1 (script changed): this file is not as it was (sha256 ";
    let said = gate(&project, &base, 0);
    assert!(said.contains(&format!("edit of the examination: {named}")), "{said}");
    edit_charter(&project);
    let said = gate(&project, &base, 1);
    let lines =
        "expected `  - user: \"Say {{ word }}, please.\"`, found `  - user: \"Say {{ word }}, now.\"`";
    assert!(said.contains(named) && said.contains("land that first") && said.contains(lines), "{said}");
    // Who lints first pays for no run.
    let linted = project.run(&["lint", "--base", &base]).stdout;
    assert!(linted.contains("error: cases/w1-say-the-word/case.yaml:9:"), "{linted}");
    // Once it has landed, the charter may follow.
    project.edit("CHARTER.md", "Say each.", "Say them.");
    project.edit("CHARTER.md", "Version 1.0.1", "Version 1.0.0");
    let landed = commit(&project, "the case alone");
    edit_charter(&project);
    gate(&project, &landed, 0);
}
