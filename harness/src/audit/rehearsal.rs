//! What a release audit will say of a clean checkout, found out before trials are paid for: the audit's own reader reads the
//! last commit, and what it makes of it is held against what would be played. A checkout can be clean and yet hold other
//! bytes than its commit: line ends are changed on the way, large files are kept elsewhere, links lead out.

use std::fs;
use std::path::Path;

use super::AuditError;
use super::commit::{CommitError, Files};
use super::inputs::{self, Origin};
use crate::git::{self, Named};
use crate::sitting::material::Material;
use crate::sitting::planning::{self, Request};

/// How files begin that stand for one kept elsewhere (git-lfs, specification version 1).
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Why an audit of the last commit would refuse a run of `material`. Empty outside of a checkout and where files differ
/// from the last commit: neither can be audited as it is, and both are told elsewhere.
///
/// # Errors
/// [`AuditError`] when the repository cannot be read.
pub fn refusals(material: &Material) -> Result<Vec<String>, AuditError> {
    let root = &material.project.root;
    let Some(source) = git::source(root).filter(|source| !source.dirty) else { return Ok(Vec::new()) };
    let files = match Files::read(root, &Named::Hash(source.commit)) {
        Ok(files) => files,
        Err(CommitError::Project { message, .. }) => return Ok(vec![message]),
        Err(error) => return Err(error.into()),
    };
    // The bytes say more than what comes of them.
    let bytes: Vec<String> =
        files.places.iter().filter_map(|(path, there)| differing(root, path, there)).collect();
    let said = |otherwise: Vec<String>| if bytes.is_empty() { otherwise } else { bytes };
    let at_commit = match files.load() {
        Ok(at_commit) => at_commit,
        Err(CommitError::Project { message, .. }) => return Ok(said(vec![message])),
        Err(error) => return Err(error.into()),
    };
    let plan = planning::plan(material, &Request::default(), String::new(), String::new())?;
    let origin = Origin { name: "the files of the last commit", shipped_folders: 0 };
    let findings = inputs::compare(&plan, &at_commit.material, origin)?;
    // A file may differ that nothing is made of.
    if findings.is_empty() {
        return Ok(Vec::new());
    }
    Ok(said(findings.iter().map(ToString::to_string).collect()))
}

/// Why the file at `path` is not what the commit holds, which lies at `there`.
fn differing(root: &Path, path: &Path, there: &Path) -> Option<String> {
    // A link that was not followed has no content of its own.
    let there =
        fs::symlink_metadata(there).ok().filter(fs::Metadata::is_file).and_then(|_| fs::read(there).ok())?;
    let Ok(here) = fs::read(root.join(path)) else {
        return Some(format!("{} is in the commit and cannot be read here", path.display()));
    };
    (here != there).then(|| format!("{} {}", path.display(), why(&here, &there)))
}

fn why(here: &[u8], there: &[u8]) -> &'static str {
    if there.starts_with(POINTER) {
        "is not in the commit, which holds a git-lfs pointer in its place; keep the file itself in git"
    } else if unended(here).eq(unended(there)) {
        "has other line ends here than in the commit (an `eol` rule in .gitattributes, or core.autocrlf); give it `-text` there and check it out again"
    } else {
        "has other bytes here than in the commit, though git calls it unchanged (a filter or an encoding in .gitattributes, or a file that git was told to overlook)"
    }
}

/// The bytes without what makes a line end another.
fn unended(bytes: &[u8]) -> impl Iterator<Item = &u8> {
    bytes.iter().filter(|byte| **byte != b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_read_from_the_bytes() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n";
        for (here, there, says) in [
            (&b"a\r\nb\r\n"[..], &b"a\nb\n"[..], "line ends"),
            (b"word", pointer, "git-lfs pointer"),
            (b"\xff\xfea\0", b"a", "an encoding"),
        ] {
            assert!(why(here, there).contains(says), "{says}");
        }
    }
}
