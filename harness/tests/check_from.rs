//! `assize check --from`, as its users see it: the built binary, foreign files, verdicts and exit codes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

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

/// A project with a checker of its own: the last message must give a count of 8.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = "charter: { path: CHARTER.md, runtime_end: end, invariants: inv }\ncases: [cases]\ncheckers: [checkers]\nmatrix: matrix.yaml\n";
    let definition = "id: lamps\nversion: 1\nengine: 1\ncases: [LAMPS]\nproves: the count\ndoes_not_prove: the rest\nrequire:\n  - id: eight\n    matches: { pattern: '\\b8 lamps' }\n";
    let control = |id: &str, said: &str, expect: &str| {
        format!(
            r#"{{"id":"{id}","case":"LAMPS","messages":[{{"role":"assistant","by":"model","content":"{said}"}}],"expect":{expect}}}"#
        )
    };
    let fail = r#"{"fail":"eight"}"#;
    let controls = [
        control("a", "8 lamps", r#""pass""#),
        control("b", "So 8 lamps.", r#""pass""#),
        control("c", "7 lamps", fail),
        control("d", "18 lamps", fail),
        control("e", "8", fail),
    ];
    fs::create_dir(folder.path().join("checkers")).unwrap();
    for (file, text) in [
        ("assize.yaml", config),
        ("checkers/v1.yaml", definition),
        ("checkers/v1.controls.jsonl", &format!("{}\n", controls.join("\n"))),
    ] {
        fs::write(folder.path().join(file), text).unwrap();
    }
    folder
}

/// The verdicts, `pass` or `fail` or `error`, and the exit code.
fn verdicts(folder: &Path, format: &str, file: &str, text: &str) -> (Vec<String>, Option<i32>) {
    fs::write(folder.join(file), text).unwrap();
    let output = check(folder, &["--from", format, "--case", "LAMPS", "--format", "jsonl", file]);
    let lines = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<serde_json::Value>();
    let verdicts = lines.map(|line| line.unwrap()["verdict"].as_str().unwrap().to_owned()).collect();
    (verdicts, output.status.code())
}

#[test]
fn foreign_transcripts_are_judged_as_native_ones_are() {
    let folder = project();
    let claude = |said: &str, failed: bool| {
        let message = format!(
            r#"{{"type":"assistant","message":{{"id":"m","content":[{{"type":"text","text":"{said}"}}]}}}}"#
        );
        format!("{message}\n{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":{failed}}}\n")
    };
    let chat = |said: &str, reason: &str| {
        format!(
            r#"{{"choices":[{{"message":{{"role":"assistant","content":"{said}"}},"finish_reason":"{reason}"}}]}}"#
        )
    };
    let inspect = r#"{"eval": {}, "samples": [
        {"id": 1, "messages": [{"role": "assistant", "content": "8 lamps"}]},
        {"id": 2, "messages": [{"role": "assistant", "content": "9 lamps"}]},
        {"id": 3, "messages": [{"role": "assistant", "content": "8 lamps"}], "metadata": {"assize": {"case": "BOATS"}}}]}"#;
    let codex = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"8 lamps"}}"#;
    for (format, text, expected, code) in [
        ("openai", r#"[{"role":"assistant","content":"8 lamps"}]"#.to_owned(), &["pass"][..], 0),
        ("openai", [chat("8 lamps", "stop"), chat("7 lamps", "stop")].join("\n"), &["pass", "fail"], 1),
        ("openai", chat("8 lamps", "length"), &["error"], 3),
        ("openai", r#"[{"role":"assistant","by":"script","content":"8 lamps"}]"#.to_owned(), &["error"], 3),
        ("anthropic", r#"[{"role":"assistant","content":[{"type":"thinking","thinking":"8 lamps"},{"type":"text","text":"7"}]}]"#.to_owned(), &["fail"], 1),
        ("inspect", inspect.to_owned(), &["pass", "fail", "error"], 1),
        ("claude-code", claude("8 lamps", false), &["pass"], 0),
        ("claude-code", claude("8 lamps", true), &["error"], 3),
        ("codex", format!("{codex}\n{{\"type\":\"turn.completed\"}}\n"), &["pass"], 0),
        ("codex", format!("{codex}\n{{\"type\":\"turn.failed\"}}\n"), &["error"], 3),
        ("codex", codex.to_owned(), &["error"], 3),
    ] {
        let (found, exit) = verdicts(folder.path(), format, "log.json", &text);
        assert_eq!((found.as_slice(), exit), (&expected.iter().map(ToString::to_string).collect::<Vec<_>>()[..], Some(code)), "{format}: {text}");
    }
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
