//! `s/old/new/g` as sed and perl take it.

use regex::{NoExpand, Regex};

use super::{Pattern, Syntax};
use crate::compiled::{self, Flags};

/// A substitution by pattern.
#[derive(Debug, Clone)]
pub struct Substitution {
    regex: Regex,
    replacement: String,
    /// Whether the replacement refers to what was found.
    refers: bool,
    everywhere: bool,
}

impl Substitution {
    /// `text` after the substitution, line by line as sed does it.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let limit = usize::from(!self.everywhere);
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            if self.refers {
                out += &self.regex.replacen(line, limit, self.replacement.as_str());
            } else {
                out += &self.regex.replacen(line, limit, NoExpand(&self.replacement));
            }
            out += end;
        }
        out
    }
}

/// The substitutions of a sed or perl script; `None` when it holds something else that could change a file.
pub(super) fn parse(script: &str, syntax: Syntax) -> Option<Vec<Substitution>> {
    let mut found = Vec::new();
    let mut rest = script.trim_start_matches([' ', ';', '\n']);
    while !rest.is_empty() {
        let (one, after) = parse_one(rest, syntax)?;
        found.push(one);
        rest = after.trim_start_matches([' ', ';', '\n']);
    }
    (!found.is_empty()).then_some(found)
}

fn parse_one(script: &str, syntax: Syntax) -> Option<(Substitution, &str)> {
    let body = script.strip_prefix('s')?;
    let mark = body.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '\\')?;
    let close = match mark {
        '{' => '}',
        '(' => ')',
        '[' => ']',
        other => other,
    };
    let (old, rest) = until(&body[mark.len_utf8()..], close)?;
    let rest = if close == mark { rest } else { rest.trim_start().strip_prefix(mark)? };
    let (new, rest) = until(rest, close)?;
    let flags_end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (flags, rest) = rest.split_at(flags_end);
    if flags.contains('w') || flags.contains('e') {
        return None;
    }
    let source = Pattern::expression(&old, syntax);
    let ignore_case = flags.contains(['i', 'I']);
    let regex =
        compiled::regex(&source, Flags { ignore_case, multi_line: false, size_limit: 1 << 18 }).ok()?;
    let refers = new.contains(['\\', '&', '$']);
    let replacement = if refers { references(&new, syntax) } else { new };
    let everywhere = flags.contains('g');
    Some((Substitution { regex, replacement, refers, everywhere }, rest))
}

/// The text up to the closing mark; an escaped mark stands for itself.
fn until(text: &str, close: char) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == close {
            return Some((out, &text[at + c.len_utf8()..]));
        }
        if c == '\\' {
            let (_, escaped) = chars.next()?;
            if escaped != close {
                out.push('\\');
            }
            out.push(escaped);
        } else {
            out.push(c);
        }
    }
    None
}

/// `\1` and `&` as the regex crate writes them.
fn references(new: &str, syntax: Syntax) -> String {
    let mut out = String::new();
    let mut chars = new.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    out.push_str("${");
                    out.push(digit);
                    out.push('}');
                }
                Some('$') => out.push_str("$$"),
                Some(other) => out.push(other),
                None => {}
            },
            '&' if syntax == Syntax::Basic => out.push_str("${0}"),
            '$' if syntax == Syntax::Basic => out.push_str("$$"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutions_are_applied_as_sed_applies_them() {
        let apply = |script, text| {
            parse(script, Syntax::Basic).unwrap().iter().fold(String::from(text), |t, s| s.apply(&t))
        };
        assert_eq!(apply(r"s/\bkey\b/new/g", "key = key\nkeys"), "new = new\nkeys");
        assert_eq!(apply("s|a/b|c/d|", "a/b a/b"), "c/d a/b");
        assert_eq!(apply(r"s/\(k\)ey/\1&/;s/z/y/", "key z"), "kkey y");
        assert!(parse("1d", Syntax::Basic).is_none());
        assert!(parse("s/a/b", Syntax::Basic).is_none());
        assert!(parse("s/a/b/w out.txt", Syntax::Basic).is_none());
    }
}
