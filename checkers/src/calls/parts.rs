//! Which lines of an answer are whose: a command line of several steps has one answer, and `echo ---` parts it.

use std::ops::Range;

use super::results;
use crate::command::Step;

/// How many marks are looked for in one answer: each is a walk through what is left of it.
const MAX_MARKS: usize = 64;

/// For each step the lines between the marks printed before and after it.
pub(super) fn of(steps: &[Step], answer: &str) -> Vec<Range<usize>> {
    let marks = || steps.iter().enumerate().filter_map(|(at, step)| Some((at, mark(step)?)));
    if steps.len() < 2 || marks().next().is_none() {
        return vec![0..usize::MAX; steps.len()];
    }
    let lines = results::lines(answer);
    let mut parts = Vec::with_capacity(steps.len());
    let mut start = 0;
    for (at, text) in marks().take(MAX_MARKS) {
        let Some(line) = lines.iter().skip(start).position(|line| is_it(line, text)) else { continue };
        // The mark itself is left in: `echo none` and `exit=1` are the last word of the search before it.
        let end = start + line + 1;
        parts.resize(at + 1, start..end);
        start = end;
    }
    parts.resize(steps.len(), start..lines.len());
    parts
}

/// A text that begins with a value could be any line.
fn mark(step: &Step) -> Option<&str> {
    step.said().filter(|text| !text.starts_with('$'))
}

/// Whether the line is the text, where `$?` and other values may stand for anything.
fn is_it(line: &str, text: &str) -> bool {
    let line = line.trim();
    match text.split_once('$') {
        Some((before, _)) => line.starts_with(before),
        None => line == text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command;

    #[test]
    fn marks_part_an_answer() {
        let parts = |line, answer| of(&command::read(line), answer);
        assert_eq!(parts("grep -rl a .; echo ---; grep -rl b .", "---\nx.py"), [0..1, 0..1, 1..2]);
        assert_eq!(parts("grep a . || echo none; grep b .", "none\nx"), [0..1, 0..1, 1..2]);
        assert_eq!(parts("grep a .; echo exit=$?; grep b .", "exit=1\nx"), [0..1, 0..1, 1..2]);
        assert_eq!(parts("grep a . && echo found; grep b .", "x\ny"), [0..2, 0..2, 0..2]);
    }
}
