//! The tree that a trial works on: a private view of the case's fixture, in memory, so that no trial sees another's writes and none touches a disk.
//!
//! - [`path`]: what is a path here
//! - [`fixture`]: reading a fixture from its folder
//! - [`diff`]: what a trial changed

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub mod diff;
pub mod fixture;
pub mod path;

pub use fixture::{Fixture, FixtureError};
pub use path::{PathError, WorkPath};

/// Files by path, relative to the root and with forward slashes.
pub type Tree = BTreeMap<String, Arc<[u8]>>;

/// The largest file.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// The most that a trial may have written, names included.
pub const MAX_OVERLAY_BYTES: usize = 16 << 20;
/// The most files.
pub const MAX_FILES: usize = 10_000;

/// Why the workspace refuses an operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// There is no such file.
    #[error("no such file: {0}")]
    NoSuchFile(WorkPath),
    /// A folder is where a file was expected.
    #[error("{0} is a folder")]
    IsFolder(WorkPath),
    /// A file is where a folder was expected.
    #[error("{0} is a file, not a folder")]
    IsFile(WorkPath),
    /// The file would be too large.
    #[error("{path} would hold {bytes} bytes; a file may hold {MAX_FILE_BYTES}")]
    FileTooLarge {
        /// The file.
        path: WorkPath,
        /// What it would hold.
        bytes: usize,
    },
    /// The trial has written too much.
    #[error("the workspace is full: at most {MAX_OVERLAY_BYTES} bytes of changes")]
    Full,
    /// There are too many files.
    #[error("the workspace is full: at most {MAX_FILES} files and folders")]
    TooManyFiles,
}

/// A copy-on-write view of a tree: reads fall through to the base, writes and deletions stay in the view.
#[derive(Debug, Clone)]
pub struct Workspace {
    base: Arc<Tree>,
    /// What differs from the base: a file's content, or `None` where a file of the base was deleted.
    overlay: BTreeMap<String, Option<Arc<[u8]>>>,
    /// Folders that were made and may be empty; every other folder is there because a file is in it.
    folders: BTreeSet<String>,
    overlay_bytes: usize,
    files: usize,
}

impl Workspace {
    /// A view in which nothing has changed yet.
    #[must_use]
    pub fn new(base: Arc<Tree>) -> Self {
        let files = base.len();
        Self { base, overlay: BTreeMap::new(), folders: BTreeSet::new(), overlay_bytes: 0, files }
    }

    /// The tree this view started from.
    #[must_use]
    pub fn base(&self) -> &Tree {
        &self.base
    }

    /// A file's content; `None` when there is no such file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Arc<[u8]>> {
        self.overlay.get(path).map_or_else(|| self.base.get(path), Option::as_ref)
    }

    /// A file's content.
    ///
    /// # Errors
    /// When it is a folder or not there.
    pub fn read(&self, path: &WorkPath) -> Result<&Arc<[u8]>, WorkspaceError> {
        self.get(path.as_str()).ok_or_else(|| {
            if self.is_folder(path) {
                WorkspaceError::IsFolder(path.clone())
            } else {
                WorkspaceError::NoSuchFile(path.clone())
            }
        })
    }

    /// Whether there is a file at `path`.
    #[must_use]
    pub fn is_file(&self, path: &WorkPath) -> bool {
        self.get(path.as_str()).is_some()
    }

    /// Whether there is a folder at `path`; the root is one even when it is empty.
    #[must_use]
    pub fn is_folder(&self, path: &WorkPath) -> bool {
        path.is_root()
            || self.folders.contains(path.as_str())
            || self.paths_below(path).next().is_some()
            || self.folders_below(path).next().is_some()
    }

    /// The paths of all files, in byte order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.merged(String::new())
    }

    /// The paths of the files below a folder, in byte order.
    pub fn paths_below<'a>(&'a self, folder: &'a WorkPath) -> impl Iterator<Item = &'a str> {
        let start = if folder.is_root() { String::new() } else { format!("{folder}/") };
        self.merged(start).take_while(move |path| folder.below(path).is_some())
    }

    /// The folders that were made below a folder, in byte order; those that hold files need not be among them.
    pub fn folders_below<'a>(&'a self, folder: &'a WorkPath) -> impl Iterator<Item = &'a str> {
        let start = if folder.is_root() { String::new() } else { format!("{folder}/") };
        self.folders.range(start..).map(String::as_str).take_while(move |path| folder.below(path).is_some())
    }

    /// Writes a file, new or not; the folders above it come into being.
    ///
    /// # Errors
    /// When the place is taken by a folder, a file stands where a folder would have to be, or a limit is met.
    pub fn write(&mut self, path: &WorkPath, content: impl Into<Arc<[u8]>>) -> Result<(), WorkspaceError> {
        let content = content.into();
        if content.len() > MAX_FILE_BYTES {
            return Err(WorkspaceError::FileTooLarge { path: path.clone(), bytes: content.len() });
        }
        if self.is_folder(path) {
            return Err(WorkspaceError::IsFolder(path.clone()));
        }
        self.check_ancestors(path)?;
        let is_new = self.get(path.as_str()).is_none();
        if is_new && self.files + self.folders.len() >= MAX_FILES {
            return Err(WorkspaceError::TooManyFiles);
        }
        let freed = self.overlay.get(path.as_str()).map_or(0, |old| cost(path.as_str(), old.as_deref()));
        let total = self.overlay_bytes - freed + cost(path.as_str(), Some(&content));
        if total > MAX_OVERLAY_BYTES {
            return Err(WorkspaceError::Full);
        }
        self.overlay_bytes = total;
        self.files += usize::from(is_new);
        self.overlay.insert(path.as_str().to_owned(), Some(content));
        Ok(())
    }

    /// Deletes a file.
    ///
    /// # Errors
    /// When it is a folder or not there.
    pub fn delete(&mut self, path: &WorkPath) -> Result<(), WorkspaceError> {
        self.read(path)?;
        let key = path.as_str();
        if let Some(old) = self.overlay.remove(key) {
            self.overlay_bytes -= cost(key, old.as_deref());
        }
        if self.base.contains_key(key) {
            self.overlay_bytes += cost(key, None);
            self.overlay.insert(key.to_owned(), None);
        }
        self.files -= 1;
        Ok(())
    }

    /// Makes a folder and those above it; one that is there already is fine.
    ///
    /// # Errors
    /// When a file stands in the way, or there are too many folders.
    pub fn make_folder(&mut self, path: &WorkPath) -> Result<(), WorkspaceError> {
        if self.is_file(path) {
            return Err(WorkspaceError::IsFile(path.clone()));
        }
        self.check_ancestors(path)?;
        if self.files + self.folders.len() >= MAX_FILES {
            return Err(WorkspaceError::TooManyFiles);
        }
        if !path.is_root() {
            self.folders.insert(path.as_str().to_owned());
        }
        Ok(())
    }

    /// Forgets the empty folders at and below `path`; its files are not touched.
    pub fn forget_folders(&mut self, path: &WorkPath) {
        self.folders.retain(|folder| folder != path.as_str() && path.below(folder).is_none());
    }

    fn check_ancestors(&self, path: &WorkPath) -> Result<(), WorkspaceError> {
        match path.ancestors().find(|folder| self.get(folder).is_some()) {
            Some(file) => Err(WorkspaceError::IsFile(WorkPath::parse(file).unwrap_or_else(|_| path.clone()))),
            None => Ok(()),
        }
    }

    /// The paths from `start` on, of base and overlay in one order, without what was deleted.
    fn merged(&self, start: String) -> impl Iterator<Item = &str> {
        let mut base = self.base.range(start.clone()..).map(|(path, _)| path.as_str()).peekable();
        let mut overlay =
            self.overlay.range(start..).map(|(path, content)| (path.as_str(), content.is_some())).peekable();
        std::iter::from_fn(move || {
            loop {
                let from_base = match (base.peek(), overlay.peek()) {
                    (None, None) => return None,
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    (Some(below), Some((above, _))) => below < above,
                };
                if from_base {
                    return base.next();
                }
                let (path, is_there) = overlay.next()?;
                base.next_if_eq(&path);
                if is_there {
                    return Some(path);
                }
            }
        })
    }
}

fn cost(path: &str, content: Option<&[u8]>) -> usize {
    path.len() + content.map_or(0, <[u8]>::len)
}

#[cfg(test)]
mod tests;
