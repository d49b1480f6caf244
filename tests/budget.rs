//! Budgets: a run that has used up its money, tokens or time stops cleanly, says how to go on, and loses nothing.

use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::support::Project;
use crate::support::server::{Server, says};

/// Ten tokens read and two written, as the test server counts them, cost 0.16 at these prices.
const PRICES: &str = "    prices: { currency: USD, input: 10000, output: 30000 }\n";

fn priced(server: &Server) -> Project {
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], PRICES);
    project
}

/// How many trials of the run `r` were not run, with the one reason for all of them.
fn not_run(project: &Project) -> (usize, String) {
    let manifest = project.json("r/manifest.json");
    let trials = manifest["cells"][0]["trials"].as_array().unwrap().clone();
    let left: Vec<_> = trials.iter().filter(|trial| trial["standing"] == "not-run").collect();
    let reason = left[0]["reason"].as_str().unwrap().to_owned();
    assert!(left.iter().all(|trial| trial["reason"] == left[0]["reason"]));
    (left.len(), reason)
}

#[test]
fn a_run_stops_when_its_money_is_used_up_and_goes_on_with_more() {
    let server = Server::start(|_, _| says("piano"));
    let project = priced(&server);
    let run = ["run", "--out", "r", "--trials", "10", "--concurrency", "1", "--max-cost", "0.40"];
    let ran = project.run(&run).expect(3);
    // The third trial is the one that uses it up.
    assert_eq!(server.count(), 3);
    assert_eq!(not_run(&project), (7, "budget: 0.48 of 0.40 USD are used up".to_owned()));
    assert!(ran.stdout.contains("! 3/10 (7 not run)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("! 7 trials not run: budget"), "{}", ran.stdout);
    assert!(ran.stdout.contains("; 0.48 USD"), "{}", ran.stdout);
    assert!(ran.stderr.contains("assize run --resume r --max-cost MORE"), "{}", ran.stderr);
    let manifest = project.json("r/manifest.json");
    assert_eq!(manifest["models"][0]["cost"], json!({ "currency": "USD", "micros": 480_000 }));
    let gate = project.run(&["gate", "r"]).expect(3);
    assert!(gate.stdout.contains("budget"), "{}", gate.stdout);

    // A resume keeps to the budget, counts what was spent before, and takes a larger one.
    project.run(&["run", "--resume", "r"]).expect(3);
    assert_eq!(server.count(), 3);
    project.run(&["run", "--resume", "r", "--concurrency", "1", "--max-cost", "0.80"]).expect(3);
    assert_eq!(server.count(), 5);
    project.run(&["run", "--resume", "r", "--max-cost", "100"]).expect(0);
    assert_eq!(server.count(), 10);
    assert_eq!(project.json("r/manifest.json")["models"][0]["cost"]["micros"], 1_600_000);
}

/// An endpoint that counts nonsense spoils its own trials, not those of the other models.
#[test]
fn a_count_of_tokens_that_cannot_be_is_told_and_the_other_models_go_on() {
    let body = r#"{"id":"r1","model":"test-model-1","choices":[{"index":0,"message":{"role":"assistant","content":"piano"},
        "finish_reason":"stop"}],"usage":{"prompt_tokens":18446744073709551615,"completion_tokens":1}}"#;
    let absurd = Server::start(move |_, _| ([("content-type", "application/json")], body).into_response());
    let good = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[absurd.url(), good.url()], PRICES);
    project.run(&["run", "--out", "r", "--trials", "2"]).expect(3);
    let counts = &project.json("r/manifest.json")["counts"];
    assert_eq!((&counts["passed"], &counts["error"]), (&json!(2), &json!(2)), "{counts}");
    let lines = project.lines("r/transcripts.jsonl");
    let failed = lines.iter().find(|line| line["model"] == "m1").unwrap();
    assert_eq!(failed["error"]["kind"], "bad-reply");
    assert!(failed["error"]["message"].as_str().unwrap().contains("tokens, which cannot be"), "{failed}");
}

#[test]
fn what_is_under_way_is_finished_and_nothing_is_lost() {
    let server = Server::slow(Duration::from_millis(80), |_, _| says("piano"));
    let project = priced(&server);
    let run = ["run", "--out", "r", "--trials", "40", "--concurrency", "4", "--max-tokens", "24"];
    project.run(&run).expect(3);
    assert!((2..=8).contains(&server.count()), "{}", server.count());
    assert_eq!(project.lines("r/transcripts.jsonl").len(), server.count(), "what was sent is on disk");
    assert!(not_run(&project).1.contains("of 24 tokens"), "{}", not_run(&project).1);
}

#[test]
fn a_sitting_ends_when_its_time_is_over_and_a_reply_that_does_not_come_is_given_up() {
    let server = Server::slow(Duration::from_secs(60), |_, _| says("piano"));
    let project = priced(&server);
    let run = ["run", "--out", "r", "--trials", "5", "--concurrency", "1", "--max-time", "400ms"];
    let ran = project.run(&run).expect(3);
    assert_eq!(server.count(), 1);
    let line = &project.lines("r/transcripts.jsonl")[0];
    assert_eq!(line["error"]["kind"], "budget");
    assert_eq!(not_run(&project), (4, "budget: the 400ms of this sitting are over".to_owned()));
    assert!(ran.stderr.contains("--max-time TIME"), "{}", ran.stderr);
}

#[test]
fn a_budget_that_cannot_be_kept_is_an_error_before_anything_is_sent() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url(), server.url()], "");
    let refused = |arguments: &[&str], says: &str| {
        let ran = project.run(&[&["run", "--out", "r"], arguments].concat()).expect(2);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
        assert!(!project.path().join("r").exists());
    };
    refused(&["--max-cost", "5"], "no `prices` for m1 (line 2), m2 (line 8)");
    refused(&["--max-cost", "5,00"], "no amount");
    refused(&["--max-time", "soon"], "no length of time");
    refused(&["--max-tokens", "0"], "budget of nothing");
    let text = project.read("matrix.yaml");
    let (first, second) = text.split_once("  - id: m2").unwrap();
    project
        .write("matrix.yaml", &format!("{first}{PRICES}  - id: m2{second}{}", PRICES.replace("USD", "EUR")));
    refused(&["--max-cost", "5"], "USD and EUR");
    assert_eq!(server.count(), 0);
    // Prices in two currencies are no obstacle where nothing has to be added up.
    project.run(&["run", "--max-tokens", "1000"]).expect(0);
}

#[test]
fn replies_that_the_endpoint_does_not_count_stop_a_run_whose_tokens_are_limited() {
    let server = Server::start(|_, _| says_uncounted("piano"));
    let project = priced(&server);
    project.run(&["run", "--out", "r", "--concurrency", "1", "--max-tokens", "1000"]).expect(3);
    assert_eq!(server.count(), 1);
    assert!(not_run(&project).1.contains("nobody counts the tokens of m1"), "{}", not_run(&project).1);
    // A resume knows it from the journal, and asks nobody.
    project.run(&["run", "--resume", "r", "--max-tokens", "2000"]).expect(3);
    assert_eq!(server.count(), 1);
}

/// A chat completion of which nobody says how many tokens it took.
fn says_uncounted(text: &str) -> Response {
    axum::Json(json!({
        "id": "c", "model": "test-model-2026-01-01",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
    }))
    .into_response()
}

#[test]
fn what_nobody_counted_is_not_recorded_as_nothing() {
    let server = Server::start(|_, n| if n == 1 { says_uncounted("piano") } else { says("piano") });
    let project = priced(&server);
    let ran = project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(0);
    let manifest = project.json("r/manifest.json");
    let attempt = |n: usize| manifest["cells"][0]["trials"][n]["attempts"][0].clone();
    assert_eq!((&attempt(1)["usage"], &attempt(1)["uncounted"]), (&Value::Null, &json!(1)));
    assert_eq!((&attempt(2)["usage"]["input"], &attempt(2)["uncounted"]), (&json!(10), &Value::Null));
    let model = &manifest["models"][0];
    assert_eq!((&model["usage"]["input"], &model["uncounted"]), (&json!(20), &json!(1)));
    assert_eq!(model.get("cost"), None, "a part of the cost would pass for all of it");
    let remark = "m1: nobody counted the tokens of 1 reply";
    assert!(ran.stdout.contains(remark) && !ran.stdout.contains("USD"), "{}", ran.stdout);
    let gate = project.run(&["gate", "r"]).expect(0);
    assert!(gate.stdout.contains(remark), "{}", gate.stdout);
}

/// A trial of two turns, of which the first is not counted.
#[test]
fn what_is_under_way_is_finished_also_when_nobody_counts() {
    let server = Server::start(|_, _| says_uncounted("piano"));
    let project = priced(&server);
    let reply = "please.\"\n  - reply\n";
    project.edit(
        "cases/w1-say-the-word/case.yaml",
        reply,
        &format!("{reply}  - user: Once more.\n  - reply\n"),
    );
    project.run(&["run", "--out", "r", "--concurrency", "1", "--max-tokens", "1000"]).expect(3);
    let lines = project.lines("r/transcripts.jsonl");
    assert_eq!((server.count(), lines.len()), (2, 1));
    assert_eq!(lines[0].get("error"), None, "{}", lines[0]);
    assert_eq!(not_run(&project).0, 2);
}

/// A program that never answered used up nothing that anybody failed to count.
#[test]
fn a_program_that_does_not_answer_stops_no_budget() {
    let server = Server::slow(Duration::from_millis(300), |_, _| says("piano"));
    let project = priced(&server);
    let matrix = project.read("matrix.yaml");
    let program = "  - id: m2\n    role: other\n    provider: command\n    program: { run: [no-such-agent], charter_file: RULES.md }\n";
    project.write("matrix.yaml", &format!("{matrix}{program}"));
    project.run(&["run", "--out", "r", "--concurrency", "1", "--max-tokens", "1000"]).expect(3);
    let counts = &project.json("r/manifest.json")["counts"];
    assert_eq!((&counts["passed"], &counts["error"], &counts["not_run"]), (&json!(3), &json!(3), &json!(0)));
}

#[test]
fn the_projects_own_budget_holds_unless_another_one_is_given() {
    let server = Server::start(|_, _| says("piano"));
    let project = priced(&server);
    project.edit("assize.yaml", "trials: 3\n", "trials: 3\nbudget: { max_cost: 0.10 }\n");
    project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(3);
    assert_eq!(server.count(), 1);
    project.run(&["run", "--max-cost", "1"]).expect(0);
}

#[test]
fn cached_tokens_have_a_price_of_their_own_and_no_sum_is_rounded_on_the_way() {
    let server = Server::start(|_, _| {
        axum::Json(json!({
            "id": "c", "model": "test-model-2026-01-01",
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": "piano" }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 7, "completion_tokens": 1, "prompt_tokens_details": { "cached_tokens": 4 } },
        }))
        .into_response()
    });
    let project = Project::new();
    let prices = "    prices: { currency: EUR, input: 0.15, cached: 0.075, output: 0.6 }\n";
    project.matrix("openai-chat", &[server.url()], prices);
    project.run(&["run", "--out", "r", "--trials", "5"]).expect(0);
    // 5 × (3 × 0.15 + 4 × 0.075 + 1 × 0.6) = 6.75 millionths, shown as the next whole one.
    assert_eq!(
        project.json("r/manifest.json")["models"][0]["cost"],
        json!({ "currency": "EUR", "micros": 7 })
    );
}
