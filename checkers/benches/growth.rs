//! How the cost of judging grows with the length of hostile replies: `cargo bench -p checkers`, or with `-- megabyte` only
//! the second table. For four times the text a linear reader takes four times as long, a quadratic one sixteen times.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on ends, and it talks"
)]

use std::time::{Duration, Instant};

use checkers::{Checker, Library};
use transcript::{By, Message, Role, Transcript};

const PIECES: &[&str] = &[
    "1 ",
    "((((",
    "1+",
    "(1+",
    "1=1=",
    "3 4 5 6 7 8 9 10 ",
    "20% ",
    "not ",
    "$1 ",
    "*a ",
    "\\frac{",
    "|1",
    "even ",
    "yes. ",
    "\"a",
    "if 20% would ",
    "```",
    "~~",
    "1,",
    "one ",
    "a hundred and ",
    "<s>",
    "25% of ",
    "you said 20% ",
    "7 days ",
    "- 3\n",
    "> 20%\n",
    "\n",
    "—",
    "1 000 ",
    "{",
    "done. not done until it is done, ",
    "[assumed\n",
    "rows and tables sing\n",
    "INV-1 break, ",
    "not if break only ",
    "here:\n---\n",
    "a\u{200b}",
    "\u{202e}x",
    "restate ",
    "840 / 6 = 140; ",
    "\"verified\" ",
    "if it is wrong the wrong it is if ",
];

/// Makes a text of about so many bytes.
type Text = fn(usize) -> String;

/// The kinds of hostile reply.
const KINDS: &[(&str, Text)] = &[
    ("deep nesting", |bytes| ["(", "1 + [", "\\frac{", "> "].concat().repeat(bytes / 14)),
    ("closed nesting", |bytes| format!("{}1{}", "(".repeat(bytes / 2), ")".repeat(bytes / 2))),
    ("ten thousand numbers", |bytes| (0..bytes / 7).map(|n| format!("{} ", 100_000 + n % 10_000)).collect()),
    ("right-to-left marks", |bytes| "\u{202e}20% \u{200f}x\u{202c} ".repeat(bytes / 18)),
    ("zero-width in numbers", |bytes| "8\u{200b}0,\u{2060}000 / 4\u{200d}00 = 200. ".repeat(bytes / 34)),
    ("control characters", |bytes| "a\u{1}\u{7}\u{1b}[31m20%\u{8}\u{0}\r ".repeat(bytes / 16)),
    ("one long word", |bytes| "a".repeat(bytes)),
    ("one long number", |bytes| "9".repeat(bytes)),
    ("one long line", |bytes| "the tests pass and it is not 20% if that ".repeat(bytes / 41)),
    ("prose", |bytes| "It rose from 80 to 100, that is 25%. Done, and verified.\n".repeat(bytes / 57)),
];

fn main() {
    let library = Library::shipped().unwrap();
    // The first judgement of a checker tries its controls and compiles its patterns.
    for checker in library.iter() {
        let _ = checker.judge(&checker.controls.first().unwrap().transcript);
    }
    if std::env::args().all(|argument| argument != "megabyte") {
        short_pieces(&library);
    }
    megabytes(&library);
}

/// For each kind of hostile reply the checker that takes longest for a megabyte, and how that grew from a quarter of it.
fn megabytes(library: &Library) {
    println!(
        "{:24} {:28} {:>10} {:>10} {:>8} {:>14}",
        "1 MB of", "slowest", "250 kB", "1 MB", "growth", "worst growth"
    );
    for (kind, text) in KINDS {
        let (quarter, whole) = (text(250_000), text(1_000_000));
        let mut slowest = (Duration::ZERO, Duration::ZERO, String::new());
        let mut worst = (0.0, String::new());
        for checker in library.iter() {
            let base = &checker.controls.first().unwrap().transcript;
            let (short, long) = (judged(checker, base, &quarter), judged(checker, base, &whole));
            let growth = long.as_secs_f64() / short.as_secs_f64().max(1e-6);
            if short > Duration::from_millis(5) && growth > worst.0 {
                worst = (growth, checker.label());
            }
            if long > slowest.1 {
                slowest = (short, long, checker.label());
            }
        }
        let (short, long, label) = slowest;
        let growth = long.as_secs_f64() / short.as_secs_f64().max(1e-6);
        println!(
            "{kind:24} {label:28} {short:>10.1?} {long:>10.1?} {growth:>6.1} × {:>6.1} × {}",
            worst.0, worst.1
        );
    }
}

fn short_pieces(library: &Library) {
    for checker in library.iter() {
        let base = &checker.controls.first().unwrap().transcript;
        let mut worst = (0.0, "", Duration::ZERO);
        for piece in PIECES {
            let (short, long) = (best(checker, base, piece, 5_000), best(checker, base, piece, 20_000));
            let ratio = long.as_secs_f64() / short.as_secs_f64().max(1e-6);
            // Below a tenth of a millisecond the clock says more than the reader.
            if short > Duration::from_micros(100) && ratio > worst.0 {
                worst = (ratio, piece, long);
            }
        }
        println!(
            "{:32} worst growth for 4 × the text: {:5.1} × ({:?}, {:?} for 20 kB)",
            checker.label(),
            worst.0,
            worst.1,
            worst.2
        );
    }
}

fn best(checker: &Checker, base: &Transcript, piece: &str, bytes: usize) -> Duration {
    let text = piece.repeat(bytes / piece.len());
    (0..3).map(|_| judged(checker, base, &text)).min().unwrap()
}

fn judged(checker: &Checker, base: &Transcript, text: &str) -> Duration {
    let mut transcript = base.clone();
    transcript.messages.push(Message::text(Role::Assistant, By::Model, text));
    let started = Instant::now();
    let verdict = checker.judge(&transcript);
    let taken = started.elapsed();
    assert!(!verdict.reason.is_some_and(|reason| reason.contains("broke down")), "{}", checker.label());
    taken
}
