//! What is wrong with a matrix file, told to the person who wrote it.

use std::fmt;
use std::path::{Path, PathBuf};

/// One problem, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixError {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1; 0 when the problem is the file itself.
    pub line: u64,
    /// The column, counted from 1.
    pub column: u64,
    /// What is wrong, and what to do.
    pub message: String,
    /// The line's text, with anything that may be a credential taken out.
    pub snippet: String,
}

impl MatrixError {
    /// A problem of the file as a whole.
    pub(super) fn file(path: &Path, message: String) -> Self {
        Self { path: path.to_owned(), line: 0, column: 0, message, snippet: String::new() }
    }

    /// A problem at a place in `text`.
    pub(super) fn at(path: &Path, text: &str, (line, column): (u64, u64), message: String) -> Self {
        let index = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        let snippet = conceal(text.lines().nth(index).unwrap_or_default());
        Self { path: path.to_owned(), line, column, message, snippet }
    }
}

impl fmt::Display for MatrixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if self.line == 0 {
            return write!(f, "{path}: {}", self.message);
        }
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        let pad = " ".repeat(usize::try_from(self.column.saturating_sub(1)).unwrap_or(0));
        writeln!(f, "{path}:{}:{}: {}", self.line, self.column, self.message)?;
        write!(f, " {gutter} |\n {number} | {}\n {gutter} | {pad}^", self.snippet)
    }
}

impl std::error::Error for MatrixError {}

/// All problems of a matrix file, in the file's order. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixErrors(pub Vec<MatrixError>);

impl From<MatrixError> for MatrixErrors {
    fn from(error: MatrixError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for MatrixErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for MatrixErrors {}

/// The line without what may be a credential: a URL's user part, and the value of a key that is named like one.
fn conceal(line: &str) -> String {
    if let Some((key, value)) = line.split_once(':') {
        let name = key.to_ascii_lowercase();
        let telling = ["key", "token", "secret", "password", "auth", "header"];
        if !value.trim().is_empty() && telling.iter().any(|word| name.contains(word)) {
            return format!("{key}: …");
        }
    }
    let Some(scheme) = line.find("://") else { return line.to_owned() };
    let rest = &line[scheme + 3..];
    let authority = rest.find(['/', '?', '#', ' ']).map_or(rest, |end| &rest[..end]);
    match authority.rfind('@') {
        Some(at) => format!("{}://…{}", &line[..scheme], &rest[at..]),
        None => line.to_owned(),
    }
}
