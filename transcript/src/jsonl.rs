//! Transcripts as JSON Lines: one trial a line, read as a stream so that memory does not grow with the file.

use std::io::{self, BufRead, Write};

use crate::Transcript;

/// The longest line that is read, in bytes; a longer one is an error, not a memory problem.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// Why a line could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file itself could not be read.
    #[error("line {line}: {source}")]
    Io {
        /// The line's number, counted from 1.
        line: usize,
        /// What the operating system said.
        source: io::Error,
    },
    /// The line is not a transcript.
    #[error("line {line}, column {column}: {message}, in `{snippet}`")]
    Syntax {
        /// The line's number, counted from 1.
        line: usize,
        /// The column, in bytes, counted from 1.
        column: usize,
        /// What is wrong with it.
        message: String,
        /// The text around the place.
        snippet: String,
    },
    /// The line is longer than [`MAX_LINE_BYTES`].
    #[error("line {line}: longer than {} MiB", MAX_LINE_BYTES >> 20)]
    TooLong {
        /// The line's number, counted from 1.
        line: usize,
    },
    /// The last line has no line end: whoever wrote it was stopped in the middle.
    #[error("line {line}: the file ends in the middle of a record")]
    Torn {
        /// The line's number, counted from 1.
        line: usize,
    },
}

impl ReadError {
    /// Whether reading can go on with the line after this one.
    #[must_use]
    pub fn next_line_is_known(&self) -> bool {
        matches!(self, Self::Syntax { .. } | Self::Torn { .. })
    }
}

/// A line of a JSONL file as it stands, without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line's number, counted from 1.
    pub number: usize,
    /// The line's text.
    pub text: String,
    /// Whether it ended with a newline.
    pub complete: bool,
}

/// The next line of `source` as it stands, with its line end; empty where the source ends. `number` is for errors.
///
/// # Errors
/// [`ReadError::Io`], and [`ReadError::TooLong`], after which it is not known where the next line starts.
pub fn read_line(source: &mut impl BufRead, number: usize) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    io::Read::take(source, MAX_LINE_BYTES as u64 + 1)
        .read_until(b'\n', &mut bytes)
        .map_err(|source| ReadError::Io { line: number, source })?;
    if bytes.len() > MAX_LINE_BYTES && bytes.last() != Some(&b'\n') {
        return Err(ReadError::TooLong { line: number });
    }
    Ok(bytes)
}

/// Reads lines with a length limit; blank lines are passed over.
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    /// Reads from `source`.
    pub fn new(source: R) -> Self {
        Self { source, number: 0 }
    }

    fn read(&mut self) -> Result<Option<Line>, ReadError> {
        loop {
            self.number += 1;
            let line = self.number;
            let bytes = read_line(&mut self.source, line)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let complete = bytes.last() == Some(&b'\n');
            let text = String::from_utf8(bytes).map_err(|error| ReadError::Syntax {
                line,
                column: error.utf8_error().valid_up_to() + 1,
                message: "not valid UTF-8".to_owned(),
                snippet: String::from_utf8_lossy(&error.as_bytes()[error.utf8_error().valid_up_to()..])
                    .chars()
                    .take(20)
                    .collect(),
            })?;
            let text = trimmed(text);
            if !text.is_empty() {
                return Ok(Some(Line { number: line, text, complete }));
            }
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Line, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// The text without its line end, and without white space around it.
fn trimmed(mut text: String) -> String {
    const AROUND: [char; 5] = ['\n', '\r', ' ', '\t', '\u{feff}'];
    text.truncate(text.trim_end_matches(AROUND).len());
    let start = text.len() - text.trim_start_matches(AROUND).len();
    text.drain(..start);
    text
}

/// Parses one line.
///
/// # Errors
/// [`ReadError::Syntax`] with the place when the line is not a transcript.
pub fn parse(line: &Line) -> Result<Transcript, ReadError> {
    serde_json::from_str(&line.text).map_err(|error| {
        if error.is_eof() && !line.complete {
            return ReadError::Torn { line: line.number };
        }
        let column = error.column().max(1);
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        ReadError::Syntax { line: line.number, column, message, snippet: around(&line.text, column - 1) }
    })
}

/// Writes one transcript as one line.
///
/// # Errors
/// What the writer says.
pub fn write<W: Write>(mut out: W, transcript: &Transcript) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(transcript)?;
    bytes.push(b'\n');
    out.write_all(&bytes)
}

/// Some thirty characters to each side of byte `at`.
fn around(text: &str, at: usize) -> String {
    let mut start = at.saturating_sub(30).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    text[start..].chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"id":"a","case":"E1","variant":null,"params":{"n":1},"tools":["search"],"messages":[{"role":"assistant","by":"model","content":null,"tool_calls":[{"id":"c","name":"search","arguments":{"pattern":"x"}}],"odd":7}],"later":"kept"}"#;

    #[test]
    fn unknown_fields_survive_a_round_trip() {
        let line = Lines::new(LINE.as_bytes()).next().unwrap().unwrap();
        let transcript = parse(&line).unwrap();
        assert_eq!(transcript.messages[0].content, "");
        let mut out = Vec::new();
        write(&mut out, &transcript).unwrap();
        let again: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(again["later"], "kept");
        assert_eq!(again["messages"][0]["odd"], 7);
    }

    #[test]
    fn errors_name_line_and_column() {
        let text = "\n{\"id\":\"a\",\"case\":3,\"messages\":[]}\n";
        let line = Lines::new(text.as_bytes()).next().unwrap().unwrap();
        let error = parse(&line).unwrap_err().to_string();
        assert!(error.starts_with("line 2, column 18: invalid type: integer `3`"), "{error}");
    }

    #[test]
    fn a_torn_last_line_is_told_apart() {
        let line = Lines::new(&LINE.as_bytes()[..80]).next().unwrap().unwrap();
        assert!(matches!(parse(&line), Err(ReadError::Torn { line: 1 })));
    }

    #[test]
    fn of_a_line_without_an_end_no_more_is_read_than_a_line_may_hold() {
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        assert!(matches!(read_line(&mut endless, 3), Err(ReadError::TooLong { line: 3 })));
        let longest = [vec![b'x'; MAX_LINE_BYTES], b"\nnext".to_vec()].concat();
        let mut source = longest.as_slice();
        assert_eq!(read_line(&mut source, 1).unwrap().len(), MAX_LINE_BYTES + 1);
        assert_eq!(read_line(&mut source, 2).unwrap(), b"next");
        assert!(read_line(&mut source, 3).unwrap().is_empty());
    }

    #[test]
    fn bad_utf8_is_an_error_with_a_place() {
        let error = Lines::new(&b"{\"id\": \"\xff\"}\n"[..]).next().unwrap().unwrap_err();
        assert!(error.to_string().starts_with("line 1, column 9"), "{error}");
    }
}
