//! `assize run` against a model behind HTTP: what is sent, what is recorded, what the exit code says.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::response::IntoResponse as _;
use serde_json::json;

use crate::support::server::{Server, completion, message, refuses, says};
use crate::support::{Project, Ran};

#[test]
fn a_model_that_passes_is_recorded_and_exits_0() {
    let server = Server::start(|_, _| says("A piano."));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "    decoding: { temperature: 0, seed: 7 }\n");
    let ran = project.run(&["run", "--out", "r"]).expect(0);
    assert!(ran.stdout.contains("✓ 3/3"), "{}", ran.stdout);
    let transcripts = project.lines("r/transcripts.jsonl");
    assert_eq!(transcripts.len(), 3);
    for transcript in &transcripts {
        assert_eq!(transcript["messages"][0]["content"], "<charter>");
        assert_eq!(transcript["served"][0]["model"], "test-model-2026-01-01");
        assert_eq!(transcript["served"][0]["fingerprint"], "fp_test");
        assert_eq!(transcript["decoding"], json!({ "temperature": 0, "seed": 7 }));
        assert_eq!(transcript["usage"]["input"], 10);
    }
    let manifest = project.json("r/manifest.json");
    assert_eq!(
        manifest["counts"],
        json!({ "expected": 3, "passed": 3, "failed": 0, "error": 0, "not_run": 0 })
    );
    assert_eq!(manifest["models"][0]["observed"][0]["replies"], 3);
}

#[test]
fn only_the_part_above_the_marker_is_sent_and_nothing_that_the_matrix_does_not_say() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--trials", "1"]).expect(0);
    let request = &server.seen()[0];
    assert_eq!(request.path, "/v1/chat/completions");
    let system = request.body["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("# Test charter") && system.ends_with("Say them.\n\n"), "{system:?}");
    assert!(!request.body.to_string().contains("CANARY"));
    let keys: Vec<_> = request.body.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["model", "messages", "stream", "stream_options"],
        "absent is not default: no decoding of our own choosing is sent, only how the reply is to travel"
    );
    project.matrix("openai-chat", &[server.url()], "    stream: false\n");
    project.run(&["run", "--trials", "1", "--out", "whole"]).expect(0);
    let whole = server.seen().last().map(|request| request.body.clone()).unwrap();
    assert_eq!(whole.as_object().unwrap().keys().collect::<Vec<_>>(), ["model", "messages"]);
    assert!(request.headers.get("authorization").is_none());
    assert!(request.headers.get("x-assize-trial").is_none(), "only replay endpoints are told of the trial");
}

#[test]
fn the_anthropic_wire_works_the_same() {
    let server = Server::start(|_, _| message("piano"));
    let project = Project::new();
    project.matrix("anthropic", &[server.url()], "    decoding: { max_tokens: 100 }\n");
    project.run(&["run"]).expect(0);
    let request = &server.seen()[0];
    assert_eq!(request.path, "/v1/messages");
    assert!(request.body["system"].to_string().contains("Test charter"));
    assert_eq!(request.body["messages"][0]["role"], "user");
}

#[test]
fn a_failing_model_exits_1_and_shows_clause_evidence_and_place() {
    let server = Server::start(|_, n| says(if n == 1 { "An organ." } else { "piano" }));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(1);
    assert!(ran.stdout.contains("✗ 2/3"), "{}", ran.stdout);
    assert!(ran.stdout.contains("W1/r1/m1/t2") && ran.stdout.contains("word: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("r/transcripts.jsonl:2"), "{}", ran.stdout);
}

#[test]
fn an_endpoint_error_is_no_verdict_and_never_leaves_the_denominator() {
    // Peers: a pass-rate threshold with one pass and one provider error exits 0; errored samples are dropped.
    let server = Server::start(|_, n| if n == 0 { says("piano") } else { refuses(400, "no such parameter") });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(3);
    assert!(ran.stdout.contains("! 1/3 (2 error)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("no such parameter"), "{}", ran.stdout);
    assert_eq!(project.json("r/manifest.json")["counts"]["expected"], 3);
    assert_eq!(server.count(), 3, "a 400 is not asked again");
}

#[test]
fn a_cut_reply_is_an_error_even_when_its_text_would_pass() {
    let server =
        Server::start(|_, _| completion(&json!({ "role": "assistant", "content": "piano and" }), "length"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(3);
    assert_eq!(project.lines("r/verdicts.jsonl")[0]["verdict"], "error");
}

#[test]
fn every_trial_is_a_request_of_its_own() {
    // Peers: repeats are answered from a cache; with the endpoint's model swapped the cache still answers.
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--trials", "5"]).expect(0);
    assert_eq!(server.count(), 5);
    project.run(&["run", "--trials", "5"]).expect(0);
    assert_eq!(server.count(), 10);
}

#[test]
fn one_cell_at_0_of_10_is_red_however_good_the_average() {
    let server = Server::start(|request, _| {
        let bad = request.body.to_string().contains("word7");
        says(if bad { "organ" } else { "piano" })
    });
    let project = Project::new();
    let rows: String = (0..10).map(|n| format!("word{n}\n")).collect();
    project.write("cases/w1-say-the-word/params.csv", &format!("word\n{rows}"));
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--rows", "all", "--trials", "10", "--out", "r"]).expect(1);
    assert!(ran.stdout.contains("90/100"), "{}", ran.stdout);
    assert_eq!(project.json("r/manifest.json")["counts"]["failed"], 10);
}

#[test]
fn two_cases_with_the_same_prompt_are_both_judged() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    let case = project.read("cases/w1-say-the-word/case.yaml");
    project.write("cases/w2-again/case.yaml", &case.replace("W1", "W2").replace("say-the-word\n", "again\n"));
    project.write("cases/w2-again/params.csv", "word\npiano\n");
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(0);
    assert_eq!(server.count(), 6);
    assert_eq!(project.lines("r/verdicts.jsonl").len(), 6);
}

#[test]
fn retry_after_is_honoured_and_a_long_one_ends_the_trial() {
    let patient = Server::start(|_, n| match n {
        0 => ([("retry-after", "1")], refuses(429, "slow down")).into_response(),
        _ => says("piano"),
    });
    let project = Project::new();
    project.matrix("openai-chat", &[patient.url()], "");
    let start = Instant::now();
    project.run(&["run", "--out", "r", "--concurrency", "1", "--trials", "1"]).expect(0);
    assert!(start.elapsed().as_secs_f64() >= 1.0);
    assert_eq!(project.lines("r/transcripts.jsonl")[0]["retries"], 1);

    let closed = Server::start(|_, _| ([("retry-after", "86400")], refuses(429, "tomorrow")).into_response());
    project.matrix("openai-chat", &[closed.url()], "");
    let ran = project.run(&["run", "--out", "s", "--trials", "1"]).expect(3);
    assert!(ran.stdout.contains("rate-limited"), "{}", ran.stdout);
    assert_eq!(closed.count(), 1);
}

#[test]
fn a_slow_endpoint_does_not_hold_up_another() {
    let slow = Server::slow(Duration::from_millis(400), |_, _| says("piano"));
    let done_fast = std::sync::Arc::new(AtomicBool::new(false));
    let fast = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[slow.url(), fast.url()], "");
    project.run(&["run", "--concurrency", "1", "--out", "r"]).expect(0);
    let order: Vec<String> = project
        .lines("r/transcripts.jsonl")
        .iter()
        .map(|line| line["model"].as_str().unwrap().to_owned())
        .collect();
    done_fast.store(order.iter().position(|m| m == "m1").unwrap() >= 3, Ordering::Relaxed);
    assert!(done_fast.load(Ordering::Relaxed), "the fast model's three trials come first: {order:?}");
}

#[test]
fn a_redirect_is_never_followed() {
    let elsewhere = Server::start(|_, _| says("piano"));
    let target = format!("{}/chat/completions", elsewhere.url());
    let server = Server::start(move |_, _| {
        (axum::http::StatusCode::TEMPORARY_REDIRECT, [("location", target.clone())]).into_response()
    });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--trials", "1"]).expect(3);
    assert!(ran.stdout.contains("redirect"), "{}", ran.stdout);
    assert_eq!(elsewhere.count(), 0);
}

#[test]
fn broken_bodies_are_errors_not_verdicts() {
    for body in ["{}", "<html>busy</html>", "{\"choices\": []}", ""] {
        let server = Server::start(move |_, _| body.into_response());
        let project = Project::new();
        project.matrix("openai-chat", &[server.url()], "");
        project.run(&["run", "--trials", "1", "--out", "r"]).expect(3);
        let line = &project.lines("r/transcripts.jsonl")[0];
        assert_eq!(line["error"]["kind"], "bad-reply", "{body}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_nobody_listens_to_is_concluded_all_the_same() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = project.command(&["run", "--out", "r"]).stderr(full).output().unwrap().status;
    assert_eq!(status.code(), Some(0), "stderr on a full disk is no reason to stop");
    assert_eq!(project.json("r/manifest.json")["counts"]["passed"], 3);
}

/// A checker's program may take its time. The replies of other trials are read all the same, also where there is one thread
/// for all of them.
#[cfg(unix)]
#[test]
fn trials_go_on_while_a_program_judges() {
    let project = Project::new();
    let folder = project.path().canonicalize().unwrap();
    let judging = folder.join("judging");
    let server = Server::start(move |_, n| {
        // The second reply comes once the first one is being judged.
        let wait = || {
            let start = Instant::now();
            while !judging.exists() && start.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        if n > 0 {
            tokio::task::block_in_place(wait);
        }
        says("piano")
    });
    project.matrix("openai-chat", &[server.url()], "");
    // It waits for the second transcript; its controls do not.
    let patient = format!(
        "case $(cat) in *PIANO*) exit 1;; *'\"trial\":'*) ;; *) exit 0;; esac\ncd '{}'\ntouch judging\n\
         for i in $(seq 200); do [ $(wc -l < r/transcripts.jsonl) -ge 2 ] && exit 0; sleep 0.1; done\ntouch gave-up\n",
        folder.display()
    );
    project.write("checkers/says-the-word/patient.sh", &patient);
    let calm = "  - id: calm\n    command: { run: [sh, patient.sh], timeout_s: 60 }\n";
    let definition = project.read("checkers/says-the-word/v1.yaml") + calm;
    project.write("checkers/says-the-word/v1.yaml", &definition);
    let shout = "{\"id\":\"c6\",\"case\":\"W1\",\"params\":{},\"messages\":[{\"role\":\"assistant\",\"by\":\"model\",\"content\":\"PIANO\"}],\"expect\":{\"fail\":\"calm\"}}\n";
    project.write("checkers/says-the-word/v1.controls.jsonl", &(crate::support::controls() + shout));
    let mut run = project.command(&["run", "--out", "r", "--trials", "2", "--concurrency", "2"]);
    Ran::of(&run.env("TOKIO_WORKER_THREADS", "1").output().unwrap()).expect(0);
    assert!(
        !project.path().join("gave-up").exists(),
        "the second reply was not read while the first one was judged"
    );
}
