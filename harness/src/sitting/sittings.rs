//! `sittings.jsonl`: when a run was played, within which budget, where its journal began and ended, and why each sitting
//! ended. It is how a record can say why something was not run, and a witness of a journal that was cut off or begun anew;
//! nothing that was run is ever concluded from it.

use std::fs::OpenOptions;
use std::io::Write;

use jiff::Timestamp;
use reports::whole;
use serde::{Deserialize, Serialize};

use super::playing::Stop;
use super::rundir::{RunDir, RunDirError};
use crate::budget::Budget;
use crate::journal::Tail;

/// The file's name.
pub const FILE: &str = "sittings.jsonl";

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "event")]
pub enum Line {
    /// A sitting began.
    Began {
        /// When, RFC 3339 in UTC.
        at: String,
        /// The program's version.
        assize: String,
        /// What it may use up.
        budget: Budget,
        /// Where the journal ended then; absent in runs of the first format.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        journal: Option<Tail>,
    },
    /// Its first attempt at a trial is in the journal.
    Kept {
        /// When, RFC 3339 in UTC.
        at: String,
    },
    /// It ended.
    Ended {
        /// When, RFC 3339 in UTC.
        at: String,
        /// Why, unless everything was played.
        stopped: Option<String>,
        /// Where the journal ended then; absent in runs of the first format.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        journal: Option<Tail>,
    },
}

/// Writes down that a sitting begins, with the journal as it is.
///
/// # Errors
/// When it cannot be written.
pub fn begin(run: &RunDir, budget: &Budget, journal: &Tail) -> Result<(), RunDirError> {
    let assize = env!("CARGO_PKG_VERSION").to_owned();
    let at = Timestamp::now().to_string();
    append(run, &Line::Began { at, assize, budget: *budget, journal: Some(journal.clone()) })
}

/// Writes down that the sitting's first attempt at a trial is in the journal.
///
/// # Errors
/// When it cannot be written.
pub fn kept(run: &RunDir) -> Result<(), RunDirError> {
    append(run, &Line::Kept { at: Timestamp::now().to_string() })
}

/// Writes down that the sitting ended, where the journal ends, and why if it was before everything was played.
///
/// # Errors
/// When it cannot be written.
pub fn end(run: &RunDir, stop: Option<&Stop>, journal: Option<Tail>) -> Result<(), RunDirError> {
    append(
        run,
        &Line::Ended { at: Timestamp::now().to_string(), stopped: stop.map(ToString::to_string), journal },
    )
}

/// The lines of the file that can be read, with their numbers, counted from 1; none when there is no file.
///
/// # Errors
/// When the file cannot be read.
pub fn read(run: &RunDir) -> Result<Vec<(usize, Line)>, RunDirError> {
    let path = run.path().join(FILE);
    let text = match std::fs::read(&path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(RunDirError::Io { path, source }),
    };
    let line = |(index, line): (usize, &str)| Some((index + 1, serde_json::from_str(line).ok()?));
    Ok(text.lines().enumerate().filter_map(line).collect())
}

/// Why the last sitting ended before everything was played; `None` also for one that was killed, or of which nothing
/// can be read.
#[must_use]
pub fn last_stop(run: &RunDir) -> Option<String> {
    let text = std::fs::read_to_string(run.path().join(FILE)).ok()?;
    match serde_json::from_str(text.lines().last()?).ok()? {
        Line::Ended { stopped, .. } => stopped,
        Line::Began { .. } | Line::Kept { .. } => None,
    }
}

fn append(run: &RunDir, line: &Line) -> Result<(), RunDirError> {
    let path = run.path().join(FILE);
    let io_error = |source| RunDirError::Io { path: path.clone(), source };
    let mut text = serde_json::to_string(line)
        .map_err(|error| RunDirError::Broken { path: path.clone(), message: error.to_string() })?;
    text.push('\n');
    let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(io_error)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(io_error)?;
    whole::sync_folder(run.path()).map_err(io_error)
}
