//! `sittings.jsonl`: when a run was played, within which budget, and why each sitting ended. It is how a record can say
//! why something was not run; nothing that was run is ever concluded from it.

use std::fs::OpenOptions;
use std::io::Write;

use jiff::Timestamp;
use reports::whole;
use serde::{Deserialize, Serialize};

use super::playing::Stop;
use super::rundir::{RunDir, RunDirError};
use crate::budget::Budget;

/// The file's name.
pub const FILE: &str = "sittings.jsonl";

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "event")]
enum Line {
    /// A sitting began.
    Began {
        /// When, RFC 3339 in UTC.
        at: String,
        /// The program's version.
        assize: String,
        /// What it may use up.
        budget: Budget,
    },
    /// It ended.
    Ended {
        /// When, RFC 3339 in UTC.
        at: String,
        /// Why, unless everything was played.
        stopped: Option<String>,
    },
}

/// Writes down that a sitting begins.
///
/// # Errors
/// When it cannot be written.
pub fn begin(run: &RunDir, budget: &Budget) -> Result<(), RunDirError> {
    let assize = env!("CARGO_PKG_VERSION").to_owned();
    append(run, &Line::Began { at: Timestamp::now().to_string(), assize, budget: *budget })
}

/// Writes down that the sitting ended, and why if it was before everything was played.
///
/// # Errors
/// When it cannot be written.
pub fn end(run: &RunDir, stop: Option<&Stop>) -> Result<(), RunDirError> {
    append(run, &Line::Ended { at: Timestamp::now().to_string(), stopped: stop.map(ToString::to_string) })
}

/// Why the last sitting ended before everything was played; `None` also for one that was killed, or of which nothing
/// can be read.
#[must_use]
pub fn last_stop(run: &RunDir) -> Option<String> {
    let text = std::fs::read_to_string(run.path().join(FILE)).ok()?;
    match serde_json::from_str(text.lines().last()?).ok()? {
        Line::Ended { stopped, .. } => stopped,
        Line::Began { .. } => None,
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
