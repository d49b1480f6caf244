//! As much of Markdown as is needed to find headings, also in text that was copied off a rendered page.

/// A line without the decoration around its text: heading signs, list marks, emphasis, quotes, comment brackets.
pub(super) fn bare(line: &str) -> &str {
    let mut text = line.trim();
    loop {
        let before = text;
        text = text.strip_prefix("<!--").unwrap_or(text);
        text = text.strip_suffix("-->").unwrap_or(text);
        text = text.trim_start_matches(['#', '>', '*', '_', '`', ' ', '\t']);
        text = text.trim_end_matches(['#', '*', '_', '`', ' ', '\t', '\r']);
        for mark in ["- ", "+ ", "• "] {
            text = text.strip_prefix(mark).unwrap_or(text);
        }
        if text == before {
            return text;
        }
    }
}

/// The level of a Markdown heading, 1 to 6.
pub(super) fn heading_level(line: &str) -> Option<usize> {
    let text = line.trim_end();
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    ((1..=6).contains(&level) && text[level..].starts_with([' ', '\t'])).then_some(level)
}

/// Whether `line` ends a section whose heading has `level`.
///
/// Without Markdown levels, as in a page copied as text, any line that reads as a heading does.
pub(super) fn ends_section(line: &str, level: Option<usize>) -> bool {
    match (level, heading_level(line)) {
        (Some(level), found) => found.is_some_and(|found| found <= level),
        (None, Some(_)) => true,
        (None, None) => reads_as_heading(line),
    }
}

/// A short line of words, with a capital, that is no sentence and no item of a list.
fn reads_as_heading(line: &str) -> bool {
    let unindented = !line.starts_with([' ', '\t']);
    let text = line.trim();
    unindented
        && text.chars().next().is_some_and(char::is_uppercase)
        && text.chars().count() <= 60
        && text.split_whitespace().count() <= 8
        && !text.ends_with(['.', ':', ';', ',', '!', '?', '"', '”'])
        && !text.contains(": ")
}
