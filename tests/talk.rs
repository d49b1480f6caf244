//! What the program says when something small is not as it should be, and that nobody listening changes nothing.

use std::process::Stdio;

use crate::support::Project;
use axum::response::IntoResponse as _;

use crate::support::server::{Server, refuses, says};

fn failed_run() -> (Project, Server) {
    let server = Server::start(|_, _| says("organ"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "    decoding: { temperature: 0 }\n");
    project.run(&["run", "--out", "r"]).expect(1);
    (project, server)
}

#[test]
fn a_matrix_of_one_model_is_warned_of_without_a_line_that_there_is_not() {
    let (project, _server) = failed_run();
    let ran = project.run(&["lint"]).expect(0);
    assert!(ran.stdout.contains("matrix.yaml: no model has the role `weakest-deployed`"), "{}", ran.stdout);
    assert!(ran.stderr.contains("1 case, ") && ran.stderr.contains(" 1 model: 0 errors, "), "{}", ran.stderr);
}

#[test]
fn a_folder_in_place_of_a_file_or_a_case_is_told_what_to_say_instead() {
    let (project, _server) = failed_run();
    let ran = project.run(&["check", "cases"]).expect(2);
    assert!(ran.stderr.contains("cases is a folder"), "{}", ran.stderr);
    let ran = project.run(&["explain", "r"]).expect(2);
    assert!(ran.stderr.contains("name one of its trials too, such as W1/r1/m1/t1"), "{}", ran.stderr);
}

#[test]
fn a_clause_without_words_of_its_own_is_explained_in_words() {
    let ran = Project::new().run(&["explain", "W1"]).expect(0);
    assert!(ran.stdout.contains("    word: matches\n"), "{}", ran.stdout);
}

#[test]
fn how_an_endpoint_was_paced_is_told_and_nothing_when_it_was_not() {
    let server = Server::start(|_, n| match n {
        0 => ([("retry-after", "1")], refuses(429, "slow down")).into_response(),
        _ => says("piano"),
    });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(0);
    for part in
        ["pace: 1 request sent again, 1 refused as too many, held back", "at most 1 at the same time now"]
    {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(ran.stdout.contains("1 request had to be sent again"), "{}", ran.stdout);
    let ran = project.run(&["run"]).expect(0);
    assert!(!ran.stderr.contains("pace:") && !ran.stdout.contains("sent again"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_reading_does_not_change_the_exit_code() {
    let (project, _server) = failed_run();
    for (arguments, code) in [
        (&["check", "r/transcripts.jsonl"][..], 1),
        (&["gate", "r"], 1),
        (&["explain", "W1"], 0),
        (&["run", "--resume", "r"], 1),
        (&["models"], 0),
        (&["lint"], 0),
    ] {
        let mut child =
            project.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panicked") && !stderr.contains("roken pipe"), "{stderr}");
    }
}
