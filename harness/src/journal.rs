//! The journal of a run: `transcripts.jsonl`, append-only. A trial counts only once its line is on disk.
//!
//! Each line holds the digest of the one before it, and the first that of the plan: a line cannot be taken out, put in,
//! edited or moved without the next one saying so. It does not keep anyone from forging the whole journal, or from cutting
//! its end off; the manifest does that once it is written, and the signature over it.
//!
//! Trials finish faster than a disk syncs, so a thread (`writer.rs`) gathers what has come in, writes it at one go, syncs
//! once, and only then says of each that it is kept. A kill at any moment leaves whole lines, and at most one torn
//! one at the end, which is set aside on the next start: it never counted.

mod writer;

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use reports::{digest, whole};
use serde::{Deserialize, Serialize};
use transcript::jsonl;

pub use writer::JournalHandle;

use crate::budget::Taken;

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line that is not the last is not a transcript: something else wrote here.
    #[error("{}: {source}; the journal was changed from outside, so this run cannot go on", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line and what is wrong.
        source: jsonl::ReadError,
    },
    /// Another process has the journal open.
    #[error("{}: another assize is writing this run; wait for it, or end it", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The writer ended early.
    #[error("the journal's writer has stopped after an error: {0}")]
    Stopped(String),
}

/// What an existing journal holds.
#[derive(Debug, Default)]
pub struct Found {
    /// For each trial id: attempts so far, and whether one of them has no error.
    pub trials: HashMap<String, Attempts>,
    /// For each model id: what all attempts took that were played in this run.
    pub spent: HashMap<String, Taken>,
    /// Bytes of a torn last line that were set aside.
    pub torn: usize,
    /// Where it ends.
    pub tail: Tail,
}

/// Where a journal ends: what a record of its own can hold against it later.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tail {
    /// How many lines it has.
    pub lines: usize,
    /// sha256 of the last line, in hex; of the plan when there is none.
    pub last: String,
}

/// The attempts at a trial.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attempts {
    /// How many.
    pub count: u32,
    /// Whether one of them ended without an error of the harness or the endpoint.
    pub settled: bool,
}

/// Keeps other processes from the journal, and so from its run, for as long as it lives.
#[derive(Debug)]
pub struct Held {
    _file: Option<File>,
}

/// Keeps writers from the journal at `path`, but not other readers; `None` when there is no journal.
///
/// # Errors
/// [`JournalError::Busy`] when a process writes it.
pub fn hold(path: &Path) -> Result<Option<Held>, JournalError> {
    let io_error = |source| JournalError::Io { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(error)),
    };
    taken(lock(|| file.try_lock_shared()), path)?;
    Ok(Some(Held { _file: Some(file) }))
}

/// Says of a lock that was not had whose it is.
fn taken(locked: Result<(), fs::TryLockError>, path: &Path) -> Result<(), JournalError> {
    locked.map_err(|error| match error {
        fs::TryLockError::WouldBlock => JournalError::Busy { path: path.to_owned() },
        fs::TryLockError::Error(source) => JournalError::Io { path: path.to_owned(), source },
    })
}

/// A journal open for appending. Only one process can hold it.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Where it ends; the next line names the last one as the one before it.
    tail: Tail,
    /// Where the last whole line ends, in bytes.
    end: u64,
}

impl Journal {
    /// Opens or creates the journal and reads what is there. `start` is what the first line names as the one before it:
    /// the digest of the plan.
    ///
    /// # Errors
    /// [`JournalError`] when it cannot be read or locked, or is damaged before its last line.
    pub fn open(path: &Path, start: &str) -> Result<(Self, Found), JournalError> {
        let io_error = |source| JournalError::Io { path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io_error)?;
        taken(lock(|| file.try_lock()), path)?;
        // A file that is new is one only once its name lasts, too.
        whole::sync_folder(whole::folder_of(path)).map_err(io_error)?;
        let tail = Tail { lines: 0, last: start.to_owned() };
        let mut journal = Self { file, path: path.to_owned(), tail, end: 0 };
        let found = journal.recover()?;
        journal.tail.clone_from(&found.tail);
        Ok((journal, found))
    }

    /// Keeps the journal locked beyond the end of its writer, while the run is concluded.
    ///
    /// # Errors
    /// When the system gives no second handle.
    pub fn held(&self) -> Result<Held, JournalError> {
        let io_error = |source| JournalError::Io { path: self.path.clone(), source };
        // Both handles are of one open file, and the lock is the open file's. Where a lock also keeps its own process
        // from reading, the run could not be concluded under it.
        let file = cfg!(unix).then(|| self.file.try_clone()).transpose().map_err(io_error)?;
        Ok(Held { _file: file })
    }

    /// Reads the journal and sets a torn last line aside.
    fn recover(&mut self) -> Result<Found, JournalError> {
        let path = self.path.clone();
        let io_error = |source| JournalError::Io { path: path.clone(), source };
        let damaged = |source| match source {
            jsonl::ReadError::Io { source, .. } => io_error(source),
            source => JournalError::Damaged { path: path.clone(), source },
        };
        self.file.seek(SeekFrom::Start(0)).map_err(io_error)?;
        let mut reader = BufReader::new(&self.file);
        let mut found = Found { tail: self.tail.clone(), ..Found::default() };
        for number in 1.. {
            let bytes = jsonl::read_line(&mut reader, number).map_err(damaged)?;
            if bytes.is_empty() {
                break;
            }
            let complete = bytes.last() == Some(&b'\n');
            if !complete {
                found.torn = bytes.len();
                drop(reader);
                self.set_aside(&bytes).map_err(io_error)?;
                break;
            }
            let line = jsonl::Lines::new(bytes.as_slice()).next().transpose().map_err(damaged)?;
            if let Some(line) = line {
                let line = jsonl::Line { number, ..line };
                let transcript = jsonl::parse(&line).map_err(damaged)?;
                found.tail = Tail { lines: number, last: digest::sha256_hex(line.text.as_bytes()) };
                if let (Some(model), None) = (&transcript.model, &transcript.reused_from) {
                    *found.spent.entry(model.clone()).or_default() += Taken::by(&transcript);
                }
                let attempts = found.trials.entry(transcript.id).or_default();
                attempts.count += 1;
                attempts.settled |= transcript.error.is_none();
            }
            self.end += bytes.len() as u64;
        }
        Ok(found)
    }

    /// Moves a torn last line to a file beside the journal: it never counted, but it may hold something paid for.
    fn set_aside(&mut self, bytes: &[u8]) -> io::Result<()> {
        writer::append_line(&self.path.with_extension("torn"), bytes)?;
        self.file.set_len(self.end)?;
        self.file.sync_data()
    }
}

/// The line of a journal for a transcript without its closing brace, after the line with the digest `before`; and the
/// digest of the line itself, for the next one.
pub(crate) fn chained(open: &[u8], before: &str) -> (Vec<u8>, String) {
    let mut line = open.to_vec();
    line.extend_from_slice(format!(",\"prev\":\"{before}\"}}").as_bytes());
    let sha256 = digest::sha256_hex(&line);
    line.push(b'\n');
    (line, sha256)
}

/// What [`chained`] was given for `line`.
pub(crate) fn unchained(line: &[u8]) -> &[u8] {
    const KEY: &[u8] = b",\"prev\":\"";
    let line = line.trim_ascii_end();
    // Behind the key: 64 hex digits, a quotation mark, a brace.
    let at = line.len().saturating_sub(KEY.len() + 66);
    if line[at..].starts_with(KEY) { &line[..at] } else { line.strip_suffix(b"}").unwrap_or(line) }
}

/// Locks the journal by `attempt`. A program that is being started holds a copy of the lock for the moment between fork and
/// exec, so a lock that is taken is tried again for a little while.
fn lock(attempt: impl Fn() -> Result<(), fs::TryLockError>) -> Result<(), fs::TryLockError> {
    for _ in 0..20 {
        match attempt() {
            Err(fs::TryLockError::WouldBlock) => std::thread::sleep(std::time::Duration::from_millis(10)),
            other => return other,
        }
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use transcript::{Transcript, TrialError};

    fn path() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcripts.jsonl");
        (folder, path)
    }

    async fn write(path: &Path, transcripts: &[Transcript]) {
        let (journal, _) = Journal::open(path, "start").unwrap();
        let (handle, thread) = journal.start();
        for transcript in transcripts {
            handle.keep(transcript.clone()).await.unwrap();
        }
        drop(handle);
        thread.join().unwrap();
    }

    #[tokio::test]
    async fn what_is_kept_is_found_again() {
        let (_folder, path) = path();
        let mut failed = Transcript::new("b", "E1");
        failed.error = Some(TrialError { kind: "timeout".into(), message: "60 s".into() });
        write(&path, &[Transcript::new("a", "E1"), failed.clone(), failed]).await;
        let (_, found) = Journal::open(&path, "start").unwrap();
        assert_eq!(found.trials["a"], Attempts { count: 1, settled: true });
        assert_eq!(found.trials["b"], Attempts { count: 2, settled: false });
    }

    #[tokio::test]
    async fn every_cut_leaves_the_whole_lines_before_it() {
        let (_folder, path) = path();
        write(&path, &[Transcript::new("a", "E1"), Transcript::new("b", "E1")]).await;
        let whole = fs::read(&path).unwrap();
        let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for cut in first..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (journal, found) = Journal::open(&path, "start").unwrap();
            assert_eq!(found.trials.len(), 1, "cut at {cut}");
            assert_eq!(found.torn, cut - first);
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole[..first]);
        }
    }

    #[tokio::test]
    async fn damage_before_the_last_line_is_refused() {
        let (_folder, path) = path();
        write(&path, &[Transcript::new("a", "E1"), Transcript::new("b", "E1")]).await;
        let text = fs::read_to_string(&path).unwrap().replacen("\"id\"", "\"ix\"", 1);
        fs::write(&path, text).unwrap();
        let error = Journal::open(&path, "start").unwrap_err().to_string();
        assert!(error.contains("line 1, column"), "{error}");
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_not_read_without_an_end() {
        let (_folder, path) = path();
        write(&path, &[Transcript::new("a", "E1")]).await;
        // A hole takes no room on the disk, and would take all of it in memory.
        let length = fs::metadata(&path).unwrap().len() + (256 << 20);
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
        let error = Journal::open(&path, "start").unwrap_err().to_string();
        assert!(error.contains("line 2: longer than 64 MiB"), "{error}");
        assert_eq!(fs::metadata(&path).unwrap().len(), length, "it is left as it is");
    }

    #[tokio::test]
    async fn each_line_names_the_one_before_it_also_after_a_restart() {
        let (_folder, path) = path();
        write(&path, &[Transcript::new("a", "E1"), Transcript::new("b", "E1")]).await;
        write(&path, &[Transcript::new("c", "E1")]).await;
        let mut before = "start".to_owned();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let transcript: Transcript = serde_json::from_str(line).unwrap();
            assert_eq!(transcript.prev, Some(before));
            before = digest::sha256_hex(line.as_bytes());
        }
    }

    #[test]
    fn a_line_is_taken_off_its_chain() {
        let (line, sha256) = chained(b"{\"id\":\"a\"", &"0".repeat(64));
        assert_eq!(sha256, digest::sha256_hex(line.trim_ascii_end()));
        assert_eq!(unchained(&line), b"{\"id\":\"a\"");
        assert_eq!(unchained(b"{\"id\":\"a\"}\n"), b"{\"id\":\"a\"");
    }

    #[test]
    fn two_writers_are_refused() {
        let (_folder, path) = path();
        let first = Journal::open(&path, "start").unwrap();
        assert!(matches!(Journal::open(&path, "start"), Err(JournalError::Busy { .. })));
        let held = first.0.held().unwrap();
        drop(first);
        assert_eq!(matches!(Journal::open(&path, "start"), Err(JournalError::Busy { .. })), cfg!(unix));
        drop(held);
        Journal::open(&path, "start").unwrap();
    }
}
