//! Runs over HTTP: how close to the ideal time, and at what price.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use model_matrix::Wire;

use crate::endpoint::{Endpoint, Refuses};
use crate::measure::{Used, measure};
use crate::{ASSIZE, repository};

/// What each request takes.
const LATENCY: Duration = Duration::from_millis(50);

/// All figures of runs.
pub fn all(folder: &Path) {
    for (concurrency, trials) in [(1, 40), (10, 400), (100, 2000), (1000, 20_000)] {
        for (name, refuses, admitted) in
            [("", Refuses::Nobody, 1.0), (", every 10th refused", Refuses::EveryTenth, 0.9)]
        {
            let endpoint = Endpoint::start(Wire::OpenaiChat, false, LATENCY, refuses);
            let used = run(folder, &endpoint, Wire::OpenaiChat, false, trials, concurrency);
            let ideal = LATENCY.as_secs_f64() * f64::from(trials) / f64::from(concurrency) / admitted;
            told(
                &format!("run {trials} trials, 50 ms, concurrency {concurrency}{name}"),
                &used,
                trials,
                ideal,
            );
        }
    }
    let rate = 500;
    let endpoint = Endpoint::start(Wire::OpenaiChat, false, LATENCY, Refuses::Above(rate));
    let used = run(folder, &endpoint, Wire::OpenaiChat, false, 3000, 100);
    told("run 3000 trials, 50 ms, concurrency 100, 500 a second admitted", &used, 3000, 3000.0 / 500.0);
    for wire in [Wire::OpenaiChat, Wire::Anthropic] {
        for stream in [false, true] {
            let endpoint = Endpoint::start(wire, stream, LATENCY, Refuses::Nobody);
            let used = run(folder, &endpoint, wire, stream, 4000, 100);
            let name = if stream { "streamed" } else { "whole" };
            told(&format!("run 4000 trials, {}, {name}", wire.name()), &used, 4000, 2.0);
        }
    }
    let endpoint = Endpoint::start(Wire::OpenaiChat, false, Duration::ZERO, Refuses::Nobody);
    let used = run(folder, &endpoint, Wire::OpenaiChat, false, 100_000, 100);
    println!(
        "run 100,000 trials, no latency: {:.0} a second, {:.2} ms CPU a trial, {:.0} MiB, exit {:?}",
        100_000.0 / used.wall.as_secs_f64(),
        used.cpu * 1e3 / 1e5,
        used.peak_mib,
        used.code
    );
}

fn told(name: &str, used: &Used, trials: u32, ideal: f64) {
    println!(
        "{name}: {:.2} × ideal (aim ≤ 1.15), {:.2} ms CPU a trial (aim ≤ 0.5), {:.0} MiB (aim ≤ 64), exit {:?}",
        used.wall.as_secs_f64() / ideal,
        used.cpu * 1e3 / f64::from(trials),
        used.peak_mib,
        used.code
    );
}

/// One-turn trials of a shipped case.
fn run(folder: &Path, endpoint: &Endpoint, wire: Wire, stream: bool, trials: u32, concurrency: u32) -> Used {
    let matrix = folder.join("matrix.yaml");
    let model = format!(
        "models:\n  - {{ id: m, role: other, provider: {}, model: bench, base_url: \"{}\", stream: {stream}, decoding: {{ max_tokens: 200 }} }}\n",
        wire.name(),
        endpoint.url
    );
    fs::write(&matrix, model).unwrap();
    let out = tempfile::tempdir_in(folder).unwrap();
    measure(
        Command::new(ASSIZE)
            .current_dir(repository())
            .args(["run", "--quiet", "--case", "E1", "--matrix"])
            .arg(&matrix)
            .args(["--trials", &trials.to_string(), "--concurrency", &concurrency.to_string(), "--out"])
            .arg(out.path().join("run")),
    )
}
