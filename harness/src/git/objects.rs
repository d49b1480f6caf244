//! Git's objects, each held against its own hash. Git itself looks into an object that lies loose in a repository without
//! hashing it, so whoever can write there could put other content under the hash of an honest commit.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use ring::digest::{self, Algorithm};

use super::GitError;
use crate::case::digest::hex;

/// One session of `git cat-file --batch`.
#[derive(Debug)]
pub(super) struct Objects {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// One entry of a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its mode, in octal digits as git writes them: `40000` is a folder, `120000` a link.
    pub(super) mode: String,
    /// Its name.
    pub(super) name: String,
    /// Its hash, in hex.
    pub(super) hash: String,
}

impl Entry {
    /// Whether it is a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.mode == "40000"
    }

    /// Whether it is a file, and no link.
    pub(super) fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }

    /// Whether it is a symbolic link.
    pub(super) fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    /// Whether it may be run.
    pub(super) fn is_executable(&self) -> bool {
        self.mode == "100755"
    }
}

impl Objects {
    /// Starts the session in the checkout that `root` lies in.
    pub(super) fn open(root: &Path) -> Result<Self, GitError> {
        let unstarted = |why: String| GitError::Refused(format!("cannot be started: {why}"));
        let mut child = crate::git::command(root)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| unstarted(error.to_string()))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(asks), Some(answers)) => Ok(Self { child, asks, answers: BufReader::new(answers) }),
            _ => Err(unstarted("it has no input and output".to_owned())),
        }
    }

    /// The content of the object `hash`, which must be a `kind`; `what` is its name in messages.
    pub(super) fn read(&mut self, hash: &str, kind: &str, what: &str) -> Result<Vec<u8>, GitError> {
        self.asks.write_all(format!("{hash}\n").as_bytes())?;
        self.asks.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let unreadable =
            || GitError::Refused(format!("{what}: the {kind} {hash} cannot be read: {}", head.trim_end()));
        let size = head.strip_prefix(hash).and_then(|rest| rest.strip_prefix(' '));
        let size = size.and_then(|rest| rest.trim_end().strip_prefix(kind)?.strip_prefix(' '));
        let size: u64 = size.and_then(|size| size.parse().ok()).ok_or_else(unreadable)?;
        // What is read makes room for itself: the size is only what the repository says.
        let mut content = Vec::new();
        let read = (&mut self.answers).take(size).read_to_end(&mut content)?;
        let mut end = [0];
        self.answers.read_exact(&mut end)?;
        if read as u64 != size || end != *b"\n" {
            return Err(unreadable());
        }
        if hash_of(kind, &content, hash.len()).as_deref() != Some(hash) {
            return Err(GitError::Forged { what: what.to_owned(), hash: hash.to_owned() });
        }
        Ok(content)
    }

    /// The tree of a commit.
    pub(super) fn tree_of(&mut self, commit: &str) -> Result<String, GitError> {
        let content = self.read(commit, "commit", "the commit")?;
        let line = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let tree = std::str::from_utf8(line).ok().and_then(|line| line.strip_prefix("tree "));
        tree.map(str::to_owned)
            .ok_or_else(|| GitError::Refused(format!("the commit {commit} does not begin with its tree")))
    }

    /// What the folder `path`, whose tree is `hash`, holds.
    pub(super) fn folder(&mut self, hash: &str, path: &str) -> Result<Vec<Entry>, GitError> {
        let shown = if path.is_empty() { "the root folder" } else { path };
        let content = self.read(hash, "tree", shown)?;
        entries(&content, hash.len() / 2).ok_or_else(|| {
            GitError::Refused(format!("{shown}: the tree {hash} is none, or a name in it is no UTF-8"))
        })
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // Whatever it has left to say, nobody asks any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The hash that git gives an object, in as many hex digits as asked for: SHA-1 has 40, SHA-256 has 64.
fn hash_of(kind: &str, content: &[u8], digits: usize) -> Option<String> {
    let algorithm: &'static Algorithm = match digits {
        40 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        64 => &digest::SHA256,
        _ => return None,
    };
    let mut context = digest::Context::new(algorithm);
    context.update(format!("{kind} {}\0", content.len()).as_bytes());
    context.update(content);
    Some(hex(context.finish().as_ref()))
}

/// A tree as git stores it: for each entry mode, space, name, NUL, and the hash as so many bytes.
fn entries(mut content: &[u8], bytes: usize) -> Option<Vec<Entry>> {
    let mut found = Vec::new();
    while !content.is_empty() {
        let space = content.iter().position(|byte| *byte == b' ')?;
        let end = content.iter().position(|byte| *byte == 0)?;
        let mode = std::str::from_utf8(content.get(..space)?).ok()?.to_owned();
        let name = std::str::from_utf8(content.get(space + 1..end)?).ok()?.to_owned();
        let hash = content.get(end + 1..end + 1 + bytes)?;
        // A name that leads elsewhere is in no tree that git wrote.
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\']) {
            return None;
        }
        found.push(Entry { mode, name, hash: hex(hash) });
        content = content.get(end + 1 + bytes..)?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_git() {
        // As `git hash-object` prints them for an empty file and an empty folder.
        assert_eq!(hash_of("blob", b"", 40).unwrap(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(hash_of("tree", b"", 40).unwrap(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
        assert_eq!(
            hash_of("blob", b"", 64).unwrap(),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
        );
        assert_eq!(hash_of("blob", b"", 32), None);
    }

    #[test]
    fn a_tree_is_read_to_its_last_byte() {
        let mut tree = b"40000 a\0".to_vec();
        tree.extend([1; 20]);
        tree.extend(b"100644 b c\0");
        tree.extend([0; 20]);
        let found = entries(&tree, 20).unwrap();
        assert_eq!(found[0], Entry { mode: "40000".into(), name: "a".into(), hash: "01".repeat(20) });
        assert_eq!((found[1].name.as_str(), found.len()), ("b c", 2));
        assert_eq!(entries(&tree[..tree.len() - 1], 20), None);
        for name in ["..", "a/b", ""] {
            let mut tree = format!("100644 {name}\0").into_bytes();
            tree.extend([0; 20]);
            assert_eq!(entries(&tree, 20), None, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(content: Vec<u8>) {
            let _ = entries(&content, 20);
        }
    }
}
