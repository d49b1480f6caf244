//! The sittings as witnesses of the journal. Each says how many lines there were when it began and when it ended, and which
//! was the last. A chain cannot see that its end was cut off, or that it was begun anew: they can.

use reports::digest::hex;
use reports::words::counted;
use reports::{Finding, Rule};

use super::journal::Journal;
use crate::journal::Tail;
use crate::sitting::rundir::{RunDir, RunDirError};
use crate::sitting::sittings::{self, FILE, Line};

/// What the sittings say of the journal and the journal does not bear out.
///
/// # Errors
/// When the record of sittings cannot be read.
pub(super) fn against(journal: &Journal, run: &RunDir) -> Result<Vec<Finding>, RunDirError> {
    let mut findings = Vec::new();
    // How many lines there were for certain when the sitting that is looked at began.
    let mut before = 0;
    for (number, line) in sittings::read(run)? {
        let fault = match line {
            Line::Began { journal: Some(tail), .. } => {
                before = tail.lines;
                missing(journal, &tail, "began")
            }
            Line::Kept { .. } => kept(journal, before),
            Line::Ended { journal: Some(tail), .. } => missing(journal, &tail, "ended"),
            // Without a stop it ended because everything was played.
            Line::Ended { journal: None, stopped: None, .. } => kept(journal, 0),
            Line::Began { journal: None, .. } | Line::Ended { journal: None, stopped: Some(_), .. } => None,
        };
        findings.extend(fault.map(|(message, expected, found)| {
            Finding::new(Rule::Chain, message).of(FILE).at(number).but(expected, found)
        }));
    }
    Ok(findings)
}

/// What is wrong, what should be there, and what is.
type Fault = (String, String, String);

fn missing(journal: &Journal, tail: &Tail, when: &str) -> Option<Fault> {
    // None of its own: what comes first names the plan.
    if tail.lines == 0 {
        return None;
    }
    let there = journal.lines.get(&tail.lines).map(|sha256| hex(sha256));
    if there.as_ref() == Some(&tail.last) {
        return None;
    }
    let message =
        format!("the journal is not the one with which this sitting {when}: lines that were played are gone");
    let found = there.map_or_else(|| lines(journal), |sha256| format!("sha256 {sha256} there"));
    Some((message, format!("sha256 {} in line {}", tail.last, tail.lines), found))
}

/// A sitting that kept an attempt left a line after those that were there.
fn kept(journal: &Journal, before: usize) -> Option<Fault> {
    let all = journal.lines.keys().max().copied().unwrap_or_default();
    (all <= before).then(|| {
        let message =
            "trials were played in this sitting, and no line of them is left in the journal".to_owned();
        (message, format!("more than {}", counted(before, "line")), lines(journal))
    })
}

fn lines(journal: &Journal) -> String {
    match journal.lines.keys().max() {
        None => "no line".to_owned(),
        Some(last) => counted(*last, "line"),
    }
}
