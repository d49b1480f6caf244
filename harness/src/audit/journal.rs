//! The journal, read once from end to end: each line is judged and played again on all cores, then the lines are held
//! against one another, in their order.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufReader};

use checkers::Outcome;
use model_matrix::drift;
use reports::row::Row;
use reports::{Finding, Plan, Rule, digest};
use sha2::{Digest as _, Sha256};
use transcript::jsonl::{self, Line, ReadError};
use transcript::{Transcript, strict};

use super::again;
use super::instances::Instances;
use crate::judging;
use crate::sitting::concluding;
use crate::sitting::material::Material;
use crate::sitting::rundir::{RunDir, TRANSCRIPTS};

/// What a journal holds.
#[derive(Debug, Default)]
pub struct Journal {
    /// A row for each line that is a transcript, in the order of the lines, without what the manifest does not need.
    pub rows: Vec<Row>,
    /// For each row, the sha256 of its line in the file of verdicts.
    pub verdicts: Vec<[u8; 32]>,
    /// sha256 of each line, by its number.
    pub lines: HashMap<usize, String>,
    /// The number of a last line that was cut off.
    pub torn: Option<usize>,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// A response's id of this length is not given twice by chance; a shorter one, as some local servers count them out, may be.
const LONG_ID: usize = 16;

/// Reads the journal of `run`. A journal that is not there is an empty one.
///
/// # Errors
/// When the file cannot be opened.
pub fn read(run: &RunDir, plan: &Plan, material: &Material) -> io::Result<Journal> {
    let file = match File::open(run.journal()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Journal::default()),
        Err(error) => return Err(error),
    };
    let instances = Instances::default();
    let before = plan.digest().map_err(io::Error::other)?;
    let mut reader =
        Reader { before, journal: Journal::default(), trials: HashMap::new(), responses: HashMap::new() };
    let look = |line: Result<Line, ReadError>| look(line, plan, material, &instances);
    let Ok(()) = judging::map_lines(BufReader::with_capacity(1 << 20, file), look, |seen| {
        reader.take(seen);
        Ok::<(), Infallible>(())
    });
    Ok(reader.journal)
}

/// A finding at a line of the journal.
fn at(rule: Rule, line: usize, message: impl Into<String>) -> Finding {
    Finding::new(rule, message).of(TRANSCRIPTS).at(line)
}

/// What one line shows by itself.
enum Seen {
    Unreadable(Finding),
    /// It never counted: a resume sets it aside and plays it again.
    Torn(usize, String),
    Transcript(Box<One>),
}

struct One {
    line: usize,
    sha256: String,
    prev: Option<String>,
    attempt: Option<u32>,
    settled: bool,
    replayed: bool,
    row: Row,
    verdict: [u8; 32],
    /// sha256 over the model's own words.
    words: [u8; 32],
    findings: Vec<Finding>,
}

fn look(line: Result<Line, ReadError>, plan: &Plan, material: &Material, instances: &Instances) -> Seen {
    let line = match line {
        Ok(line) => line,
        Err(error) => {
            return Seen::Unreadable(Finding::new(Rule::Unreadable, error.to_string()).of(TRANSCRIPTS));
        }
    };
    if !line.complete {
        return Seen::Torn(line.number, digest::sha256_hex(line.text.as_bytes()));
    }
    let transcript = match jsonl::parse(&line) {
        Ok(transcript) => transcript,
        Err(error) => {
            let message = error.to_string();
            let message = message.strip_prefix(&format!("line {}, ", line.number)).unwrap_or(&message);
            return Seen::Unreadable(at(Rule::Unreadable, line.number, message));
        }
    };
    let sha256 = digest::sha256_hex(line.text.as_bytes());
    let mut findings = Vec::new();
    if let Err(error) = strict::parse(&line.text) {
        findings.push(at(Rule::DuplicateKey, line.number, error.to_string()));
    }
    let told = |message: String| at(Rule::Line, line.number, format!("{}: {message}", transcript.id));
    findings.extend(
        concluding::misplaced(&transcript, plan, material)
            .map(|message| at(Rule::Line, line.number, message)),
    );
    findings.extend(again::contradiction(&transcript, plan, material, instances).map(told));
    findings.extend(drifted(&transcript, material, line.number));
    let found = material.library.for_transcript(&transcript);
    let checker = found.as_ref().map_or("", |checker| checker.sha256.as_str());
    let verdict = judging::judge(found, &transcript);
    let row = Row::new(&transcript, verdict, checker, line.number, sha256.clone());
    Seen::Transcript(Box::new(One {
        line: line.number,
        sha256,
        prev: transcript.prev.clone(),
        attempt: transcript.attempt,
        settled: transcript.error.is_none(),
        replayed: is_replayed(&transcript, material),
        verdict: Sha256::digest(row.to_line().unwrap_or_default()).into(),
        row: row.slim(),
        words: words(&transcript),
        findings,
    }))
}

fn is_replayed(transcript: &Transcript, material: &Material) -> bool {
    let model = transcript.model.as_deref().and_then(|id| material.matrix.get(id));
    model.is_some_and(|model| model.provider.is_replay())
}

/// A reply of another model than the pinned one, which would have ended the trial, were the record true.
fn drifted(transcript: &Transcript, material: &Material, line: usize) -> Option<Finding> {
    let model = material.matrix.get(transcript.model.as_deref()?)?;
    if transcript.error.is_some() {
        return None;
    }
    let fault = transcript.served.iter().find_map(|served| drift::fault(model, served))?;
    Some(at(Rule::PinDrift, line, format!("{}: it has no error, but {}", transcript.id, fault.message)))
}

/// The digest of what the model itself said and called.
fn words(transcript: &Transcript) -> [u8; 32] {
    let mut digest = Sha256::new();
    for message in transcript.messages.iter().filter(|message| message.is_models_own()) {
        digest.update(serde_json::to_vec(message).unwrap_or_default());
    }
    digest.finalize().into()
}

/// An answer that was seen.
struct Answered {
    line: usize,
    trial: String,
    started: Option<String>,
    words: [u8; 32],
}

/// Holds the lines against one another.
struct Reader {
    /// What the next line must name as the one before it.
    before: String,
    journal: Journal,
    /// Attempts so far by trial, and whether one of them ended without an error.
    trials: HashMap<String, (u32, bool)>,
    /// Answers by the response's id.
    responses: HashMap<String, Answered>,
}

impl Reader {
    fn take(&mut self, seen: Seen) {
        match seen {
            Seen::Unreadable(finding) => self.journal.findings.push(finding),
            Seen::Torn(line, sha256) => {
                self.journal.lines.insert(line, sha256);
                self.journal.torn = Some(line);
                let message = "the file ends in the middle of this line, which therefore never counted; a resume plays the trial again";
                self.journal.findings.push(at(Rule::Line, line, message));
            }
            Seen::Transcript(one) => self.transcript(*one),
        }
    }

    fn transcript(&mut self, one: One) {
        self.journal.findings.extend(one.findings.iter().cloned());
        self.chain(&one);
        self.attempt(&one);
        if !one.replayed {
            self.reuse(&one);
        }
        self.journal.lines.insert(one.line, one.sha256.clone());
        self.before = one.sha256;
        self.journal.rows.push(one.row);
        self.journal.verdicts.push(one.verdict);
    }

    fn chain(&mut self, one: &One) {
        if one.prev.as_deref() == Some(self.before.as_str()) {
            return;
        }
        let message = if one.line == 1 {
            "the first line does not name this plan as where it begins: lines before it are gone, or it is of another run"
        } else {
            "it does not follow the line before it: a line was edited, taken out, put in or moved"
        };
        let found = one.prev.clone().unwrap_or_else(|| "nothing".to_owned());
        self.journal.findings.push(at(Rule::Chain, one.line, message).but(&self.before, found));
    }

    fn attempt(&mut self, one: &One) {
        let id = &one.row.id;
        let (before, settled) = self.trials.get(id).copied().unwrap_or_default();
        self.trials.insert(id.clone(), (before + 1, settled || one.settled));
        let message = if settled {
            format!("{id}: it is played again after it had an answer")
        } else if one.attempt != Some(before + 1) {
            format!(
                "{id}: it should be attempt {}: an earlier one is missing, or one is there twice",
                before + 1
            )
        } else {
            return;
        };
        let found = one.attempt.map_or_else(|| "none".to_owned(), |attempt| format!("attempt {attempt}"));
        self.journal
            .findings
            .push(at(Rule::Attempt, one.line, message).but(format!("attempt {}", before + 1), found));
    }

    /// One answer may not serve as two: three of three would then be one of one.
    fn reuse(&mut self, one: &One) {
        if one.row.verdict == Outcome::Error {
            return;
        }
        for id in one.row.served.iter().filter_map(|served| served.response_id.as_ref()) {
            let answered = Answered {
                line: one.line,
                trial: one.row.id.clone(),
                started: one.row.started.clone(),
                words: one.words,
            };
            let Some(first) = self.responses.get(id) else {
                self.responses.insert(id.clone(), answered);
                continue;
            };
            let alike = first.words == one.words && first.started == one.row.started;
            if first.line != one.line && (id.len() >= LONG_ID || alike) {
                let message = format!(
                    "{}: its response {id} is also that of {} in line {}: one answer serves as two",
                    one.row.id, first.trial, first.line
                );
                self.journal.findings.push(at(Rule::Reused, one.line, message));
                break;
            }
        }
    }
}
