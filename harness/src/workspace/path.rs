//! Paths inside a workspace: whatever a model writes is brought to one form, and nothing that would leave the workspace has a form.

use std::fmt;

/// The longest path, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;
/// The longest name of a file or folder, in bytes.
pub const MAX_NAME_BYTES: usize = 255;

/// What models call the root of the tree they were given, when they write absolute paths.
const ROOT_NAMES: [&str; 2] = ["repo", "workspace"];

/// A path relative to the workspace's root: forward slashes, no `.` or `..`, no slash at either end. Empty for the root itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkPath(String);

/// Why a text is no path of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A `..` climbs above the root.
    #[error("the path leaves the workspace")]
    Escapes,
    /// It has a NUL, a line break or another control character.
    #[error("the path has a control character")]
    Control,
    /// It starts with a drive letter, as in `C:\x`.
    #[error("the path names a drive; paths are relative to the workspace")]
    Drive,
    /// It starts with `~`.
    #[error("the path names a home folder; paths are relative to the workspace")]
    Home,
    /// It, or a name in it, is too long.
    #[error("the path is too long (at most {MAX_PATH_BYTES} bytes, {MAX_NAME_BYTES} a name)")]
    TooLong,
}

impl WorkPath {
    /// Reads a path as a model writes it.
    ///
    /// `./a//b` and `a\b` are `a/b`; a leading `/`, `/repo/` or `/workspace/` stands for the root.
    ///
    /// # Errors
    /// When the text cannot name anything inside a workspace.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(PathError::Control);
        }
        let slashed = text.replace('\\', "/");
        let absolute = slashed.starts_with('/');
        let mut parts: Vec<&str> = Vec::new();
        for (at, part) in slashed.split('/').filter(|part| !matches!(*part, "" | ".")).enumerate() {
            if at == 0 {
                refuse_first(part)?;
                if absolute && ROOT_NAMES.contains(&part) {
                    continue;
                }
            }
            if part == ".." {
                parts.pop().ok_or(PathError::Escapes)?;
            } else if part.len() > MAX_NAME_BYTES {
                return Err(PathError::TooLong);
            } else {
                parts.push(part);
            }
        }
        // What `..` has brought to the front must pass too, or the result could not be read again.
        if let Some(first) = parts.first() {
            refuse_first(first)?;
        }
        Ok(Self(parts.join("/")))
    }

    /// The root.
    #[must_use]
    pub fn root() -> Self {
        Self(String::new())
    }

    /// The path as text; empty for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The last name; empty for the root.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folders above it, nearest first, without the root.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        self.0.rmatch_indices('/').map(|(at, _)| &self.0[..at])
    }

    /// The path of `other` below this one; `None` when it is not below it. Everything is below the root.
    #[must_use]
    pub fn below<'a>(&self, other: &'a str) -> Option<&'a str> {
        if self.is_root() {
            return (!other.is_empty()).then_some(other);
        }
        other.strip_prefix(self.as_str())?.strip_prefix('/')
    }
}

impl fmt::Display for WorkPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

fn refuse_first(part: &str) -> Result<(), PathError> {
    let bytes = part.as_bytes();
    if bytes.first() == Some(&b'~') {
        return Err(PathError::Home);
    }
    if bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
        return Err(PathError::Drive);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> String {
        WorkPath::parse(text).unwrap().as_str().to_owned()
    }

    #[test]
    fn the_ways_models_write_a_path_are_one_path() {
        for text in [
            "src/x.py",
            "./src//x.py",
            "src\\x.py",
            "/src/x.py",
            "/repo/src/x.py",
            "/workspace/src/./x.py",
            "a/../src/x.py",
        ] {
            assert_eq!(parsed(text), "src/x.py", "{text}");
        }
        for text in ["", ".", "/", "./", "/repo", "/repo/", "\\workspace\\", "a/.."] {
            assert_eq!(parsed(text), "", "{text}");
        }
        assert_eq!(parsed("repo/x"), "repo/x", "only an absolute path names the root");
        assert_eq!(parsed("src/file~"), "src/file~");
    }

    #[test]
    fn what_leaves_the_workspace_is_refused() {
        let cases = [
            ("..", PathError::Escapes),
            ("a/../../b", PathError::Escapes),
            ("/repo/../etc/passwd", PathError::Escapes),
            ("..\\..\\x", PathError::Escapes),
            ("a\0b", PathError::Control),
            ("a\nb", PathError::Control),
            ("C:\\x", PathError::Drive),
            ("c:x", PathError::Drive),
            ("a/../c:x", PathError::Drive),
            ("~/.ssh/id", PathError::Home),
            ("~", PathError::Home),
            ("~/../x", PathError::Home),
        ];
        for (text, error) in cases {
            assert_eq!(WorkPath::parse(text), Err(error), "{text:?}");
        }
        assert_eq!(WorkPath::parse(&"a".repeat(256)), Err(PathError::TooLong));
        assert_eq!(WorkPath::parse(&"a/".repeat(600)), Err(PathError::TooLong));
    }

    #[test]
    fn ancestors_and_below() {
        let path = WorkPath::parse("a/b/c").unwrap();
        assert_eq!(path.ancestors().collect::<Vec<_>>(), ["a/b", "a"]);
        assert_eq!(WorkPath::parse("a").unwrap().below("a/b/c"), Some("b/c"));
        assert_eq!(WorkPath::parse("a").unwrap().below("ab"), None);
        assert_eq!(WorkPath::root().below("ab"), Some("ab"));
    }

    proptest! {
        #[test]
        fn no_text_makes_a_path_that_leaves(text in r"[a-zA-Z:~./\\ \x00]{0,40}|\PC{0,60}") {
            if let Ok(path) = WorkPath::parse(&text) {
                let inner = path.as_str();
                prop_assert!(!inner.starts_with('/') && !inner.ends_with('/') && !inner.contains('\\'));
                prop_assert!(inner.split('/').all(|part| part != ".." && part != "." && (inner.is_empty() || !part.is_empty())));
                prop_assert_eq!(WorkPath::parse(inner), Ok(path.clone()), "reading it again changes nothing");
            }
        }
    }
}
