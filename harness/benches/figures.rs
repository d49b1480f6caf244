//! The figures that Assize reports of itself, each against an ideal or a bound, measured on the built binary:
//! `cargo bench -p harness`. Linux only: CPU time and memory are read from /proc.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on ends, and it talks"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use serde_json::json;

const ASSIZE: &str = env!("CARGO_BIN_EXE_assize");
/// Kernel clock ticks a second, as /proc counts CPU time on all Linux platforms in use.
const TICKS: f64 = 100.0;

/// What a finished child used.
struct Used {
    wall: Duration,
    cpu: f64,
    peak_mib: f64,
    code: Option<i32>,
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    start_up();
    run_over_http(folder.path());
    check(folder.path());
}

/// Runs a command to its end and watches it in /proc.
fn measure(command: &mut Command) -> Used {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut cpu, mut peak) = (0.0, 0.0);
    let status = loop {
        if let Some(now) = cpu_seconds(&child) {
            cpu = now;
        }
        if let Some(now) = peak_mib(&child) {
            peak = now;
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Used { wall: start.elapsed(), cpu, peak_mib: peak, code: status.code() }
}

fn cpu_seconds(child: &Child) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / TICKS)
}

fn peak_mib(child: &Child) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
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

/// 2,000 one-turn trials at concurrency 100 against an endpoint that takes 50 ms.
fn run_over_http(folder: &Path) {
    const TRIALS: u32 = 2000;
    const CONCURRENCY: u32 = 100;
    const LATENCY: Duration = Duration::from_millis(50);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let answer = json!({
        "id": "c", "object": "chat.completion", "model": "bench",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": reply() }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 60, "total_tokens": 70 },
    })
    .to_string();
    let app = Router::new().fallback(move || {
        let answer = answer.clone();
        async move {
            tokio::time::sleep(LATENCY).await;
            ([("content-type", "application/json")], answer)
        }
    });
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    runtime.spawn(async move { axum::serve(listener, app).await });
    let matrix = folder.join("matrix.yaml");
    let model = format!(
        "models:\n  - {{ id: m, role: other, provider: openai-chat, model: bench, base_url: \"{url}\" }}\n"
    );
    fs::write(&matrix, model).unwrap();
    let ideal = LATENCY.as_secs_f64() * f64::from(TRIALS) / f64::from(CONCURRENCY);
    for round in 1..=3 {
        let used = measure(
            Command::new(ASSIZE)
                .current_dir(repository())
                .args(["run", "--quiet", "--case", "E1", "--matrix"])
                .arg(&matrix)
                .args(["--trials", &TRIALS.to_string(), "--concurrency", &CONCURRENCY.to_string(), "--out"])
                .arg(folder.join(format!("run{round}"))),
        );
        println!(
            "run {TRIALS} trials, 50 ms, concurrency {CONCURRENCY}: {:.2} × ideal (aim ≤ 1.15), {:.2} ms CPU a trial (aim ≤ 0.5), {:.0} MiB (aim ≤ 64), exit {:?}",
            used.wall.as_secs_f64() / ideal,
            used.cpu * 1e3 / f64::from(TRIALS),
            used.peak_mib,
            used.code
        );
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
