//! The manifest as the rows come to it, drawn up trial by trial and held against the one that was written as it goes
//! along: of a record that is true, no second copy is ever made.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};

use rayon::prelude::*;
use reports::gate::Trials;
use reports::manifest::{CellRecord, Evidence, TrialRecord, Writer};
use reports::{Manifest, Plan, Row, TrialKey};

use super::AuditError;
use super::journal::Journal;
use crate::sitting::concluding::PlanOrder;
use crate::sitting::drawing::Drawing;
use crate::sitting::material::Material;
use crate::sitting::rowfile::{Packed, RowFile};
use crate::sitting::rundir::{MANIFEST, RunDir};

/// Trials drawn up at one go: enough to keep all cores busy, few enough to be nothing in memory.
const AT_ONCE: usize = 1024;

/// What was drawn up.
#[derive(Debug)]
pub(super) struct Drawn {
    /// The manifest; its trials are without their attempts, unless there were several or all were to be kept.
    pub manifest: Manifest,
    /// What the gate will want to know of the trials.
    pub trials: Trials,
    /// Whether the file in the folder is this manifest, byte for byte.
    pub is_written: bool,
}

/// What a manifest is drawn up from.
#[derive(Clone, Copy)]
pub(super) struct Sources<'s> {
    pub run: &'s RunDir,
    pub plan: &'s Plan,
    pub material: &'s Material,
}

impl Sources<'_> {
    /// Draws up the manifest.
    ///
    /// # Errors
    /// When the folder or the rows cannot be read.
    pub(super) fn draw_up(
        self,
        journal: &mut Journal,
        evidence: Vec<Evidence>,
        keep_attempts: bool,
    ) -> Result<Drawn, AuditError> {
        let mut drawing = Drawing::new(self.run, self.plan.clone(), self.material);
        let mut writer = Writer::new(Comparison::with(written(self.run)?))?;
        let mut trials = Trials::default();
        let mut cells: Vec<CellRecord> = Vec::new();
        self.each_trial(&mut drawing, &mut journal.rows, |place, drawing, records| {
            let bytes = if writer.out().holds { bytes(&records)? } else { Vec::new() };
            let mut bytes = bytes.iter();
            for (place, mut trial) in place.zip(records) {
                self.begin_cells(place + 1, drawing, &mut cells, &mut writer)?;
                let Some(record) = cells.last_mut() else { continue };
                if let Some(bytes) = bytes.next() {
                    writer.trial(bytes)?;
                }
                trials.add(&record.cell, &trial, self.plan);
                // Those that were tried again are few, and whoever asks for a run is told of them.
                if !keep_attempts && trial.attempts.len() < 2 {
                    trial.attempts = Vec::new();
                }
                record.trials.push(trial);
            }
            Ok(())
        })?;
        self.begin_cells(self.plan.cells.len(), &drawing, &mut cells, &mut writer)?;
        let strangers = std::mem::take(&mut journal.strangers).into_iter().collect();
        let manifest = drawing.finish(self.run, cells, strangers, evidence, self.material)?;
        let is_written = writer.finish(&manifest)?.ended()?;
        Ok(Drawn { manifest, trials, is_written })
    }

    /// Draws up the cells once more, whole, and hands each to `out`.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub(super) fn each_cell(self, rows: &mut RowFile, mut out: impl FnMut(CellRecord)) -> io::Result<()> {
        let mut drawing = Drawing::new(self.run, self.plan.clone(), self.material);
        let mut under_way: Option<CellRecord> = None;
        let mut next = 0;
        self.each_trial(&mut drawing, rows, |places, drawing, records| {
            for (place, trial) in places.zip(records) {
                while next <= place {
                    under_way.take().into_iter().for_each(&mut out);
                    under_way = self.plan.cells.get(next).map(|cell| drawing.cell(cell));
                    next += 1;
                }
                if let Some(cell) = &mut under_way {
                    cell.trials.push(trial);
                }
            }
            Ok(())
        })?;
        under_way.into_iter().for_each(&mut out);
        self.plan.cells.iter().skip(next).map(|cell| drawing.cell(cell)).for_each(out);
        Ok(())
    }

    /// Draws up the trials of the plan in their order, many at a time; `out` is told the place of each one's cell.
    fn each_trial(
        self,
        drawing: &mut Drawing,
        rows: &mut RowFile,
        mut out: impl FnMut(&mut dyn Iterator<Item = usize>, &Drawing, Vec<TrialRecord>) -> io::Result<()>,
    ) -> io::Result<()> {
        let order = PlanOrder::new(self.plan);
        let each = self.plan.trials.max(1) as usize;
        let mut keys = self.plan.trials();
        let mut done = 0;
        loop {
            let batch: Vec<TrialKey> = keys.by_ref().take(AT_ONCE).collect();
            if batch.is_empty() {
                return Ok(());
            }
            let attempts: Vec<Vec<Row>> = batch
                .iter()
                .map(|key| attempts(key, &order, rows))
                .collect::<io::Result<Vec<_>>>()?
                .into_par_iter()
                .map(|attempts| attempts.iter().map(Packed::row).collect())
                .collect::<io::Result<_>>()?;
            let records = batch.iter().zip(&attempts);
            let records = records
                .map(|(key, attempts)| drawing.trial(key, &attempts.iter().collect::<Vec<_>>()))
                .collect();
            out(&mut (done..done + batch.len()).map(|trial| trial / each), drawing, records)?;
            done += batch.len();
        }
    }

    /// Begins cells until there are `count` of them.
    fn begin_cells(
        self,
        count: usize,
        drawing: &Drawing,
        cells: &mut Vec<CellRecord>,
        writer: &mut Writer<Comparison<BufReader<File>>>,
    ) -> io::Result<()> {
        for cell in self.plan.cells.iter().take(count).skip(cells.len()) {
            let record = drawing.cell(cell);
            writer.cell(&record)?;
            cells.push(record);
        }
        Ok(())
    }
}

/// All attempts at a trial.
fn attempts(key: &TrialKey, order: &PlanOrder, rows: &mut RowFile) -> io::Result<Vec<Packed>> {
    let Some(trial) = order.of(&key.to_string()) else { return Ok(Vec::new()) };
    rows.attempts(trial).map(|index| rows.get(index)).collect()
}

/// The trials as they stand in a manifest's file.
fn bytes(trials: &[TrialRecord]) -> io::Result<Vec<Vec<u8>>> {
    Ok(trials.par_iter().map(Writer::<Comparison<BufReader<File>>>::bytes).collect::<Result<_, _>>()?)
}

/// The manifest in the folder, if there is one.
fn written(run: &RunDir) -> io::Result<Option<BufReader<File>>> {
    match File::open(run.path().join(MANIFEST)) {
        Ok(file) => Ok(Some(BufReader::with_capacity(1 << 16, file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A file that is not written, but compared with what would be.
#[derive(Debug)]
struct Comparison<R> {
    written: Option<R>,
    /// Whether it is the same so far.
    holds: bool,
}

impl<R: BufRead> Comparison<R> {
    fn with(written: Option<R>) -> Self {
        Self { holds: written.is_some(), written }
    }

    /// Whether it is the same to its end.
    fn ended(mut self) -> io::Result<bool> {
        let rest = self.written.as_mut().map(BufRead::fill_buf).transpose()?;
        Ok(self.holds && rest.is_none_or(<[u8]>::is_empty))
    }
}

impl<R: BufRead> Write for Comparison<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(written) = self.written.as_mut().filter(|_| self.holds) else { return Ok(bytes.len()) };
        let there = written.fill_buf()?;
        let length = there.len().min(bytes.len());
        self.holds = length > 0 && there[..length] == bytes[..length] || bytes.is_empty();
        written.consume(length);
        Ok(if self.holds { length } else { bytes.len() })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_same_bytes_are_the_same() {
        let same = |file: Option<&str>, parts: &[&str]| {
            // A buffer of a few bytes, so that parts and reads do not meet.
            let file = file.map(|text| BufReader::with_capacity(3, text.as_bytes()));
            let mut comparison = Comparison::with(file);
            for part in parts {
                comparison.write_all(part.as_bytes()).unwrap();
            }
            comparison.ended().unwrap()
        };
        assert!(same(Some("abcdefgh"), &["abcd", "", "efgh"]));
        assert!(same(Some(""), &[""]));
        assert!(!same(Some("abcdefgh"), &["abcd", "efg"]), "the file goes on");
        assert!(!same(Some("abcdefg"), &["abcd", "efgh"]), "the file ends");
        assert!(!same(Some("abcdefgh"), &["abXd", "efgh"]));
        assert!(!same(Some("Xbcdefgh"), &["abcd", "efgh"]));
        assert!(!same(Some("abcdefgX"), &["abcd", "efgh"]));
        assert!(!same(None, &["a"]) && !same(None, &[]));
    }
}
