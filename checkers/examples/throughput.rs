//! How fast the checkers judge: `throughput SECONDS FILE.jsonl…` judges the transcripts over and over on one core and
//! prints transcripts a second, case by case.

#![expect(clippy::print_stdout, reason = "a program that prints its findings")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::time::{Duration, Instant};

use checkers::{Library, Outcome};
use transcript::jsonl;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, files @ ..] = arguments.as_slice() else {
        return Err("usage: throughput SECONDS FILE.jsonl…".into());
    };
    let limit = Duration::from_secs(seconds.parse()?);
    let library = Library::shipped()?;
    let mut cases: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for file in files {
        for line in jsonl::Lines::new(BufReader::new(File::open(file)?)) {
            let transcript = jsonl::parse(&line?)?;
            cases.entry(transcript.case.clone()).or_default().push(transcript);
        }
    }
    for (case, transcripts) in cases {
        let Some(checker) = transcripts.first().and_then(|first| library.for_transcript(first).ok()) else {
            continue;
        };
        let (started, mut judged, mut passed) = (Instant::now(), 0_usize, 0_usize);
        while started.elapsed() < limit {
            for transcript in &transcripts {
                passed += usize::from(checker.judge(transcript).outcome == Outcome::Pass);
                judged += 1;
            }
        }
        let rate = judged as f64 / started.elapsed().as_secs_f64();
        println!("{case}: {rate:.0} transcripts a second ({passed} of {judged} passed)");
    }
    Ok(())
}
