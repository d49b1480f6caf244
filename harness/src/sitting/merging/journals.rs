//! The shards' journals: read once to see what is in them, and copied line by line in the order of the plan, so that the
//! joined journal does not depend on who was quick.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use reports::digest;
use transcript::Transcript;
use transcript::jsonl::{self, ReadError};

use super::{MergeError, Part};
use crate::journal;

/// Where a line is: which part's journal, from which byte, how many bytes with its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    part: usize,
    start: u64,
    length: usize,
}

/// What the journals hold.
#[derive(Debug)]
pub(super) struct Found {
    /// Every line, in the order of the plan and of its journal within a trial.
    pub(super) places: Vec<Place>,
    /// What forbids joining them.
    pub(super) faults: Vec<String>,
}

/// Reads all journals. A trial of which no attempt is on record is a hole; one that ended in an error is not.
pub(super) fn read(parts: &[Part]) -> Result<Found, MergeError> {
    let Some(first) = parts.first() else { return Ok(Found { places: Vec::new(), faults: Vec::new() }) };
    let trials: Vec<_> = first.plan.trials().collect();
    let order: HashMap<String, usize> =
        trials.iter().enumerate().map(|(index, key)| (key.to_string(), index)).collect();
    let owner: Vec<Option<usize>> =
        trials.iter().map(|key| parts.iter().position(|part| part.shard.owns(key))).collect();
    let mut ordered: Vec<(usize, Place)> = Vec::new();
    let mut played = vec![false; trials.len()];
    let mut faults = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        for (line, id, place) in lines(part, index, &mut faults)? {
            let at = format!("{}:{line}", part.run.journal().display());
            match order.get(&id) {
                None => faults.push(format!("{at}: {id} is not among the trials owed")),
                Some(trial) if owner[*trial] != Some(index) => {
                    faults.push(format!("{at}: {id} is another shard's, so it may be there twice"));
                }
                Some(trial) => {
                    played[*trial] = true;
                    ordered.push((*trial, place));
                }
            }
        }
    }
    for (trial, _) in trials.iter().zip(&played).filter(|(_, played)| !**played) {
        let part = parts.iter().find(|part| part.shard.owns(trial));
        let folder = part.map(|part| part.run.path().display().to_string()).unwrap_or_default();
        faults.push(format!("{trial} was not played; go on with: assize run --resume {folder}"));
    }
    ordered.sort_by_key(|(trial, place)| (*trial, place.start));
    Ok(Found { places: ordered.into_iter().map(|(_, place)| place).collect(), faults })
}

/// The lines of one journal: their numbers, the trials they hold, their places.
fn lines(
    part: &Part,
    index: usize,
    faults: &mut Vec<String>,
) -> Result<Vec<(usize, String, Place)>, MergeError> {
    let path = part.run.journal();
    let mut found = Vec::new();
    if !path.exists() {
        return Ok(found);
    }
    let file = open(&path)?;
    match file.try_lock_shared() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            faults.push(format!("{}: another assize is writing this shard; wait for it", path.display()));
            return Ok(found);
        }
        Err(TryLockError::Error(source)) => return Err(MergeError::Io { path, source }),
    }
    let mut reader = BufReader::new(&file);
    let mut before = part.plan.digest()?;
    let mut start = 0_u64;
    for number in 1.. {
        let bytes = match jsonl::read_line(&mut reader, number) {
            Ok(bytes) => bytes,
            Err(ReadError::Io { source, .. }) => return Err(MergeError::Io { path, source }),
            Err(error) => {
                // Where the next line starts is not known.
                faults.push(format!("{}: {error}", path.display()));
                break;
            }
        };
        let length = bytes.len();
        if length == 0 {
            break;
        }
        if bytes.last() != Some(&b'\n') {
            faults.push(format!(
                "{}:{number}: the last line is torn; set it aside with: assize run --resume {}",
                path.display(),
                part.run.path().display()
            ));
            break;
        }
        match transcript(&bytes, number) {
            Ok(Some(transcript)) => {
                if transcript.prev.as_deref() != Some(before.as_str()) {
                    faults.push(format!(
                        "{}:{number}: it does not follow the line before it: a line was edited, taken out, put in or moved",
                        path.display()
                    ));
                }
                before = digest::sha256_hex(bytes.trim_ascii_end());
                found.push((number, transcript.id, Place { part: index, start, length }));
            }
            Ok(None) => {}
            Err(message) => faults.push(format!("{}: {message}", path.display())),
        }
        start += length as u64;
    }
    Ok(found)
}

/// The transcript that a line holds; `None` for an empty line.
fn transcript(bytes: &[u8], number: usize) -> Result<Option<Transcript>, String> {
    let Some(line) = jsonl::Lines::new(bytes).next() else { return Ok(None) };
    let line = line.map_err(|error| format!("line {number}: {error}"))?;
    let line = jsonl::Line { number, ..line };
    jsonl::parse(&line).map(Some).map_err(|error| error.to_string())
}

/// Copies the lines at `places` into a new journal and makes them last. Each line names another one before it now, and
/// `start` is what the first one names; otherwise they are as they were.
pub(super) fn write(parts: &[Part], places: &[Place], start: &str, to: &Path) -> Result<(), MergeError> {
    let io_error = |source| MergeError::Io { path: to.to_owned(), source };
    let mut sources: Vec<Option<File>> = Vec::new();
    for part in parts {
        let path = part.run.journal();
        // A shard that owns no trial has no journal.
        sources.push(if path.exists() { Some(open(&path)?) } else { None });
    }
    let mut out = BufWriter::new(File::create_new(to).map_err(io_error)?);
    let mut line = Vec::new();
    let mut last = start.to_owned();
    for place in places {
        let Some(source) = sources.get_mut(place.part).and_then(Option::as_mut) else { continue };
        line.resize(place.length, 0);
        source
            .seek(SeekFrom::Start(place.start))
            .and_then(|_| source.read_exact(&mut line))
            .map_err(|error| MergeError::Io { path: parts[place.part].run.journal(), source: error })?;
        let (chained, sha256) = journal::chained(journal::unchained(&line), &last);
        out.write_all(&chained).map_err(io_error)?;
        last = sha256;
    }
    let file = out.into_inner().map_err(|error| io_error(error.into_error()))?;
    file.sync_all().map_err(io_error)
}

fn open(path: &Path) -> Result<File, MergeError> {
    File::open(path).map_err(|source| MergeError::Io { path: path.to_owned(), source })
}
