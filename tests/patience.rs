//! Refusals for too many requests: one of its own makes only its trial wait, a row of them makes all wait.

use std::collections::HashMap;
use std::sync::Mutex;

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

use crate::support::Project;
use crate::support::server::{Request, Server, says};

/// A model that refuses some requests, by their number and by the row they are of, and asks for patience.
fn refuses_some(refuses: impl Fn(usize, &str, usize) -> bool + Send + Sync + 'static) -> Server {
    let asked: Mutex<HashMap<String, usize>> = Mutex::default();
    Server::start(move |request, number| {
        let row = row_of(request);
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(row.clone()).or_default();
        *times += 1;
        if refuses(number, &row, *times) { patience() } else { says("piano") }
    })
}

fn patience() -> Response {
    (StatusCode::TOO_MANY_REQUESTS, [("retry-after-ms", "700")]).into_response()
}

/// The word that the last message asks for.
fn row_of(request: &Request) -> String {
    let said = request.body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    said.trim_start_matches("Say ").trim_end_matches(", please.").to_owned()
}

/// Plays rows 1 to `rows`, one at a time, and gives the order in which they were asked for.
fn played(server: &Server, rows: usize) -> Vec<String> {
    let project = Project::new();
    let words: String = (1..=rows).map(|row| format!("piano {row}\n")).collect();
    project.write("cases/w1-say-the-word/params.csv", &format!("word\n{words}"));
    project.matrix("openai-chat", &[server.url()], "");
    project
        .run(&["run", "--rows", "all", "--trials", "1", "--concurrency", "1", "--out", "r", "--quiet"])
        .expect(0);
    let manifest = project.json("r/manifest.json");
    assert_eq!(manifest["counts"]["passed"], rows);
    server.seen().iter().map(row_of).collect()
}

#[test]
fn a_refused_trial_waits_and_the_next_ones_go_on() {
    let server = refuses_some(|_, row, times| row == "piano 3" && times == 1);
    let order = played(&server, 8);
    assert_eq!(order.len(), 9);
    assert_eq!(order[..4], ["piano 1", "piano 2", "piano 3", "piano 4"]);
    let again = order.iter().rposition(|row| row == "piano 3").unwrap();
    assert!(again > 3, "{order:?}");
    // No row is begun twice or left out.
    let mut rows = order.clone();
    rows.sort();
    rows.dedup();
    assert_eq!(rows.len(), 8);
}

#[test]
fn no_more_than_a_few_wait() {
    // All but the first are refused once, so that as many wait as may.
    let server = refuses_some(|number, _, times| number > 0 && times == 1);
    let order = played(&server, 12);
    assert_eq!(order.len(), 23);
    let begun = |until: usize| {
        let mut rows: Vec<&String> = order[1..until].iter().collect();
        rows.sort();
        rows.dedup();
        rows.len()
    };
    let first_again = (2..order.len()).find(|at| order[1..*at].contains(&order[*at])).unwrap();
    assert_eq!(begun(first_again), 4, "{order:?}");
}

#[test]
fn an_endpoint_that_refuses_whoever_asks_is_asked_by_nobody_else() {
    let server = refuses_some(|number, _, _| number < 3);
    assert_eq!(played(&server, 3), ["piano 1", "piano 1", "piano 1", "piano 1", "piano 2", "piano 3"]);
}
