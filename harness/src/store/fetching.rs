//! From the store to a folder: a whole run, or what a folder lacks of one. What comes from a store may have been put there
//! by anyone, so digests are compared, and nothing lands outside the folder.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use reports::manifest::Evidence;
use reports::{Plan, digest};

use super::layout::{self, INDEX, Index, PIECES};
use super::remote::Stored;
use super::sending::read_at;
use super::{AT_ONCE, Remote, StoreError, all};
use crate::journal::Journal;
use crate::sitting::rundir::{PLAN, RunDir, RunDirError, TRANSCRIPTS};

/// The plan of the run that is kept there, if one is.
///
/// # Errors
/// When the store cannot be used, or what it holds is damaged.
pub async fn found(remote: &Remote) -> Result<Option<Plan>, StoreError> {
    let Some(index) = index(remote).await? else { return Ok(None) };
    let damaged = |why: String| StoreError::Damaged { object: remote.shown(PLAN), why };
    let Some(file) = index.files.iter().find(|file| file.path == PLAN) else {
        return Err(damaged("the index does not list it".to_owned()));
    };
    let bytes = first_file(remote, file).await?;
    let plan = Plan::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| damaged(error.to_string()))?;
    if plan.digest()? != index.plan_sha256 {
        return Err(damaged("it is not the plan that the index names".to_owned()));
    }
    Ok(Some(plan))
}

/// The places of the run that is kept here, or of those that are kept directly below.
///
/// # Errors
/// When there is none, or the store cannot be used.
pub async fn parts(remote: &Remote) -> Result<Vec<Remote>, StoreError> {
    if index(remote).await?.is_some() {
        return Ok(vec![remote.clone()]);
    }
    let below: Vec<Remote> = remote.folders().await?.iter().map(|name| remote.below(name)).collect();
    let indexes = all(below.iter().cloned().map(|part| async move { index(&part).await })).await?;
    let parts: Vec<Remote> =
        below.into_iter().zip(indexes).filter(|(_, index)| index.is_some()).map(|(part, _)| part).collect();
    if parts.is_empty() { Err(StoreError::NoRun(remote.place().to_string())) } else { Ok(parts) }
}

/// Puts the run that is kept there into a new folder.
///
/// # Errors
/// When there is none, the folder is there already, or something is damaged; then no folder is left behind.
pub async fn bring(remote: &Remote, to: &Path) -> Result<(), StoreError> {
    let index = index(remote).await?.ok_or_else(|| StoreError::NoRun(remote.place().to_string()))?;
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(StoreError::io(parent))?;
    }
    fs::create_dir(to).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => StoreError::Run(RunDirError::Taken(to.to_owned())),
        _ => StoreError::io(to)(error),
    })?;
    let filled = fill(remote, &index, to).await;
    if filled.is_err() {
        // It was made here a moment ago, and all of it is in the store.
        let _ = fs::remove_dir_all(to);
    }
    filled
}

/// Fills a new folder, the plan last: a folder without one is no run.
async fn fill(remote: &Remote, index: &Index, to: &Path) -> Result<(), StoreError> {
    let (plan, others): (Vec<&Evidence>, Vec<&Evidence>) =
        index.files.iter().partition(|file| file.path == PLAN);
    for some in others.chunks(AT_ONCE) {
        let jobs = some.iter().map(|file| {
            let (remote, file) = (remote.clone(), (*file).clone());
            async move { first_file(&remote, &file).await }
        });
        for (file, bytes) in some.iter().zip(all(jobs).await?) {
            put(&to.join(&file.path), &bytes, file.executable)?;
        }
    }
    let pieces = pieces(remote).await?;
    if !pieces.is_empty() {
        append(remote, &pieces, &to.join(TRANSCRIPTS)).await?;
    }
    changing(remote, to).await?;
    for file in plan {
        put(&to.join(&file.path), &first_file(remote, file).await?, file.executable)?;
    }
    Ok(())
}

/// Adds to a folder's journal what the store has beyond it, as when another machine went on with the run. Says how many
/// bytes came.
///
/// # Errors
/// [`StoreError::Forked`] when the two went different ways; otherwise when one of them cannot be used.
pub async fn catch_up(remote: &Remote, run: &RunDir, plan: &Plan) -> Result<u64, StoreError> {
    let path = run.journal();
    // For as long as it is open, nobody else writes there; and a torn last line is out of the way.
    let (journal, _) = Journal::open(&path, &plan.digest()?)?;
    let _held = journal.held()?;
    let before = length(&path)?;
    let mut pieces = pieces(remote).await?;
    if pieces.last().is_none_or(|piece| piece.end() <= before) {
        return Ok(0);
    }
    // The last one that the folder has whole comes too: each line names the one before it, so if that one is the same,
    // everything before it is.
    pieces.retain(|piece| piece.end() >= before);
    append(remote, &pieces, &path).await?;
    changing(remote, run.path()).await?;
    Ok(length(&path)? - before)
}

/// Where the journal in the store ends, all of which the folder must have.
pub(super) async fn common(remote: &Remote, run: &RunDir) -> Result<u64, StoreError> {
    let pieces = pieces(remote).await?;
    let Some(last) = pieces.last() else { return Ok(0) };
    let path = run.journal();
    let own = if path.exists() { length(&path)? } else { 0 };
    let ahead = || StoreError::Ahead { place: remote.place().to_string(), folder: run.path().to_owned() };
    // The last one that the folder has something of stands for all before it.
    let Some(shared) = pieces.iter().rfind(|piece| piece.start < own) else { return Err(ahead()) };
    let there = piece(remote, shared).await?;
    let mut file = File::open(&path).map_err(StoreError::io(&path))?;
    let here = read_at(&mut file, shared.start, shared.object.size).map_err(StoreError::io(&path))?;
    if !there.starts_with(&here) {
        return Err(StoreError::Forked(remote.shown(&shared.object.name)));
    }
    if own < last.end() { Err(ahead()) } else { Ok(last.end()) }
}

/// The index of the run that is kept there.
pub(super) async fn index(remote: &Remote) -> Result<Option<Index>, StoreError> {
    let Some(bytes) = remote.get(INDEX).await? else { return Ok(None) };
    let damaged = |why| StoreError::Damaged { object: remote.shown(INDEX), why };
    Index::parse(&bytes).map(Some).map_err(damaged)
}

/// A file that a run begins with, as the index has it.
async fn first_file(remote: &Remote, file: &Evidence) -> Result<Vec<u8>, StoreError> {
    let damaged = |why: &str| StoreError::Damaged { object: remote.shown(&file.path), why: why.to_owned() };
    let bytes = remote.get(&file.path).await?.ok_or_else(|| damaged("it is missing"))?;
    if bytes.len() as u64 == file.size && digest::sha256_hex(&bytes) == file.sha256 {
        return Ok(bytes);
    }
    Err(damaged("it does not have the digest that the index names"))
}

/// A piece of the journal.
#[derive(Debug, Clone)]
struct Piece {
    start: u64,
    object: Stored,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.object.size
    }
}

/// The pieces of the journal, in order and without a gap.
async fn pieces(remote: &Remote) -> Result<Vec<Piece>, StoreError> {
    let mut pieces: Vec<Piece> = Vec::new();
    for object in remote.list(PIECES).await? {
        let damaged =
            |why: &str| StoreError::Damaged { object: remote.shown(&object.name), why: why.to_owned() };
        let start = layout::start_of(&object.name)
            .ok_or_else(|| damaged("it is no piece of a journal, though it lies among them"))?;
        if start != pieces.last().map_or(0, Piece::end) {
            return Err(damaged(
                "it does not begin where the piece before it ends: one is missing or was cut",
            ));
        }
        pieces.push(Piece { start, object });
    }
    Ok(pieces)
}

async fn piece(remote: &Remote, piece: &Piece) -> Result<Vec<u8>, StoreError> {
    let damaged = || StoreError::Damaged {
        object: remote.shown(&piece.object.name),
        why: "it is not as long as it was listed".to_owned(),
    };
    let bytes = remote.get(&piece.object.name).await?.ok_or_else(damaged)?;
    if bytes.len() as u64 == piece.object.size { Ok(bytes) } else { Err(damaged()) }
}

/// Appends pieces to a journal; what it has of them already must be the same.
async fn append(remote: &Remote, pieces: &[Piece], path: &Path) -> Result<(), StoreError> {
    let mut file =
        OpenOptions::new().read(true).append(true).create(true).open(path).map_err(StoreError::io(path))?;
    for some in pieces.chunks(AT_ONCE) {
        let jobs = some.iter().cloned().map(|wanted| {
            let remote = remote.clone();
            async move { piece(&remote, &wanted).await }
        });
        for (piece, bytes) in some.iter().zip(all(jobs).await?) {
            let here = read_at(&mut file, piece.start, piece.object.size).map_err(StoreError::io(path))?;
            let Some(missing) = bytes.strip_prefix(here.as_slice()) else {
                return Err(StoreError::Forked(remote.shown(&piece.object.name)));
            };
            file.write_all(missing).map_err(StoreError::io(path))?;
        }
    }
    file.sync_all().map_err(StoreError::io(path))
}

/// Brings what is written anew when it changes.
async fn changing(remote: &Remote, to: &Path) -> Result<(), StoreError> {
    for object in remote.list("").await?.iter().filter(|object| layout::changes(&object.name)) {
        let place = to.join(&object.name);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
        }
        if place.exists() {
            fs::remove_file(&place).map_err(StoreError::io(&place))?;
        }
        remote.get_file(object, &place).await?;
    }
    Ok(())
}

fn put(place: &Path, bytes: &[u8], executable: bool) -> Result<(), StoreError> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if executable { 0o755 } else { 0o644 });
    #[cfg(not(unix))]
    let _ = executable;
    let mut file = options.open(place).map_err(StoreError::io(place))?;
    file.write_all(bytes).map_err(StoreError::io(place))
}

fn length(path: &Path) -> Result<u64, StoreError> {
    fs::metadata(path).map(|data| data.len()).map_err(StoreError::io(path))
}
