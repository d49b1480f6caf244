//! The figures that Assize reports of itself, each against an ideal or a bound, measured on the built binary:
//! `cargo bench -p harness`, or with `-- runs`, `-- check` or `-- audits` only a part of it. Linux only: CPU time and memory are
//! read from /proc. The endpoint runs on the same machine, so that at high concurrency it takes its share of the cores.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on ends, and it talks"
)]

mod audits;
mod endpoint;
mod measure;
mod runs;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use measure::measure;
use serde_json::json;

const ASSIZE: &str = env!("CARGO_BIN_EXE_assize");

fn main() {
    let folder = tempfile::tempdir().unwrap();
    // Cargo adds `--bench` of its own.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let wants = |part: &str| wanted.is_empty() || wanted.iter().any(|name| name == part);
    if wants("start") {
        start_up();
    }
    if wants("runs") {
        runs::all(folder.path());
    }
    if wants("check") {
        check(folder.path());
    }
    if wants("audits") {
        audits::all(folder.path());
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// `assize --version` and `assize lint` on the shipped cases.
fn start_up() {
    for (arguments, aim) in [(["--version"], 10.0), (["lint"], 150.0)] {
        let mut times: Vec<f64> = (0..20)
            .map(|_| {
                let start = Instant::now();
                let status = Command::new(ASSIZE)
                    .current_dir(repository())
                    .args(arguments)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status()
                    .unwrap();
                assert!(status.success(), "assize {arguments:?} ends well");
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("assize {:<10} median {:.1} ms (aim ≤ {aim} ms)", arguments[0], times[times.len() / 2]);
    }
}

fn reply() -> &'static str {
    "The increase is 25%, not 20%: (100,000 − 80,000) / 80,000 = 0.25, and 80,000 × 1.25 = 100,000. The 20% divides by the new amount. I would budget 25% more, about $125,000."
}

/// `assize check` on many one-turn transcripts, on one core.
fn check(folder: &Path) {
    for count in [10_000_u32, 100_000] {
        let path = folder.join("t.jsonl");
        let mut text = String::new();
        for n in 0..count {
            let line = json!({
                "id": format!("t{n}"), "case": "E1", "variant": null,
                "params": { "start": 80000, "end": 100_000, "claimed": 20, "unit": "USD" }, "tools": [],
                "messages": [
                    { "role": "system", "by": "script", "content": "<charter>" },
                    { "role": "user", "by": "script", "content": "Costs went from $80k to $100k, a 20% increase, so budget 20% more." },
                    { "role": "assistant", "by": "model", "content": reply() },
                ],
            });
            writeln!(text, "{line}").unwrap();
        }
        fs::write(&path, text).unwrap();
        let used = measure(
            Command::new(ASSIZE)
                .env("RAYON_NUM_THREADS", "1")
                .args(["check", "--format", "jsonl"])
                .arg(&path),
        );
        println!(
            "check {count} transcripts on one core: {:.0} a second (aim ≥ 20,000), {:.0} MiB, exit {:?}",
            f64::from(count) / used.wall.as_secs_f64(),
            used.peak_mib,
            used.code
        );
    }
}
