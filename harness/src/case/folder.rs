//! A case's folder, read once: what is digested is exactly what is played, and nothing outside it can be named.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::digest;
use super::problem::{Problem, Problems, Source};

/// The largest file a case may hold.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Why a text file cannot be had.
pub(crate) enum NoSource {
    /// Its path leads nowhere; why, in a fragment that fits "`path` …".
    Path(String),
    /// It is no text.
    Text(Problem),
}

impl NoSource {
    /// What is wrong, when the file is one that must be there.
    pub(crate) fn of(self, file: PathBuf) -> Problem {
        match self {
            Self::Path(why) => Problem::whole(file, why),
            Self::Text(problem) => problem,
        }
    }
}

/// The files of a case by their paths, with forward slashes.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) dir: PathBuf,
    files: BTreeMap<String, Arc<[u8]>>,
}

impl Folder {
    /// Reads everything under `dir`.
    pub(crate) fn read(dir: &Path, problems: &mut Problems) -> Self {
        let mut folder = Self { dir: dir.to_owned(), files: BTreeMap::new() };
        folder.add(dir, "", problems);
        folder
    }

    fn add(&mut self, dir: &Path, prefix: &str, problems: &mut Problems) {
        for entry in entries(dir, problems) {
            let Some(name) = entry.file_name().and_then(|name| name.to_str()) else {
                problems.add(Problem::whole(&entry, "the file's name is not valid UTF-8"));
                continue;
            };
            let path = format!("{prefix}{name}");
            match fs::symlink_metadata(&entry) {
                Err(error) => problems.add(Problem::whole(&entry, format!("cannot be read: {error}"))),
                Ok(data) if data.is_symlink() => {
                    let problem = Problem::whole(&entry, "a symbolic link in a case folder");
                    problems.add(
                        problem.help("put a copy of the file here, so that the case holds all it plays"),
                    );
                }
                Ok(data) if data.is_dir() => self.add(&entry, &format!("{path}/"), problems),
                Ok(data) if data.len() > MAX_FILE_BYTES => {
                    problems.add(Problem::whole(&entry, format!("larger than {} MiB", MAX_FILE_BYTES >> 20)));
                }
                Ok(_) => match fs::read(&entry) {
                    Ok(bytes) => {
                        self.files.insert(path, bytes.into());
                    }
                    Err(error) => problems.add(Problem::whole(&entry, format!("cannot be read: {error}"))),
                },
            }
        }
    }

    pub(crate) fn digest(&self) -> String {
        digest::of_files(self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_ref())))
    }

    /// Its files, by their paths.
    pub(crate) fn files(&self) -> &BTreeMap<String, Arc<[u8]>> {
        &self.files
    }

    /// The paths of its files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The text file at `path`.
    pub(crate) fn source(&self, path: &str) -> Result<Source, NoSource> {
        let path = clean_path(path).map_err(NoSource::Path)?;
        let missing = || NoSource::Path("is not in the case's folder".to_owned());
        let bytes = self.files.get(&path).ok_or_else(missing)?;
        Source::decode(self.dir.join(&path), bytes).map_err(NoSource::Text)
    }

    /// The files under the folder `path`, by their paths within it; `Err` says why not, in a fragment that fits "`path` …".
    pub(crate) fn tree(&self, path: &str) -> Result<BTreeMap<String, Arc<[u8]>>, String> {
        let prefix = format!("{}/", clean_path(path.trim_end_matches('/'))?);
        let tree: BTreeMap<_, _> = self
            .files
            .range(prefix.clone()..)
            .map_while(|(path, bytes)| Some((path.strip_prefix(&prefix)?.to_owned(), Arc::clone(bytes))))
            .collect();
        if tree.is_empty() {
            Err("is not a folder with files in the case's folder".to_owned())
        } else {
            Ok(tree)
        }
    }

    /// The files directly in the folder `path`.
    pub(crate) fn names_in(&self, path: &str) -> Vec<&str> {
        let prefix = format!("{path}/");
        let names = self.files.keys().filter_map(|file| file.strip_prefix(&prefix));
        names.filter(|name| !name.contains('/')).collect()
    }
}

/// The entries of `dir`, in the order of their names.
pub(crate) fn entries(dir: &Path, problems: &mut Problems) -> Vec<PathBuf> {
    let read = fs::read_dir(dir).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
    });
    match read {
        Ok(mut entries) => {
            entries.sort();
            entries
        }
        Err(error) => {
            problems.add(Problem::whole(dir, format!("the folder cannot be read: {error}")));
            Vec::new()
        }
    }
}

/// `path` in its plain form, relative and with forward slashes; `Err` says why it is refused.
pub(crate) fn clean_path(path: &str) -> Result<String, String> {
    if path.is_empty() {
        return Err("is empty".to_owned());
    }
    if path.contains(['\\', '\0']) || path.contains(char::is_control) {
        return Err("holds a character that is not for paths; folders are parted by `/`".to_owned());
    }
    let has_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if path.starts_with('/') || has_drive {
        return Err("is an absolute path; only files of the folder can be named".to_owned());
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" => return Err("holds an empty folder name".to_owned()),
            ".." => return Err("leaves the folder".to_owned()),
            part => parts.push(part),
        }
    }
    if parts.is_empty() { Err("names no file".to_owned()) } else { Ok(parts.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leaves_the_folder() {
        for path in ["", ".", "..", "../a", "a/../b", "/etc/passwd", "C:/a", "a\\b", "a//b", "a/", "a\n"] {
            assert!(clean_path(path).is_err(), "{path:?}");
        }
        assert_eq!(clean_path("./a/./b.py").unwrap(), "a/b.py");
    }
}
