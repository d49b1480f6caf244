//! Reading a fixture tree from its folder, once, before any trial plays on it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{MAX_FILE_BYTES, MAX_FILES, MAX_OVERLAY_BYTES, PathError, Tree, WorkPath};

/// A fixture tree, shared by all trials of a case.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// The files.
    pub tree: Arc<Tree>,
}

/// Why a folder is no fixture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FixtureError {
    /// It could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A link could lead out of the fixture, and would not be the same on every machine.
    #[error("{} is a symbolic link; a fixture holds files and folders only", path.display())]
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// It is neither a file nor a folder.
    #[error("{} is neither a file nor a folder", path.display())]
    Special {
        /// The thing.
        path: PathBuf,
    },
    /// The name cannot be written in a transcript.
    #[error("the name of {} is not valid UTF-8", path.display())]
    NotUtf8 {
        /// The file or folder.
        path: PathBuf,
    },
    /// The name could not be given to a tool.
    #[error("the name of {} cannot be used: {reason}", path.display())]
    BadName {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file is too large.
    #[error("{} holds {bytes} bytes; a file of a fixture may hold {MAX_FILE_BYTES}", path.display())]
    FileTooLarge {
        /// The file.
        path: PathBuf,
        /// What it holds.
        bytes: u64,
    },
    /// All together is too large.
    #[error("the fixture {} holds more than {MAX_FILES} files or {MAX_OVERLAY_BYTES} bytes", path.display())]
    TooLarge {
        /// The fixture's folder.
        path: PathBuf,
    },
}

impl Fixture {
    /// A fixture without files.
    #[must_use]
    pub fn empty() -> Self {
        Self { tree: Arc::default() }
    }

    /// Reads the tree below `folder`.
    ///
    /// # Errors
    /// At the first thing that cannot be part of a fixture.
    pub fn load(folder: &Path) -> Result<Self, FixtureError> {
        let mut reader = Reader { root: folder, tree: Tree::new(), bytes: 0 };
        reader.folder(folder, "")?;
        Ok(Self { tree: Arc::new(reader.tree) })
    }
}

struct Reader<'a> {
    root: &'a Path,
    tree: Tree,
    bytes: u64,
}

impl Reader<'_> {
    fn folder(&mut self, folder: &Path, prefix: &str) -> Result<(), FixtureError> {
        let failed = |source| FixtureError::Io { path: folder.to_owned(), source };
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let kind = entry.file_type().map_err(|source| FixtureError::Io { path: path.clone(), source })?;
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
                return Err(FixtureError::NotUtf8 { path });
            };
            let inner = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
            check_name(&path, &inner)?;
            if kind.is_symlink() {
                return Err(FixtureError::Symlink { path });
            } else if kind.is_dir() {
                self.folder(&path, &inner)?;
            } else if kind.is_file() {
                self.file(path, inner)?;
            } else {
                return Err(FixtureError::Special { path });
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, inner: String) -> Result<(), FixtureError> {
        let size = fs::symlink_metadata(&path)
            .map_err(|source| FixtureError::Io { path: path.clone(), source })?
            .len();
        if size > MAX_FILE_BYTES as u64 {
            return Err(FixtureError::FileTooLarge { path, bytes: size });
        }
        self.bytes += size;
        if self.bytes > MAX_OVERLAY_BYTES as u64 || self.tree.len() >= MAX_FILES {
            return Err(FixtureError::TooLarge { path: self.root.to_owned() });
        }
        let content = fs::read(&path).map_err(|source| FixtureError::Io { path, source })?;
        self.tree.insert(inner, content.into());
        Ok(())
    }
}

/// A name that a model could not write back would be a file that no tool can reach.
fn check_name(path: &Path, inner: &str) -> Result<(), FixtureError> {
    let reason = match WorkPath::parse(inner) {
        Ok(parsed) if parsed.as_str() == inner => return Ok(()),
        Ok(_) => "it has a backslash".to_owned(),
        Err(error @ (PathError::Escapes | PathError::Control | PathError::TooLong)) => error.to_string(),
        Err(PathError::Drive | PathError::Home) => "it starts like a drive or a home folder".to_owned(),
    };
    Err(FixtureError::BadName { path: path.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_in_order() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("src/deep")).unwrap();
        fs::write(dir.path().join("src/deep/b.rs"), "b").unwrap();
        fs::write(dir.path().join("src/a.rs"), [0xff, 0x00]).unwrap();
        fs::write(dir.path().join(".hidden"), "").unwrap();
        let fixture = Fixture::load(dir.path()).unwrap();
        assert_eq!(fixture.tree.keys().collect::<Vec<_>>(), [".hidden", "src/a.rs", "src/deep/b.rs"]);
        assert_eq!(&*fixture.tree["src/a.rs"], [0xff, 0x00]);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let error = Fixture::load(&dir.path().join("none")).unwrap_err();
        assert!(matches!(error, FixtureError::Io { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_names_that_no_tool_could_reach_are_refused() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link")).unwrap();
        assert!(matches!(Fixture::load(dir.path()), Err(FixtureError::Symlink { .. })));

        for (name, expected) in [
            (&b"a\\b"[..], "it has a backslash"),
            (b"a\nb", "control character"),
            (b"~x", "home folder"),
            (b"\xff", "not valid UTF-8"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(OsStr::from_bytes(name)), "").unwrap();
            let error = Fixture::load(dir.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_large_file_is_refused_before_it_is_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::File::create(dir.path().join("big")).unwrap().set_len(5 << 30).unwrap();
        let error = Fixture::load(dir.path()).unwrap_err();
        assert!(matches!(error, FixtureError::FileTooLarge { bytes, .. } if bytes == 5 << 30), "{error}");
    }
}
