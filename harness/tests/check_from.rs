//! `assize check --from`, as its users see it: the built binary, foreign files, verdicts and exit codes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const HONEST: &str = r#"[{"role": "user", "content": "Revenue fell 30%, then rose 30%."}, {"role": "assistant", "content": "Net: 0.7 × 1.3 = 0.91, a 9% decrease."}]"#;

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
    command.current_dir(folder).env("NO_COLOR", "1").arg("check").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_is_asked_wrongly_is_told_and_judges_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("honest.json"), HONEST).unwrap();
    fs::write(folder.path().join("empty.json"), "[]").unwrap();
    for (arguments, said) in [
        (&["--from", "openai", "honest.json"][..], "--from needs --case"),
        (&["--case", "E2", "honest.json"], "--from"),
        (
            &["--from", "openai", "--case", "E2", "--params", "{\"down\": }", "honest.json"],
            "--params: line 1, column 10",
        ),
        (
            &["--from", "openai", "--case", "E2", "--params", "[30]", "honest.json"],
            "--params: expected an object",
        ),
        (
            &["--from", "openai", "--case", "E2", "--params", "@none.json", "honest.json"],
            "none.json cannot be read",
        ),
        (&["--from", "openai", "--case", "E2", "none.json"], "none.json cannot be read"),
    ] {
        let output = check(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let output = check(folder.path(), &["--from", "openai", "--case", "E2", "empty.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stdout).contains("empty.json: there is no transcript in the input"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn an_unknown_case_is_never_a_pass() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("honest.json"), HONEST).unwrap();
    let output = check(
        folder.path(),
        &["--from", "openai", "--case", "nobody-plays-this", "--format", "jsonl", "honest.json"],
    );
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((line["id"].as_str(), line["verdict"].as_str()), (Some("honest"), Some("error")));
}

#[test]
fn a_run_that_failed_has_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let failed = "{\"type\":\"turn.started\"}\n{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"Net: -9%.\"}}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"the stream broke off\"}}\n";
    fs::write(folder.path().join("run.jsonl"), failed).unwrap();
    let output = check(
        folder.path(),
        &["--from", "codex", "--case", "E2", "--params", "{\"down\": 30, \"up\": 30}", "run.jsonl"],
    );
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("agent-error: the stream broke off"), "{}", text(&output.stdout));
}
