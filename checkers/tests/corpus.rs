//! Agreement with the labelled corpus: no false pass, and no disagreement that is not argued.

#![expect(clippy::unwrap_used, clippy::panic, reason = "the corpus is part of the test")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use checkers::{Library, Outcome};
use transcript::jsonl::{self, Lines};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// Column `key` to column `value` of a CSV file.
fn column(file: &str, key: &str, value: &str) -> BTreeMap<String, String> {
    let mut reader = csv::Reader::from_path(corpus().join(file)).unwrap();
    let headers = reader.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let (key, value) = (at(key), at(value));
    reader.records().map(|row| row.unwrap()).map(|row| (row[key].to_owned(), row[value].to_owned())).collect()
}

/// How many transcripts of a case got which verdict for which label.
#[derive(Default)]
struct Tally {
    right: [usize; 2],
    false_pass: usize,
    false_fail: usize,
    error: usize,
    other_clause: usize,
}

#[test]
fn the_checkers_agree_with_the_labels() {
    let (labels, clauses) = (column("labels.csv", "id", "label"), column("labels.csv", "id", "clause"));
    let argued = column("disagreements.csv", "id", "verdict");
    let library = Library::shipped().unwrap();
    let mut tallies: BTreeMap<(usize, String), Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for file in fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in Lines::new(fs::read(&file).unwrap().as_slice()) {
            let transcript = jsonl::parse(&line.unwrap()).unwrap();
            let checker = library.for_transcript(&transcript).unwrap();
            let verdict = checker.judge(&transcript);
            let (label, clause) = (&labels[&transcript.id], &clauses[&transcript.id]);
            assert!(seen.insert(transcript.id.clone()), "{} stands twice", transcript.id);
            let number = transcript.case.trim_start_matches('E').parse().unwrap_or(0);
            let tally = tallies.entry((number, transcript.case.clone())).or_default();
            match (label.as_str(), verdict.outcome) {
                ("pass", Outcome::Pass) => tally.right[0] += 1,
                ("fail", Outcome::Fail) => tally.right[1] += 1,
                ("fail", Outcome::Pass) => tally.false_pass += 1,
                ("pass", Outcome::Fail) => tally.false_fail += 1,
                _ => tally.error += 1,
            }
            let agrees = verdict.outcome.as_str() == label;
            let first = verdict.first_failure().map(|clause| clause.id.as_str()).unwrap_or_default();
            tally.other_clause += usize::from(agrees && first != clause);
            if !agrees && argued.get(&transcript.id).map(String::as_str) != Some(verdict.outcome.as_str()) {
                wrong.push(format!(
                    "{} is labelled {label}, judged {:?} ({first})",
                    transcript.id, verdict.outcome
                ));
            }
        }
    }
    println!(
        "{:>5} {:>5} {:>5} {:>11} {:>11} {:>6} {:>13}",
        "case", "pass", "fail", "false pass", "false fail", "error", "other clause"
    );
    for ((_, case), tally) in &tallies {
        println!(
            "{case:>5} {:>5} {:>5} {:>11} {:>11} {:>6} {:>13}",
            tally.right[0],
            tally.right[1],
            tally.false_pass,
            tally.false_fail,
            tally.error,
            tally.other_clause
        );
    }
    assert_eq!(seen.len(), labels.len(), "every labelled transcript is judged");
    assert_eq!(tallies.values().map(|tally| tally.false_pass).sum::<usize>(), 0, "false passes");
    assert!(wrong.is_empty(), "disagreements that are not argued:\n{}", wrong.join("\n"));
    support::keep_in_step("checkers.md", "agreement", &table(&tallies));
}

/// The agreement as docs/checkers.md shows it.
fn table(tallies: &BTreeMap<(usize, String), Tally>) -> String {
    let mut table = String::from(
        "\n| case | pass, judged pass | fail, judged fail | false pass | false fail | error | fail, for another clause |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for ((_, case), tally) in tallies {
        let [passes, fails] = tally.right;
        let Tally { false_pass, false_fail, error, other_clause, .. } = tally;
        writeln!(
            table,
            "| {case} | {passes} | {fails} | {false_pass} | {false_fail} | {error} | {other_clause} |"
        )
        .unwrap();
    }
    table.push('\n');
    table
}
