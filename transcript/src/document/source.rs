//! A text file as it was read, and the places in it.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::Problem;

/// A text file as it was read, with the name it is shown under.
#[derive(Debug, Clone)]
pub struct Source {
    /// The name it is shown under.
    pub path: PathBuf,
    /// Its text, without a byte order mark.
    pub text: Arc<str>,
}

impl Source {
    /// The file `path` with the content `text`.
    pub fn new(path: impl Into<PathBuf>, text: &str) -> Self {
        Self { path: path.into(), text: text.strip_prefix('\u{feff}').unwrap_or(text).into() }
    }

    /// The file `path` with the content `bytes`.
    ///
    /// # Errors
    /// A [`Problem`] when they are not text in UTF-8.
    pub fn decode(path: impl Into<PathBuf>, bytes: &[u8]) -> Result<Self, Problem> {
        const HELP: &str = "save the file as UTF-8";
        let path = path.into();
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(Problem::whole(path, "the file is UTF-16, not UTF-8").help(HELP));
        }
        let error = match std::str::from_utf8(bytes) {
            Ok(text) => return Ok(Self::new(path, text)),
            Err(error) => error,
        };
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        // Up to the wrong byte, and that is where the place is, the text is as it stands in the file.
        let shown = Self::new(path, &String::from_utf8_lossy(bytes));
        let at = at - if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let span = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
        Err(shown.problem(span, format!("not UTF-8: the byte {byte:#04x}")).help(HELP))
    }

    /// Line and column (in characters) of a byte, both counted from 1.
    #[must_use]
    pub fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(at)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The character at a line and column, both counted from 1.
    #[must_use]
    pub fn byte_at(&self, line: u64, column: u64) -> Range<usize> {
        let index = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let mut start = 0;
        let Some(text) = self.text.split_inclusive('\n').nth(index(line)).inspect(|text| {
            start = text.as_ptr().addr() - self.text.as_ptr().addr();
        }) else {
            return self.text.len()..self.text.len();
        };
        let mut characters = text.char_indices().skip(index(column));
        let at = characters.next().map_or(text.len(), |(at, _)| at);
        start += at;
        start..start + characters.next().map_or(0, |(next, _)| next - at)
    }

    /// A problem at `span`.
    pub fn problem(&self, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem::at(self, span, message.into())
    }

    /// The lines by their numbers, counted from 1, each with its bytes without their end.
    pub fn lines(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut at = 0;
        self.text.split_inclusive('\n').enumerate().map(move |(index, line)| {
            let start = at;
            at += line.len();
            (index + 1, start..start + line.trim_end_matches(['\n', '\r']).len())
        })
    }

    /// Whether nothing stands in it but blanks and comments.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let says_nothing = |line: &str| line.is_empty() || line.starts_with('#') || line == "---";
        self.text.lines().all(|line| says_nothing(line.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let told = |bytes: &[u8]| Source::decode("a.yaml", bytes).unwrap_err().to_string();
        insta::assert_snapshot!(told(b"\xef\xbb\xbfid: W1\nname: caf\xe9\n"), @r"
        error: not UTF-8: the byte 0xe9
         --> a.yaml:2:10
          |
        2 | name: caf�
          |          ^
          |
          = help: save the file as UTF-8
        ");
        insta::assert_snapshot!(told(b"\xff\xfei\0d\0"), @r"
        error: the file is UTF-16, not UTF-8
         --> a.yaml
          = help: save the file as UTF-8
        ");
        assert_eq!(&*Source::decode("a.yaml", b"\xef\xbb\xbfid: W1\n").unwrap().text, "id: W1\n");
    }
}
