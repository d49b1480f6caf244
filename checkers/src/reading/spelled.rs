//! Numbers in words: `eight`, `twenty-five`, `a hundred and twenty`, `three quarters`, `one and a half`, `third`,
//! `zero point nine one`.

use super::lexer::{Kind, Token};

/// A number in words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spelled {
    /// The value.
    pub value: f64,
    /// The unit of its last place.
    pub unit: f64,
    /// Whether it is a rank (`third`) rather than a count.
    pub ordinal: bool,
    /// Whether it is a part of one (`a quarter`).
    pub fraction: bool,
    /// The token after it.
    pub end: usize,
}

enum Part {
    /// 0 to 19 and the tens.
    Small(f64),
    Hundred,
    Scale(f64),
    /// A rank, which is also the name of a part: `third`.
    Rank(f64),
    /// A part that is no rank: `half`, `quarters`, `thirds`.
    Share(f64),
}

fn part(word: &str) -> Option<Part> {
    use Part::{Hundred, Rank, Scale, Share, Small};
    Some(match word {
        "zero" => Small(0.0),
        "one" => Small(1.0),
        "two" => Small(2.0),
        "three" => Small(3.0),
        "four" => Small(4.0),
        "five" => Small(5.0),
        "six" => Small(6.0),
        "seven" => Small(7.0),
        "eight" | "eigth" => Small(8.0),
        "nine" => Small(9.0),
        "ten" => Small(10.0),
        "eleven" => Small(11.0),
        "twelve" => Small(12.0),
        "thirteen" => Small(13.0),
        "fourteen" => Small(14.0),
        "fifteen" => Small(15.0),
        "sixteen" => Small(16.0),
        "seventeen" => Small(17.0),
        "eighteen" => Small(18.0),
        "nineteen" => Small(19.0),
        "twenty" => Small(20.0),
        "thirty" => Small(30.0),
        "forty" | "fourty" => Small(40.0),
        "fifty" => Small(50.0),
        "sixty" => Small(60.0),
        "seventy" => Small(70.0),
        "eighty" => Small(80.0),
        "ninety" => Small(90.0),
        "hundred" => Hundred,
        "thousand" => Scale(1e3),
        "million" => Scale(1e6),
        "billion" => Scale(1e9),
        "half" | "halves" => Share(2.0),
        "quarter" | "quarters" => Share(4.0),
        "thirds" => Share(3.0),
        "fifths" => Share(5.0),
        "sixths" => Share(6.0),
        "eighths" => Share(8.0),
        "tenths" => Share(10.0),
        "hundredths" => Share(100.0),
        "first" => Rank(1.0),
        "second" => Rank(2.0),
        "third" => Rank(3.0),
        "fourth" => Rank(4.0),
        "fifth" => Rank(5.0),
        "sixth" => Rank(6.0),
        "seventh" => Rank(7.0),
        "eighth" => Rank(8.0),
        "ninth" => Rank(9.0),
        "tenth" => Rank(10.0),
        "eleventh" => Rank(11.0),
        "twelfth" => Rank(12.0),
        "thirteenth" => Rank(13.0),
        "fourteenth" => Rank(14.0),
        "fifteenth" => Rank(15.0),
        "sixteenth" => Rank(16.0),
        "seventeenth" => Rank(17.0),
        "eighteenth" => Rank(18.0),
        "nineteenth" => Rank(19.0),
        "twentieth" => Rank(20.0),
        "thirtieth" => Rank(30.0),
        _ => return None,
    })
}

/// Reads the number in words that starts at token `at`.
#[must_use]
pub fn read(text: &str, tokens: &[Token], at: usize) -> Option<Spelled> {
    let word = |i: usize| {
        tokens.get(i).filter(|token| token.is_word()).map_or("", |token| &text[token.start..token.end])
    };
    let article = matches!(word(at), "a" | "an" | "one" | "another");
    let (mut total, mut current, mut any, mut i) = (0.0, 0.0, false, at);
    if article && word(at) != "one" {
        if !matches!(part(word(at + 1)), Some(Part::Hundred | Part::Scale(_))) {
            return after_article(&word, at);
        }
        (current, any, i) = (1.0, true, at + 1);
    }
    let mut last_small = f64::MAX;
    loop {
        match part(word(i)) {
            Some(Part::Small(value)) if !any || fits(last_small, value) => {
                current += value;
                last_small = value;
            }
            Some(Part::Hundred) if any => {
                current *= 100.0;
                last_small = 100.0;
            }
            Some(Part::Scale(scale)) if any => {
                total += current * scale;
                (current, last_small) = (0.0, scale);
            }
            Some(Part::Rank(rank)) if !any || fits(last_small, rank) && !(article && i == at + 1) => {
                let value = total + current + rank;
                if any && last_small < 20.0 {
                    break;
                }
                return Some(Spelled { value, unit: 1.0, ordinal: true, fraction: false, end: i + 1 });
            }
            Some(Part::Rank(parts)) if any && total + current > 0.0 => {
                return Some(share((total + current) / parts, i + 1));
            }
            Some(Part::Share(parts)) if any => return Some(share((total + current) / parts, i + 1)),
            Some(Part::Share(2.0))
                if !matches!(word(at.wrapping_sub(1)), "first" | "second" | "other" | "last") =>
            {
                return Some(share(0.5, i + 1));
            }
            _ => break,
        }
        any = true;
        i += 1;
        if i - at > 12 {
            break;
        }
        let hyphen = tokens.get(i).is_some_and(|token| token.is('-') && token.glued)
            && tokens.get(i + 1).is_some_and(|token| token.glued);
        let and = word(i) == "and" && (100.0..f64::MAX).contains(&last_small);
        if (hyphen || and) && part(word(i + 1)).is_some_and(|next| continues(&next, last_small)) {
            i += 1;
        }
    }
    if !any {
        return None;
    }
    let value = total + current;
    if word(i) == "and" && matches!(word(i + 1), "a" | "one" | "three") {
        let from = if word(i + 1) == "a" { after_article(&word, i + 1) } else { read_share(&word, i + 1) };
        if let Some(rest) = from.filter(|rest| rest.fraction) {
            return Some(Spelled { value: value + rest.value, ..rest });
        }
    }
    if word(i) == "point"
        && let Some((value, unit, end)) = decimals(&word, value, i + 1)
    {
        return Some(Spelled { value, unit, ordinal: false, fraction: false, end });
    }
    Some(Spelled { value, unit: 1.0, ordinal: false, fraction: false, end: i })
}

fn fits(last: f64, next: f64) -> bool {
    last >= 100.0 || (last >= 20.0 && next < 10.0)
}

fn continues(next: &Part, last_small: f64) -> bool {
    match next {
        Part::Small(value) | Part::Rank(value) => fits(last_small, *value) || last_small < 20.0,
        Part::Hundred | Part::Scale(_) | Part::Share(_) => true,
    }
}

fn share(value: f64, end: usize) -> Spelled {
    Spelled { value, unit: 0.01, ordinal: false, fraction: true, end }
}

fn read_share<'t>(word: &impl Fn(usize) -> &'t str, at: usize) -> Option<Spelled> {
    let Some(Part::Small(count)) = part(word(at)) else { return None };
    match part(word(at + 1))? {
        Part::Share(parts) | Part::Rank(parts) => Some(share(count / parts, at + 2)),
        _ => None,
    }
}

fn after_article<'t>(word: &impl Fn(usize) -> &'t str, at: usize) -> Option<Spelled> {
    match part(word(at + 1))? {
        Part::Share(parts) => Some(share(1.0 / parts, at + 2)),
        Part::Rank(parts)
            if parts > 2.0
                && matches!(
                    word(at + 2),
                    "" | "of"
                        | "below"
                        | "less"
                        | "more"
                        | "lower"
                        | "higher"
                        | "up"
                        | "down"
                        | "so"
                        | "on"
                        | "over"
                        | "above"
                        | "is"
                        | "larger"
                        | "bigger"
                        | "smaller"
                        | "extra"
                        | "to"
                        | "added"
                        | "again"
                        | "not"
                        | "and"
                        | "or"
                        | "in"
                ) =>
        {
            Some(share(1.0 / parts, at + 2))
        }
        _ => None,
    }
}

fn decimals<'t>(word: &impl Fn(usize) -> &'t str, whole: f64, at: usize) -> Option<(f64, f64, usize)> {
    let (mut value, mut unit, mut i) = (whole, 1.0, at);
    while let Some(Part::Small(digit)) = part(if word(i) == "oh" { "zero" } else { word(i) }) {
        if i - at > 8 {
            break;
        }
        // `point twenty-five` is spoken too.
        let places = if digit >= 10.0 { 0.01 } else { 0.1 };
        unit *= places;
        value += digit * unit;
        i += 1;
    }
    (i > at).then_some((value, unit, i))
}

/// Whether `token` can start a number in words, cheaply.
#[must_use]
pub fn may_start(text: &str, token: &Token) -> bool {
    matches!(token.kind, Kind::Word(_))
        && matches!(
            text.as_bytes()[token.start],
            b'a' | b'o' | b't' | b'f' | b's' | b'e' | b'n' | b'z' | b'h' | b'q'
        )
}

#[cfg(test)]
mod tests {
    use super::super::{lexer, normalize::Folded};
    use super::*;

    fn number(text: &str) -> Option<(f64, bool, bool)> {
        let folded = Folded::of(text);
        let tokens = lexer::tokens(&folded);
        read(&folded.text, &tokens, 0).map(|s| ((s.value * 1e6).round() / 1e6, s.ordinal, s.fraction))
    }

    #[test]
    fn counts_ranks_and_shares() {
        for (text, gold) in [
            ("eight", (8.0, false, false)),
            ("twenty-five", (25.0, false, false)),
            ("ninety one", (91.0, false, false)),
            ("one hundred and twenty", (120.0, false, false)),
            ("a hundred thousand", (100_000.0, false, false)),
            ("eighty thousand", (80_000.0, false, false)),
            ("two hundred fifty thousand", (250_000.0, false, false)),
            ("a quarter", (0.25, false, true)),
            ("three quarters", (0.75, false, true)),
            ("two-thirds", (0.666_667, false, true)),
            ("one third", (0.333_333, false, true)),
            ("half", (0.5, false, true)),
            ("one and a half", (1.5, false, true)),
            ("third", (3.0, true, false)),
            ("twenty-first", (21.0, true, false)),
            ("zero point nine one", (0.91, false, false)),
            ("one point two five", (1.25, false, false)),
        ] {
            assert_eq!(number(text), Some(gold), "{text}");
        }
        assert_eq!(number("a fifth, so"), Some((0.2, false, true)));
        assert_eq!(number("a fifth wheel"), None);
        assert_eq!(number("a house"), None);
        assert_eq!(number("hundred"), None);
    }
}
