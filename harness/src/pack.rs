//! A run's folder as one file: a tar archive in a zstd frame, the same bytes for the same folder wherever and whenever
//! it is packed.
//!
//! The files lie under `run/` in the order of their paths, owned by nobody, at time 0, with mode 0644 or 0755. A pack may
//! come from anyone, so it is unpacked with suspicion: nothing but regular files, no path that leaves the folder, no name
//! twice, limits on count and size, and no byte of the archive that packing the same files would not have written.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use reports::whole::{self, Whole};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, FrameCompressor};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::case::clean_path;
use crate::journal::{self, JournalError};
use crate::sitting::evidence::{self, FileEntry, Oddity};
use crate::sitting::rundir::TRANSCRIPTS;

/// How a pack's name ends.
pub const EXTENSION: &str = "tar.zst";

/// The folder in the archive.
const ROOT: &str = "run/";
/// The most files that a pack may hold.
const MOST_FILES: usize = 1_000_000;
/// The longest path in a pack, in bytes; no system opens a longer one.
const LONGEST_PATH: u64 = 4096;
/// The most bytes that a pack may unpack to.
const MOST_BYTES: u64 = 64 << 30;
/// The first bytes of a zstd frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Why a folder cannot be packed, or a pack not unpacked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Something in the folder cannot be packed.
    #[error("{}: {oddity}", folder.display())]
    Odd {
        /// The folder.
        folder: PathBuf,
        /// What.
        oddity: Oddity,
    },
    /// Another process writes in the folder.
    #[error(transparent)]
    Busy(#[from] JournalError),
    /// The archive is not one that this program wrote.
    #[error("{}: the pack is damaged or was made by something else: {what}", path.display())]
    Damaged {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

/// Whether `path` is a file that begins as a pack does.
#[must_use]
pub fn is_pack(path: &Path) -> bool {
    let mut start = [0; 4];
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == MAGIC
}

/// Packs `folder` into the file `to`, whole or not at all. Returns the size of the archive.
///
/// # Errors
/// [`PackError`] when something cannot be read or written, is no regular file, or is being written meanwhile.
pub fn pack(folder: &Path, to: &Path) -> Result<u64, PackError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| PackError::Io { path, source }
    };
    // A run that is under way would be packed as it never was.
    let _held = journal::hold(&folder.join(TRANSCRIPTS))?;
    let listing = evidence::list(folder).map_err(at(folder))?;
    if let Some(oddity) = listing.oddities.into_iter().next() {
        return Err(PackError::Odd { folder: folder.to_owned(), oddity });
    }
    let beside = whole::folder_of(to);
    let plain = tempfile::tempfile_in(beside).map_err(at(beside))?;
    let mut builder = tar::Builder::new(BufWriter::new(plain));
    for file in &listing.files {
        let source = File::open(&file.place).map_err(at(&file.place))?;
        append(&mut builder, file, source).map_err(at(&file.place))?;
    }
    let mut plain = builder
        .into_inner()
        .and_then(|buffer| buffer.into_inner().map_err(io::IntoInnerError::into_error))
        .map_err(at(beside))?;
    io::Seek::rewind(&mut plain).map_err(at(beside))?;
    let packed = Whole::begin(to).map_err(at(beside))?;
    compress(BufReader::new(plain), BufWriter::new(packed.file())).map_err(at(to))?;
    let size = packed.file().metadata().map_err(at(to))?.len();
    packed.finish().map_err(at(to))?;
    Ok(size)
}

/// Adds one file; one that grew or shrank meanwhile is an error.
fn append<W: Write>(builder: &mut tar::Builder<W>, file: &FileEntry, source: impl Read) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(file.size);
    header.set_mode(if file.executable { 0o755 } else { 0o644 });
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    let mut exact = Counted { inner: source.take(file.size), bytes: 0 };
    builder.append_data(&mut header, format!("{ROOT}{}", file.path), &mut exact)?;
    let has_more = exact.inner.into_inner().read(&mut [0])? > 0;
    if exact.bytes == file.size && !has_more {
        return Ok(());
    }
    Err(io::Error::other("it changed while it was packed"))
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

/// Compresses `source` into one zstd frame with a checksum.
///
/// The library panics at an error of its reader or writer, so it never sees one: the first is kept, after which nothing
/// more is read or written.
fn compress(source: impl Read, drain: impl Write) -> io::Result<()> {
    let mut compressor = FrameCompressor::new(CompressionLevel::Fastest);
    compressor.set_source(Latch { inner: source, error: None });
    compressor.set_drain(Latch { inner: drain, error: None });
    compressor.compress();
    let source = compressor.take_source().and_then(|latch| latch.error);
    let Some(mut drain) = compressor.take_drain() else { return Ok(()) };
    match source.or(drain.error) {
        Some(error) => Err(error),
        None => drain.inner.flush(),
    }
}

/// A reader or writer whose first error is kept, not given.
struct Latch<T> {
    inner: T,
    error: Option<io::Error>,
}

impl<R: Read> Read for Latch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.error.is_some() {
                return Ok(0);
            }
            match self.inner.read(buffer) {
                Ok(read) => return Ok(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.error = Some(error),
            }
        }
    }
}

impl<W: Write> Write for Latch<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_none()
            && let Err(error) = self.inner.write_all(bytes)
        {
            self.error = Some(error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Unpacks the archive at `path` into a temporary folder. It goes when the value is dropped.
///
/// # Errors
/// [`PackError::Damaged`] when it is not, byte for byte, what [`pack`] writes before compression.
pub fn unpack(path: &Path) -> Result<TempDir, PackError> {
    let folder = tempfile::Builder::new()
        .prefix("assize-")
        .tempdir()
        .map_err(|source| PackError::Io { path: std::env::temp_dir(), source })?;
    let file = File::open(path).map_err(|source| PackError::Io { path: path.to_owned(), source })?;
    match extract(BufReader::new(file), folder.path()) {
        Ok(()) => Ok(folder),
        Err(what) => Err(PackError::Damaged { path: path.to_owned(), what: what.to_string() }),
    }
}

fn extract(mut source: impl Read, folder: &Path) -> io::Result<()> {
    let wrong = io::Error::other::<String>;
    let frame = StreamingDecoder::new(&mut source).map_err(io::Error::other)?;
    let mut archive = tar::Archive::new(Hashed::new(frame.take(MOST_BYTES)));
    let mut again = tar::Builder::new(Hashed::new(io::sink()));
    let mut last = String::new();
    let (mut files, mut long) = (0, None);
    // Entries as they are: what the library makes of them, it reads into memory first, however long it is.
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry?;
        if entry.header().entry_type().is_gnu_longname() && long.is_none() {
            long = Some(long_name(&mut entry)?);
            continue;
        }
        let bytes = long.take().unwrap_or_else(|| entry.path_bytes().into_owned());
        let path = name(&bytes, entry.header().entry_type())?;
        files += 1;
        if files > MOST_FILES {
            return Err(wrong(format!("it holds more than {MOST_FILES} files")));
        }
        if path <= last {
            return Err(wrong(format!("`{path}` stands twice, or not in its place")));
        }
        let place = folder.join(&path);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        let executable = entry.header().mode()? & 0o100 != 0;
        let size = entry.size();
        let mut file = create(&place, executable)?;
        let written = FileEntry { path: path.clone(), place, size, executable };
        append(&mut again, &written, Tee { source: &mut entry, copy: &mut file })?;
        file.flush()?;
        last = path;
    }
    let mut plain = archive.into_inner();
    io::copy(&mut plain, &mut io::sink())?;
    let (rest, read) = plain.finish();
    if rest.limit() == 0 {
        return Err(wrong(format!("it unpacks to more than {} GiB", MOST_BYTES >> 30)));
    }
    let frame = rest.into_inner().into_frame_decoder();
    if frame.get_checksum_from_data() != frame.get_calculated_checksum() {
        return Err(wrong("its checksum does not hold".to_owned()));
    }
    if source.read(&mut [0])? != 0 {
        return Err(wrong("something follows the archive".to_owned()));
    }
    if again.into_inner()?.finish().1 != read {
        return Err(wrong(
            "packing the same files gives another archive: owners, times, modes or padding were changed"
                .to_owned(),
        ));
    }
    Ok(())
}

/// A path that is too long for a header stands before its file, as an entry of its own that ends in a zero.
fn long_name<R: Read>(entry: &mut tar::Entry<'_, R>) -> io::Result<Vec<u8>> {
    let size = entry.size();
    if size > LONGEST_PATH + 1 {
        return Err(io::Error::other(format!(
            "a path in it has {size} bytes; no path has more than {LONGEST_PATH}"
        )));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok(bytes)
}

/// The path of an entry below the folder, when it is a regular file that may lie there.
fn name(bytes: &[u8], kind: tar::EntryType) -> io::Result<String> {
    let path = std::str::from_utf8(bytes).map_err(io::Error::other)?;
    if !kind.is_file() {
        return Err(io::Error::other(format!("`{path}` is no regular file")));
    }
    let Some(inner) = path.strip_prefix(ROOT) else {
        return Err(io::Error::other(format!("`{path}` does not lie under `{ROOT}`")));
    };
    match clean_path(inner) {
        Ok(clean) if clean == inner => Ok(clean),
        Ok(_) => Err(io::Error::other(format!("the path `{path}` is not in its plain form"))),
        Err(why) => Err(io::Error::other(format!("the path `{path}` {why}"))),
    }
}

/// Creates a file that is not there yet.
fn create(place: &Path, executable: bool) -> io::Result<BufWriter<File>> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if executable { 0o755 } else { 0o644 });
    Ok(BufWriter::new(options.open(place)?))
}

/// Digests what passes through.
struct Hashed<T> {
    inner: T,
    digest: Sha256,
}

impl<T> Hashed<T> {
    fn new(inner: T) -> Self {
        Self { inner, digest: Sha256::new() }
    }

    fn finish(self) -> (T, [u8; 32]) {
        (self.inner, self.digest.finalize().into())
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.digest.update(&buffer[..read]);
        Ok(read)
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Reads from one side and writes what was read to the other.
struct Tee<R, W> {
    source: R,
    copy: W,
}

impl<R: Read, W: Write> Read for Tee<R, W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.copy.write_all(&buffer[..read])?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
