//! From what people call a commit to its hash. An audit takes only names that stay: a hash, or a tag.

use std::path::Path;

use super::{GitError, run};

/// How a commit is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// By its hash, or the beginning of it.
    Hash(String),
    /// By a tag.
    Tag(String),
    /// By whatever git understands.
    Revision(String),
}

/// The fewest digits of a hash that name a commit.
const FEWEST_DIGITS: usize = 7;

/// The full hash of the commit that is named.
///
/// # Errors
/// [`GitError`] when there is none, or the name is of a kind that does not stay.
pub fn resolve(root: &Path, named: &Named) -> Result<String, GitError> {
    match named {
        Named::Hash(hash) => by_hash(root, hash),
        Named::Tag(tag) => {
            let object = tagged(root, tag)?;
            parsed(root, &object, format!("commit under the tag {tag}"))
        }
        Named::Revision(revision) => parsed(root, revision, format!("commit {revision}")),
    }
}

/// Git reads a name as a branch before it reads it as the beginning of a hash; what it found must begin as asked.
fn by_hash(root: &Path, hash: &str) -> Result<String, GitError> {
    if hash.len() < FEWEST_DIGITS || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(GitError::Refused(no_hash(root, hash)));
    }
    let hash = hash.to_ascii_lowercase();
    let commit = parsed(root, &hash, format!("commit {hash}"))?;
    if !commit.starts_with(&hash) {
        return Err(GitError::Refused(format!(
            "`{hash}` leads to {commit}, which begins otherwise: a branch or tag has that name, or it is the hash of a tag; give the commit's whole hash"
        )));
    }
    Ok(commit)
}

/// Why `name` is not taken for a hash, and what to say instead.
fn no_hash(root: &Path, name: &str) -> String {
    let found = if is_plain(name) { parsed(root, name, String::new()).ok() } else { None };
    let Some(commit) = found else {
        return format!("`{name}` is no hash of a commit: at least {FEWEST_DIGITS} hex digits");
    };
    if name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return format!("`{name}` is too short for a hash that stays the only one; give --commit {commit}");
    }
    if tagged(root, name).is_ok() {
        return format!("`{name}` is a tag, not a hash: give --tag {name}, or --commit {commit}");
    }
    format!("`{name}` is a name that moves, not a hash; what it names now is --commit {commit}")
}

/// The object that the tag of exactly this name points to: no branch, no expression over tags.
fn tagged(root: &Path, tag: &str) -> Result<String, GitError> {
    if !is_plain(tag) {
        return Err(GitError::Refused(format!("`{tag}` is no name of a tag")));
    }
    let reference = format!("refs/tags/{tag}");
    let listed = run(root, &["for-each-ref", "--format=%(objectname) %(refname)", &reference])?;
    let object = listed
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find_map(|(object, name)| (name == reference).then(|| object.to_owned()));
    object.ok_or_else(|| GitError::Missing { root: root.to_owned(), what: instead(root, tag) })
}

/// That there is no such tag, and the commit's hash where something else has the name.
fn instead(root: &Path, name: &str) -> String {
    match parsed(root, name, String::new()) {
        Ok(commit) => {
            format!("tag {name}, and what else is called so may move; what it names now is --commit {commit}")
        }
        Err(_) => format!("tag {name}"),
    }
}

/// Whether `name` is a name, and no expression that git would work out.
fn is_plain(name: &str) -> bool {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "^~:?*[\\".contains(c);
    !name.is_empty() && !name.contains(odd) && !name.contains("@{")
}

/// The commit that git takes `revision` for.
fn parsed(root: &Path, revision: &str, what: String) -> Result<String, GitError> {
    let commit = format!("{revision}^{{commit}}");
    match run(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]) {
        Ok(hash) => Ok(hash.trim().to_owned()),
        Err(GitError::Refused(message)) if message.is_empty() => {
            Err(GitError::Missing { root: root.to_owned(), what })
        }
        Err(error) => Err(error),
    }
}
