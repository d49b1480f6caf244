//! The first ten minutes: from a repository with a charter to a green run, without a key.

use std::fs;

use crate::support::{Ran, assize};

fn run(folder: &std::path::Path, arguments: &[&str]) -> Ran {
    let mut command = assize();
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env_remove(key);
    }
    Ran::of(&command.current_dir(folder).args(arguments).output().unwrap())
}

#[test]
fn a_repository_with_a_charter_is_set_up_checked_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("AGENTS.md"), "# Working here\n\n## Figures\n\nRecompute every figure.\n").unwrap();
    let ran = run(root, &["init", "--ci", "github"]).expect(0);
    assert!(
        ran.stderr.contains("charter: AGENTS.md") && ran.stderr.contains("the whole file is sent"),
        "{}",
        ran.stderr
    );
    assert!(root.join(".github/workflows/assize.yml").is_file());
    // Editors find the schemas from where each file lies.
    for file in [
        "assize.yaml",
        "model-matrix.yaml",
        "cases/my-first-case/case.yaml",
        "checkers/my-first-case/v1.yaml",
    ] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        let line = text.lines().next().unwrap();
        let schema =
            line.strip_prefix("# yaml-language-server: $schema=").unwrap_or_else(|| panic!("{file}: {line}"));
        let schema = fs::read_to_string(root.join(file).parent().unwrap().join(schema)).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        let value: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(crate::support::schema::faults(&schema, &value), Vec::<String>::new(), "{file}");
    }
    run(root, &["new", "case", "second-case"]).expect(0);
    let text = fs::read_to_string(root.join("cases/second-case/case.yaml")).unwrap();
    assert!(text.starts_with("# yaml-language-server: $schema=../../.assize/schema/case.json\n"), "{text}");
    fs::remove_dir_all(root.join(".assize")).unwrap();
    run(root, &["schema", "--write", ".assize/schema"]).expect(0);
    assert!(root.join(".assize/schema/checker.json").is_file());
    run(root, &["lint"]).expect(0);
    let ran = run(root, &["run", "--case", "X1", "--rows", "all", "--out", "r"]).expect(0);
    assert!(ran.stdout.contains("24/24"), "{}", ran.stdout);
    let system = fs::read_to_string(root.join("r/inputs/charter.md")).unwrap();
    assert!(system.contains("Recompute"), "{system}");
    // The run can be resumed and reported on: its inputs are cut as the project's.
    run(root, &["run", "--resume", "r"]).expect(0);
    run(root, &["report", "r", "--format", "tap"]).expect(0);
    // A second time, nothing is touched.
    fs::write(root.join("assize.yaml"), "mine").unwrap();
    let ran = run(root, &["init"]).expect(2);
    assert!(ran.stderr.contains("is there already; nothing was written"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(root.join("assize.yaml")).unwrap(), "mine");
}

#[test]
fn the_doctor_says_what_is_missing_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let ran = run(root, &["doctor"]).expect(1);
    assert!(ran.stdout.contains("no assize.yaml") && ran.stdout.contains("`assize init`"), "{}", ran.stdout);
    fs::write(root.join("CHARTER.md"), "# C\n\n## Core Invariants\n\n1. Count.\n\nRuntime load ends here.\n")
        .unwrap();
    run(root, &["init"]).expect(0);
    let ran = run(root, &["doctor"]).expect(0);
    assert!(
        ran.stdout.contains("can release nothing") && ran.stdout.contains("no git checkout"),
        "{}",
        ran.stdout
    );
    let matrix = "models:\n  - { id: m, role: weakest-deployed, provider: openai-chat, model: m, base_url: 'http://127.0.0.1:9/v1', key_env: ASSIZE_TEST_UNSET, decoding: { seed: 1 } }\n";
    fs::write(root.join("model-matrix.yaml"), matrix).unwrap();
    let ran = run(root, &["doctor"]).expect(1);
    assert!(ran.stdout.contains("✗ model m: the variable ASSIZE_TEST_UNSET is not set"), "{}", ran.stdout);
    assert!(ran.stdout.contains("one thing is missing"), "{}", ran.stdout);
}

#[test]
fn topics_commands_completions_and_man_pages_are_in_the_binary() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert!(run(root, &["help"]).expect(0).stdout.contains("exit-codes"));
    assert!(run(root, &["help", "checkers"]).expect(0).stdout.starts_with("# Checkers"));
    assert!(run(root, &["help", "gate"]).expect(0).stdout.contains("Usage: assize gate"));
    let ran = run(root, &["help", "chekers"]).expect(2);
    assert!(ran.stderr.contains("did you mean `checkers`?"), "{}", ran.stderr);
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(root, &["completions", shell]).expect(0).stdout.contains("assize"), "{shell}");
    }
    run(root, &["man", "man"]).expect(0);
    assert!(fs::read_to_string(root.join("man/assize-run.1")).unwrap().contains(".SH"));
}
