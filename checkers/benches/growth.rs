//! How the cost of judging grows with the length of hostile replies: `cargo bench -p checkers`. For four times the text a
//! linear reader takes four times as long, a quadratic one sixteen times.

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

fn main() {
    let library = Library::shipped().unwrap();
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
    let mut transcript = base.clone();
    let text = piece.repeat(bytes / piece.len());
    transcript.messages.push(Message::text(Role::Assistant, By::Model, text));
    let time = || {
        let started = Instant::now();
        let _ = checker.judge(&transcript);
        started.elapsed()
    };
    (0..3).map(|_| time()).min().unwrap()
}
