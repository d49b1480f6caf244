//! The files of a run's folder, each with its digest: what the manifest lists, a pack holds and a signature covers.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use reports::manifest::Evidence;
use sha2::{Digest as _, Sha256};

use crate::case::digest::hex;

/// A regular file below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path in the folder, with forward slashes.
    pub path: String,
    /// Where it lies.
    pub place: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it may be executed.
    pub executable: bool,
}

/// Something in a folder that is no regular file, or cannot be named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what}")]
pub struct Oddity {
    /// Its path in the folder.
    pub path: String,
    /// What it is.
    pub what: String,
}

/// What lies below a folder, hidden files too, in the order of the paths. Links are never followed.
#[derive(Debug, Default)]
pub struct Listing {
    /// The regular files.
    pub files: Vec<FileEntry>,
    /// Everything else but folders.
    pub oddities: Vec<Oddity>,
}

/// Lists what lies below `folder`.
///
/// # Errors
/// When `folder` itself, or a folder below it, cannot be listed.
pub fn list(folder: &Path) -> io::Result<Listing> {
    let mut listing = Listing::default();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let path = format!("{prefix}{}", name.to_string_lossy());
            let mut odd = |what: &str| {
                listing.oddities.push(Oddity { path: path.clone(), what: what.to_owned() });
            };
            let data = fs::symlink_metadata(entry.path())?;
            if name.to_str().is_none_or(|name| name.contains(char::is_control) || name.contains('\\')) {
                odd("its name is no text that every system can write");
            } else if data.is_symlink() {
                odd("it is a symbolic link; only files themselves are evidence");
            } else if data.is_dir() {
                folders.push((entry.path(), format!("{path}/")));
            } else if data.is_file() {
                let executable = is_executable(&data);
                listing.files.push(FileEntry { path, place: entry.path(), size: data.len(), executable });
            } else {
                odd("it is neither a file nor a folder");
            }
        }
    }
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.oddities.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

#[cfg(unix)]
fn is_executable(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    data.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

/// The evidence that `files` are, many at a time.
///
/// # Errors
/// The first file that cannot be read.
pub fn of(files: &[FileEntry]) -> io::Result<Vec<Evidence>> {
    files
        .par_iter()
        .map(|file| {
            let (size, raw) = sha256_of(&file.place)?;
            Ok(Evidence { path: file.path.clone(), size, sha256: hex(&raw), executable: file.executable })
        })
        .collect()
}

/// The size of a file and its sha256, read in pieces.
///
/// # Errors
/// When it cannot be read.
pub fn sha256_of(path: &Path) -> io::Result<(u64, [u8; 32])> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 256 << 10];
    let mut size = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((size, digest.finalize().into())),
            Ok(read) => {
                digest.update(&buffer[..read]);
                size += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// sha256 of the running program, in hex; `None` where the system does not let it be read.
#[must_use]
pub fn binary_sha256() -> Option<String> {
    sha256_of(&std::env::current_exe().ok()?).ok().map(|(_, raw)| hex(&raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_the_order_of_their_paths_and_hidden_ones_count() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        for (path, text) in [("b", "abc"), ("a/z", ""), (".hidden", "x"), ("a.b", "y")] {
            fs::write(folder.path().join(path), text).unwrap();
        }
        let listing = list(folder.path()).unwrap();
        let evidence = of(&listing.files).unwrap();
        let paths: Vec<_> = evidence.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, [".hidden", "a.b", "a/z", "b"]);
        assert_eq!(evidence[3].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(evidence[3].size, 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_no_evidence() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link")).unwrap();
        let listing = list(folder.path()).unwrap();
        assert!(listing.files.is_empty());
        assert!(listing.oddities[0].to_string().contains("symbolic link"), "{:?}", listing.oddities);
    }
}
