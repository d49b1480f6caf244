//! The pin: who answered is compared, reply by reply, with who is on trial.

use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::support::Project;
use crate::support::server::Server;

/// A completion that says the word, served by `model` with `fingerprint`.
fn served_by(model: Option<&str>, fingerprint: Option<&str>) -> Response {
    let mut body = json!({
        "id": "chatcmpl-1",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": "piano" },
            "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 2 },
    });
    for (name, value) in [("model", model), ("system_fingerprint", fingerprint)] {
        if let Some(value) = value {
            body[name] = Value::from(value);
        }
    }
    axum::Json(body).into_response()
}

/// A project whose only model is asked for as `m-1`, with these lines more in its entry.
fn project(server: &Server, more: &str) -> Project {
    let project = Project::new();
    project.write(
        "matrix.yaml",
        &format!(
            "models:\n  - id: m1\n    role: weakest-deployed\n    provider: openai-chat\n    model: m-1\n    base_url: {}\n{more}",
            server.url()
        ),
    );
    project
}

#[test]
fn another_model_than_the_pinned_one_is_an_error_and_its_words_are_kept() {
    // Peers: with the endpoint's model swapped, the trial passes.
    let server = Server::start(|_, n| served_by(Some(if n == 1 { "m-2" } else { "m-1" }), None));
    let project = project(&server, "");
    let ran = project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(3);
    for part in ["pin-drift", "`m-2`", "`m-1`", "line 2 of the matrix", "! 2/3 (1 error)"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let line = &project.lines("r/transcripts.jsonl")[1];
    assert_eq!(line["error"]["kind"], "pin-drift");
    assert_eq!(line["messages"][2]["content"], "piano", "what it said is kept");
    assert_eq!(line["served"][0]["model"], "m-2");
    assert_eq!(line["usage"]["input"], 10);
    assert_eq!(project.lines("r/verdicts.jsonl")[1]["verdict"], "error");
    project.run(&["gate", "r"]).expect(3);
    // The endpoint is itself again: only that trial is played again.
    project.run(&["run", "--resume", "r"]).expect(0);
    assert_eq!(server.count(), 4);
    project.run(&["gate", "r"]).expect(0);
}

/// A stream whose last chunk names another model, or whose first, empty one does, is not the pinned model's reply.
#[test]
fn another_model_in_any_chunk_of_a_stream_is_an_error() {
    for models in [["m-1", "m-1", "m-2"], ["m-2", "m-1", "m-1"]] {
        let server = Server::start(move |_, _| {
            let deltas = [json!({ "role": "assistant" }), json!({ "content": "piano" }), json!({})];
            let chunks = models.iter().zip(deltas).enumerate().map(|(n, (model, delta))| {
                let finish = if n == 2 { json!("stop") } else { Value::Null };
                let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
                format!("data: {}\n\n", json!({ "id": "r1", "model": model, "choices": [choice] }))
            });
            let body: String = chunks.chain(["data: [DONE]\n\n".to_owned()]).collect();
            ([("content-type", "text/event-stream")], body).into_response()
        });
        let project = project(&server, "");
        let ran = project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(3);
        assert!(ran.stdout.contains("pin-drift") && ran.stdout.contains("m-2"), "{}", ran.stdout);
        let line = &project.lines("r/transcripts.jsonl")[0];
        assert_eq!(line["error"]["kind"], "pin-drift");
        assert_eq!(line["messages"][2]["content"], "piano", "what it said is kept");
        project.run(&["gate", "r"]).expect(3);
    }
}

#[test]
fn what_is_pinned_need_not_be_the_name_that_is_asked_for() {
    let server = Server::start(|_, _| served_by(Some("m-1-2026-01-01"), None));
    project(&server, "").run(&["run"]).expect(3);
    project(&server, "    pin: { model: m-1-2026-01-01 }\n").run(&["run"]).expect(0);
}

#[test]
fn an_endpoint_that_does_not_say_is_told_of_and_refused_where_the_pin_is_written_out() {
    let server = Server::start(|_, _| served_by(None, None));
    let quiet = project(&server, "");
    let ran = quiet.run(&["run", "--out", "r"]).expect(0);
    assert!(ran.stdout.contains("did not say which model served 3 of 3 replies"), "{}", ran.stdout);
    let gate = quiet.run(&["gate", "r"]).expect(0);
    assert!(gate.stdout.contains("did not say which model"), "{}", gate.stdout);

    let pinned = project(&server, "    pin: { model: m-1 }\n");
    let ran = pinned.run(&["run"]).expect(3);
    assert!(ran.stdout.contains("pin-drift") && ran.stdout.contains("did not say"), "{}", ran.stdout);
}

#[test]
fn a_fingerprint_that_changes_is_recorded_and_told_and_a_pinned_one_must_stay() {
    let prints = |_: &_, n: usize| served_by(Some("m-1"), Some(if n == 2 { "fp_b" } else { "fp_a" }));
    let server = Server::start(prints);
    let free = project(&server, "");
    let ran = free.run(&["run", "--out", "r", "--concurrency", "1"]).expect(0);
    assert!(ran.stdout.contains("2 fingerprints in 3 replies: fp_a in 2, fp_b in 1"), "{}", ran.stdout);
    let observed = &free.json("r/manifest.json")["models"][0]["observed"];
    assert_eq!(observed.as_array().unwrap().len(), 2);

    let server = Server::start(prints);
    let pinned = project(&server, "    pin: { fingerprint: fp_a }\n");
    let ran = pinned.run(&["run", "--concurrency", "1"]).expect(3);
    assert!(ran.stdout.contains("fingerprint `fp_b`") && ran.stdout.contains("(1 error)"), "{}", ran.stdout);
}

#[test]
fn a_journal_in_which_the_drift_was_hidden_is_not_believed() {
    type Edit = fn(&mut Value);
    let edits: [Edit; 2] = [
        |line| drop(line.as_object_mut().unwrap().remove("error")),
        |line| {
            line.as_object_mut().unwrap().remove("error");
            line["served"] = json!([]);
        },
    ];
    for edit in edits {
        let server = Server::start(|_, _| served_by(Some("m-2"), None));
        let project = project(&server, "");
        project.run(&["run", "--out", "r"]).expect(3);
        let mut lines = project.lines("r/transcripts.jsonl");
        lines.iter_mut().for_each(edit);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        project.write("r/transcripts.jsonl", &text);
        std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
        project.run(&["run", "--resume", "r"]).expect(2);
        project.run(&["gate", "r"]).expect(1);
    }
}

/// One reply of another model may be a slip; an endpoint that keeps giving them is not paid for the rest.
#[test]
fn an_endpoint_that_keeps_serving_another_model_is_left_alone() {
    let server = Server::start(|_, n| served_by(Some(if (1..4).contains(&n) { "m-1" } else { "m-2" }), None));
    let project = project(&server, "");
    let ran = project.run(&["run", "--out", "r", "--trials", "20", "--concurrency", "1"]).expect(3);
    assert!(
        ran.stderr.contains("no further trials of m1 are started") && ran.stderr.contains("`m-2`"),
        "{}",
        ran.stderr
    );
    assert_eq!(server.count(), 7, "one slip, three good ones, and three in a row that are not");
    let manifest = project.json("r/manifest.json");
    assert_eq!(manifest["counts"]["error"], 4);
    assert_eq!(manifest["counts"]["not_run"], 13);
}
