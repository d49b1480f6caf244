//! The written records: whether each has its form, and whether it follows from the transcripts.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

use reports::row::Row;
use reports::{Finding, Manifest, Plan, Rule, digest};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use transcript::jsonl::{self, ReadError};
use transcript::strict;

use super::draft::Sources;
use super::journal::Journal;
use crate::sitting::rowfile::RowFile;
use crate::sitting::rundir::{MANIFEST, PLAN, RunDir, RunDirError, TRANSCRIPTS, VERDICTS};

/// The manifest as it was written; what is wrong with its form goes to `findings`.
pub(super) fn manifest(run: &RunDir, findings: &mut Vec<Finding>) -> Result<Option<Manifest>, RunDirError> {
    let Some(text) = text(run, MANIFEST, findings)? else {
        let message = "there is no manifest: the run was not concluded; resume it";
        findings.push(Finding::new(Rule::FileMissing, message).of(MANIFEST));
        return Ok(None);
    };
    match Manifest::parse(&text) {
        Ok(manifest) => {
            findings.extend(form(MANIFEST, &text, &manifest));
            Ok(Some(manifest))
        }
        Err(error) => {
            findings.push(Finding::new(Rule::Unreadable, error.to_string()).of(MANIFEST));
            Ok(None)
        }
    }
}

/// The plan; what is wrong with its form goes to `findings`.
pub(super) fn plan(run: &RunDir, findings: &mut Vec<Finding>) -> Result<Option<Plan>, RunDirError> {
    let Some(text) = text(run, PLAN, findings)? else { return Ok(None) };
    match Plan::parse(&text) {
        Ok(plan) => {
            findings.extend(form(PLAN, &text, &plan));
            Ok(Some(plan))
        }
        Err(error) => {
            findings.push(Finding::new(Rule::Unreadable, error.to_string()).of(PLAN));
            Ok(None)
        }
    }
}

/// The text of a record. A key that stands twice is told here: the parsers behind this would not all agree on its value.
fn text(run: &RunDir, name: &str, findings: &mut Vec<Finding>) -> Result<Option<String>, RunDirError> {
    let path = run.path().join(name);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(RunDirError::Io { path, source }),
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("not valid UTF-8 after byte {}", error.utf8_error().valid_up_to());
            findings.push(Finding::new(Rule::Unreadable, message).of(name));
            return Ok(Some(String::new()));
        }
    };
    if let Err(error) = strict::check(&text)
        && error.to_string().contains("occurs twice")
    {
        findings.push(Finding::new(Rule::DuplicateKey, error.to_string()).of(name).at(error.line()));
    }
    Ok(Some(text))
}

/// Whether `text` is `value` in canonical form.
fn form<T: Serialize>(name: &str, text: &str, value: &T) -> Option<Finding> {
    let canonical = match digest::file(value) {
        Ok(canonical) => canonical,
        Err(error) => return Some(Finding::new(Rule::Unreadable, error.to_string()).of(name)),
    };
    if canonical == text.as_bytes() {
        return None;
    }
    let at = canonical.iter().zip(text.as_bytes()).take_while(|(a, b)| a == b).count();
    let message = format!(
        "not in canonical form (RFC 8785) from byte {at} on: it was edited, or written by something else"
    );
    Some(Finding::new(Rule::NotCanonical, message).of(name))
}

/// Lines of the journal that are not those that the manifest records.
pub(super) fn lines(written: &Manifest, journal: &Journal) -> Vec<Finding> {
    let mut recorded: Vec<(usize, &str, String)> = Vec::new();
    for cell in &written.cells {
        for trial in &cell.trials {
            let key = format!("{}/t{}", cell.cell, trial.trial);
            let attempts = trial.attempts.iter();
            recorded.extend(
                attempts.map(|attempt| (attempt.line, attempt.transcript_sha256.as_str(), key.clone())),
            );
        }
    }
    recorded.sort();
    let lines: HashMap<usize, String> =
        journal.lines.iter().map(|(line, sha256)| (*line, digest::hex(sha256))).collect();
    let places: HashMap<&str, usize> = lines.iter().map(|(line, sha256)| (sha256.as_str(), *line)).collect();
    recorded
        .into_iter()
        .filter_map(|(line, sha256, key)| {
            let found = lines.get(&line);
            if found.is_some_and(|found| found == sha256) {
                return None;
            }
            let place = Finding::new(Rule::Line, "").of(TRANSCRIPTS).at(line);
            let message = match places.get(sha256) {
                Some(now) => format!("{key}: this line stands at line {now} now: lines were moved"),
                None => format!("{key}: the line that the manifest records is not in the journal: it was edited or taken out"),
            };
            let found = found.map_or_else(|| "no transcript".to_owned(), |found| format!("sha256 {found}"));
            Some(Finding { message, ..place }.but(format!("sha256 {sha256}"), found))
        })
        .collect()
}

/// Holds the file of verdicts against what the checkers say, line by line. A file that is gone is told elsewhere.
pub(super) fn verdicts(
    run: &RunDir,
    rows: &mut RowFile,
    findings: &mut Vec<Finding>,
) -> Result<(), io::Error> {
    let mut written = match File::open(run.path().join(VERDICTS)) {
        Ok(file) => BufReader::with_capacity(1 << 16, file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let lines = rows.len();
    for index in 0..lines {
        let line = match jsonl::read_line(&mut written, index + 1) {
            Ok(line) => line,
            Err(error) => return too_long(error, findings),
        };
        let row = rows.get(index)?;
        if Sha256::digest(&line).as_slice() != row.mark() {
            findings.push(verdict_differs(index + 1, &line, &row.row()?));
        }
    }
    if !written.fill_buf()?.is_empty() {
        let message = "verdicts follow for which there is no transcript";
        findings.push(Finding::new(Rule::Verdict, message).of(VERDICTS).at(lines + 1));
    }
    Ok(())
}

/// A line that is longer than any verdict: it is told, and where the next one begins is not known.
fn too_long(error: ReadError, findings: &mut Vec<Finding>) -> io::Result<()> {
    match error {
        ReadError::Io { source, .. } => Err(source),
        error => {
            findings.push(Finding::new(Rule::Unreadable, error.to_string()).of(VERDICTS));
            Ok(())
        }
    }
}

fn verdict_differs(number: usize, line: &[u8], row: &Row) -> Finding {
    let message = format!("the verdict on {} is not what {} says of the transcript", row.id, row.checker);
    let failing = |clauses: &[checkers::ClauseResult]| {
        let ids: Vec<_> =
            clauses.iter().filter(|clause| !clause.passed).map(|clause| clause.id.as_str()).collect();
        if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) }
    };
    let told = |row: &Row| {
        format!("{} {}{} for line {}", row.id, row.verdict.as_str(), failing(&row.clauses), row.line)
    };
    let expected = told(row);
    let found = match serde_json::from_slice::<Row>(line) {
        Ok(found) if told(&found) != expected => told(&found),
        Ok(_) => "the same, with other details".to_owned(),
        Err(_) if line.is_empty() => "nothing".to_owned(),
        Err(error) => format!("no verdict: {error}"),
    };
    Finding::new(Rule::Verdict, message).of(VERDICTS).at(number).but(expected, found)
}

/// Differences shown before they are only counted.
const SHOWN: usize = 40;

/// How the written manifest differs from the derived one, by the place in it. Its evidence is held against the files
/// themselves, which says more. The cells of `derived` are not looked at, but drawn up once more from `rows`.
pub(super) fn differences(
    sources: Sources<'_>,
    derived: &Manifest,
    written: &Manifest,
    rows: &mut RowFile,
) -> io::Result<Vec<Finding>> {
    let mut found = Vec::new();
    let (here, there) = (sources.plan.cells.len(), written.cells.len());
    if here == there {
        let mut place = 0;
        let mut others = written.cells.iter();
        sources.each_cell(rows, |cell| {
            if let Some(other) = others.next().filter(|other| cell != **other) {
                compare(&format!("/cells/{place}"), &cell, other, &mut found);
            }
            place += 1;
        })?;
    } else {
        found.push(differs("/cells", format!("{here} entries"), format!("{there} entries")));
    }
    compare("", &without_cells(derived), &without_cells(written), &mut found);
    let more = found.len().saturating_sub(SHOWN);
    found.truncate(SHOWN);
    if more > 0 {
        found.push(
            Finding::new(
                Rule::Manifest,
                format!("{more} more differences from what the transcripts come to"),
            )
            .of(MANIFEST),
        );
    }
    Ok(found)
}

/// A manifest without what is compared otherwise.
fn without_cells(manifest: &Manifest) -> Manifest {
    Manifest {
        schema: manifest.schema.clone(),
        plan: manifest.plan.clone(),
        cells: Vec::new(),
        counts: manifest.counts,
        models: manifest.models.clone(),
        strangers: manifest.strangers.clone(),
        controls: manifest.controls.clone(),
        evidence: Vec::new(),
        kinds: manifest.kinds.clone(),
        fixtures: manifest.fixtures.clone(),
    }
}

/// How two parts of a manifest differ. Parts that cannot be looked into are not taken for the same.
fn compare<T: Serialize>(at: &str, derived: &T, written: &T, found: &mut Vec<Finding>) {
    match (serde_json::to_value(derived), serde_json::to_value(written)) {
        (Ok(derived), Ok(written)) => walk(at, &derived, &written, found),
        (Err(error), _) | (_, Err(error)) => {
            found.push(Finding::new(Rule::Unreadable, format!("{at}: {error}")).of(MANIFEST));
        }
    }
}

fn walk(at: &str, derived: &Value, written: &Value, found: &mut Vec<Finding>) {
    match (derived, written) {
        _ if derived == written => {}
        (Value::Object(left), Value::Object(right)) => {
            let mut keys: Vec<&String> = left.keys().chain(right.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let side =
                    |fields: &serde_json::Map<String, Value>| fields.get(key).cloned().unwrap_or(Value::Null);
                walk(&format!("{at}/{key}"), &side(left), &side(right), found);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                walk(&format!("{at}/{index}"), left, right, found);
            }
        }
        _ => found.push(differs(at, brief(derived), brief(written))),
    }
}

fn differs(at: &str, derived: String, written: String) -> Finding {
    let rule =
        if at.starts_with("/counts") || at.contains("/counts/") { Rule::Counts } else { Rule::Manifest };
    let message = format!("{at} does not follow from the plan and the transcripts");
    Finding::new(rule, message).of(MANIFEST).but(derived, written)
}

/// A value in at most a line.
fn brief(value: &Value) -> String {
    let text = match value {
        Value::Array(items) => return format!("{} entries", items.len()),
        other => other.to_string(),
    };
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
