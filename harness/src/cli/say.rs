//! How the program speaks: data on stdout, talk on stderr, colour never the only sign, hostile text made harmless.

use std::env;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use anstream::{stderr, stdout};
use reports::words::steers;

use super::wrap::{Wrapped, wrap};

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
    note(&format!("{RED}error{RESET}: {}", tame(text)));
}

/// Talk, on stderr. Nobody may be listening: a full disk or a closed pipe there must not end a run that is paid for.
pub(crate) fn note(text: &str) {
    let text = columns(&io::stderr()).map_or_else(|| text.to_owned(), |width| wrap(text, width));
    let _ = writeln!(stderr(), "{text}");
}

/// The columns of a terminal; else those that `COLUMNS` names; `None` where neither is known, and nothing is wrapped.
pub(crate) fn columns(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    let size = stream.is_terminal().then(|| rustix::termios::tcgetwinsize(stream).ok()).flatten();
    let columns = match size {
        Some(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => env::var("COLUMNS").ok()?.trim().parse().ok()?,
    };
    // Below this, lines are unreadable whatever is done with them.
    Some(columns.max(20))
}

/// A value for programs, on stdout: indented JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut out = data();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Text for people, on stdout: as [`data`], and wrapped where there is a terminal.
pub(crate) fn page() -> impl Write {
    Wrapped::new(data(), columns(&io::stdout()))
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

/// Model text for a terminal: control characters, escape sequences and direction marks become visible and harmless;
/// line ends become `⏎`; at most `limit` characters.
pub(crate) fn harmless(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.trim().chars().enumerate() {
        if count == limit {
            out.push('…');
            break;
        }
        out.push(match c {
            '\n' => '⏎',
            c => tame_char(c),
        });
    }
    out
}

/// Text in which a file or an endpoint may be quoted, for a terminal: lines stay lines, and nothing in it steers.
pub(crate) fn tame(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { tame_char(c) }).collect()
}

fn tame_char(c: char) -> char {
    match c {
        '\t' => ' ',
        c if steers(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_made_harmless() {
        assert_eq!(harmless("a\u{1b}[31mb\u{202e}c\nd", 20), "a\u{fffd}[31mb\u{fffd}c⏎d");
        assert_eq!(harmless("abcdef", 3), "abc…");
        assert_eq!(tame("a\u{9b}2J\r\n\tb\u{2028}"), "a\u{fffd}2J\u{fffd}\n b\u{fffd}");
    }
}
