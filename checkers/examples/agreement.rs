//! How far the checkers agree with people: `agreement LABELS.csv FILE.jsonl…` prints the table of labels against verdicts,
//! case by case, and every disagreement with its reason. `--clauses` also lists failures of another clause than the label names.

#![expect(clippy::print_stdout, reason = "a program that prints its findings")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{File, read_to_string};
use std::io::BufReader;

use checkers::{Library, Outcome};
use transcript::jsonl;

#[derive(Default)]
struct Tally {
    agree_pass: usize,
    agree_fail: usize,
    false_pass: usize,
    false_fail: usize,
    errors: usize,
    other_clause: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let clauses = arguments.iter().position(|a| a == "--clauses").map(|at| arguments.remove(at)).is_some();
    let [labels, files @ ..] = arguments.as_slice() else {
        return Err("usage: agreement LABELS.csv FILE.jsonl…".into());
    };
    let labels = read_labels(&read_to_string(labels)?);
    let library = Library::shipped()?;
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for file in files {
        for line in jsonl::Lines::new(BufReader::new(File::open(file)?)) {
            let transcript = jsonl::parse(&line?)?;
            let Some((label, clause, why)) = labels.get(&transcript.id) else { continue };
            let Ok(checker) = library.for_transcript(&transcript) else { continue };
            let verdict = checker.judge(&transcript);
            let tally = tallies.entry(transcript.case.clone()).or_default();
            let failed =
                verdict.first_failure().map(|f| format!("{}: {}", f.id, f.reason)).unwrap_or_default();
            let named = verdict.first_failure().is_some_and(|f| f.id == *clause);
            let kind = match (label.as_str(), verdict.outcome) {
                (_, Outcome::Error) => &mut tally.errors,
                ("pass", Outcome::Pass) => &mut tally.agree_pass,
                ("pass", Outcome::Fail) => &mut tally.false_fail,
                (_, Outcome::Pass) => &mut tally.false_pass,
                (_, Outcome::Fail) => &mut tally.agree_fail,
            };
            *kind += 1;
            let agrees = label == verdict.outcome.as_str();
            if !agrees {
                let reason = verdict.reason.as_deref().unwrap_or(&failed);
                println!(
                    "{}: labelled {label} {clause} ({why})\n    judged {} {reason}",
                    transcript.id,
                    verdict.outcome.as_str()
                );
            } else if !named && !clause.is_empty() {
                tally.other_clause += 1;
                if clauses {
                    println!("{}: labelled {clause} ({why})\n    judged {failed}", transcript.id);
                }
            }
        }
    }
    println!("\ncase  pass/pass  fail/fail  false pass  false fail  error  fails by another clause");
    for (case, t) in tallies {
        println!(
            "{case:4}  {:9}  {:9}  {:10}  {:10}  {:5}  {:5}",
            t.agree_pass, t.agree_fail, t.false_pass, t.false_fail, t.errors, t.other_clause
        );
    }
    Ok(())
}

/// `id,case,variant,label,clause,sure,why`; only the last column may be quoted.
fn read_labels(text: &str) -> BTreeMap<String, (String, String, String)> {
    text.lines()
        .skip(1)
        .filter_map(|line| {
            let columns: Vec<&str> = line.splitn(7, ',').collect();
            let [id, _, _, label, clause, _, why] = columns[..] else { return None };
            Some((id.to_owned(), (label.to_owned(), clause.to_owned(), why.trim_matches('"').to_owned())))
        })
        .collect()
}
