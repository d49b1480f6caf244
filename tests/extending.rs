//! Users' own cases and checkers, without a line of Rust.

use crate::support::Project;
use crate::support::server::{Server, says};
use crate::support::signed::{commit, git};

#[test]
fn a_scaffolded_case_is_clean_plays_and_is_judged() {
    let project = Project::new();
    project.run(&["new", "case", "capital-city"]).expect(0);
    project.write(
        "matrix.yaml",
        "models:\n  - { id: exemplar, role: control, provider: replay, trace: exemplar, wire: openai-chat, expect: pass }\n  - { id: naive, role: control, provider: replay, trace: naive, wire: anthropic, expect: fail }\n",
    );
    let ran = project.run(&["run", "--case", "X1", "--rows", "all", "--out", "r"]).expect(0);
    assert!(ran.stdout.contains("✓ 24/24"), "{}", ran.stdout);
    let explained = project.run(&["explain", "X1"]).expect(0);
    assert!(explained.stdout.contains("the last reply names the capital"), "{}", explained.stdout);
    let trial = project.run(&["explain", "r", "X1/r1/exemplar/t1"]).expect(0);
    assert!(trial.stdout.contains("⟦Canberra⟧"), "{}", trial.stdout);
    let full = project.run(&["explain", "r", "X1/r1/naive/t1", "--full"]).expect(0);
    assert!(full.stdout.contains("✗ names-it") && full.stdout.contains("[1] user"), "{}", full.stdout);
    project.run(&["explain", "r", "X1/r9/naive/t1"]).expect(2);
    // Once is enough.
    project.run(&["new", "case", "capital-city"]).expect(2);
    project.run(&["new", "case", "Capital City"]).expect(2);
}

#[test]
fn an_external_program_judges_and_belongs_to_the_run() {
    let server = Server::start(|_, n| says(if n == 0 { "A PIANO" } else { "a piano" }));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let definition = project.read("checkers/says-the-word/v1.yaml")
        + "  - id: calm\n    command: { run: [sh, no-shouting.sh] }\n";
    project.write("checkers/says-the-word/v1.yaml", &definition);
    project.write(
        "checkers/says-the-word/no-shouting.sh",
        "if grep -q 'PIANO' ; then echo 'reply:1: it shouts'; exit 1; fi\n",
    );
    let shout = "{\"id\":\"c6\",\"case\":\"W1\",\"params\":{},\"messages\":[{\"role\":\"assistant\",\"by\":\"model\",\"content\":\"PIANO\"}],\"expect\":{\"fail\":\"calm\"}}\n";
    project.write("checkers/says-the-word/v1.controls.jsonl", &(crate::support::controls() + shout));
    let ran = project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(1);
    assert!(ran.stdout.contains("calm: reply:1: it shouts"), "{}", ran.stdout);
    // The program is among the inputs, so that the run can be judged anywhere.
    std::fs::remove_file(project.path().join("checkers/says-the-word/no-shouting.sh")).unwrap();
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(
        gate.stdout.contains("t1 failed calm") && !gate.stdout.contains("does not follow"),
        "{}",
        gate.stdout
    );
    // Without it nothing is judged.
    let check = project.run(&["check", "r/transcripts.jsonl"]).expect(3);
    assert!(check.stdout.contains("controls misbehave"), "{}", check.stdout);
}

#[test]
fn a_locked_checker_cannot_be_changed_in_place() {
    let project = Project::new();
    project.run(&["lock", "checkers"]).expect(0);
    project.run(&["lock", "checkers"]).expect(0);
    assert_eq!(project.read("checkers/checkers.lock").lines().count(), 1);
    project.write("cases/w1-say-the-word/traces/none.yaml", "- say: piano\n");
    project.run(&["lint"]).expect(0);
    project.edit("checkers/says-the-word/v1.yaml", "piano", "pianoforte|piano");
    let ran = project.run(&["lint"]).expect(1);
    assert!(ran.stdout.contains("says-the-word@1") && ran.stdout.contains("new version"), "{}", ran.stdout);
    project.run(&["lock", "checkers"]).expect(2);
}

/// A project in a git checkout with one commit, whose lint is clean.
fn committed() -> Project {
    let project = Project::new();
    project.write("cases/w1-say-the-word/traces/none.yaml", "- say: piano\n");
    git(&project, &["init", "-q"]);
    commit(&project, "first");
    project
}

#[test]
fn a_change_is_held_to_the_rules_of_the_base() {
    let project = committed();
    project.run(&["lint", "--base", "HEAD"]).expect(0);
    project.run(&["lint", "--base", "no-such-commit"]).expect(2);

    project.edit("checkers/says-the-word/v1.yaml", "is meant", "is sung");
    let ran = project.run(&["lint", "--base", "HEAD"]).expect(1);
    assert!(ran.stdout.contains("was released and has changed"), "{}", ran.stdout);

    let project = committed();
    project.edit("checkers/says-the-word/v1.controls.jsonl", "\"organ\"", "\"harp\"");
    let ran = project.run(&["lint", "--base", "HEAD"]).expect(1);
    assert!(ran.stdout.contains("controls may only be added"), "{}", ran.stdout);

    let project = committed();
    project.edit("cases/w1-say-the-word/case.yaml", "script:", "tools: [search]\nscript:");
    let ran = project.run(&["lint", "--base", "HEAD"]).expect(1);
    assert!(
        ran.stdout.contains("tools changed, but it is still judged by says-the-word@1"),
        "{}",
        ran.stdout
    );

    let project = committed();
    project.edit("cases/w1-say-the-word/case.yaml", "please", "if you please");
    let ran = project.run(&["lint", "--base", "HEAD"]).expect(0);
    assert!(ran.stdout.contains("warning") && ran.stdout.contains("script changed"), "{}", ran.stdout);

    let project = committed();
    let registry = project.read("cases/registry.csv");
    project.write("cases/registry.csv", &format!("{registry}sings,Sings,song,invariant 1,W1\n"));
    let ran = project.run(&["lint", "--base", "HEAD"]).expect(1);
    assert!(ran.stdout.contains("`sings` brings no case"), "{}", ran.stdout);

    let project = committed();
    project.run(&["new", "case", "capital-city"]).expect(0);
    project.write("cases/capital-city/traces/none.yaml", "- say: \"{{ capital }}\"\n");
    project.run(&["lint", "--base", "HEAD"]).expect(0);
}

#[test]
fn a_case_is_held_to_what_it_was_wherever_its_folder_lies() {
    let project = committed();
    let moved = |to: &str| {
        let cases = project.path().join("cases");
        std::fs::rename(cases.join("w1-say-the-word"), cases.join(to)).unwrap();
    };
    moved("w1-moved");
    project.run(&["lint", "--base", "HEAD"]).expect(0);
    project.edit("cases/w1-moved/case.yaml", "script:", "tools: [search]\nscript:");
    let ran = project.run(&["lint", "--base", "HEAD"]).expect(1);
    assert!(ran.stdout.contains("cases/w1-moved/case.yaml: tools changed"), "{}", ran.stdout);
    // Moved, it is not the new case that a new row asks for.
    project.edit("cases/w1-moved/case.yaml", "tools: [search]\n", "");
    project.edit("cases/w1-moved/case.yaml", "[forgets-the-word]", "[forgets-the-word, sings]");
    let registry = project.read("cases/registry.csv");
    project.write("cases/registry.csv", &format!("{registry}sings,Sings,song,invariant 1,W1\n"));
    let ran = project.run(&["lint", "--base", "HEAD"]).expect(1);
    assert!(ran.stdout.contains("`sings` brings no case"), "{}", ran.stdout);
}

#[test]
fn a_replaced_base_is_not_believed() {
    let project = committed();
    project.edit("checkers/says-the-word/v1.yaml", "is meant", "is sung");
    let base = git(&project, &["rev-parse", "HEAD"]);
    let forged = commit(&project, "second");
    git(&project, &["replace", &base, &forged]);
    let ran = project.run(&["lint", "--base", &base]).expect(1);
    assert!(ran.stdout.contains("was released and has changed"), "{}", ran.stdout);
}

#[test]
fn a_project_of_four_lines_gets_its_first_case_without_any_folder_made_by_hand() {
    let project = Project::new();
    std::fs::remove_dir_all(project.path().join("cases")).unwrap();
    std::fs::remove_dir_all(project.path().join("checkers")).unwrap();
    project.run(&["new", "case", "capital-city"]).expect(0);
    let ran = project.run(&["explain", "capital-city"]).expect(0);
    assert!(ran.stdout.contains("X1"), "{}", ran.stdout);
}

/// Interpreters leave files beside what they run; the run's folder must stay what its manifest records.
#[test]
fn what_an_external_program_leaves_behind_is_not_in_the_run() {
    let server = Server::start(|_, _| says("a piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let definition = project.read("checkers/says-the-word/v1.yaml")
        + "  - id: calm\n    command: { run: [sh, calm.sh] }\n";
    project.write("checkers/says-the-word/v1.yaml", &definition);
    project.write("checkers/says-the-word/calm.sh", "cat > said; . ../lib/calm.sh; calm\n");
    project.write(
        "checkers/lib/calm.sh",
        "calm() { mkdir -p ../lib/__pycache__ && echo x > ../lib/__pycache__/$$; if grep -q PIANO said; then exit 1; fi; }\n",
    );
    let shout = "{\"id\":\"c6\",\"case\":\"W1\",\"params\":{},\"messages\":[{\"role\":\"assistant\",\"by\":\"model\",\"content\":\"PIANO\"}],\"expect\":{\"fail\":\"calm\"}}\n";
    project.write("checkers/says-the-word/v1.controls.jsonl", &(crate::support::controls() + shout));
    project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(0);
    project.run(&["gate", "r"]).expect(0);
    project.run(&["gate", "r"]).expect(0);
    assert!(!project.path().join("checkers/lib/__pycache__").exists());
    assert!(!project.path().join("checkers/says-the-word/said").exists());
}

#[test]
fn files_that_git_ignores_and_a_case_or_checker_would_hold_are_told() {
    let project = committed();
    project.write(".gitignore", "__pycache__/\n.DS_Store\n/r*/\n");
    project.write("cases/w1-say-the-word/.DS_Store", "x");
    project.write("checkers/says-the-word/__pycache__/lib.pyc", "x");
    // Checkers are read without hidden files, so this one does no harm.
    project.write("checkers/says-the-word/.DS_Store", "x");
    for arguments in [&["lint"][..], &["run", "--out", "r"]] {
        let ran = project.run(arguments).expect(0);
        for (file, told) in [
            ("cases/w1-say-the-word/.DS_Store", true),
            ("checkers/says-the-word/__pycache__/lib.pyc", true),
            ("checkers/says-the-word/.DS_Store", false),
        ] {
            let all = format!("{}{}", ran.stdout, ran.stderr);
            assert_eq!(all.contains(file), told, "{file}\n{all}");
        }
    }
}
