//! Earlier nights in a folder, one file of JSON lines each: `night-000001.jsonl`, `night-000002.jsonl`, …
//!
//! A file is a header, its models, its cells, and a seal over all lines before it; the header holds the sha256 of the
//! night before. So a file that was edited, cut or copied is found out, and so is a night taken from the middle. It is no
//! signature: who rewrites the whole folder is not found out. The oldest files may be deleted.

mod file;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use transcript::document::Problem;

use super::report::Answer;
use super::rule::{NIGHTS, State};
use crate::figures::{Identity, Part};
use crate::manifest::Observed;
use crate::plan::Cell;
use crate::statistics::Tally;

/// Why the history cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file is not as it was written.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        message: String,
    },
    /// A line is not as it was written.
    #[error(transparent)]
    Wrong(#[from] Problem),
}

/// A night on record.
#[derive(Debug, Clone, PartialEq)]
pub struct Night {
    /// Its number, counted from 1 without a gap.
    pub number: u64,
    /// Its run.
    pub run: String,
    /// When the run was planned, RFC 3339 in UTC.
    pub planned: String,
    /// What was answered.
    pub answer: Answer,
    /// Its models.
    pub models: Vec<ModelNight>,
    /// Its cells.
    pub cells: Vec<CellNight>,
}

impl Night {
    /// Whether anything is measured by it. An incomplete night is on record to be seen, and is recorded anew once it is
    /// completed: were it counted, a night would be measured by itself.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.answer != Answer::Incomplete
    }
}

/// A model in a night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelNight {
    /// Its id.
    pub id: String,
    /// How it stood.
    pub state: State,
    /// The names under which it answered.
    pub observed: Vec<Observed>,
}

/// A cell in a night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellNight {
    /// The cell.
    pub cell: Cell,
    /// Which experiment it was.
    pub identity: Identity,
    /// What came of it, first stage only.
    pub tally: Tally,
    /// Trials owed.
    pub owed: u32,
    /// How it stood.
    pub state: State,
}

/// What a cell is measured by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Baseline {
    /// Trials of its nights, pooled.
    pub tally: Tally,
    /// How many nights.
    pub nights: usize,
    /// What about the cell changed since the night before these; no night before that counts.
    pub changed: Vec<Part>,
}

/// All nights on record, oldest first.
#[derive(Debug)]
pub struct History {
    folder: PathBuf,
    nights: Vec<Night>,
    /// For each night, where each cell is.
    places: Vec<HashMap<Cell, usize>>,
    /// sha256 of the newest file.
    newest_sha256: Option<String>,
}

impl History {
    /// Reads a folder; one that is not there holds no nights.
    ///
    /// # Errors
    /// [`HistoryError`] when a file is not as it was written, or one is missing between others.
    pub fn open(folder: &Path) -> Result<Self, HistoryError> {
        let mut history =
            Self { folder: folder.to_owned(), nights: Vec::new(), places: Vec::new(), newest_sha256: None };
        let mut concluded: HashMap<String, u64> = HashMap::new();
        for (number, path) in file::list(folder)? {
            let (night, sha256) = file::read(&path, number, history.newest_sha256.as_deref())?;
            if let Some(first) = concluded.get(&night.run) {
                let message = format!("run {} is night {first} already; delete one of the two", night.run);
                return Err(HistoryError::File { path, message });
            }
            if night.counts() {
                concluded.insert(night.run.clone(), number);
            }
            history.push(night, sha256);
        }
        Ok(history)
    }

    fn push(&mut self, night: Night, sha256: String) {
        let cells = night.cells.iter().enumerate();
        self.places.push(cells.map(|(index, entry)| (entry.cell.clone(), index)).collect());
        self.nights.push(night);
        self.newest_sha256 = Some(sha256);
    }

    /// The nights, oldest first.
    #[must_use]
    pub fn nights(&self) -> &[Night] {
        &self.nights
    }

    /// The number of the next night.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.nights.last().map_or(1, |night| night.number + 1)
    }

    /// The night that `run` is on record as, unless it was incomplete and may be recorded again.
    #[must_use]
    pub fn concluded(&self, run: &str) -> Option<u64> {
        self.nights.iter().find(|night| night.run == run && night.counts()).map(|night| night.number)
    }

    /// The names under which a model answered in the newest night that has it and was not incomplete.
    #[must_use]
    pub fn observed(&self, model: &str) -> Option<&[Observed]> {
        let nights = self.nights.iter().rev().filter(|night| night.counts());
        nights
            .flat_map(|night| &night.models)
            .find(|night| night.id == model)
            .map(|night| night.observed.as_slice())
    }

    /// What `cell` is measured by: the newest nights of the identical cell, fourteen at most, up to the first in which it
    /// was another experiment.
    ///
    /// Passed over are incomplete nights, which may be the very run that is decided now; nights in which another model
    /// answered; and those in which it or its model was found to have regressed: what is called a regression must not
    /// become the measure of the next night.
    #[must_use]
    pub fn baseline(&self, cell: &Cell, identity: &Identity) -> Baseline {
        let mut baseline = Baseline::default();
        let nights = self.nights.iter().zip(&self.places).rev();
        for (night, places) in nights.filter(|(night, _)| night.counts()) {
            let Some(entry) = places.get(cell).map(|index| &night.cells[*index]) else { continue };
            if entry.identity != *identity {
                baseline.changed = entry.identity.differences(identity);
                break;
            }
            let regressed = |state| matches!(state, State::Regressed | State::ModelRegressed);
            let model = night.models.iter().find(|model| model.id == cell.model);
            let passed_over = night.answer == Answer::ChangedPin
                || entry.tally.n() != entry.owed as usize
                || regressed(entry.state)
                || model.is_some_and(|model| regressed(model.state));
            if passed_over {
                continue;
            }
            baseline.tally += entry.tally;
            baseline.nights += 1;
            if baseline.nights == NIGHTS {
                break;
            }
        }
        baseline
    }

    /// Writes a night, whole or not at all. Its number must be the next one.
    ///
    /// # Errors
    /// [`HistoryError`] when it cannot be written, or a night of this number is there by now.
    pub fn append(&mut self, night: Night) -> Result<PathBuf, HistoryError> {
        let (path, sha256) = file::write(&self.folder, &night, self.newest_sha256.as_deref())?;
        self.push(night, sha256);
        Ok(path)
    }
}

#[cfg(test)]
mod tests;
