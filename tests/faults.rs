//! Endpoints that go wrong: what the user sees, and what is on disk. Whatever happens, no finished trial is lost, none
//! is judged that has no whole reply, and `--resume` asks for no more than what is missing.

mod closed;
mod rows;
mod tls;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::faults::{Act, FaultServer, response};
use crate::support::{Project, Ran};
use rows::{Fault, GOOD, GOOD_MESSAGE};

/// Limits that make faults show soon, and one repeat.
const LIMITS: &str =
    "    limits: { retries: 1, timeout_s: 2, idle_timeout_s: 1 }\n    decoding: { max_tokens: 50 }\n";

/// A server that goes wrong, with a runtime of its own.
pub struct Endpoint {
    pub server: FaultServer,
    _runtime: tokio::runtime::Runtime,
}

impl Endpoint {
    /// One list of acts for each connection, in order.
    pub fn start(lists: Vec<Vec<Act>>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(FaultServer::start(lists));
        Self { server, _runtime: runtime }
    }
}

/// Does it for each, several at a time: most of what happens here is waiting.
fn for_each(faults: &[Fault], what: impl Fn(&Fault) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    what(fault);
                }
            });
        }
    });
}

/// A reply that passes, in the fault's wire format.
fn good(fault: &Fault) -> Vec<Act> {
    response("200 OK", "", if fault.provider == "anthropic" { GOOD_MESSAGE } else { GOOD })
}

/// No whole reply: an error of the endpoint, whatever it was.
#[test]
fn a_fault_that_stays_costs_its_own_trial_and_nothing_else() {
    for_each(&rows::staying(), |fault| {
        let lists = [vec![good(fault)], vec![fault.acts.clone(); fault.requests], vec![good(fault)]].concat();
        let endpoint = Endpoint::start(lists);
        let project = Project::new();
        project.matrix(fault.provider, std::slice::from_ref(&endpoint.server.url), LIMITS);
        let run = ["run", "--out", "r", "--concurrency", "1", "--trials", "2"];
        let ran = project.run(&run).expect(3);
        assert_eq!(endpoint.server.count(), 1 + fault.requests, "{}", fault.name);
        seen_by_the_user(fault, &ran);
        on_disk(fault, &project);
        // Every repeat says the same, to the same place.
        let bodies = endpoint.server.bodies();
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{}", fault.name);
        let path =
            if fault.provider == "anthropic" { "post /v1/messages " } else { "post /v1/chat/completions " };
        assert!(endpoint.server.heads().iter().all(|head| head.starts_with(path)), "{}", fault.name);

        let before = project.read("r/transcripts.jsonl");
        let resumed = project.run(&["run", "--resume", "r", "--concurrency", "1"]).expect(0);
        assert!(resumed.stdout.contains("2 passed, 0 failed, 0 error, 0 not run"), "{}", resumed.stdout);
        assert_eq!(endpoint.server.count(), 2 + fault.requests, "{}: only what was missing", fault.name);
        assert!(project.read("r/transcripts.jsonl").starts_with(&before), "{}", fault.name);
    });
}

fn seen_by_the_user(fault: &Fault, ran: &Ran) {
    let name = fault.name;
    assert!(ran.stdout.contains("! no verdict  W1/r1/m1/t2"), "{name}: {}", ran.stdout);
    assert!(ran.stdout.contains(&format!("{}: ", fault.kind)), "{name}: {}", ran.stdout);
    assert!(ran.stdout.contains(fault.says), "{name}: {}", ran.stdout);
    assert!(ran.stdout.contains("1 passed, 0 failed, 1 error, 0 not run"), "{name}: {}", ran.stdout);
    assert!(!ran.stderr.contains("panicked"), "{name}: {}", ran.stderr);
}

fn on_disk(fault: &Fault, project: &Project) {
    let name = fault.name;
    let lines = project.lines("r/transcripts.jsonl");
    assert_eq!(lines.len(), 2, "{name}");
    assert_eq!(lines[0].get("error"), None, "{name}");
    assert_eq!(lines[1]["error"]["kind"], fault.kind, "{name}: {}", lines[1]["error"]);
    let message = lines[1]["error"]["message"].as_str().unwrap();
    assert!(message.contains(fault.says), "{name}: {message}");
    let repeats = fault.requests - 1;
    let recorded = lines[1].get("retries").and_then(Value::as_u64).unwrap_or(0);
    assert_eq!(recorded, repeats as u64, "{name}");
    assert_eq!((&lines[1]["attempt"], &lines[1]["id"]), (&json!(1), &json!("W1/r1/m1/t2")), "{name}");
    let verdicts = project.lines("r/verdicts.jsonl");
    assert_eq!(
        (&verdicts[0]["verdict"], &verdicts[1]["verdict"]),
        (&json!("pass"), &json!("error")),
        "{name}"
    );
    let counts = json!({ "expected": 2, "passed": 1, "failed": 0, "error": 1, "not_run": 0 });
    assert_eq!(project.json("r/manifest.json")["counts"], counts, "{name}");
}

/// A fault that passes is not even worth a word, but it is recorded.
#[test]
fn a_fault_that_passes_is_got_over() {
    for_each(&rows::passing(), |fault| {
        let endpoint = Endpoint::start(vec![fault.acts.clone(), good(fault)]);
        let project = Project::new();
        project.matrix(fault.provider, std::slice::from_ref(&endpoint.server.url), LIMITS);
        let ran = project.run(&["run", "--out", "r", "--concurrency", "1", "--trials", "1"]);
        assert_eq!(ran.code, 0, "{}: {}", fault.name, ran.stdout);
        assert_eq!(endpoint.server.count(), 2, "{}", fault.name);
        let line = &project.lines("r/transcripts.jsonl")[0];
        assert_eq!((line.get("error"), &line["retries"]), (None, &json!(1)), "{}", fault.name);
        assert_eq!(line["messages"][2]["content"], "piano", "{}", fault.name);
        assert!(ran.stdout.contains("1 passed, 0 failed, 0 error"), "{}: {}", fault.name, ran.stdout);
    });
}

/// Every third request is refused; with and without a word on how long to wait.
#[test]
fn a_storm_of_refusals_costs_no_trial() {
    for wait in ["retry-after-ms: 20\r\n", ""] {
        let refused = response("429 Too Many Requests", wait, r#"{"error":{"message":"slow down"}}"#);
        let good = || response("200 OK", "", GOOD);
        let lists = (0..40).map(|n| if n % 3 == 2 { refused.clone() } else { good() });
        let endpoint = Endpoint::start(lists.chain([good()]).collect());
        let project = Project::new();
        project.matrix("openai-chat", std::slice::from_ref(&endpoint.server.url), "");
        let run = ["run", "--out", "r", "--concurrency", "8", "--trials", "20"];
        project.run(&run).expect(0);
        let lines = project.lines("r/transcripts.jsonl");
        let retries: u64 = lines.iter().filter_map(|line| line["retries"].as_u64()).sum();
        assert_eq!(lines.len(), 20);
        assert_eq!(endpoint.server.count() as u64, 20 + retries);
        assert!(retries >= 6, "{retries}");
    }
}
