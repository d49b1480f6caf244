//! Files that are there whole or not at all: written beside their place, synced, and moved there.
//!
//! After a kill the file is as it was, and at most one of ours is left beside it, which [`sweep`] takes away. After a power
//! cut it is as it was, or whole.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// How the name of a file begins and ends that is still beside its place.
const BESIDE: (&str, &str) = (".assize-", ".tmp");

/// A file under way to its place.
#[derive(Debug)]
pub struct Whole {
    file: NamedTempFile,
    place: PathBuf,
}

impl Whole {
    /// Begins a file beside `place`. Others can read it as far as the process lets them read its files.
    ///
    /// # Errors
    /// When no file can be made in that folder.
    pub fn begin(place: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(BESIDE.0).suffix(BESIDE.1);
        // What is written whole is for others too: as readable as any new file, not as private as a temporary one.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self { file: builder.tempfile_in(folder_of(place))?, place: place.to_owned() })
    }

    /// What is to be written to.
    #[must_use]
    pub fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Moves it to its place, over what is there.
    ///
    /// # Errors
    /// When it cannot be made to last, or cannot be moved; what was there is then as it was.
    pub fn finish(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.place)?;
        sync_folder(folder_of(&self.place))
    }

    /// Moves it to its place, unless something is there already.
    ///
    /// # Errors
    /// As [`Self::finish`]; [`io::ErrorKind::AlreadyExists`] when its place is taken.
    pub fn finish_new(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist_noclobber(&self.place)?;
        sync_folder(folder_of(&self.place))
    }
}

/// Writes `bytes` to `place`, whole or not at all.
///
/// # Errors
/// When they cannot be written; the file is then as it was.
pub fn write(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let whole = Whole::begin(place)?;
    whole.file().write_all(bytes)?;
    whole.finish()
}

/// Takes away what was left in `folder` by writers that were killed. Nobody else may be writing there.
///
/// # Errors
/// When the folder cannot be read, or a file not be removed.
pub fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_beside(&entry.file_name()) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Whether it is the name of a file that is still beside its place.
#[must_use]
pub fn is_beside(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(BESIDE.0) && name.ends_with(BESIDE.1))
}

/// Makes a folder, and those above it that are not there, so that they last through a power cut.
///
/// # Errors
/// When one cannot be made.
pub fn make_folders(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        make_folders(above)?;
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        made => made?,
    }
    sync_folder(folder_of(folder))
}

/// Makes the names in `folder` last through a power cut. Not all platforms let a folder be opened.
///
/// # Errors
/// When it cannot be opened, or the disk refuses.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The folder that holds `path`.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_begun_and_not_finished_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("record.json");
        write(&place, b"first").unwrap();
        let begun = Whole::begin(&place).unwrap();
        begun.file().write_all(b"sec").unwrap();
        drop(begun);
        assert_eq!(
            (fs::read(&place).unwrap(), names(folder.path())),
            (b"first".to_vec(), vec!["record.json".into()])
        );
        write(&place, b"second").unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"second");
    }

    #[test]
    fn a_place_that_is_taken_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("night");
        let one = Whole::begin(&place).unwrap();
        let other = Whole::begin(&place).unwrap();
        one.file().write_all(b"one").unwrap();
        one.finish_new().unwrap();
        assert_eq!(other.finish_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(
            (fs::read(&place).unwrap(), names(folder.path())),
            (b"one".to_vec(), vec!["night".into()])
        );
    }

    #[test]
    fn what_a_kill_left_is_swept_away_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let begun = Whole::begin(&folder.path().join("plan.json")).unwrap();
        begun.file.keep().unwrap();
        for other in [".assize-notes", ".tmpAbc123", "plan.json"] {
            fs::write(folder.path().join(other), "").unwrap();
        }
        fs::create_dir(folder.path().join(".assize-folder.tmp")).unwrap();
        assert_eq!(names(folder.path()).len(), 5);
        sweep(folder.path()).unwrap();
        assert_eq!(names(folder.path()), [".assize-folder.tmp", ".assize-notes", ".tmpAbc123", "plan.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_as_readable_as_any_other() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        write(&folder.path().join("whole"), b"").unwrap();
        fs::write(folder.path().join("plain"), b"").unwrap();
        assert_eq!(mode("whole"), mode("plain"));
    }

    #[test]
    fn folders_are_made_as_deep_as_they_are_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        make_folders(&deep).unwrap();
        make_folders(&deep).unwrap();
        assert!(deep.is_dir());
        fs::write(folder.path().join("file"), "").unwrap();
        make_folders(&folder.path().join("file/x")).unwrap_err();
        make_folders(&folder.path().join("file")).unwrap_err();
    }
}
