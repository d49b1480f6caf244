//! Keys: named in the matrix, taken from the environment, and never found in anything that is written.

use axum::response::IntoResponse as _;

use crate::support::server::{Server, refuses, says};
use crate::support::{Project, Ran};

/// No part of it can turn up in a digest by chance.
const KEY: &str = "sk-fake-7zq3\"quoted\\9c";

#[test]
fn a_missing_key_is_named_before_anything_happens() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "    key_env: ASSIZE_TEST_KEY\n");
    let ran = project.run(&["run", "--out", "r"]).expect(2);
    assert!(ran.stderr.contains("ASSIZE_TEST_KEY") && ran.stderr.contains("m1"), "{}", ran.stderr);
    assert_eq!(server.count(), 0);
    assert!(!project.path().join("r").exists());
}

#[test]
fn an_echoed_key_is_masked_by_value_everywhere() {
    for answers in [
        |_: &crate::support::server::Request, _| says(&format!("piano, and your key is {KEY}")),
        |_: &crate::support::server::Request, _| refuses(401, &format!("bad key {KEY}")),
    ] {
        let server = Server::start(answers);
        let project = Project::new();
        project.matrix("openai-chat", &[server.url()], "    key_env: ASSIZE_TEST_KEY\n");
        let output = project
            .command(&["run", "--out", "r", "--trials", "1"])
            .env("ASSIZE_TEST_KEY", KEY)
            .output()
            .unwrap();
        let ran = Ran::of(&output);
        assert!(ran.code == 0 || ran.code == 3, "{}\n{}", ran.stdout, ran.stderr);
        assert_eq!(server.seen()[0].headers["authorization"].to_str().unwrap(), format!("Bearer {KEY}"));
        let escaped = serde_json::to_string(KEY).unwrap();
        let needles = [KEY, escaped.trim_matches('"'), "7zq3"];
        for text in [ran.stdout, ran.stderr] {
            assert!(needles.iter().all(|needle| !text.contains(needle)), "{text}");
        }
        for file in project.files() {
            let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
            assert!(needles.iter().all(|needle| !text.contains(needle)), "{}: {text}", file.display());
        }
        let line = project.read("r/transcripts.jsonl");
        assert!(line.contains("[secret ASSIZE_TEST_KEY]"), "{line}");
    }
}

/// Runs one trial with the key set; every artefact and all talk is searched for it.
fn searched(project: &Project, arguments: &[&str], needles: &[&str]) -> Ran {
    let output = project.command(arguments).env("ASSIZE_TEST_KEY", KEY).output().unwrap();
    let ran = Ran::of(&output);
    for text in [&ran.stdout, &ran.stderr] {
        assert!(needles.iter().all(|needle| !text.contains(needle)), "{text}");
    }
    for file in project.files() {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(needles.iter().all(|needle| !text.contains(needle)), "{}: {text}", file.display());
    }
    ran
}

fn keyed(server: &Server, more: &str) -> Project {
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], &format!("    key_env: ASSIZE_TEST_KEY\n{more}"));
    project
}

#[test]
fn a_key_split_over_chunks_of_a_stream_is_masked() {
    let server = Server::start(|_, _| {
        let (head, tail) = KEY.split_at(9);
        let chunk = |text: &str, finish: Option<&str>| {
            let delta = serde_json::json!({
                "id": "c", "model": "test-model-2026-01-01",
                "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": finish }],
            });
            format!("data: {delta}\n\n")
        };
        let body = [chunk("piano ", None), chunk(head, None), chunk(tail, Some("stop"))].concat();
        ([("content-type", "text/event-stream")], format!("{body}data: [DONE]\n\n")).into_response()
    });
    let project = keyed(&server, "");
    searched(&project, &["run", "--out", "r", "--trials", "1"], &[KEY, "7zq3"]).expect(0);
    assert!(project.read("r/transcripts.jsonl").contains("piano [secret ASSIZE_TEST_KEY]"));
    // What was masked can still be audited.
    project.run(&["run", "--resume", "r"]).expect(2);
    let ran = searched(&project, &["run", "--resume", "r"], &[KEY]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn a_key_is_masked_in_other_clothes_in_headers_and_where_an_excerpt_ends_in_it() {
    let escaped = serde_json::json!(KEY).to_string();
    let long = format!("{}{KEY}", "x".repeat(488));
    let url = "http://other.example.test/?key=sk-fake-7zq3%22quoted%5C9c";
    for body in [format!("you sent {escaped}"), long, "c2stZmFrZS03enEzInF1b3RlZFw5Yw==".to_owned()] {
        let server = Server::start(move |_, _| refuses(401, &body));
        let project = keyed(&server, "");
        let needles = [KEY, "7zq3", "fake-7", "ZmFrZS03enEz"];
        searched(&project, &["run", "--out", "r", "--trials", "1"], &needles).expect(3);
        let line = project.read("r/transcripts.jsonl");
        assert!(line.contains("[secret ASSIZE_TEST_KEY]"), "{line}");
    }
    let server = Server::start(move |_, _| {
        (axum::http::StatusCode::TEMPORARY_REDIRECT, [("location", url)]).into_response()
    });
    let ran = searched(&keyed(&server, ""), &["run", "--trials", "1"], &["7zq3"]).expect(3);
    assert!(ran.stdout.contains("key=[secret ASSIZE_TEST_KEY]"), "{}", ran.stdout);
}

/// Whatever a run copies is searched: hidden files, what is no text, the project's own file, programs beside checkers.
#[test]
fn inputs_that_hold_a_key_are_refused_without_repeating_it() {
    let text = format!("# the key is {KEY}\n").into_bytes();
    let wide: Vec<u8> = text.iter().flat_map(|byte| [*byte, 0]).collect();
    let binary = [&[0xff, 0xfe, 0x80], text.as_slice()].concat();
    for (file, content) in [
        ("cases/w1-say-the-word/notes.txt", &text),
        ("cases/w1-say-the-word/.notes", &text),
        ("cases/w1-say-the-word/notes.bin", &binary),
        ("cases/w1-say-the-word/wide.txt", &wide),
        ("checkers/says-the-word/helper.sh", &text),
        ("assize.yaml", &text),
    ] {
        let server = Server::start(|_, _| says("piano"));
        let project = keyed(&server, "");
        let path = project.path().join(file);
        let before = std::fs::read(&path).unwrap_or_default();
        std::fs::write(&path, [before.as_slice(), content.as_slice()].concat()).unwrap();
        let output = project.command(&["run", "--out", "r"]).env("ASSIZE_TEST_KEY", KEY).output().unwrap();
        let ran = Ran::of(&output).expect(2);
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(ran.stderr.contains(name) && ran.stderr.contains("ASSIZE_TEST_KEY"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("7zq3"), "{}", ran.stderr);
        assert_eq!(server.count(), 0);
        assert!(!project.path().join("r").exists());
    }
}

#[test]
fn a_key_too_short_to_be_masked_is_only_taken_on_this_machine() {
    let server = Server::start(|_, _| says("piano"));
    let project = keyed(&server, "");
    let run = |project: &Project| {
        let output =
            project.command(&["run", "--trials", "1"]).env("ASSIZE_TEST_KEY", "none").output().unwrap();
        Ran::of(&output)
    };
    run(&project).expect(0);
    project.edit("matrix.yaml", &server.url(), "https://llm.example.test/v1");
    let ran = run(&project).expect(2);
    assert!(ran.stderr.contains("fewer than 6 characters"), "{}", ran.stderr);
}

#[test]
fn a_mark_of_masking_is_no_reason_to_believe_a_journal() {
    // A subject may write the mark itself; so may whoever edits a journal, to keep what stands beside it from being looked at.
    let server = Server::start(|_, _| says("piano [secret ASSIZE_TEST_KEY]"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(0);
    project.run(&["gate", "r"]).expect(0);
    project.edit("r/transcripts.jsonl", "Say piano, please.", "Say nothing.");
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("message 1"), "{}", gate.stdout);
    project.run(&["run", "--resume", "r"]).expect(2);
}

#[cfg(unix)]
#[test]
fn programs_that_are_started_get_no_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = Server::start(|_, _| says("piano"));
    let project = keyed(&server, "");
    project.write("bin/git", "#!/bin/sh\nenv >> \"$HOME/git-env\"\nexit 1\n");
    let git = project.path().join("bin/git");
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", project.path().join("bin").display(), std::env::var("PATH").unwrap());
    let output = project
        .command(&["run", "--trials", "1"])
        .env("ASSIZE_TEST_KEY", KEY)
        .env("PATH", path)
        .env("HOME", project.path())
        .output()
        .unwrap();
    Ran::of(&output).expect(0);
    let seen = project.read("git-env");
    assert!(seen.contains("PATH=") && !seen.contains("ASSIZE_TEST_KEY"), "{seen}");
}
