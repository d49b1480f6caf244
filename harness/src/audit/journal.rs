//! The journal, read once from end to end: each line is judged and played again on all cores, then the lines are held
//! against one another, in their order.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufReader};

use checkers::Outcome;
use model_matrix::drift;
use reports::digest::hex;
use reports::row::Row;
use reports::{Finding, Plan, Rule, TrialKey};
use sha2::{Digest as _, Sha256};
use transcript::jsonl::{self, Line, ReadError};
use transcript::{Transcript, strict};

use super::again;
use super::instances::Instances;
use crate::judging;
use crate::sitting::concluding::{self, PlanOrder};
use crate::sitting::material::Material;
use crate::sitting::rowfile::{Packed, RowFile, RowWriter};
use crate::sitting::rundir::{RunDir, TRANSCRIPTS};

/// What a journal holds.
#[derive(Debug)]
pub(super) struct Journal {
    /// A row for each line that is a transcript, without what the manifest does not need. Its mark is the sha256 of its
    /// line in the file of verdicts.
    pub rows: RowFile,
    /// The ids of trials that the run does not owe, or leaves to another shard.
    pub strangers: BTreeSet<String>,
    /// sha256 of each line, by its number.
    pub lines: HashMap<usize, [u8; 32]>,
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
pub(super) fn read(run: &RunDir, plan: &Plan, material: &Material) -> io::Result<Journal> {
    let mut reader = Reader::new(plan)?;
    let file = match File::open(run.journal()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return reader.finish(),
        Err(error) => return Err(error),
    };
    let looker = Looker { plan, material, instances: Instances::default(), order: PlanOrder::new(plan) };
    judging::map_lines(
        BufReader::with_capacity(1 << 20, file),
        |line| looker.look(line),
        |seen| reader.take(seen),
    )?;
    reader.finish()
}

/// A finding at a line of the journal.
fn at(rule: Rule, line: usize, message: impl Into<String>) -> Finding {
    Finding::new(rule, message).of(TRANSCRIPTS).at(line)
}

/// What one line shows by itself.
enum Seen {
    Unreadable(Finding),
    /// It never counted: a resume sets it aside and plays it again.
    Torn(usize, [u8; 32]),
    Transcript(Box<One>),
}

struct One {
    line: usize,
    sha256: [u8; 32],
    prev: Option<String>,
    /// The number of the trial in the plan.
    trial: Option<usize>,
    /// Whether the run does not owe the trial, or leaves it to another shard.
    stranger: bool,
    id: String,
    attempt: Option<u32>,
    settled: bool,
    row: Packed,
    /// What is given only once; empty for an attempt without a verdict, and where no model answered.
    answer: Option<Answer>,
    findings: Vec<Finding>,
}

/// What a model answered.
struct Answer {
    /// sha256 over the model's own words and when they were begun.
    words: [u8; 32],
    /// The ids of the responses.
    ids: Vec<String>,
}

/// What a line is looked at with.
struct Looker<'a> {
    plan: &'a Plan,
    material: &'a Material,
    instances: Instances,
    order: PlanOrder,
}

impl Looker<'_> {
    fn look(&self, line: Result<Line, ReadError>) -> io::Result<Seen> {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                let finding = Finding::new(Rule::Unreadable, error.to_string()).of(TRANSCRIPTS);
                return Ok(Seen::Unreadable(finding));
            }
        };
        let sha256 = Sha256::digest(line.text.as_bytes()).into();
        if !line.complete {
            return Ok(Seen::Torn(line.number, sha256));
        }
        match jsonl::parse(&line) {
            Ok(transcript) => {
                self.transcript(&line, sha256, &transcript).map(|one| Seen::Transcript(Box::new(one)))
            }
            Err(error) => {
                let message = error.to_string();
                let message = message.strip_prefix(&format!("line {}, ", line.number)).unwrap_or(&message);
                Ok(Seen::Unreadable(at(Rule::Unreadable, line.number, message)))
            }
        }
    }

    fn transcript(&self, line: &Line, sha256: [u8; 32], transcript: &Transcript) -> io::Result<One> {
        let found = self.material.library.for_transcript(transcript);
        let checker = found.as_ref().map_or("", |checker| checker.sha256.as_str());
        let verdict = judging::judge(found, transcript);
        let outcome = verdict.outcome;
        let row = Row::new(transcript, verdict, checker, line.number, hex(&sha256));
        let mark = Sha256::digest(row.to_line()?).into();
        let trial = self.order.of(&transcript.id);
        Ok(One {
            line: line.number,
            sha256,
            prev: transcript.prev.clone(),
            trial,
            stranger: trial.is_none_or(|trial| !self.owns(trial)),
            id: transcript.id.clone(),
            attempt: transcript.attempt,
            settled: transcript.error.is_none(),
            row: Packed::new(&mark, &row.slim())?,
            answer: (outcome != Outcome::Error && !is_replayed(transcript, self.material))
                .then(|| Answer::of(transcript)),
            findings: self.findings(line, transcript),
        })
    }

    /// What is wrong with a line by itself.
    fn findings(&self, line: &Line, transcript: &Transcript) -> Vec<Finding> {
        let Self { plan, material, instances, .. } = self;
        let mut findings = Vec::new();
        if let Err(error) = strict::check(&line.text) {
            findings.push(at(Rule::DuplicateKey, line.number, error.to_string()));
        }
        let told = |message: String| at(Rule::Line, line.number, format!("{}: {message}", transcript.id));
        findings.extend(
            concluding::misplaced(transcript, plan, material)
                .map(|message| at(Rule::Line, line.number, message)),
        );
        findings.extend(again::contradiction(transcript, plan, material, instances).map(told));
        findings.extend(drifted(transcript, material, line.number));
        findings
    }

    /// Whether the run plays the trial with this number itself.
    fn owns(&self, trial: usize) -> bool {
        let Some(shard) = self.plan.shard else { return true };
        let each = self.plan.trials as usize;
        let (cell, number) = (self.plan.cells.get(trial / each), u32::try_from(trial % each + 1));
        let key = cell.zip(number.ok()).map(|(cell, trial)| TrialKey { cell: cell.clone(), trial });
        key.is_some_and(|key| shard.owns(&key))
    }
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

impl Answer {
    fn of(transcript: &Transcript) -> Self {
        let mut digest = Sha256::new();
        for message in transcript.messages.iter().filter(|message| message.is_models_own()) {
            digest.update(serde_json::to_vec(message).unwrap_or_default());
        }
        // No message begins like this, so that no two pairs of words and time feed the same bytes.
        digest.update(b"\0");
        digest.update(serde_json::to_vec(&transcript.started).unwrap_or_default());
        let ids = transcript.served.iter().filter_map(|served| served.response_id.clone());
        Self { words: digest.finalize().into(), ids: ids.collect() }
    }
}

/// An answer that was seen. Of what tells answers apart, nothing is kept but digests: an auditor meets many.
struct Answered {
    /// How many rows came before its own.
    row: usize,
    words: [u8; 32],
}

/// The attempts at a trial so far.
#[derive(Debug, Clone, Copy, Default)]
struct Attempts {
    count: u32,
    /// Whether one of them ended without an error.
    settled: bool,
}

/// Holds the lines against one another.
struct Reader {
    /// What the next line must name as the one before it.
    before: String,
    rows: RowWriter,
    strangers: BTreeSet<String>,
    lines: HashMap<usize, [u8; 32]>,
    torn: Option<usize>,
    findings: Vec<Finding>,
    /// Attempts so far by the trial's number in the plan.
    trials: Vec<Attempts>,
    /// Attempts so far by the id of a trial that is not in it.
    others: HashMap<String, Attempts>,
    /// Answers by the sha256 of the response's id.
    responses: HashMap<[u8; 32], Answered>,
}

impl Reader {
    fn new(plan: &Plan) -> io::Result<Self> {
        Ok(Self {
            before: plan.digest().map_err(io::Error::other)?,
            rows: RowWriter::new()?,
            strangers: BTreeSet::new(),
            lines: HashMap::new(),
            torn: None,
            findings: Vec::new(),
            trials: vec![Attempts::default(); plan.size()],
            others: HashMap::new(),
            responses: HashMap::new(),
        })
    }

    fn finish(self) -> io::Result<Journal> {
        let Self { rows, strangers, lines, torn, findings, .. } = self;
        Ok(Journal { rows: rows.finish()?, strangers, lines, torn, findings })
    }

    fn take(&mut self, seen: io::Result<Seen>) -> io::Result<()> {
        match seen? {
            Seen::Unreadable(finding) => self.findings.push(finding),
            Seen::Torn(line, sha256) => {
                self.lines.insert(line, sha256);
                self.torn = Some(line);
                let message = "the file ends in the middle of this line, which therefore never counted; a resume plays the trial again";
                self.findings.push(at(Rule::Line, line, message));
            }
            Seen::Transcript(one) => self.transcript(*one)?,
        }
        Ok(())
    }

    fn transcript(&mut self, mut one: One) -> io::Result<()> {
        self.findings.append(&mut one.findings);
        self.chain(&one);
        self.attempt(&one);
        let row = self.rows.push(one.trial, &one.row)?;
        if let Some(answer) = &one.answer {
            self.reuse(&one, row, answer)?;
        }
        self.lines.insert(one.line, one.sha256);
        self.before = hex(&one.sha256);
        if one.stranger {
            self.strangers.insert(one.id);
        }
        Ok(())
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
        self.findings.push(at(Rule::Chain, one.line, message).but(&self.before, found));
    }

    fn attempt(&mut self, one: &One) {
        let id = &one.id;
        let attempts = match one.trial.and_then(|trial| self.trials.get_mut(trial)) {
            Some(attempts) => attempts,
            None => self.others.entry(id.clone()).or_default(),
        };
        let Attempts { count: before, settled } = *attempts;
        *attempts = Attempts { count: before + 1, settled: settled || one.settled };
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
        self.findings
            .push(at(Rule::Attempt, one.line, message).but(format!("attempt {}", before + 1), found));
    }

    /// One answer may not serve as two: three of three would then be one of one.
    fn reuse(&mut self, one: &One, row: usize, answer: &Answer) -> io::Result<()> {
        for id in &answer.ids {
            let key = Sha256::digest(id.as_bytes()).into();
            let Some(first) = self.responses.get(&key) else {
                self.responses.insert(key, Answered { row, words: answer.words });
                continue;
            };
            if first.row != row && (id.len() >= LONG_ID || first.words == answer.words) {
                let first = self.rows.get(first.row)?;
                let message = format!(
                    "{}: its response {id} is also that of {} in line {}: one answer serves as two",
                    one.id, first.id, first.line
                );
                self.findings.push(at(Rule::Reused, one.line, message));
                break;
            }
        }
        Ok(())
    }
}
