//! Quantities: a number with what stands around it that changes its value or its kind.
//!
//! `$80k`, `80.000 EUR`, `25 %`, `25 percent`, `1.25x`, `3rd`, `a quarter`, `−9%`, `doubled`. Which tokens were taken is
//! part of the answer.

use std::ops::Range;

use super::lexer::{Kind, Token};
use super::numeral::LARGEST;
use super::spelled;

/// What a quantity measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A bare number, perhaps with a unit word after it.
    Plain,
    /// An amount of money.
    Money,
    /// A share of a hundred; the value of `25%` is 0.25.
    Percent,
    /// A difference of two percentages, which is no rate.
    Points,
    /// A factor, such as `1.25x`.
    Factor,
    /// A rank, such as `3rd`.
    Ordinal,
    /// A part in words, such as `a quarter`.
    Share,
}

/// A number read from the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// The likeliest value.
    pub value: f64,
    /// The printed unit of the last place, in the value's scale: 0.01 for `25%`, 1000 for `80k`.
    pub unit: f64,
    /// The other reading of an ambiguous separator, with its unit.
    pub other: Option<(f64, f64)>,
    /// What it measures.
    pub measure: Measure,
    /// The factor that a magnitude such as `k` put on it.
    pub magnitude: f64,
    /// An explicit sign in front: -1, 0 for none, 1.
    pub sign: i8,
    /// Whether it is written in words.
    pub spelled: bool,
    /// The tokens it takes.
    pub tokens: Range<usize>,
}

impl Quantity {
    /// The values it can have, with the unit of each one's last place.
    pub fn readings(&self) -> impl Iterator<Item = (f64, f64)> {
        std::iter::once((self.value, self.unit)).chain(self.other)
    }

    /// Whether a reading is `target` to the precision that was printed. The sign is not looked at.
    #[must_use]
    pub fn is(&self, target: f64) -> bool {
        self.readings().any(|(value, unit)| printed_as(target.abs(), value, unit))
    }
}

/// Whether `exact`, written with a last place of `unit`, can be printed as `value`: rounded, or cut off.
#[must_use]
pub fn printed_as(exact: f64, value: f64, unit: f64) -> bool {
    let slack = exact.abs().max(value.abs()) * 1e-9;
    let rounded = (exact - value).abs() <= unit / 2.0 + slack;
    let cut = unit < 1.0
        && value <= exact + slack
        && exact - value < unit
        && (exact - value).abs() < exact.abs() / 50.0;
    rounded || cut
}

const MAGNITUDES: &[(&str, f64)] = &[
    ("k", 1e3),
    ("thousand", 1e3),
    ("thousands", 1e3),
    ("grand", 1e3),
    ("tsd", 1e3),
    ("m", 1e6),
    ("mm", 1e6),
    ("mn", 1e6),
    ("mio", 1e6),
    ("mil", 1e6),
    ("million", 1e6),
    ("millions", 1e6),
    ("b", 1e9),
    ("bn", 1e9),
    ("billion", 1e9),
    ("lakh", 1e5),
    ("lakhs", 1e5),
    ("crore", 1e7),
    ("crores", 1e7),
];

/// Whether `word` names a currency.
#[must_use]
pub fn is_currency(word: &str) -> bool {
    matches!(
        word,
        "usd"
            | "eur"
            | "euro"
            | "euros"
            | "gbp"
            | "pound"
            | "pounds"
            | "quid"
            | "chf"
            | "franc"
            | "francs"
            | "dollar"
            | "dollars"
            | "buck"
            | "bucks"
            | "jpy"
            | "yen"
            | "inr"
            | "rupee"
            | "rupees"
            | "rs"
            | "cad"
            | "aud"
            | "sek"
            | "nok"
            | "dkk"
            | "pln"
            | "krona"
            | "zloty"
    )
}

fn is_currency_sign(token: &Token) -> bool {
    matches!(token.kind, Kind::Sign('$' | '€' | '£' | '¥' | '₹'))
}

/// Reads all quantities of a text, and for each token the quantity that starts there.
#[must_use]
pub fn quantities(text: &str, tokens: &[Token]) -> (Vec<Quantity>, Vec<Option<u32>>) {
    let reader = Reader { text, tokens };
    let mut found = Vec::new();
    let mut at_token = vec![None; tokens.len()];
    let mut at = 0;
    let mut operand_before = false;
    while at < tokens.len() {
        if let Some(quantity) = reader.quantity(at, operand_before) {
            at_token[at] = u32::try_from(found.len()).ok();
            at = quantity.tokens.end.max(at + 1);
            found.push(quantity);
            operand_before = true;
        } else {
            operand_before =
                tokens[at].is(')') || (operand_before && tokens[at].is_word() && tokens[at].glued);
            at += 1;
        }
    }
    (found, at_token)
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl<'a> Reader<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .filter(|token| token.is_word())
            .map_or("", |token| &self.text[token.start..token.end])
    }

    fn is(&self, at: usize, sign: char) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(sign))
    }

    fn glued(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.glued)
    }

    /// The quantity that starts at token `start`. After an operand a `-` is an operator, not a sign.
    fn quantity(&self, start: usize, operand_before: bool) -> Option<Quantity> {
        let mut at = start;
        let mut sign = 0;
        let mut money = false;
        for _ in 0..2 {
            let token = self.tokens.get(at)?;
            if sign == 0 && !operand_before && self.glued(at + 1) {
                sign = match token.kind {
                    Kind::Sign('-' | '–') => -1,
                    Kind::Sign('+') => 1,
                    _ => 0,
                };
                at += usize::from(sign != 0);
            }
            let sign_here = self.tokens.get(at).is_some_and(is_currency_sign);
            if !money && (sign_here || (is_currency(self.word(at)) && self.starts_number(at + 1))) {
                money = true;
                at += 1;
            }
        }
        let token = self.tokens.get(at)?;
        let mut quantity = match token.kind {
            Kind::Number(numeral) => Quantity {
                value: numeral.value,
                unit: numeral.unit,
                other: numeral.other,
                measure: Measure::Plain,
                magnitude: 1.0,
                sign,
                spelled: false,
                tokens: start..at + 1,
            },
            Kind::Word(_) if at == start || money || sign != 0 => self.in_words(start, at, sign)?,
            _ => return None,
        };
        self.mixed(&mut quantity);
        self.magnitude(&mut quantity, &mut money);
        self.suffix(&mut quantity);
        if money && quantity.measure == Measure::Plain {
            quantity.measure = Measure::Money;
        }
        // `million million million …` in words has no end of its own.
        let largest = |(value, unit): (f64, f64)| (value.min(LARGEST), unit.min(LARGEST));
        (quantity.value, quantity.unit) = largest((quantity.value, quantity.unit));
        quantity.other = quantity.other.map(largest);
        Some(quantity)
    }

    /// `33 1/3`, `1 1/4`: a whole number and a fraction of one.
    fn mixed(&self, quantity: &mut Quantity) {
        let at = quantity.tokens.end;
        let whole = |i: usize| match self.tokens.get(i).map(|token| token.kind) {
            Some(Kind::Number(numeral)) if numeral.unit == 1.0 => Some(numeral.value),
            _ => None,
        };
        if quantity.spelled || quantity.unit != 1.0 || self.glued(at) || !self.is(at + 1, '/') {
            return;
        }
        if let (Some(top), Some(bottom)) = (whole(at), whole(at + 2))
            && (self.glued(at + 1) && self.glued(at + 2))
            && (1.0..bottom).contains(&top)
            && bottom <= 12.0
        {
            quantity.value += top / bottom;
            quantity.unit = 1e-4;
            quantity.other = None;
            quantity.tokens.end = at + 3;
        }
    }

    fn in_words(&self, start: usize, at: usize, sign: i8) -> Option<Quantity> {
        let token = self.tokens.get(at)?;
        let plain = |value: f64, unit: f64, measure: Measure, end: usize| Quantity {
            value,
            unit,
            other: None,
            measure,
            magnitude: 1.0,
            sign,
            spelled: true,
            tokens: start..end,
        };
        match self.word(at) {
            "doubled" | "doubles" | "doubling" | "double" => {
                return Some(plain(2.0, 0.01, Measure::Factor, at + 1));
            }
            "tripled" | "triples" | "tripling" | "triple" => {
                return Some(plain(3.0, 0.01, Measure::Factor, at + 1));
            }
            _ => {}
        }
        if !spelled::may_start(self.text, token) {
            return None;
        }
        let number = spelled::read(self.text, self.tokens, at)?;
        let measure = match (number.ordinal, number.fraction) {
            (true, _) => Measure::Ordinal,
            (_, true) => Measure::Share,
            _ => Measure::Plain,
        };
        Some(plain(number.value, number.unit, measure, number.end))
    }

    /// `k`, `million`, `kEUR`, and a currency after the number.
    fn magnitude(&self, quantity: &mut Quantity, money: &mut bool) {
        let at = quantity.tokens.end;
        let word = self.word(at);
        let long = word.len() > 2;
        let mut end = at;
        if let Some(&(_, factor)) = MAGNITUDES.iter().find(|(name, _)| *name == word)
            && (long || self.glued(at) || word == "k" || *money)
            && quantity.measure == Measure::Plain
        {
            scale(quantity, factor);
            end += 1;
        } else if let Some(rest) = word.strip_prefix('k')
            && is_currency(rest)
        {
            scale(quantity, 1e3);
            *money = true;
            end += 1;
        }
        let after = self.word(end);
        let signed = self.tokens.get(end).is_some_and(is_currency_sign)
            && (self.glued(end) || !self.starts_number(end + 1));
        if signed || (is_currency(after) && !(after == "pound" && self.starts_number(end + 1))) {
            *money = true;
            end += 1;
        }
        quantity.tokens.end = end;
    }

    fn starts_number(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Number(_)))
    }

    /// `%`, `percent`, `points`, `x`, `-fold`, `rd`.
    fn suffix(&self, quantity: &mut Quantity) {
        if quantity.measure == Measure::Ordinal || quantity.measure == Measure::Factor {
            return;
        }
        let at = quantity.tokens.end;
        let word_at = at + usize::from(self.is(at, '-') && self.glued(at) && self.glued(at + 1));
        let percent_end = match self.word(word_at) {
            _ if self.is(at, '%') => Some(at + 1),
            "percent" | "pct" | "percents" | "prozent" | "procent" | "precent" | "percentage" => {
                Some(word_at + 1)
            }
            "per" if matches!(self.word(word_at + 1), "cent" | "centum") => Some(word_at + 2),
            "pp" | "ppt" | "ppts" | "pps" => {
                quantity.measure = Measure::Points;
                scale(quantity, 0.01);
                quantity.tokens.end = word_at + 1;
                return;
            }
            _ => None,
        };
        if let Some(end) = percent_end {
            let points = matches!(self.word(end), "point" | "points" | "pts")
                || (self.is(end, '-') && matches!(self.word(end + 1), "point" | "points"));
            quantity.measure = if points { Measure::Points } else { Measure::Percent };
            scale(quantity, 0.01);
            quantity.magnitude = 1.0;
            quantity.tokens.end = end + usize::from(points);
            return;
        }
        match self.word(word_at) {
            "x" if self.glued(at) && !self.starts_number(at + 1) => quantity.measure = Measure::Factor,
            "fold" => quantity.measure = Measure::Factor,
            "times"
                if !self.starts_number(at + 1)
                    && !is_currency_sign_at(self.tokens, at + 1)
                    && quantity.unit < 1.0 =>
            {
                quantity.measure = Measure::Factor;
            }
            "st" | "nd" | "rd" | "th" if self.glued(at) && !quantity.spelled => {
                quantity.measure = Measure::Ordinal;
            }
            _ => return,
        }
        quantity.tokens.end = word_at + 1;
    }
}

fn is_currency_sign_at(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(is_currency_sign)
}

fn scale(quantity: &mut Quantity, factor: f64) {
    quantity.value *= factor;
    quantity.unit *= factor;
    quantity.magnitude *= factor;
    quantity.other = quantity.other.map(|(value, unit)| (value * factor, unit * factor));
}

#[cfg(test)]
mod tests {
    use super::super::{lexer, normalize::Folded};
    use super::*;

    fn read(text: &str) -> Vec<(f64, Measure, i8)> {
        let folded = Folded::of(text);
        let tokens = lexer::tokens(&folded);
        let (found, _) = quantities(&folded.text, &tokens);
        found.iter().map(|q| ((q.value * 1e9).round() / 1e9, q.measure, q.sign)).collect()
    }

    #[test]
    fn one_amount_in_many_spellings() {
        for text in [
            "$80k",
            "$80,000",
            "80 000 €",
            "80.000,00 USD",
            "$80K",
            "$0.08M",
            "USD 80,000",
            "80 kEUR",
            "eighty thousand dollars",
            "€80 thousand",
            "US$80k",
            "0.8 lakh rupees",
        ] {
            let found = read(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!((found[0].0, found[0].1), (80_000.0, Measure::Money), "{text}");
        }
    }

    #[test]
    fn one_rate_in_many_spellings() {
        for text in [
            "25%",
            "25 %",
            "25 percent",
            "25 per cent",
            "２５％",
            "\\(25\\%\\)",
            "**25%**",
            "25 pct",
            "25-percent",
            "twenty-five percent",
            "25,0 %",
        ] {
            assert_eq!(read(text), [(0.25, Measure::Percent, 0)], "{text}");
        }
        assert_eq!(read("37½ %"), [(0.375, Measure::Percent, 0)]);
        assert_eq!(read("1 1/4"), [(1.25, Measure::Plain, 0)]);
        assert_eq!(read("a quarter"), [(0.25, Measure::Share, 0)]);
        assert_eq!(read("1.25x"), [(1.25, Measure::Factor, 0)]);
        assert_eq!(read("5 percentage points"), [(0.05, Measure::Points, 0)]);
    }

    #[test]
    fn signs_and_operators() {
        assert_eq!(read("−9%"), [(0.09, Measure::Percent, -1)]);
        assert_eq!(read("temperature is −3"), [(3.0, Measure::Plain, -1)]);
        assert_eq!(read("x=5-3"), [(5.0, Measure::Plain, 0), (3.0, Measure::Plain, 0)]);
        assert_eq!(read("the 3rd"), [(3.0, Measure::Ordinal, 0)]);
        assert_eq!(read("42km"), [(42.0, Measure::Plain, 0)]);
        assert_eq!(
            read("72 clips, which took 3 hours."),
            [(72.0, Measure::Plain, 0), (3.0, Measure::Plain, 0)]
        );
    }

    #[test]
    fn strings_that_other_readers_get_wrong() {
        let last = |text: &str| read(text).last().map(|found| found.0);
        for (text, gold) in [
            ("$29.00.", 29.0),
            ("1 000", 1000.0),
            ("1e3", 1000.0),
            ("5...", 5.0),
            ("#### 72 … wrong. #### 27", 27.0),
            ("\\[\\boxed{42}\\]", 42.0),
            ("72, in total", 72.0),
            ("1,000", 1000.0),
            ("$110", 110.0),
        ] {
            assert_eq!(last(text), Some(gold), "{text}");
        }
    }

    #[test]
    fn printing_rounds_or_cuts() {
        assert!(printed_as(0.246_58, 0.247, 0.001));
        assert!(printed_as(0.246_58, 0.246, 0.001));
        assert!(printed_as(0.246_58, 0.25, 0.01));
        assert!(!printed_as(0.246_58, 0.2, 0.01));
        assert!(!printed_as(8.0, 7.0, 1.0));
        assert!(printed_as(270_400.0, 270_000.0, 1000.0));
    }
}
