//! Folds the many spellings of one text into one, and keeps the way back.
//!
//! Models write `80 × 1.25`, `80 \times 1.25`, `８０ * 1.25` and `**80** · 1.25` for the same thing. Everything after
//! this room reads one lower-case spelling; every byte of it knows the bytes of the message it came from, so that
//! evidence points into the original.

use std::ops::Range;

/// How far ahead a closing mark (`$`, `*`, `>`) is looked for. Bounds the work on hostile input.
const LOOK_AHEAD: usize = 240;
/// How many LaTeX groups may nest; deeper ones are read as flat text.
const MAX_GROUPS: usize = 64;

/// Whether a character takes no room: joiners, direction marks, soft hyphens, variation selectors, tags. Words and numbers
/// are the same ones around it.
#[must_use]
pub fn invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// A folded text.
#[derive(Debug, Default)]
pub struct Folded {
    /// The folded text: lower case, one spelling for each sign, no emphasis, LaTeX written out.
    pub text: String,
    /// Parts struck through (`~~20%~~`, `<del>`), as ranges of `text`.
    pub struck: Vec<Range<usize>>,
    /// Parts in fenced code blocks, as ranges of `text`.
    pub code: Vec<Range<usize>>,
    origin: Vec<(u32, u32)>,
}

impl Folded {
    /// Folds `original`.
    #[must_use]
    pub fn of(original: &str) -> Self {
        let mut folder = Folder {
            original,
            out: Self { text: String::with_capacity(original.len() + 8), ..Self::default() },
            latex: original.contains('\\'),
            groups: Vec::new(),
            await_fraction: None,
            math: false,
            emphasis: false,
            strike: None,
            fence: None,
        };
        folder.out.origin.reserve(original.len() + 8);
        folder.run();
        folder.out
    }

    /// Whether a byte of the folded text is in a code block.
    #[must_use]
    pub fn in_code(&self, at: usize) -> bool {
        within(&self.code, at)
    }

    /// Whether a byte of the folded text is struck through.
    #[must_use]
    pub fn is_struck(&self, at: usize) -> bool {
        within(&self.struck, at)
    }

    /// The bytes of the original that `range` of the folded text came from.
    #[must_use]
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        let Some(&(start, _)) = self.origin.get(range.start) else { return 0..0 };
        let last = range.end.max(range.start + 1) - 1;
        let end = self.origin.get(last).map_or(start, |&(_, end)| end);
        start as usize..(end.max(start)) as usize
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Group {
    Plain,
    Numerator,
    Denominator,
}

struct Folder<'a> {
    original: &'a str,
    out: Folded,
    latex: bool,
    groups: Vec<Group>,
    /// A `\frac` was read and its next `{` opens this part.
    await_fraction: Option<Group>,
    math: bool,
    emphasis: bool,
    strike: Option<usize>,
    fence: Option<usize>,
}

impl Folder<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(c) = self.original[at..].chars().next() {
            let before = at;
            at += self.step(c, at).max(c.len_utf8());
            debug_assert!(at > before);
        }
        let end = self.out.text.len();
        if let Some(start) = self.strike.take() {
            self.out.struck.push(start..end);
        }
        if let Some(start) = self.fence.take() {
            self.out.code.push(start..end);
        }
    }

    /// Folds the character at `at`, or a longer construct that starts there, and says how many bytes that was.
    fn step(&mut self, c: char, at: usize) -> usize {
        let rest = &self.original[at..];
        match c {
            '\\' => self.command(rest, at),
            '{' | '}' | '&' if self.latex => self.group(c, rest, at),
            '*' => self.star(rest, at),
            '_' => self.underscore(rest, at),
            '`' => self.tick(rest, at),
            '~' if rest.starts_with("~~") => self.toggle_strike(at, 2),
            '$' => self.dollar(rest, at),
            '<' => self.tag(rest, at),
            '.' if rest.starts_with("...") => {
                self.push('…', at, 3);
                rest.bytes().take_while(|&b| b == b'.').count()
            }
            '-' if rest.starts_with("->") || rest.starts_with("-->") => {
                let len = if rest.starts_with("->") { 2 } else { 3 };
                self.push('→', at, len)
            }
            '=' if rest.starts_with("=>") => self.push('→', at, 2),
            '=' if rest.starts_with("==") => {
                let len = rest.bytes().take_while(|&b| b == b'=').count();
                self.push('=', at, len)
            }
            '!' if rest.starts_with("!=") => self.push('≠', at, 2),
            _ if c.is_ascii() => self.push(c.to_ascii_lowercase(), at, 1),
            _ => self.unicode(c, at),
        }
    }

    fn push(&mut self, c: char, at: usize, len: usize) -> usize {
        self.out.text.push(c);
        let origin = (offset(at), offset(at + len));
        for _ in 0..c.len_utf8() {
            self.out.origin.push(origin);
        }
        len
    }

    fn push_all(&mut self, text: &str, at: usize, len: usize) -> usize {
        for c in text.chars() {
            self.push(c, at, len);
        }
        len
    }

    fn last(&self) -> Option<char> {
        self.out.text.chars().next_back()
    }

    fn last_visible(&self) -> Option<char> {
        self.out.text.chars().rev().take(8).find(|c| *c != ' ')
    }

    fn unicode(&mut self, c: char, at: usize) -> usize {
        let len = c.len_utf8();
        match c {
            _ if invisible(c) => len,
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
                self.push(' ', at, len)
            }
            '−' | '‐' | '‑' | '‒' | '﹣' | '➖' => self.push('-', at, len),
            '×' | '✕' | '✖' | '⨯' | '·' | '⋅' | '∙' | '∗' => self.push('*', at, len),
            '÷' | '∕' | '⁄' | '➗' => self.push('/', at, len),
            '➕' => self.push('+', at, len),
            '٪' | '﹪' => self.push('%', at, len),
            '‘' | '’' | 'ʼ' | '′' => self.push('\'', at, len),
            '“' | '”' | '„' | '«' | '»' => self.push('"', at, len),
            '、' => self.push(',', at, len),
            '。' => self.push_all(". ", at, len),
            '≃' | '≅' | '∼' | '≒' => self.push('≈', at, len),
            '⇒' | '➜' | '➔' | '⟶' | '⟹' | '➡' | '↦' | '►' => self.push('→', at, len),
            '⋯' => self.push('…', at, len),
            '│' | '┃' | '║' => self.push('|', at, len),
            '√' | '✓' | '✔' | '✅' => self.push(' ', at, len),
            '\u{ff01}'..='\u{ff5e}' => {
                let ascii = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(' ');
                self.push(ascii.to_ascii_lowercase(), at, len)
            }
            _ => match vulgar_fraction(c) {
                Some(fraction) => {
                    if self.last().is_some_and(|c| c.is_ascii_digit()) {
                        self.push(' ', at, len);
                    }
                    self.push_all(fraction, at, len)
                }
                None => {
                    for lower in c.to_lowercase() {
                        self.push(lower, at, len);
                    }
                    len
                }
            },
        }
    }

    /// A LaTeX command, or an escaped character.
    fn command(&mut self, rest: &str, at: usize) -> usize {
        let name_len = rest[1..].bytes().take_while(u8::is_ascii_alphabetic).count();
        if name_len == 0 {
            let Some(next) = rest[1..].chars().next() else { return 1 };
            let len = 1 + next.len_utf8();
            return match next {
                // A thin space before a bracket, `8\,(1 + 0.75)`, multiplies.
                ',' | ';' | '!' | ':' | ' '
                    if opens_group(&rest[len..])
                        && self.last().is_some_and(|c| c.is_ascii_digit() || c == ')') =>
                {
                    len
                }
                '(' | ')' | '[' | ']' | ',' | ';' | '!' | ':' | ' ' => self.push(' ', at, len),
                '\\' => self.push('\n', at, len),
                '%' | '$' | '{' | '}' | '&' | '#' | '_' | '*' | '-' | '|' | '.' | '~' | '`' => {
                    self.push(next, at, len)
                }
                _ => self.push(' ', at, 1),
            };
        }
        let len = 1 + name_len;
        match &rest[1..len] {
            "frac" | "dfrac" | "tfrac" | "cfrac" => match rest.as_bytes().get(len..len + 2) {
                // `\frac14` takes its digits without braces.
                Some(&[top, bottom]) if top.is_ascii_digit() && bottom.is_ascii_digit() => {
                    let fraction = format!("({}/{})", char::from(top), char::from(bottom));
                    self.push_all(&fraction, at, len + 2)
                }
                _ => {
                    self.await_fraction = Some(Group::Numerator);
                    len
                }
            },
            "times" | "cdot" | "ast" => self.push('*', at, len),
            "div" | "over" => self.push('/', at, len),
            "therefore" | "because" | "since" => {
                self.push(' ', at, len);
                self.push_all(&rest[1..len], at, len);
                self.push(' ', at, len)
            }
            "percent" => self.push('%', at, len),
            "pounds" => self.push('£', at, len),
            "euro" => self.push('€', at, len),
            "approx" | "simeq" | "sim" | "approxeq" => self.push('≈', at, len),
            "rightarrow" | "to" | "implies" | "longrightarrow" | "mapsto" | "Rightarrow"
            | "Longrightarrow" | "leadsto" | "iff" => self.push('→', at, len),
            "ne" | "neq" => self.push('≠', at, len),
            "ldots" | "dots" | "cdots" => self.push('…', at, len),
            "left" | "right" | "boxed" | "displaystyle" | "big" | "bigg" | "Big" | "Bigg" | "bigl"
            | "bigr" => len,
            "begin" | "end" => {
                let argument = rest[len..].starts_with('{').then(|| rest[len..].find('}')).flatten();
                let len = argument.filter(|&close| close < 32).map_or(len, |close| len + close + 1);
                self.push(' ', at, len)
            }
            _ => self.push(' ', at, len),
        }
    }

    fn group(&mut self, c: char, rest: &str, at: usize) -> usize {
        match c {
            '{' if rest.starts_with("{,}") => self.push(',', at, 3),
            '{' if rest.starts_with("{.}") => self.push('.', at, 3),
            '{' => {
                let group = self.await_fraction.take().unwrap_or(Group::Plain);
                if self.groups.len() < MAX_GROUPS {
                    self.groups.push(group);
                }
                if group == Group::Numerator { self.push_all("((", at, 1) } else { 1 }
            }
            '}' => match self.groups.pop() {
                Some(Group::Numerator) => {
                    self.await_fraction = Some(Group::Denominator);
                    self.push_all(")/(", at, 1)
                }
                Some(Group::Denominator) => self.push_all("))", at, 1),
                _ => 1,
            },
            _ => self.push(' ', at, 1),
        }
    }

    /// `*`: a bullet, emphasis, or a multiplication.
    fn star(&mut self, rest: &str, at: usize) -> usize {
        let run = rest.bytes().take_while(|&b| b == b'*').count();
        let next = rest[run..].chars().next();
        let prev = self.last();
        if run > 1 {
            return run;
        }
        let spaced_before = prev.is_none_or(char::is_whitespace);
        let spaced_after = next.is_none_or(char::is_whitespace);
        let at_line_start = self.out.text.bytes().rev().find(|b| *b != b' ').is_none_or(|b| b == b'\n');
        let operand_before = self
            .last_visible()
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, ')' | '%' | '€' | '£'));
        if spaced_before && spaced_after {
            return self.push(if at_line_start { '•' } else { '*' }, at, 1);
        }
        if self.emphasis && !spaced_before {
            self.emphasis = false;
            return 1;
        }
        let operand_after =
            rest[1..].trim_start_matches(' ').chars().next().is_some_and(|c| {
                c.is_alphanumeric() || matches!(c, '(' | '$' | '€' | '£' | '.' | '-' | '\\')
            });
        let line = clip(&rest[1..]).split('\n').next().unwrap_or_default();
        if operand_before && operand_after && (!spaced_before || !line.contains('*')) {
            return self.push('*', at, 1);
        }
        if spaced_before || !operand_after {
            self.emphasis = !spaced_after;
        }
        1
    }

    fn underscore(&mut self, rest: &str, at: usize) -> usize {
        let digits = self.last().is_some_and(|c| c.is_ascii_digit())
            && rest[1..].chars().next().is_some_and(|c| c.is_ascii_digit());
        if digits {
            return self.push('_', at, 1);
        }
        // A subscript in LaTeX names or remarks; it is no part of what is computed.
        if self.latex && rest.starts_with("_{") {
            let close = clip(rest).find('}');
            let flat = close.filter(|&close| !rest[2..close].contains(['{', '\\']));
            if let Some(close) = flat {
                return self.push(' ', at, close + 1);
            }
        }
        self.push(' ', at, 1)
    }

    fn tick(&mut self, rest: &str, at: usize) -> usize {
        if !rest.starts_with("```") {
            return 1;
        }
        let here = self.out.text.len();
        if let Some(start) = self.fence.take() {
            self.out.code.push(start..here);
            self.push('\n', at, 3);
            return 3;
        }
        self.fence = Some(here);
        let info = rest.find('\n').unwrap_or(rest.len());
        // A fence that closes on its own line has its content there.
        if rest[3..info].contains('`') { 3 } else { info.max(3) }
    }

    fn toggle_strike(&mut self, at: usize, len: usize) -> usize {
        let here = self.out.text.len();
        match self.strike.take() {
            Some(start) => self.out.struck.push(start..here),
            None => self.strike = Some(here),
        }
        self.push(' ', at, len)
    }

    /// `$`: a currency, or the border of inline LaTeX.
    fn dollar(&mut self, rest: &str, at: usize) -> usize {
        if rest.starts_with("$$") {
            self.math = false;
            return self.push(' ', at, 2);
        }
        if self.math {
            self.math = false;
            return self.push(' ', at, 1);
        }
        let line = clip(&rest[1..]).split('\n').next().unwrap_or_default();
        let closes = line.find('$').is_some_and(|close| {
            let inside = line[..close].chars().next_back();
            let after = line[close + 1..].chars().next();
            inside.is_some_and(|c| !c.is_whitespace() && !"/+-*=(×÷−–".contains(c))
                && after.is_none_or(|c| !c.is_alphanumeric())
                && !line.starts_with(' ')
        });
        if closes {
            self.math = true;
            return self.push(' ', at, 1);
        }
        self.push('$', at, 1)
    }

    /// An HTML tag is layout, except that `<del>` and `<s>` strike out.
    fn tag(&mut self, rest: &str, at: usize) -> usize {
        let head = clip(rest);
        let Some(close) = head.find('>') else { return self.push('<', at, 1) };
        let inner = &head[1..close];
        let name = inner.trim_matches('/').split(' ').next().unwrap_or_default();
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.len() <= 32
            && name.bytes().all(plain);
        let len = close + 1;
        match name {
            _ if !is_name => self.push('<', at, 1),
            "s" | "del" | "strike" => self.toggle_strike(at, len),
            "b" | "i" | "u" | "em" | "strong" | "code" | "span" | "sup" | "sub" | "mark" => len,
            "td" | "th" => self.push('|', at, len),
            "br" | "p" | "li" | "tr" | "div" | "ul" | "ol" | "table" => self.push('\n', at, len),
            _ if inner.starts_with('/') => self.push('\n', at, len),
            // `<increase>25%</increase>` is a value with a label.
            _ => {
                self.push('\n', at, len);
                for c in name.chars() {
                    self.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }, at, len);
                }
                self.push_all(": ", at, len)
            }
        }
    }
}

/// Whether one of the ranges, which are in order, holds `at`.
pub(super) fn within(ranges: &[Range<usize>], at: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= at);
    ranges[..after].iter().rev().take(2).any(|range| range.contains(&at))
}

/// Whether a bracket, written in any size, opens here.
fn opens_group(rest: &str) -> bool {
    ["(", "\\left(", "\\bigl(", "\\big("].iter().any(|bracket| rest.starts_with(bracket))
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The first [`LOOK_AHEAD`] bytes of `text`, or a few less to end on a character.
fn clip(text: &str) -> &str {
    let mut end = text.len().min(LOOK_AHEAD);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn vulgar_fraction(c: char) -> Option<&'static str> {
    Some(match c {
        '½' => "1/2",
        '¼' => "1/4",
        '¾' => "3/4",
        '⅓' => "1/3",
        '⅔' => "2/3",
        '⅕' => "1/5",
        '⅖' => "2/5",
        '⅗' => "3/5",
        '⅘' => "4/5",
        '⅛' => "1/8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fold(text: &str) -> String {
        Folded::of(text).text
    }

    #[test]
    fn spellings_of_one_equation_fold_together() {
        assert_eq!(fold("80 × 1.25"), "80 * 1.25");
        assert_eq!(fold("80 \\times 1.25"), "80 * 1.25");
        assert_eq!(fold("**80** · 1.25"), "80 * 1.25");
        assert_eq!(fold("８０ ＊ 1.25"), "80 * 1.25");
        assert_eq!(fold("80*1.25"), "80*1.25");
        assert_eq!(fold("\\frac{20}{80} = 0.25"), "((20)/(80)) = 0.25");
        assert_eq!(fold("105{,}000 \\%"), "105,000 %");
        assert_eq!(fold("8\\,(1 + 0.75) &= 14"), "8(1 + 0.75)  = 14");
        assert_eq!(fold("80 \\times \\frac54"), "80 * (5/4)");
    }

    #[test]
    fn what_takes_no_room_parts_no_number() {
        for c in [
            '\u{200b}',
            '\u{200d}',
            '\u{2060}',
            '\u{202e}',
            '\u{2066}',
            '\u{ad}',
            '\u{feff}',
            '\u{e0020}',
            '\u{34f}',
        ] {
            assert_eq!(fold(&format!("{c}8{c}0,{c}000{c} / 4{c} = 2{c}0%")), "80,000 / 4 = 20%", "{c:?}");
        }
    }

    #[test]
    fn emphasis_goes_and_multiplication_stays() {
        assert_eq!(fold("it is *not* 20"), "it is not 20");
        assert_eq!(fold("*80* is the base"), "80 is the base");
        assert_eq!(fold("80 *1.25"), "80 *1.25");
        assert_eq!(fold("* item"), "• item");
    }

    #[test]
    fn dollars_are_money_unless_they_pair() {
        assert_eq!(fold("from $80k to $100k"), "from $80k to $100k");
        assert_eq!(fold("$20k/$80k"), "$20k/$80k");
        assert_eq!(fold("rate $0.25$, ok").trim(), "rate  0.25 , ok");
    }

    #[test]
    fn struck_text_is_known() {
        let folded = Folded::of("~~20%~~ 25%");
        assert_eq!(&folded.text[folded.struck[0].clone()], " 20%");
    }

    proptest! {
        #[test]
        fn any_text_folds_and_every_place_maps_back(text in "\\PC*|[\\\\{}$*_`~<>.a0\n−×½]{0,60}") {
            let folded = Folded::of(&text);
            for (at, c) in folded.text.char_indices() {
                let span = folded.original(at..at + c.len_utf8());
                prop_assert!(text.get(span).is_some());
            }
        }
    }
}
