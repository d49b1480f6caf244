//! How the program speaks: data on stdout, talk on stderr, colour never the only sign, hostile text made harmless.

use std::error::Error;
use std::io::{self, Write};

use anstream::{stderr, stdout};

/// Bold.
pub(crate) const BOLD: &str = "\u{1b}[1m";
/// For what is as it should be.
pub(crate) const GREEN: &str = "\u{1b}[32m";
/// For what is not.
pub(crate) const RED: &str = "\u{1b}[31m";
/// For what has no verdict.
pub(crate) const YELLOW: &str = "\u{1b}[33m";
/// For what matters less.
pub(crate) const DIM: &str = "\u{1b}[2m";
/// Back to normal.
pub(crate) const RESET: &str = "\u{1b}[0m";

/// An error with its causes, on stderr.
pub(crate) fn error(error: &anyhow::Error) {
    let mut text = error.to_string();
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    note(&format!("{RED}error{RESET}: {text}"));
}

/// Talk, on stderr. Nobody may be listening: a full disk or a closed pipe there must not end a run that is paid for.
pub(crate) fn note(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}

/// Data, on stdout: buffered, colours only where the terminal takes them.
pub(crate) fn data() -> impl Write {
    io::BufWriter::with_capacity(64 << 10, Listened { inner: stdout().lock(), gone: false })
}

/// Whoever reads may stop reading, as `head` does. The rest is dropped then, and the exit code still says what came out.
struct Listened<W> {
    inner: W,
    gone: bool,
}

impl<W> Listened<W> {
    fn unless_gone<T>(&mut self, otherwise: T, act: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.gone {
            return Ok(otherwise);
        }
        match act(&mut self.inner) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(otherwise)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for Listened<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_gone(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_gone((), Write::flush)
    }
}

/// A number of things: `1 error`, `2 errors`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// Model text for a terminal: control characters, escape sequences and direction marks become visible and harmless;
/// line ends become `⏎`; at most `limit` characters.
pub(crate) fn harmless(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.trim().chars().enumerate() {
        if count == limit {
            out.push('…');
            break;
        }
        match c {
            '\n' => out.push('⏎'),
            '\t' => out.push(' '),
            c if c.is_control() => out.push('\u{fffd}'),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_made_harmless() {
        assert_eq!(harmless("a\u{1b}[31mb\u{202e}c\nd", 20), "a\u{fffd}[31mb\u{fffd}c⏎d");
        assert_eq!(harmless("abcdef", 3), "abc…");
    }
}
