//! The journal's writer: it gathers the trials that have finished, writes them at one go, syncs once, and answers for each.
//!
//! Whatever it is given has been paid for. A disk that refuses is therefore asked again for a while, and then for each
//! trial by itself, since one may fit where all of them do not; and what was refused never stands in the way of the next.
//!
//! A line that no reader takes would lock all the others in. Of a transcript that makes one, the journal has that it was
//! played and an error; the text goes into a file beside it.

use std::cmp::Ordering;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use reports::whole;
use tokio::sync::oneshot;
use transcript::jsonl::MAX_LINE_BYTES;
use transcript::{Transcript, TrialError};

use super::{Journal, JournalError, Tail, chained};

/// How many finished trials may wait for the disk before those who finish them have to wait too.
const WAITING: usize = 1024;

/// How long a disk that refused is left alone before each further try.
const PATIENCE: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_millis(1500),
    Duration::from_secs(4),
];

/// The name of the file beside the journal for transcripts that make too long a line. They never count.
const TOO_LARGE: &str = "too-large";

/// The most bytes of messages that the journal has of such a transcript.
const EXCERPT_BYTES: usize = 1 << 20;

/// How many bytes [`chained`] adds to a line, its end aside.
const CHAIN_BYTES: usize = 75;

/// A line on its way to disk, without its closing brace, and whom to tell.
struct Entry {
    line: Vec<u8>,
    /// The whole transcript, when the line has only a part of it.
    aside: Option<Vec<u8>>,
    kept: oneshot::Sender<Result<(), String>>,
}

/// The handle by which finished trials reach the journal's writer thread.
#[derive(Debug, Clone)]
pub struct JournalHandle {
    entries: mpsc::SyncSender<Entry>,
    /// The longest line that may be written, in bytes.
    longest: usize,
}

impl Journal {
    /// Starts the writer thread. It ends when all handles are gone, and gives where the journal ends then.
    #[must_use]
    pub fn start(self) -> (JournalHandle, JoinHandle<Tail>) {
        let (entries, inbox) = mpsc::sync_channel::<Entry>(WAITING);
        let Self { file, path, tail, end } = self;
        let mut writer = Writer { store: file, path, tail, end, patience: &PATIENCE };
        let thread = std::thread::spawn(move || {
            while let Ok(first) = inbox.recv() {
                writer.keep(std::iter::once(first).chain(inbox.try_iter().take(WAITING)).collect());
            }
            writer.tail
        });
        (JournalHandle { entries, longest: MAX_LINE_BYTES }, thread)
    }
}

impl JournalHandle {
    /// Writes a transcript and returns it as it is on disk: itself, or, when its line would be longer than any reader
    /// takes, an error that says so.
    ///
    /// # Errors
    /// [`JournalError::Stopped`] when it could not be written; the run must then stop.
    pub async fn keep(&self, transcript: Transcript) -> Result<Transcript, JournalError> {
        let stopped = |message: &str| JournalError::Stopped(message.to_owned());
        let (transcript, line, aside) =
            fitted(transcript, self.longest).map_err(|error| stopped(&error.to_string()))?;
        let (kept, answer) = oneshot::channel();
        let mut entry = Entry { line, aside, kept };
        loop {
            match self.entries.try_send(entry) {
                Ok(()) => break,
                Err(mpsc::TrySendError::Full(back)) => {
                    entry = back;
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                Err(mpsc::TrySendError::Disconnected(_)) => return Err(stopped("it is gone")),
            }
        }
        match answer.await {
            Ok(Ok(())) => Ok(transcript),
            Ok(Err(message)) => Err(JournalError::Stopped(message)),
            Err(_) => Err(stopped("it is gone")),
        }
    }
}

/// A transcript's line without its closing brace, behind which the chain goes on.
fn open(transcript: &Transcript) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(transcript)?;
    line.pop();
    Ok(line)
}

/// The transcript as it can be kept in a line of `longest` bytes, that line as [`open`] has it, and all of it when it was
/// not kept whole.
fn fitted(
    transcript: Transcript,
    longest: usize,
) -> serde_json::Result<(Transcript, Vec<u8>, Option<Vec<u8>>)> {
    let longest = longest - CHAIN_BYTES;
    let mut whole = open(&transcript)?;
    if whole.len() <= longest {
        return Ok((transcript, whole, None));
    }
    let mut kept = shortened(transcript, whole.len(), EXCERPT_BYTES.min(longest / 2))?;
    whole.push(b'}');
    let mut line = open(&kept)?;
    if line.len() > longest {
        // What an endpoint or a program says of itself may be long too.
        kept.messages.clear();
        kept.served.clear();
        kept.extra.clear();
        line = open(&kept)?;
    }
    Ok((kept, line, Some(whole)))
}

/// The transcript without its end: no more than `most` bytes of messages, and no workspace. Its error says why.
fn shortened(mut transcript: Transcript, bytes: usize, most: usize) -> serde_json::Result<Transcript> {
    let mut left = most;
    let mut kept = Vec::new();
    for message in transcript.messages {
        let size = serde_json::to_vec(&message)?.len();
        let Some(rest) = left.checked_sub(size) else { break };
        left = rest;
        kept.push(message);
    }
    transcript.messages = kept;
    transcript.workspace = None;
    let before = transcript.error.map(|error| format!("; it had ended in {}: {}", error.kind, error.message));
    let before: String = before.unwrap_or_default().chars().take(1000).collect();
    transcript.error = Some(TrialError {
        kind: TOO_LARGE.to_owned(),
        message: format!(
            "its transcript has {} MiB, and a line of the journal no more than {}; it is in transcripts.{TOO_LARGE}, \
             beside the journal{before}",
            bytes.div_ceil(1 << 20),
            MAX_LINE_BYTES >> 20
        ),
    });
    Ok(transcript)
}

/// Appends a line to the file at `path`, and makes it last; after an error the file is as it was.
pub(super) fn append_line(path: &Path, line: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let before = file.metadata()?.len();
    let written = file
        .write_all(line)
        .and_then(|()| file.write_all(b"\n"))
        .and_then(|()| file.sync_data())
        .and_then(|()| whole::sync_folder(whole::folder_of(path)));
    if written.is_err() {
        // Whatever is left of it counts for nothing.
        let _ = file.set_len(before);
    }
    written
}

/// Where lines go: a file, or in tests one that goes wrong.
trait Store {
    /// Has it end at byte `end`.
    fn cut(&mut self, end: u64) -> io::Result<()>;
    /// Writes at its end, and makes it last.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
}

impl Store for File {
    fn cut(&mut self, end: u64) -> io::Result<()> {
        match self.metadata()?.len().cmp(&end) {
            Ordering::Equal => Ok(()),
            Ordering::Greater => self.set_len(end),
            Ordering::Less => Err(io::Error::other("it has become shorter: something else wrote here")),
        }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)?;
        self.sync_data()
    }
}

/// What the thread works with.
struct Writer<S> {
    store: S,
    path: PathBuf,
    /// Where the journal ends; the next line names the last one as the one before it.
    tail: Tail,
    /// Where the last line that counts ends, in bytes.
    end: u64,
    patience: &'static [Duration],
}

impl<S: Store> Writer<S> {
    /// Writes a batch, as far as the disk takes it, and tells of each whether it is kept.
    fn keep(&mut self, mut batch: Vec<Entry>) {
        let mut whole = self.append(&mut batch);
        for wait in self.patience {
            if whole.is_ok() {
                break;
            }
            std::thread::sleep(*wait);
            whole = self.append(&mut batch);
        }
        for mut entry in batch {
            let kept = match &whole {
                Ok(()) => Ok(()),
                Err(_) => self.append(std::slice::from_mut(&mut entry)),
            };
            let kept = kept.map_err(|error| format!("{}: {error}", self.path.display()));
            // Whoever waited may be gone; the line is kept all the same.
            let _ = entry.kept.send(kept);
        }
    }

    /// Writes the lines of `batch`, each with the digest of the one before it, and syncs: all of them, or none.
    fn append(&mut self, batch: &mut [Entry]) -> io::Result<()> {
        for entry in batch.iter_mut() {
            if let Some(whole) = &entry.aside {
                append_line(&self.path.with_extension(TOO_LARGE), whole)?;
                entry.aside = None;
            }
        }
        // What a try that failed may have left behind is no part of the journal.
        self.store.cut(self.end)?;
        let mut tail = self.tail.clone();
        let mut lines = Vec::new();
        for entry in batch.iter() {
            let (mut line, sha256) = chained(&entry.line, &tail.last);
            lines.append(&mut line);
            tail = Tail { lines: tail.lines + 1, last: sha256 };
        }
        match self.store.append(&lines) {
            Ok(()) => {
                self.end += lines.len() as u64;
                self.tail = tail;
                Ok(())
            }
            Err(error) => {
                // Should this fail as well, the next try begins with it. Should there be no other, whole lines may be left,
                // which tell of trials that were played and count at the next start, and a torn one, which is set aside then.
                let _ = self.store.cut(self.end);
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use transcript::{By, Message, Role, Usage};

    use super::*;

    /// A disk that can take so many bytes in all, and refuses the next calls on demand.
    #[derive(Default)]
    struct Disk {
        bytes: Vec<u8>,
        room: Option<usize>,
        refused_appends: u32,
        refused_cuts: u32,
    }

    impl Store for Disk {
        fn cut(&mut self, end: u64) -> io::Result<()> {
            if self.bytes.len() as u64 > end {
                if self.refused_cuts > 0 {
                    self.refused_cuts -= 1;
                    return Err(io::Error::other("not now"));
                }
                self.bytes.truncate(usize::try_from(end).unwrap());
            }
            Ok(())
        }

        fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
            let room = self.room.map_or(bytes.len(), |room| room.saturating_sub(self.bytes.len()));
            let refuses = self.refused_appends > 0 || room < bytes.len();
            self.refused_appends = self.refused_appends.saturating_sub(1);
            // As a full disk does it: what fits is written, and then it says so.
            let written = if refuses { room.min(bytes.len() * 2 / 3) } else { bytes.len() };
            self.bytes.extend_from_slice(&bytes[..written]);
            if refuses { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    fn writer(store: Disk, patience: &'static [Duration]) -> Writer<Disk> {
        let tail = Tail { lines: 0, last: "start".to_owned() };
        Writer { store, path: PathBuf::from("t.jsonl"), tail, end: 0, patience }
    }

    /// Has the transcripts written as one batch; for each, whether it was kept.
    fn keep(writer: &mut Writer<Disk>, ids: &[&str]) -> Vec<Result<(), String>> {
        let (batch, answers): (Vec<_>, Vec<_>) = ids
            .iter()
            .map(|id| {
                let (kept, answer) = oneshot::channel();
                let line = open(&Transcript::new(*id, "E1")).unwrap();
                (Entry { line, aside: None, kept }, answer)
            })
            .unzip();
        writer.keep(batch);
        answers.into_iter().map(|mut answer| answer.try_recv().unwrap()).collect()
    }

    /// The ids of the journal's lines; each must name the one before it.
    fn ids(writer: &Writer<Disk>) -> Vec<String> {
        let mut before = "start".to_owned();
        let text = std::str::from_utf8(&writer.store.bytes).unwrap();
        let mut read = |line: &str| {
            let transcript: Transcript = serde_json::from_str(line.strip_suffix('\n').unwrap()).unwrap();
            assert_eq!(transcript.prev.as_ref(), Some(&before));
            before = reports::digest::sha256_hex(line.trim_end().as_bytes());
            transcript.id
        };
        let ids: Vec<String> = text.split_inclusive('\n').map(&mut read).collect();
        assert_eq!(writer.tail, Tail { lines: ids.len(), last: before });
        ids
    }

    #[test]
    fn a_disk_that_refuses_for_a_while_costs_nothing() {
        let mut writer = writer(Disk { refused_appends: 3, ..Disk::default() }, &[Duration::ZERO; 3]);
        assert_eq!(keep(&mut writer, &["a", "b"]), [Ok(()), Ok(())]);
        assert_eq!(ids(&writer), ["a", "b"]);
    }

    #[test]
    fn a_trial_that_was_refused_costs_no_other() {
        // The batch is tried once, then the trial by itself.
        let mut writer = writer(Disk { refused_appends: 2, ..Disk::default() }, &[]);
        let refused = keep(&mut writer, &["a"]).remove(0).unwrap_err();
        assert!(refused.starts_with("t.jsonl: "), "{refused}");
        assert_eq!(keep(&mut writer, &["b", "c"]), [Ok(()), Ok(())]);
        assert_eq!(ids(&writer), ["b", "c"]);
    }

    #[test]
    fn of_a_batch_that_does_not_fit_what_fits_is_kept() {
        let mut writer = writer(Disk { room: Some(400), ..Disk::default() }, &[Duration::ZERO]);
        let long = "long".repeat(100);
        let kept = keep(&mut writer, &["a", &long, "c"]);
        assert_eq!(kept.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(ids(&writer), ["a", "c"]);
    }

    #[test]
    fn what_could_not_be_cut_off_at_once_is_cut_off_before_the_next_line() {
        let mut writer = writer(Disk { refused_appends: 1, refused_cuts: 3, ..Disk::default() }, &[]);
        // Refused, and not cut off; nor when it is tried by itself, which is therefore not tried.
        assert!(keep(&mut writer, &["a"])[0].is_err());
        assert!(!writer.store.bytes.is_empty());
        // The third cut that is refused; then it goes.
        assert_eq!(keep(&mut writer, &["b"]), [Ok(())]);
        assert_eq!(ids(&writer), ["b"]);
    }

    fn long(id: &str, bytes: usize) -> Transcript {
        let mut transcript = Transcript::new(id, "E1");
        transcript.messages = vec![
            Message::text(Role::User, By::Script, "say much"),
            Message::text(Role::Assistant, By::Model, "x".repeat(bytes)),
        ];
        transcript.usage = Some(Usage { input: 7, output: 9, ..Usage::default() });
        transcript
    }

    #[tokio::test]
    async fn a_transcript_too_long_for_a_line_is_an_error_and_its_text_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcripts.jsonl");
        let (journal, _) = Journal::open(&path, "start").unwrap();
        let (mut handle, thread) = journal.start();
        handle.longest = 4000;
        let mut failed = long("b", 5000);
        failed.error = Some(TrialError { kind: "timeout".to_owned(), message: "60 s".to_owned() });
        failed.extra.insert("said".to_owned(), "y".repeat(5000).into());
        let mut kept = Vec::new();
        for transcript in [long("a", 5000), failed.clone(), long("c", 10)] {
            kept.push(handle.keep(transcript).await.unwrap());
        }
        drop(handle);
        thread.join().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let read: Vec<Transcript> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(text.lines().all(|line| line.len() <= 4000));
        for (kept, read) in kept.iter().zip(&read) {
            assert_eq!(
                Transcript { prev: None, ..read.clone() },
                *kept,
                "what is answered is what is on disk"
            );
        }
        let error = |index: usize| read[index].error.clone().unwrap();
        assert_eq!((error(0).kind.as_str(), read[0].usage), ("too-large", long("a", 0).usage));
        assert!(error(0).message.contains("transcripts.too-large"), "{}", error(0).message);
        assert_eq!(read[0].messages.len(), 1, "as far as it fits");
        assert!(error(1).message.ends_with("it had ended in timeout: 60 s"), "{}", error(1).message);
        assert_eq!(read[2].error, None);
        let aside = std::fs::read_to_string(path.with_extension(TOO_LARGE)).unwrap();
        let aside: Vec<Transcript> = aside.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(aside, [long("a", 5000), failed]);
        // The next start finds them, and that they are to be played again.
        let (_, found) = Journal::open(&path, "start").unwrap();
        let settled = ["a", "b", "c"].map(|id| found.trials[id].settled);
        assert_eq!(settled, [false, false, true]);
    }

    /// The longest line that is written is one that is read.
    #[test]
    fn a_line_of_the_greatest_length_is_whole() {
        let room = MAX_LINE_BYTES - CHAIN_BYTES - open(&long("a", 0)).unwrap().len();
        for (bytes, is_whole) in [(room, true), (room + 1, false)] {
            let (transcript, line, aside) = fitted(long("a", bytes), MAX_LINE_BYTES).unwrap();
            assert_eq!((aside.is_none(), transcript.error.is_none()), (is_whole, is_whole));
            let (line, _) = chained(&line, &"0".repeat(64));
            let read = transcript::jsonl::Lines::new(line.as_slice()).next().unwrap().unwrap();
            assert!(read.complete && (!is_whole || read.text.len() == MAX_LINE_BYTES));
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_not_filled_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        let mut file = OpenOptions::new().append(true).create(true).open(&path).unwrap();
        file.append(b"abc\n").unwrap();
        file.cut(4).unwrap();
        file.cut(2).unwrap();
        let error = file.cut(4).unwrap_err().to_string();
        assert!(error.contains("shorter"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"ab");
    }
}
