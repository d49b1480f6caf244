//! The rows of a journal, on disk in a file without a name: memory must not grow with a run. What stays in memory of a
//! row is where it stands.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use reports::Row;

/// Rows in the order in which they are found.
#[derive(Debug)]
pub(crate) struct RowWriter {
    file: BufWriter<File>,
    places: Vec<Place>,
    end: u64,
}

/// Where a row stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The number of its trial in the plan; those that are not in it come last.
    trial: u32,
    bytes: u32,
    at: u64,
}

/// What is kept of a row beside it.
pub(crate) type Mark = [u8; 32];

/// A row as it is kept: its mark, then its JSON.
#[derive(Debug, Clone)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    /// Packs a row.
    pub(crate) fn new(mark: &Mark, row: &Row) -> Result<Self, serde_json::Error> {
        let mut bytes = mark.to_vec();
        serde_json::to_writer(&mut bytes, row)?;
        Ok(Self(bytes))
    }

    /// The mark.
    pub(crate) fn mark(&self) -> &[u8] {
        self.0.get(..size_of::<Mark>()).unwrap_or_default()
    }

    /// The row.
    pub(crate) fn row(&self) -> io::Result<Row> {
        Ok(serde_json::from_slice(self.0.get(size_of::<Mark>()..).unwrap_or_default())?)
    }
}

impl RowWriter {
    /// No rows yet.
    ///
    /// # Errors
    /// When the system gives no temporary file.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(tempfile::tempfile()?), places: Vec::new(), end: 0 })
    }

    /// Adds a row of the trial with this number in the plan, if it has one, and returns how many rows came before it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn push(&mut self, trial: Option<usize>, row: &Packed) -> io::Result<usize> {
        let trial = trial.and_then(|trial| u32::try_from(trial).ok()).unwrap_or(u32::MAX);
        let bytes = u32::try_from(row.0.len()).map_err(io::Error::other)?;
        self.file.write_all(&row.0)?;
        self.places.push(Place { trial, bytes, at: self.end });
        self.end += u64::from(bytes);
        Ok(self.places.len() - 1)
    }

    /// A row that was added, by how many came before it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn get(&mut self, index: usize) -> io::Result<Row> {
        let place = *self.places.get(index).ok_or_else(|| io::Error::other("there is no such row"))?;
        self.file.seek(SeekFrom::Start(place.at))?;
        let packed = read(self.file.get_mut(), place);
        self.file.seek(SeekFrom::Start(self.end))?;
        packed?.row()
    }

    /// The rows, to be looked up.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn finish(self) -> io::Result<RowFile> {
        let Self { file, mut places, .. } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        places.sort_by_key(|place| (place.trial, place.at));
        Ok(RowFile { file: BufReader::with_capacity(1 << 16, file), at: None, places })
    }
}

/// Rows in the order of the plan, and of the journal within a trial.
#[derive(Debug)]
pub(crate) struct RowFile {
    file: BufReader<File>,
    /// Where the reader stands.
    at: Option<u64>,
    places: Vec<Place>,
}

impl RowFile {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The row `index` in this order.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn get(&mut self, index: usize) -> io::Result<Packed> {
        let place = *self.places.get(index).ok_or_else(|| io::Error::other("there is no such row"))?;
        let step = self.at.map(|at| i128::from(place.at) - i128::from(at));
        // A step within what was read ahead costs nothing.
        match step.and_then(|step| i64::try_from(step).ok()) {
            Some(step) => self.file.seek_relative(step)?,
            None => self.file.seek(SeekFrom::Start(place.at)).map(|_| ())?,
        }
        self.at = Some(place.at + u64::from(place.bytes));
        read(&mut self.file, place)
    }

    /// Where the attempts at the trial with this number in the plan stand.
    pub(crate) fn attempts(&self, trial: usize) -> Range<usize> {
        let start = self.places.partition_point(|place| (place.trial as usize) < trial);
        let count = self.places[start..].iter().take_while(|place| place.trial as usize == trial).count();
        start..start + count
    }
}

fn read(from: &mut impl Read, place: Place) -> io::Result<Packed> {
    let mut bytes = vec![0; place.bytes as usize];
    from.read_exact(&mut bytes)?;
    Ok(Packed(bytes))
}

#[cfg(test)]
mod tests {
    use checkers::Verdict;
    use transcript::Transcript;

    use super::*;

    fn row(id: &str, line: usize) -> Row {
        let verdict = Verdict::error("none", "x".repeat(line * 7));
        Row::new(&Transcript::new(id, "E1"), verdict, "", line, String::new())
    }

    #[test]
    fn rows_come_back_in_the_order_of_the_plan() {
        let mut writer = RowWriter::new().unwrap();
        let found = [(Some(2), "c"), (None, "stray"), (Some(0), "a"), (Some(2), "c"), (None, "other")];
        for (index, (trial, id)) in found.into_iter().enumerate() {
            let packed = Packed::new(&[u8::try_from(index).unwrap(); 32], &row(id, index + 1)).unwrap();
            assert_eq!(writer.push(trial, &packed).unwrap(), index);
            // A look back does not disturb what comes after it.
            assert_eq!(writer.get(index / 2).unwrap().line, index / 2 + 1);
        }
        let mut rows = writer.finish().unwrap();
        let mut lines = Vec::new();
        for index in 0..rows.len() {
            let packed = rows.get(index).unwrap();
            let row = packed.row().unwrap();
            assert_eq!(packed.mark(), [u8::try_from(row.line - 1).unwrap(); 32]);
            assert_eq!(row.reason.as_ref().map(String::len), Some(row.line * 7));
            lines.push(row.line);
        }
        assert_eq!(lines, [3, 1, 4, 2, 5]);
        assert_eq!((rows.attempts(0), rows.attempts(1), rows.attempts(2)), (0..1, 1..1, 1..3));
        assert_eq!(rows.get(0).unwrap().row().unwrap().id, "a");
    }
}
