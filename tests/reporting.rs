//! `assize report` in every form, on a run with a failure, an error and a pass in it.

use crate::support::Project;
use crate::support::server::{Server, says};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;

/// Two models of one trial each way: the first passes, fails and passes again, the second answers with an error.
fn mixed() -> (Server, Server, Project) {
    let first =
        Server::start(|_, number| says(if number == 1 { "An organ.\n::error::owned" } else { "A piano." }));
    let second = Server::start(|_, _| (StatusCode::BAD_REQUEST, "no such thing").into_response());
    let project = Project::new();
    project.matrix("openai-chat", &[first.url(), second.url()], "    limits: { in_flight: 1 }\n");
    project.run(&["run", "--out", "r"]).expect(1);
    (first, second, project)
}

#[test]
fn every_form_says_what_the_run_says_and_exits_as_it() {
    let (_first, _second, project) = mixed();
    let expected = [
        ("markdown", "| `W1` | ✗ 2/3 | ! 0/3 |"),
        ("comment", "✗ no release"),
        ("junit", r#"<testsuites name="assize" tests="2" failures="1" errors="1""#),
        ("sarif", r#""level": "error""#),
        ("tap", "not ok 2 - W1/r1/m2 0/3 passed, 3 error (ERROR)"),
        ("csv-cells", "W1,,1,m1,flaky,false,3,2,1,0,0"),
        ("csv-attempts", "W1/r1/m1/t1,1,"),
        ("csv-clauses", "word,false,"),
        ("json", r#""state": "flaky""#),
        ("github", "::error file=cases/w1-say-the-word/case.yaml,line=1,title=W1/r1/m1 failed"),
        ("gitlab", r#""check_name": "says-the-word@1""#),
    ];
    for (form, text) in expected {
        let ran = project.run(&["report", "r", "--format", form]).expect(1);
        assert!(ran.stdout.contains(text), "{form}: {text} is not in\n{}", ran.stdout);
        assert!(!ran.stdout.lines().any(|line| line.starts_with("::error::owned")), "{form}");
        let file = format!("report.{form}");
        project.run(&["report", "r", "--format", form, "--out", &file]).expect(1);
        assert_eq!(project.read(&file), ran.stdout, "a file holds what is printed");
    }
}

#[test]
fn a_run_that_holds_exits_0_and_no_run_exits_2() {
    let server = Server::start(|_, _| says("A piano."));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "good"]).expect(0);
    let ran = project.run(&["report", "good", "--format", "junit"]).expect(0);
    assert!(ran.stdout.contains(r#"failures="0" errors="0""#), "{}", ran.stdout);
    project.run(&["report", "nowhere"]).expect(2);
}

#[test]
fn a_record_that_was_changed_is_red_in_every_form() {
    let server = Server::start(|_, _| says("A piano."));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(0);
    project.edit("r/transcripts.jsonl", "A piano.", "My piano.");
    for (form, text) in [
        ("markdown", "✗ no release"),
        ("junit", r#"<error type="run""#),
        ("tap", "not ok 2 - the run"),
        ("json", r#""answer": "no""#),
        ("github", "::error title=this run cannot be believed"),
        ("sarif", r#""ruleId": "assize/run""#),
        ("gitlab", r#""severity": "blocker""#),
    ] {
        let ran = project.run(&["report", "r", "--format", form]).expect(1);
        assert!(ran.stdout.contains(text), "{form}: {text} is not in\n{}", ran.stdout);
    }
}

#[test]
fn a_run_that_was_not_finished_is_incomplete() {
    let server = Server::start(|_, _| says("A piano."));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let tokens = ["--trials", "9", "--concurrency", "1", "--max-tokens", "30"];
    project.run(&[&["run", "--out", "r"][..], &tokens].concat()).expect(3);
    let ran = project.run(&["report", "r", "--format", "junit"]).expect(3);
    assert!(ran.stdout.contains(r#"<error type="not-run""#), "{}", ran.stdout);
}
