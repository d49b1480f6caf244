//! A manifest's file, written trial by trial: in one piece it would take many times its own size in memory.
//!
//! The bytes are those of [`digest::file`], whose form (RFC 8785) sorts the keys: the cells come first in a manifest, and
//! the trials last in a cell.

use std::io::{self, Write};

use serde::Serialize;

use super::{CellRecord, ControlRecord, Evidence, Manifest, ModelRecord, TrialRecord};
use crate::canonical;
use crate::digest;
use crate::fixture::{FixtureRecord, KindRecord};
use crate::plan::Plan;
use crate::row::Counts;

/// What comes before the cells.
const CELLS: &[u8] = b"{\"cells\":[";
/// What a cell without trials ends with.
const NO_TRIALS: &[u8] = b"]}";

impl Manifest {
    /// Writes the manifest's file.
    ///
    /// # Errors
    /// What `out` says; nothing else goes wrong in practice.
    pub fn write<W: Write>(&self, out: W) -> io::Result<W> {
        let mut writer = Writer::new(out)?;
        for cell in &self.cells {
            writer.cell(cell)?;
            for trial in &cell.trials {
                writer.trial(&Writer::<W>::bytes(trial)?)?;
            }
        }
        writer.finish(self)
    }
}

/// A manifest's file in the making.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    /// Cells begun so far.
    cells: usize,
    /// Trials of the cell under way.
    trials: usize,
}

impl<W: Write> Writer<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// What `out` says.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(CELLS)?;
        Ok(Self { out, cells: 0, trials: 0 })
    }

    /// Where it is written to.
    pub fn out(&self) -> &W {
        &self.out
    }

    /// Begins a cell; the trials of `record` are not looked at.
    ///
    /// # Errors
    /// What `out` says.
    pub fn cell(&mut self, record: &CellRecord) -> io::Result<()> {
        let CellRecord { cell, required, case_sha256, checker, checker_sha256, trials: _ } = record;
        let head = CellRecord {
            cell: cell.clone(),
            required: *required,
            case_sha256: case_sha256.clone(),
            checker: checker.clone(),
            checker_sha256: checker_sha256.clone(),
            trials: Vec::new(),
        };
        if self.cells > 0 {
            self.out.write_all(NO_TRIALS)?;
            self.out.write_all(b",")?;
        }
        (self.cells, self.trials) = (self.cells + 1, 0);
        let head = digest::canonical(&head)?;
        self.out.write_all(head.strip_suffix(NO_TRIALS).unwrap_or(&head))
    }

    /// A trial as [`Self::trial`] wants it.
    ///
    /// # Errors
    /// Never in practice: a trial is made of strings and numbers.
    pub fn bytes(trial: &TrialRecord) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = Vec::with_capacity(512);
        canonical::write(&serde_json::to_value(trial)?, &mut bytes)?;
        Ok(bytes)
    }

    /// Adds a trial to the cell under way.
    ///
    /// # Errors
    /// What `out` says.
    pub fn trial(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.trials > 0 {
            self.out.write_all(b",")?;
        }
        self.trials += 1;
        self.out.write_all(bytes)
    }

    /// Writes what comes after the cells, which are not looked at, and returns where it was written to.
    ///
    /// # Errors
    /// What `out` says.
    pub fn finish(mut self, manifest: &Manifest) -> io::Result<W> {
        if self.cells > 0 {
            self.out.write_all(NO_TRIALS)?;
        }
        let Manifest {
            schema,
            plan,
            cells: _,
            counts,
            models,
            strangers,
            controls,
            evidence,
            kinds,
            fixtures,
        } = manifest;
        let rest =
            Rest { cells: [], schema, plan, counts, models, strangers, controls, evidence, kinds, fixtures };
        let rest = digest::file(&rest)?;
        self.out.write_all(rest.strip_prefix(CELLS).unwrap_or(&rest))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A manifest without cells.
#[derive(Serialize)]
struct Rest<'m> {
    cells: [CellRecord; 0],
    schema: &'m str,
    plan: &'m Plan,
    counts: &'m Counts,
    models: &'m [ModelRecord],
    strangers: &'m [String],
    controls: &'m [ControlRecord],
    evidence: &'m [Evidence],
    kinds: &'m [KindRecord],
    fixtures: &'m [FixtureRecord],
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::manifest::tests::example;

    #[test]
    fn the_file_is_the_canonical_form_and_a_line_end() {
        let mut manifest: Manifest = serde_json::from_value(example(false)).unwrap();
        for played in [false, true] {
            if played {
                let attempt = json!({
                    "attempt": 1, "verdict": "fail", "line": 3, "transcript_sha256": "ab", "retries": 0,
                    "served": [{ "response_id": "r\u{e9}\n\"", "model": "m" }, {}],
                    "usage": { "input": u64::MAX, "output": 1 }, "started": null, "elapsed_ms": 5,
                });
                let trial = manifest.cells[0].trials[0].clone();
                let attempts = vec![serde_json::from_value(attempt).unwrap()];
                manifest.cells[0].trials.push(TrialRecord { trial: 2, attempts, ..trial });
                manifest.cells[1].trials.clear();
            }
            let written = manifest.write(Vec::new()).unwrap();
            assert_eq!(String::from_utf8(written), String::from_utf8(digest::file(&manifest).unwrap()));
        }
        manifest.cells.clear();
        assert_eq!(manifest.write(Vec::new()).unwrap(), digest::file(&manifest).unwrap());
    }
}
