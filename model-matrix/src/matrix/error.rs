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

/// Names that stand before a credential.
const TELLING: [&str; 6] = ["key", "token", "secret", "password", "auth", "header"];

/// The line without what may be a credential: what follows a key that is named like one, and a URL's user part.
fn conceal(line: &str) -> String {
    let telling = line.match_indices(':').find(|(at, _)| {
        let before = line[..*at].trim_end_matches(['"', '\'']);
        let name = before.rsplit([' ', ',', '{', '"', '\'']).next().unwrap_or_default().to_ascii_lowercase();
        TELLING.iter().any(|word| name.contains(word))
    });
    let mut shown = match telling {
        Some((at, _)) if !line[at + 1..].trim().is_empty() => format!("{}: …", &line[..at]),
        _ => line.to_owned(),
    };
    let mut from = 0;
    while let Some(start) = shown[from..].find("://").map(|at| from + at + 3) {
        let end = shown[start..].find(char::is_whitespace).map_or(shown.len(), |at| start + at);
        // A password may hold slashes, so the whole word is searched, not only what a good URL would allow.
        if let Some(at) = shown[start..end].rfind('@') {
            shown.replace_range(start..start + at, "…");
        }
        // Neither is its query shown: that is another place where keys are put.
        let end = shown[start..].find(char::is_whitespace).map_or(shown.len(), |at| start + at);
        if let Some(at) = shown[start..end].find('?') {
            shown.replace_range(start + at + 1..end, "…");
        }
        from = start;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::conceal;

    #[test]
    fn credentials_are_taken_out_wherever_they_stand() {
        for (line, shown) in [
            ("  api_key: fake-1", "  api_key: …"),
            ("  - { id: a, \"apiKey\": 'fake-1', role: other }", "  - { id: a, \"apiKey\": …"),
            ("  token:", "  token:"),
            ("  base_url: https://ann:p@q@host.test/v1", "  base_url: https://…@host.test/v1"),
            (
                "  base_url: https://ann:p/q@host.test/v1 # or http://bob@x",
                "  base_url: https://…@host.test/v1 # or http://…@x",
            ),
            ("  base_url: http://127.0.0.1:80/v1", "  base_url: http://127.0.0.1:80/v1"),
            ("  base_url: https://host.test/v1?key=fake-1 # x", "  base_url: https://host.test/v1?… # x"),
            ("  notes: nothing to hide", "  notes: nothing to hide"),
        ] {
            assert_eq!(conceal(line), shown);
        }
    }
}
