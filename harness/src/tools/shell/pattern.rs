//! POSIX regular expressions, as grep and sed take them, in the syntax of the linear-time engine.

use regex::bytes::{Regex, RegexBuilder};

use super::exec::Shell;

/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 4 << 10;
/// What compiling a pattern comes to.
const COMPILE_BYTES: usize = 256 << 10;

/// How a pattern is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Fixed,
    Basic,
    Extended,
    Perl,
}

/// Compiles a pattern, charged to the command line's account; back-references and look-around are not available in linear
/// time and are errors.
pub(super) fn compile(sh: &mut Shell<'_>, source: &str, ignore_case: bool) -> Result<Regex, String> {
    sh.charge(COMPILE_BYTES)?;
    build(source, ignore_case)
}

fn build(source: &str, ignore_case: bool) -> Result<Regex, String> {
    RegexBuilder::new(source)
        .case_insensitive(ignore_case)
        .size_limit(1 << 20)
        .dfa_size_limit(1 << 20)
        .build()
        .map_err(|_| "pattern not available here".to_owned())
}

/// The pattern in the engine's syntax. Reading one takes up to the square of its length, so it must not be long.
pub(super) fn translate(pattern: &str, syntax: Syntax) -> Result<String, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("a pattern is longer than {MAX_PATTERN_BYTES} bytes"));
    }
    Ok(match syntax {
        Syntax::Fixed => regex::escape(pattern),
        Syntax::Perl => pattern.to_owned(),
        Syntax::Basic | Syntax::Extended => posix(pattern, syntax == Syntax::Basic),
    })
}

fn posix(pattern: &str, basic: bool) -> String {
    let chars: Vec<char> = pattern.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        let starts = out.is_empty() || out.ends_with('(') || out.ends_with('|');
        match c {
            '\\' => {
                at += 1;
                match next {
                    Some('<') => out.push_str(r"\b{start}"),
                    Some('>') => out.push_str(r"\b{end}"),
                    Some(c) if basic && "(){}|+?".contains(c) => out.push(c),
                    Some(c) if c.is_ascii_alphanumeric() => out.extend(['\\', c]),
                    Some(c) => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
                    None => out.push_str(r"\\"),
                }
            }
            '[' => at = bracket(&chars, at, &mut out),
            '(' | ')' | '|' | '+' | '?' if basic => out.extend(['\\', c]),
            '{' if basic || !is_interval(&chars[at..]) => out.push_str(r"\{"),
            '}' if basic => out.push_str(r"\}"),
            '*' if starts || out.ends_with('^') && basic => out.push_str(r"\*"),
            '^' if basic && !starts => out.push_str(r"\^"),
            '$' if basic
                && next.is_some()
                && !(next == Some('\\') && matches!(chars.get(at + 2), Some(')' | '|'))) =>
            {
                out.push_str(r"\$");
            }
            c => out.push(c),
        }
        at += 1;
    }
    out
}

fn is_interval(chars: &[char]) -> bool {
    let inner = chars[1..].iter().take_while(|c| c.is_ascii_digit() || **c == ',').count();
    chars.get(1).is_some_and(char::is_ascii_digit) && chars.get(1 + inner) == Some(&'}')
}

/// Copies the bracket expression that starts at `at`; returns the place of its end. Inside, a backslash means itself.
fn bracket(chars: &[char], at: usize, out: &mut String) -> usize {
    let mut end = at + 1;
    if chars.get(end) == Some(&'^') {
        end += 1;
    }
    let first = end;
    if chars.get(end) == Some(&']') {
        end += 1;
    }
    while let Some(&c) = chars.get(end) {
        if c == ']' {
            break;
        }
        // A class such as `[:alpha:]` holds a bracket of its own.
        if c == '[' && chars.get(end + 1) == Some(&':') {
            while end + 1 < chars.len() && !(chars[end] == ':' && chars[end + 1] == ']' && end > first) {
                end += 1;
            }
            end += 1;
        }
        end += 1;
    }
    if end >= chars.len() {
        out.push_str(r"\[");
        return at;
    }
    let inner: String = chars[first..end].iter().collect();
    out.push('[');
    if first > at + 1 {
        out.push('^');
    }
    let mut rest = inner.as_str();
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("[:")
            && let Some(stop) = rest.find(":]")
        {
            out.push_str(&rest[..stop + 2]);
            rest = &rest[stop + 2..];
            continue;
        }
        let is_first = rest.len() == inner.len();
        if "\\[]&~^".contains(c) || c == '-' && (is_first || rest.len() == 1) {
            out.push('\\');
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out.push(']');
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posix_patterns_mean_what_they_mean_to_grep() {
        for (pattern, syntax, hit, miss) in [
            ("f(x)", Syntax::Basic, "f(x)", "fx"),
            (r"\(ab\)\+c", Syntax::Basic, "ababc", "c"),
            (r"a\|b", Syntax::Basic, "b", "|"),
            ("a{2}", Syntax::Basic, "a{2}", "aa"),
            (r"a\{2\}", Syntax::Basic, "aa", "a"),
            ("*x", Syntax::Basic, "*x", "x"),
            ("a^b$c", Syntax::Basic, "a^b$c", "abc"),
            ("a$", Syntax::Basic, "ba", "ab"),
            ("(a|b)+c", Syntax::Extended, "abc", "(a|b)+"),
            ("x{", Syntax::Extended, "x{", "x"),
            ("x{2,}", Syntax::Extended, "xx", "x"),
            (r"[\.]", Syntax::Extended, r"\", "x"),
            ("[]a]", Syntax::Extended, "]", "b"),
            ("[^]a]", Syntax::Extended, "b", "]"),
            ("[[:upper:]_]+-[[:digit:]]", Syntax::Extended, "A_-1", "a-1"),
            ("[a&&b]", Syntax::Extended, "&", "c"),
            (r"\<cat\>", Syntax::Basic, "a cat", "concat"),
            (r"1\.2", Syntax::Basic, "1.2", "1x2"),
            ("a.b", Syntax::Fixed, "a.b", "axb"),
        ] {
            let regex = build(&translate(pattern, syntax).unwrap(), false).unwrap();
            assert!(regex.is_match(hit.as_bytes()), "{pattern} should match {hit}");
            assert!(!regex.is_match(miss.as_bytes()), "{pattern} should not match {miss}");
        }
    }
}
