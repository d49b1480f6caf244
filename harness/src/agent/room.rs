//! The folders of one trial: a workspace with the case's files and the charter, a HOME, a place for temporary files,
//! all new and all gone afterwards; and what the program changed in the workspace.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use transcript::FileChange;

use crate::workspace::{MAX_FILE_BYTES, Tree, WorkPath, Workspace};

/// Why a room cannot be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoomError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Something is in the workspace that a record cannot hold.
    #[error("the workspace cannot be recorded as the program left it: {0}")]
    Unrecordable(String),
}

/// A trial's folders; they are deleted with it.
#[derive(Debug)]
pub struct Room {
    root: tempfile::TempDir,
    path: PathBuf,
    base: Arc<Tree>,
}

impl Room {
    /// Makes the folders, with `files` and the charter in the workspace.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn new(files: &Tree, charter_file: &str, charter: &str) -> Result<Self, RoomError> {
        let io_error = |source| RoomError::Io { path: std::env::temp_dir(), source };
        let root = tempfile::Builder::new().prefix("assize-trial-").tempdir().map_err(io_error)?;
        let path = root.path().canonicalize().map_err(io_error)?;
        let mut base = files.clone();
        base.insert(charter_file.to_owned(), charter.as_bytes().into());
        let room = Self { root, path, base: Arc::new(base) };
        for folder in [room.workspace(), room.home(), room.temp(), room.control()] {
            make(&folder)?;
        }
        for (path, content) in room.base.iter() {
            room.put(&room.workspace().join(path), content)?;
        }
        Ok(room)
    }

    /// Where the program works.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.path.join("workspace")
    }

    /// Its HOME.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.path.join("home")
    }

    /// Its temporary files.
    #[must_use]
    pub fn temp(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// The harness's own files, which the program can at most read.
    #[must_use]
    pub fn control(&self) -> PathBuf {
        self.path.join("control")
    }

    /// The workspace as it was at the start, the charter included.
    #[must_use]
    pub fn base(&self) -> &Arc<Tree> {
        &self.base
    }

    /// Writes a file, and the folders above it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, path: &Path, content: &[u8]) -> Result<(), RoomError> {
        if let Some(folder) = path.parent() {
            make(folder)?;
        }
        fs::write(path, content).map_err(|source| RoomError::Io { path: path.to_owned(), source })
    }

    /// What the program changed in the workspace.
    ///
    /// # Errors
    /// When something cannot be read or recorded: links, special files, names or sizes that a record has no place for.
    pub fn changes(&self) -> Result<Vec<FileChange>, RoomError> {
        let mut workspace = Workspace::new(Arc::clone(&self.base));
        let mut there = Vec::new();
        read(&self.workspace(), "", &mut workspace, &mut there)?;
        for path in self.base.keys().filter(|path| there.binary_search(path).is_err()) {
            let refused = |error: &dyn std::fmt::Display| RoomError::Unrecordable(format!("{path}: {error}"));
            let path = WorkPath::parse(path).map_err(|error| refused(&error))?;
            workspace.delete(&path).map_err(|error| refused(&error))?;
        }
        Ok(workspace.diff())
    }

    /// Deletes the folders now. A program may have made folders that nobody may enter; they are left to the system.
    pub fn close(self) {
        let _ = self.root.close();
    }
}

fn make(folder: &Path) -> Result<(), RoomError> {
    fs::create_dir_all(folder).map_err(|source| RoomError::Io { path: folder.to_owned(), source })
}

/// Writes what is in `folder` into `workspace`; `there` gets the paths, in order.
fn read(
    folder: &Path,
    prefix: &str,
    workspace: &mut Workspace,
    there: &mut Vec<String>,
) -> Result<(), RoomError> {
    let io_error = |path: &Path, source| RoomError::Io { path: path.to_owned(), source };
    let entries = fs::read_dir(folder).map_err(|error| io_error(folder, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| io_error(folder, error))?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| unrecordable(&path, &"its name is not UTF-8"))?;
        let inner = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
        let kind = entry.file_type().map_err(|error| io_error(&path, error))?;
        if kind.is_dir() {
            read(&path, &inner, workspace, there)?;
        } else if kind.is_file() {
            let size = entry.metadata().map_err(|error| io_error(&path, error))?.len();
            if size > MAX_FILE_BYTES as u64 {
                return Err(unrecordable(&inner, &format_args!("it holds {size} bytes")));
            }
            let place = WorkPath::parse(&inner).map_err(|error| unrecordable(&inner, &error))?;
            let content = fs::read(&path).map_err(|error| io_error(&path, error))?;
            if workspace.get(place.as_str()).is_none_or(|known| **known != *content) {
                workspace.write(&place, content).map_err(|error| unrecordable(&inner, &error))?;
            }
            let at = there.partition_point(|known| *known < inner);
            there.insert(at, inner);
        } else {
            return Err(unrecordable(&inner, &"it is neither a file nor a folder"));
        }
    }
    Ok(())
}

fn unrecordable(path: impl AsRef<Path>, why: &dyn std::fmt::Display) -> RoomError {
    RoomError::Unrecordable(format!("{}: {why}", path.as_ref().display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> Room {
        let files = [("a.txt", "one\n"), ("src/b.txt", "two\n"), ("src/c.txt", "three\n")];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().into()));
        Room::new(&Tree::from(files), "RULES.md", "Be kind.\n").unwrap()
    }

    #[test]
    fn an_untouched_workspace_has_no_changes_and_holds_the_charter() {
        let room = room();
        assert_eq!(fs::read_to_string(room.workspace().join("RULES.md")).unwrap(), "Be kind.\n");
        assert_eq!(room.changes().unwrap(), []);
    }

    #[test]
    fn what_was_made_changed_and_deleted_is_told() {
        let room = room();
        fs::write(room.workspace().join("src/b.txt"), "2\n").unwrap();
        fs::remove_file(room.workspace().join("src/c.txt")).unwrap();
        fs::create_dir(room.workspace().join("new")).unwrap();
        fs::write(room.workspace().join("new/d.txt"), "four\n").unwrap();
        let told: Vec<String> = room
            .changes()
            .unwrap()
            .into_iter()
            .map(|change| format!("{:?} {} {:?}", change.change, change.path, change.content))
            .collect();
        assert_eq!(
            told,
            [
                "Created new/d.txt Some(\"four\\n\")",
                "Modified src/b.txt Some(\"2\\n\")",
                "Deleted src/c.txt None"
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_a_record_cannot_hold_is_an_error_and_links_are_not_followed() {
        let linked = room();
        std::os::unix::fs::symlink("/etc", linked.workspace().join("etc")).unwrap();
        assert!(linked.changes().unwrap_err().to_string().contains("etc: it is neither a file nor a folder"));
        let large = room();
        fs::File::create(large.workspace().join("large")).unwrap().set_len(5 << 30).unwrap();
        assert!(large.changes().unwrap_err().to_string().contains("it holds 5368709120 bytes"));
    }

    #[test]
    fn a_room_is_gone_once_it_is_closed() {
        let room = room();
        let path = room.workspace();
        room.close();
        assert!(!path.exists());
    }
}
