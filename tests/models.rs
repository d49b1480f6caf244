//! `assize models`: the matrix in words, and what a probe finds.

use axum::response::IntoResponse as _;
use serde_json::Value;

use crate::support::server::{Server, refuses, says};
use crate::support::{Project, Ran};

fn probed(project: &Project, arguments: &[&str]) -> Ran {
    let arguments = [&["models", "--probe"], arguments].concat();
    Ran::of(&project.command(&arguments).env("ASSIZE_TEST_KEY", "fk-0123456789").output().unwrap())
}

fn one(ran: &Ran) -> Value {
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    list[0].clone()
}

#[test]
fn the_matrix_is_shown_without_a_request_and_without_a_key() {
    let server = Server::start(|_, _| says("OK"));
    let project = Project::new();
    let more = "    key_env: ASSIZE_TEST_KEY\n    decoding: { temperature: 0 }\n    limits: { in_flight: 4, rpm: 60 }\n    prices: { currency: USD, input: 0.15, output: 0.6 }\n";
    project.matrix("openai-chat", &[server.url()], more);
    let ran = project.run(&["models"]).expect(0);
    let url = server.url();
    for part in [
        "m1  frontier-reference, openai-chat",
        "test-model-1",
        "test-model-2026-01-01",
        url.as_str(),
        "ASSIZE_TEST_KEY, not set",
        "{\"temperature\":0}",
        "4 at the same time, 60 requests a minute",
        "0.15 read, 0.15 read from a cache, 0.60 written",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let output = project.command(&["models"]).env("ASSIZE_TEST_KEY", "fk-0123456789").output().unwrap();
    let ran = Ran::of(&output);
    assert!(ran.stdout.contains("ASSIZE_TEST_KEY, set") && !ran.stdout.contains("fk-"), "{}", ran.stdout);
    assert_eq!(server.count(), 0);
}

#[test]
fn a_probe_asks_once_and_once_more_for_each_thing_that_the_matrix_does_not_send() {
    let server = Server::start(|request, _| {
        if request.body.get("seed").is_some() { refuses(400, "seed is not supported") } else { says("OK") }
    });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "    decoding: { temperature: 0 }\n");
    let ran = probed(&project, &["--format", "json"]).expect(0);
    let probe = &one(&ran)["probe"];
    assert_eq!(probe["outcome"], "answered");
    assert_eq!(probe["served"]["model"], "test-model-2026-01-01");
    assert_eq!(probe["served"]["fingerprint"], "fp_test");
    assert_eq!(probe["temperature"]["sent_by_matrix"], true);
    assert_eq!(probe["seed"]["accepted"], false);
    assert!(probe["seed"]["message"].as_str().unwrap().contains("seed is not supported"));
    assert_eq!(probe["tools"]["accepted"], true);
    assert!(probe["latency_ms"].is_u64());
    assert_eq!(server.count(), 3);
    assert!(server.seen()[2].body["tools"].is_array());
    let text = probed(&project, &[]).expect(0).stdout;
    assert!(text.contains("✓ answers") && text.contains("seed        refused"), "{text}");
}

#[test]
fn drift_and_refusals_exit_1_and_an_endpoint_that_is_not_there_exits_3() {
    let server = Server::start(|_, _| says("OK"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.edit("matrix.yaml", "test-model-2026-01-01", "another-model");
    let ran = probed(&project, &[]).expect(1);
    assert!(ran.stdout.contains("✗ drift") && ran.stdout.contains("`another-model`"), "{}", ran.stdout);

    let closed = Server::start(|_, _| refuses(401, "bad key fk-0123456789"));
    project.matrix("openai-chat", &[closed.url()], "    key_env: ASSIZE_TEST_KEY\n");
    let ran = probed(&project, &[]).expect(1);
    assert!(
        ran.stdout.contains("✗ failed") && ran.stdout.contains("[secret ASSIZE_TEST_KEY]"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("fk-0123"), "{}", ran.stdout);
    assert_eq!(closed.count(), 1, "what fails outright is not asked about its parameters");

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    project.matrix("openai-chat", &[format!("http://{nobody}/v1")], "");
    let ran = probed(&project, &[]).expect(3);
    assert!(ran.stdout.contains("! unreachable"), "{}", ran.stdout);
    // A refusal weighs more than an absence.
    project.matrix("openai-chat", &[format!("http://{nobody}/v1"), closed.url()], "");
    probed(&project, &[]).expect(1);
    probed(&project, &["--model", "m1"]).expect(3);
    probed(&project, &["--model", "m9"]).expect(2);
}

#[test]
fn a_missing_key_is_an_error_and_recorded_traces_are_not_asked() {
    let server = Server::start(|_, _| "".into_response());
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "    key_env: ASSIZE_TEST_MISSING\n");
    let ran = probed(&project, &[]).expect(2);
    assert!(ran.stderr.contains("ASSIZE_TEST_MISSING"), "{}", ran.stderr);
    assert_eq!(server.count(), 0);
    let ran = Project::new().run(&["models", "--probe"]).expect(0);
    assert!(ran.stdout.contains("replay over openai-chat"), "{}", ran.stdout);
}

#[test]
fn a_matrix_with_a_key_in_its_url_is_refused_and_the_key_is_not_repeated() {
    for url in
        ["https://ann:fk-0123456789@llm.example.test/v1", "https://llm.example.test/v1?api_key=fk-0123456789"]
    {
        let project = Project::new();
        project.matrix("openai-chat", &[url.to_owned()], "");
        let ran = project.run(&["models"]).expect(2);
        assert!(ran.stderr.contains("base_url") && !ran.stderr.contains("fk-0123"), "{}", ran.stderr);
    }
}
