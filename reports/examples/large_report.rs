//! Writes an HTML report of a made-up run, to see how pages of any size behave; texts are random words, so that they
//! compress like texts that differ, not like traces that repeat.
//!
//!     cargo run --release -p reports --example large_report -- 100000 /tmp/large.html

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use checkers::{ClauseResult, Evidence, Verdict};
use reports::plan::{CasePin, CharterPin, CheckerPin, Expectation, FORMAT, Input, JudgedBy, ModelPin};
use reports::render::html::{self, Extras, Played};
use reports::report::{CaseFacts, Report};
use reports::row::Rows;
use reports::{Cell, Manifest, Plan, Row, TrialKey};
use transcript::{By, Message, Role, Transcript, Usage};

const MODELS: [&str; 4] = ["frontier", "middle", "small", "local"];
const CASES: usize = 20;
const TRIALS: u32 = 5;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let wanted: usize = arguments.next().unwrap_or_default().parse().unwrap_or(10_000);
    let path = arguments.next().unwrap_or_else(|| "large.html".to_owned());
    let plan = plan(wanted);
    let rows: Vec<Row> =
        plan.trials().enumerate().map(|(index, key)| row(&played(&key, index), index)).collect();
    let manifest = Manifest::new(plan.clone(), &Rows::new(&rows), Vec::new(), Vec::new());
    let facts = |number: usize| CaseFacts {
        name: format!("made-up-case-{number}"),
        kind: if number.is_multiple_of(4) { "happy" } else { "redline" }.to_owned(),
        shows: "how a page of this size behaves".to_owned(),
        binds: Vec::new(),
        failure_modes: Vec::new(),
        path: "cases/made-up/case.yaml".to_owned(),
    };
    let cases: BTreeMap<_, _> = (0..CASES).map(|number| (format!("C{number}"), facts(number))).collect();
    let report = Report::new(manifest, rows, cases, BTreeMap::new());
    let begun = Instant::now();
    // The journal is made line by line, as it would be read.
    let journal = plan.trials().enumerate().map(|(index, key)| {
        let transcript = played(&key, index);
        Ok::<_, Infallible>(Played { line: index + 1, sha256: format!("{index:064}"), transcript })
    });
    let out = BufWriter::with_capacity(1 << 20, File::create(&path).unwrap());
    html::write(&report, &Extras::default(), journal, out).unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    println!("{} trials: {size} bytes in {:.2} s", plan.size(), begun.elapsed().as_secs_f64());
}

fn plan(wanted: usize) -> Plan {
    let rows = wanted.div_ceil(CASES * MODELS.len() * TRIALS as usize).max(1);
    let mut cells = Vec::new();
    for case in 0..CASES {
        for row in 1..=rows {
            let cell = |model: &&str| Cell {
                case: format!("C{case}"),
                variant: None,
                row,
                model: (*model).to_owned(),
            };
            cells.extend(MODELS.iter().map(cell));
        }
    }
    let digest = |name: &str| Input { name: name.to_owned(), sha256: "0".repeat(64) };
    let case = |number: usize| CasePin {
        name: format!("C{number}"),
        sha256: "e".repeat(64),
        judged_by: vec![JudgedBy { variant: None, checker: "made-up@1".to_owned() }],
    };
    let pin = |id: &&str| ModelPin {
        id: (*id).to_owned(),
        role: "other".to_owned(),
        provider: "openai-chat".to_owned(),
        requested: Some(format!("{id}-1")),
        endpoint: Some("https://api.example.test/v1".to_owned()),
        replay: false,
        expect: Expectation::Pass,
        prices: None,
    };
    Plan {
        format: FORMAT,
        run: "made-up".to_owned(),
        planned: "2026-01-02T03:04:05Z".to_owned(),
        assize: env!("CARGO_PKG_VERSION").to_owned(),
        binary_sha256: None,
        source: None,
        charter: CharterPin {
            path: "CHARTER.md".to_owned(),
            version: None,
            sha256: "a".repeat(64),
            runtime_sha256: "b".repeat(64),
        },
        policy: digest("assize.yaml"),
        matrix: digest("matrix.yaml"),
        models: MODELS.iter().map(pin).collect(),
        cases: (0..CASES).map(case).collect(),
        checkers: vec![CheckerPin {
            name: "made-up@1".to_owned(),
            sha256: "c".repeat(64),
            controls_sha256: "d".repeat(64),
        }],
        checker_folders: Vec::new(),
        narrowed: Vec::new(),
        shard: None,
        fixtures: Vec::new(),
        trials: TRIALS,
        expected_sha256: Plan::digest_of(&cells, TRIALS).unwrap(),
        cells,
    }
}

/// The transcript of a trial; the same each time it is asked for.
fn played(key: &TrialKey, index: usize) -> Transcript {
    let mut random = fastrand::Rng::with_seed(index as u64);
    let mut transcript = Transcript::new(key.to_string(), &key.cell.case);
    let mut say = |role, by, words| Message::text(role, by, prose(&mut random, words));
    transcript.messages = vec![
        Message::text(Role::System, By::Script, "<charter>"),
        say(Role::User, By::Script, 60),
        say(Role::Assistant, By::Model, 120),
        say(Role::User, By::Script, 40),
        say(Role::Assistant, By::Model, 180),
    ];
    transcript.usage =
        Some(Usage { input: 2_000 + index as u64 % 700, output: 400, cached: 0, reasoning: 0 });
    transcript.elapsed_ms = Some(800 + random.u64(0..9_000));
    transcript
}

fn prose(random: &mut fastrand::Rng, words: usize) -> String {
    let mut text = String::new();
    for _ in 0..words {
        let length = random.usize(2..9);
        text.extend((0..length).map(|_| random.lowercase()));
        text.push(if random.u8(0..12) == 0 { '\n' } else { ' ' });
    }
    text
}

/// A verdict on it: one trial in twenty fails.
fn row(transcript: &Transcript, index: usize) -> Row {
    let text = &transcript.messages[4].content;
    let end = text.find(['\n', ' ']).unwrap_or(text.len());
    let evidence = Evidence { message: 4, start: 0, end, text: text[..end].to_owned(), call: None };
    let passed = index % 20 != 7;
    let clause = |id: &str, passed| ClauseResult {
        id: id.to_owned(),
        passed,
        reason: "the reply begins with this".to_owned(),
        evidence: vec![evidence.clone()],
    };
    let verdict = Verdict {
        outcome: if passed { checkers::Outcome::Pass } else { checkers::Outcome::Fail },
        checker: "made-up@1".to_owned(),
        clauses: vec![clause("begins", true), clause("says-it", passed)],
        reason: None,
    };
    Row::new(transcript, verdict, &"c".repeat(64), index + 1, format!("{index:064}"))
}
