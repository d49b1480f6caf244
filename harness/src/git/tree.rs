//! What a repository holds at a commit, as a checkout of it would show it: the way to a file is walked folder by folder,
//! and a symbolic link on the way is followed, though never out of the repository.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;
use std::rc::Rc;

use super::objects::{Entry, Objects};
use super::{GitError, Named, names, run};

/// Links followed on the way to one file, as the kernel counts them.
const MOST_LINKS: usize = 40;

/// A repository at a commit.
#[derive(Debug)]
pub struct Tree {
    objects: Objects,
    commit: String,
    hash: String,
    project: Vec<String>,
    /// Folders that were read, by their hashes.
    folders: HashMap<String, Rc<Vec<Entry>>>,
}

/// A file of the commit, or a link whose target is its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Its hash.
    pub hash: String,
    /// What it is.
    pub kind: BlobKind,
}

/// What a blob is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobKind {
    /// A file.
    File {
        /// Whether it may be run.
        executable: bool,
    },
    /// A symbolic link.
    Link,
}

/// What lies at a path, once links are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A file.
    File(Blob),
    /// A folder, by its hash.
    Folder(String),
    /// Nothing.
    Nothing,
    /// Nothing that can be read from this commit, and why.
    Elsewhere(String),
}

impl Tree {
    /// The repository that `root` lies in, at a commit.
    ///
    /// # Errors
    /// [`GitError`] when there is no such commit.
    pub fn at(root: &Path, named: &Named) -> Result<Self, GitError> {
        let commit = names::resolve(root, named)?;
        let prefix = run(root, &["rev-parse", "--show-prefix"])?;
        let project = parts(prefix.trim_end_matches('\n')).collect();
        let mut objects = Objects::open(root)?;
        let hash = objects.tree_of(&commit)?;
        Ok(Self { objects, commit, hash, project, folders: HashMap::new() })
    }

    /// The commit's hash.
    #[must_use]
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// The hash of its tree.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The folder that the tree was opened in, from the repository's root.
    #[must_use]
    pub fn project(&self) -> &[String] {
        &self.project
    }

    /// What lies at `path`, from the repository's root, parted by `/`. Links are followed.
    ///
    /// # Errors
    /// [`GitError`] when an object cannot be read.
    pub fn find(&mut self, path: &str) -> Result<Found, GitError> {
        let mut left: VecDeque<String> = parts(path).collect();
        // The folders walked into below the root, by their names and hashes.
        let mut at: Vec<(String, String)> = Vec::new();
        let mut links = 0;
        while let Some(part) = left.pop_front() {
            if part == "." {
                continue;
            }
            if part == ".." {
                if at.pop().is_none() {
                    return Ok(Found::Elsewhere("leads out of the repository".to_owned()));
                }
                continue;
            }
            let folder = at.last().map_or(&self.hash, |(_, hash)| hash).clone();
            let shown = at.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("/");
            let entries = self.folder(&folder, &shown)?;
            let Some(entry) = entries.iter().find(|entry| entry.name == part) else {
                return Ok(Found::Nothing);
            };
            if entry.is_folder() {
                at.push((part, entry.hash.clone()));
            } else if entry.is_link() {
                links += 1;
                match self.followed(entry, links)? {
                    Ok(target) => parts(&target).rev().for_each(|part| left.push_front(part)),
                    Err(why) => return Ok(Found::Elsewhere(why)),
                }
            } else if entry.is_file() {
                return Ok(if left.is_empty() { Found::File(blob(entry)) } else { Found::Nothing });
            } else {
                return Ok(Found::Elsewhere(format!("leads into the submodule {}", joined(&shown, &part))));
            }
        }
        Ok(Found::Folder(at.pop().map_or_else(|| self.hash.clone(), |(_, hash)| hash)))
    }

    /// Where a link leads, or why it is not followed.
    fn followed(&mut self, link: &Entry, links: usize) -> Result<Result<String, String>, GitError> {
        if links > MOST_LINKS {
            return Ok(Err(format!("is a loop of symbolic links, by way of {}", link.name)));
        }
        let target = self.objects.read(&link.hash, "blob", &link.name)?;
        let Ok(target) = String::from_utf8(target) else {
            return Ok(Err(format!("goes by the symbolic link {}, whose target is not UTF-8", link.name)));
        };
        let has_drive = target.as_bytes().get(1) == Some(&b':');
        if target.starts_with(['/', '\\']) || has_drive {
            let message = format!(
                "goes by the symbolic link {} to {target}, which leads out of the repository",
                link.name
            );
            return Ok(Err(message));
        }
        Ok(Ok(target))
    }

    /// The files and links below the folder with the tree `hash`, by their paths below it. Links are not followed here,
    /// and submodules are passed over.
    ///
    /// # Errors
    /// [`GitError`] when an object cannot be read.
    pub fn below(&mut self, hash: &str, shown: &str) -> Result<BTreeMap<String, Blob>, GitError> {
        let mut found = BTreeMap::new();
        let mut folders = vec![(hash.to_owned(), String::new())];
        while let Some((hash, path)) = folders.pop() {
            for entry in self.folder(&hash, &joined(shown, &path))?.iter() {
                let path = joined(&path, &entry.name);
                if entry.is_folder() {
                    folders.push((entry.hash.clone(), path));
                } else if entry.is_file() || entry.is_link() {
                    found.insert(path, blob(entry));
                }
            }
        }
        Ok(found)
    }

    /// What a blob holds; `what` is its path in messages.
    ///
    /// # Errors
    /// [`GitError`] when it cannot be read, or is not what its hash says.
    pub fn read(&mut self, blob: &Blob, what: &str) -> Result<Vec<u8>, GitError> {
        self.objects.read(&blob.hash, "blob", what)
    }

    fn folder(&mut self, hash: &str, path: &str) -> Result<Rc<Vec<Entry>>, GitError> {
        if let Some(known) = self.folders.get(hash) {
            return Ok(Rc::clone(known));
        }
        let entries = Rc::new(self.objects.folder(hash, path)?);
        self.folders.insert(hash.to_owned(), Rc::clone(&entries));
        Ok(entries)
    }
}

fn blob(entry: &Entry) -> Blob {
    let kind =
        if entry.is_link() { BlobKind::Link } else { BlobKind::File { executable: entry.is_executable() } };
    Blob { hash: entry.hash.clone(), kind }
}

/// The names that a path is made of.
fn parts(path: &str) -> impl DoubleEndedIterator<Item = String> {
    path.split('/').filter(|part| !part.is_empty()).map(str::to_owned)
}

/// The path of `name` in `folder`; either may be empty.
#[must_use]
pub fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() || name.is_empty() { format!("{folder}{name}") } else { format!("{folder}/{name}") }
}
