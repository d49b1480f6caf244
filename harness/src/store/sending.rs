//! From a run's folder to the store: the place is taken once, the journal goes out piece by piece while the run is
//! played, and what is derived follows at the end.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::time::Duration;

use reports::Plan;
use reports::manifest::Evidence;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::layout::{self, INDEX, Index};
use super::remote::as_listed;
use super::{Remote, StoreError, all, fetching};
use crate::event::{Event, SharedReporter};
use crate::sitting::playing::{Stop, StopFlag};
use crate::sitting::rundir::{MANIFEST, RunDir};
use crate::sitting::{evidence, sittings};

/// How often what is new goes out: this much of a run is lost with its machine, and what finishes within it.
const INTERVAL: Duration = Duration::from_secs(5);

/// How soon it goes out at first; the time doubles up to [`INTERVAL`].
const FIRST: Duration = Duration::from_secs(1);

/// How long trials are started while the store takes nothing: each of them may be lost with the machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A piece of the journal has about this many bytes at most, unless a single line has more.
const PIECE: u64 = 8 << 20;

/// Sends a run to its place.
#[derive(Debug)]
pub struct Sender {
    remote: Remote,
    run: RunDir,
    /// The next byte of the journal to be sent.
    next: u64,
    /// What was sent of what changes: digests by path.
    sent: HashMap<String, [u8; 32]>,
}

impl Sender {
    /// Takes the place for the run, or finds that it has it, and sends what the journal holds.
    ///
    /// # Errors
    /// [`StoreError::Taken`] when something else is there, [`StoreError::Forked`] when more or other trials of this run
    /// are; otherwise when the store cannot be used.
    pub async fn begin(remote: Remote, run: RunDir, plan: &Plan) -> Result<Self, StoreError> {
        take(&remote, &run, plan).await?;
        let next = fetching::common(&remote, &run).await?;
        let mut sender = Self { remote, run, next, sent: HashMap::new() };
        sender.journal().await?;
        Ok(sender)
    }

    /// Sends what is new, again and again, until `over`. While the store takes nothing for long, or when another machine
    /// plays the same trials, `stop` is raised: each further trial might be lost.
    pub async fn follow(
        mut self,
        mut over: oneshot::Receiver<()>,
        reporter: SharedReporter,
        stop: StopFlag,
    ) -> Self {
        let mut failing: Option<Instant> = None;
        let mut wait = FIRST;
        loop {
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = &mut over => return self,
            }
            wait = INTERVAL.min(wait * 2);
            let Err(error) = self.step().await else {
                if failing.take().is_some() {
                    reporter.report(Event::Note(format!("{} takes the run again", self.remote.place())));
                }
                continue;
            };
            if failing.is_none() {
                let note = format!("{error}; the run's folder has everything, and it is tried again");
                reporter.report(Event::Note(note));
            }
            let since = *failing.get_or_insert_with(Instant::now);
            if error.is_final() || since.elapsed() > PATIENCE {
                let reason = format!("{error}; finishing the trials under way, which are paid for");
                if stop.raise(Stop::Store(error.to_string())) {
                    reporter.report(Event::Stopping { reason });
                }
            }
        }
    }

    async fn step(&mut self) -> Result<(), StoreError> {
        // The sittings are witnesses of the journal: whatever they tell of it must be there before they are. Those that
        // came to tell more while it went out have their turn in the next step.
        let before = self.digest(sittings::FILE)?;
        self.journal().await?;
        if self.digest(sittings::FILE)? == before { self.replace(sittings::FILE).await } else { Ok(()) }
    }

    /// The digest of a file of the run, if it is there.
    fn digest(&self, path: &str) -> Result<Option<[u8; 32]>, StoreError> {
        let place = self.run.path().join(path);
        match evidence::sha256_of(&place) {
            Ok((_, digest)) => Ok(Some(digest)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io(place)(error)),
        }
    }

    /// Sends all that is not there yet, the manifest last.
    ///
    /// # Errors
    /// When the store does not take it, or another machine has sent other trials of this run.
    pub async fn finish(&mut self) -> Result<(), StoreError> {
        self.journal().await?;
        let listing = evidence::list(self.run.path()).map_err(StoreError::io(self.run.path()))?;
        let changing =
            listing.files.iter().map(|file| file.path.as_str()).filter(|path| layout::changes(path));
        let (manifest, others): (Vec<&str>, Vec<&str>) = changing.partition(|path| *path == MANIFEST);
        for path in others.into_iter().chain(manifest) {
            self.replace(path).await?;
        }
        Ok(())
    }

    /// Sends a file anew if it is there and is not what was sent last.
    async fn replace(&mut self, path: &str) -> Result<(), StoreError> {
        let Some(digest) = self.digest(path)? else { return Ok(()) };
        if self.sent.get(path) != Some(&digest) {
            self.remote.replace(path, &self.run.path().join(path)).await?;
            self.sent.insert(path.to_owned(), digest);
        }
        Ok(())
    }

    /// Sends the whole lines of the journal that are not there yet.
    async fn journal(&mut self) -> Result<(), StoreError> {
        let path = self.run.journal();
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(StoreError::io(path)(error)),
        };
        loop {
            let piece = lines_from(&mut file, self.next).map_err(StoreError::io(&path))?;
            if piece.is_empty() {
                return Ok(());
            }
            let name = layout::piece(self.next);
            let length = piece.len() as u64;
            if self.remote.create(&name, piece).await? {
                self.next += length;
                continue;
            }
            // It was sent before, though the answer got lost; or someone else sent it.
            let there = self.remote.get(&name).await?.unwrap_or_default();
            let own = read_at(&mut file, self.next, there.len() as u64).map_err(StoreError::io(&path))?;
            if there.is_empty() || own != there {
                return Err(StoreError::Forked(self.remote.shown(&name)));
            }
            self.next += there.len() as u64;
        }
    }
}

/// Takes the place for the run: what it begins with is created there, and the index last.
async fn take(remote: &Remote, run: &RunDir, plan: &Plan) -> Result<(), StoreError> {
    let taken = |why: String| StoreError::Taken { place: remote.place().to_string(), why };
    let index = Index::of(run, plan)?;
    match fetching::index(remote).await? {
        Some(there) if there.plan_sha256 == index.plan_sha256 => return Ok(()),
        Some(_) => return Err(taken("another run is kept there".to_owned())),
        None => {}
    }
    let there: BTreeSet<String> = remote.list("").await?.into_iter().map(|object| object.name).collect();
    let own: BTreeSet<String> = index.files.iter().map(|file| as_listed(&file.path)).collect();
    if let Some(other) = there.difference(&own).next() {
        return Err(taken(format!("it holds {other}, which is not of this run")));
    }
    // What was begun and cut off is gone on with; where that was another run, nothing is added to it.
    let (begun, missing): (Vec<&Evidence>, Vec<&Evidence>) =
        index.files.iter().partition(|file| there.contains(&as_listed(&file.path)));
    for files in [begun, missing] {
        let jobs = files.into_iter().map(|file| {
            let (remote, path, place) = (remote.clone(), file.path.clone(), run.path().join(&file.path));
            async move {
                let bytes = std::fs::read(&place).map_err(StoreError::io(place))?;
                same(&remote, &path, bytes).await
            }
        });
        all(jobs).await?;
    }
    same(remote, INDEX, index.bytes()?).await
}

/// Creates an object, or finds the same bytes there.
async fn same(remote: &Remote, name: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
    if remote.create(name, bytes.clone()).await?
        || remote.get(name).await?.is_some_and(|there| there == bytes)
    {
        return Ok(());
    }
    let why = format!("it holds another {name} than this run's");
    Err(StoreError::Taken { place: remote.place().to_string(), why })
}

/// The whole lines of a journal from the byte `start` on, as many as make up a piece.
fn lines_from(file: &mut File, start: u64) -> io::Result<Vec<u8>> {
    let mut most = PIECE;
    loop {
        let mut bytes = read_at(file, start, most)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole > 0 || (bytes.len() as u64) < most {
            bytes.truncate(whole);
            return Ok(bytes);
        }
        most *= 2;
    }
}

/// Up to `length` bytes from the byte `start` on.
pub(super) fn read_at(file: &mut File, start: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn only_whole_lines_are_sent() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one\ntwo\nthr").unwrap();
        assert_eq!(lines_from(&mut file, 0).unwrap(), b"one\ntwo\n");
        assert_eq!(lines_from(&mut file, 4).unwrap(), b"two\n");
        assert_eq!(lines_from(&mut file, 8).unwrap(), b"");
        assert_eq!(lines_from(&mut file, 99).unwrap(), b"");
    }

    #[test]
    fn a_line_longer_than_a_piece_is_one_piece() {
        let mut file = tempfile::tempfile().unwrap();
        let mut line = vec![b'x'; PIECE as usize + 10];
        line.push(b'\n');
        file.write_all(&line).unwrap();
        file.write_all(b"next\n").unwrap();
        let piece = lines_from(&mut file, 0).unwrap();
        assert_eq!(piece.len(), line.len() + 5, "what follows within the same reading comes along");
        assert_eq!(lines_from(&mut file, piece.len() as u64).unwrap(), b"");
    }
}
