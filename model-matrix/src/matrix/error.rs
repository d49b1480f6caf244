//! What is wrong with a matrix file, told to the person who wrote it.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use transcript::document::{Problem, Source};

/// A problem of the file as a whole.
pub(super) fn whole(path: &Path, message: String) -> MatrixErrors {
    MatrixErrors(vec![Problem::whole(path, message)])
}

/// A problem at a place of the file.
pub(super) fn at(source: &Source, span: Range<usize>, message: impl Into<String>) -> Problem {
    guarded(source.problem(span, message))
}

/// The same problem, in which nothing is shown that may be a credential.
pub(super) fn guarded(problem: Problem) -> Problem {
    problem.shown(conceal)
}

/// All problems of a matrix file, in the file's order. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixErrors(pub Vec<Problem>);

impl From<Problem> for MatrixErrors {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for MatrixErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl Error for MatrixErrors {}

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
