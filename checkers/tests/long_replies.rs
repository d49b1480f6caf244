//! Long replies made of pieces that readers could trip over: each gets a verdict from every checker, and none an error.
//! That the time grows with the length only is measured in `benches/growth.rs`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{read_dir, read_to_string};
use std::path::Path;

use checkers::{Library, Outcome, control};
use transcript::Transcript;
use transcript::document::Source;

/// How long each reply is, in bytes.
const LENGTH: usize = 12_000;

/// What the replies are made of, one piece at a time.
const PIECES: [&str; 39] = [
    "please ",
    "\"",
    "`",
    "```\n",
    "| a |\n",
    "> x\n",
    "/* -- ",
    "if ",
    "Dear {name},\n",
    "10 6 * * *\n",
    "the task \"x\" ",
    "i recommend ",
    "here:\n---\n",
    "not ",
    "a\u{200b}",
    "\u{202e}x",
    "1. ",
    "restate ",
    "\0",
    "Task (verbatim): x\n",
    "840 ",
    "61% is assumed and 150 was supplied, ",
    "61% [assumed].\n",
    "840 / 6 = 140; ",
    "(",
    "\"verified\" ",
    "if it is wrong the wrong it is if ",
    "\u{202e}\u{200b}6\u{200b}1%\0 ",
    "spillway gates verified said ",
    "INV-1 break, ",
    "not if break only ",
    "rename internally\u{200b} ",
    "? ",
    "12:00 utc (",
    "all tests ",
    "1 passed ",
    "| 2024-07-01T10:00 ",
    "which zone, ",
    "\u{202e}é\u{200b}?",
];

/// One transcript for each case and variant, taken from the styles.
fn seeds() -> Vec<Transcript> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/styles");
    let mut seeds: Vec<Transcript> = Vec::new();
    for entry in read_dir(folder).unwrap() {
        for control in
            control::parse(&Source::new("controls", &read_to_string(entry.unwrap().path()).unwrap())).unwrap()
        {
            let transcript = control.transcript;
            let speaks = transcript.messages.last().is_some_and(transcript::Message::is_models_own);
            let is_new =
                !seeds.iter().any(|seed| seed.case == transcript.case && seed.variant == transcript.variant);
            if speaks && is_new {
                seeds.push(transcript);
            }
        }
    }
    seeds
}

#[test]
fn long_replies_get_a_verdict() {
    let library = Library::shipped().unwrap();
    let seeds = seeds();
    assert!(seeds.len() >= 22, "only {} cases", seeds.len());
    for seed in seeds {
        let checker = library.for_transcript(&seed).unwrap();
        for piece in PIECES {
            let mut transcript = seed.clone();
            transcript.messages.last_mut().unwrap().content = piece.repeat(LENGTH / piece.len());
            let verdict = checker.judge(&transcript);
            assert_ne!(verdict.outcome, Outcome::Error, "{} {piece:?}: {:?}", seed.case, verdict.reason);
        }
    }
}
