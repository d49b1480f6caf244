//! Text for people, wrapped at spaces to the width of their terminal, with a hanging indent. What goes to a file or to
//! another program is never wrapped.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

/// Writes whole lines, each wrapped to `width` columns where there is one.
#[derive(Debug)]
pub(crate) struct Wrapped<W: Write> {
    inner: W,
    width: Option<usize>,
    /// The line that has not come to its end.
    line: Vec<u8>,
}

impl<W: Write> Wrapped<W> {
    /// Wraps what is written to `inner`; `None` is a width without end.
    pub(crate) fn new(inner: W, width: Option<usize>) -> Self {
        Self { inner, width, line: Vec::new() }
    }
}

impl<W: Write> Write for Wrapped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(width) = self.width else { return self.inner.write(bytes) };
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.inner.write_all(wrap(&String::from_utf8_lossy(&line), width).as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        self.inner.write_all(&rest)?;
        self.inner.flush()
    }
}

/// A text with every line wrapped at spaces. A command to be copied is left in one piece, and so is what holds no space.
pub(crate) fn wrap(text: &str, width: usize) -> String {
    text.split_inclusive('\n').map(|line| wrap_line(line, width)).collect()
}

fn wrap_line(line: &str, width: usize) -> String {
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    if visible(text) <= width || is_whole(text) {
        return line.to_owned();
    }
    let hang = hang(text, width);
    let (mut out, mut column) = (String::new(), 0);
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end_matches(' ');
        if column + visible(bare) > width && column > hang && !bare.is_empty() {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            column = hang;
        }
        out.push_str(word);
        column += visible(word);
    }
    format!("{}{end}", out.trim_end_matches(' '))
}

/// A command to be copied, or a line of a file that is quoted, with marks below it.
fn is_whole(text: &str) -> bool {
    let text = text.trim_start();
    let quoted = text.trim_start_matches(char::is_numeric).trim_start();
    text.starts_with("assize ") || quoted.starts_with('|')
}

/// Where wrapped lines begin: below the second column of `name    text`, else two columns further in than the first line.
fn hang(text: &str, width: usize) -> usize {
    let lead = text.len() - text.trim_start_matches(' ').len();
    let rest = &text[lead..];
    let second = rest
        .split_once("  ")
        .map(|(name, more)| lead + visible(name) + 2 + (more.len() - more.trim_start_matches(' ').len()));
    match second {
        Some(column) if !rest.starts_with(char::is_numeric) && column <= 16.min(width / 2) => column,
        _ => (lead + 2).min(width / 2),
    }
}

/// The columns a text takes; colours take none.
fn visible(text: &str) -> usize {
    let mut columns = 0;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        columns += before.width();
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    columns + rest.width()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_wraps_below_its_beginning_and_colours_take_no_room() {
        let text = "    word: \u{1b}[31mthe reply\u{1b}[0m says nothing of it\nshort\n";
        assert_eq!(
            wrap(text, 22),
            "    word: \u{1b}[31mthe reply\u{1b}[0m\n      says nothing of\n      it\nshort\n"
        );
        assert_eq!(
            wrap("  limits    one two three four five\n", 30),
            "  limits    one two three four\n            five\n"
        );
        assert_eq!(wrap("日本 日本 日本", 9), "日本 日本\n  日本");
    }

    #[test]
    fn commands_and_words_without_spaces_stay_whole() {
        let command = "  assize run --resume /a/very/long/path/to/a/folder\n";
        assert_eq!(wrap(command, 20), command);
        let quoted = " 12 |   - { id: a, role: b, provider: c }\n    |           ^ here and no further\n";
        assert_eq!(wrap(quoted, 20), quoted);
        assert_eq!(wrap("0123456789abcdef\n", 8), "0123456789abcdef\n");
    }

    proptest! {
        #[test]
        fn only_white_space_changes(text in "[a-z日 \u{1f999}\n]{0,200}", width in 10_usize..60) {
            let bare = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(bare(&wrap(&text, width)), bare(&text));
            let mut out = Vec::new();
            let mut writer = Wrapped::new(&mut out, Some(width));
            for byte in text.as_bytes() {
                writer.write_all(&[*byte]).unwrap();
            }
            writer.flush().unwrap();
            prop_assert_eq!(bare(&String::from_utf8(out).unwrap()), bare(&text));
        }
    }
}
