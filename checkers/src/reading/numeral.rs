//! Reads one number written in digits, with whatever separators its writer uses.
//!
//! `1,000`, `1.000`, `1 000`, `1'000`, `1_000`, `1.250.000`, `12,50,000`, `1.000,50`, `.25`, `0,25`, `1e3`. Where a single separator
//! before three digits could mean either thing, both values are kept: the likelier one first.

/// A number as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numeral {
    /// The value.
    pub value: f64,
    /// The printed unit of the last place: 1 for `91`, 0.01 for `0.25`.
    pub unit: f64,
    /// The other reading, for an ambiguous separator, with its unit.
    pub other: Option<(f64, f64)>,
}

/// The largest value there is here: any larger one is read as this, so that no arithmetic on what was read overflows.
pub const LARGEST: f64 = 1e100;

/// More groups than any real number has.
const MAX_GROUPS: usize = 10;

/// Reads the number at the start of `text` and says how many bytes it takes. `text` starts with a digit, or with a point
/// and a digit.
#[must_use]
pub fn read(text: &str) -> Option<(Numeral, usize)> {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'.') {
        let len = 1 + digits(&bytes[1..]);
        return (len > 1).then(|| finish(text, len, &format!("0{}", &text[..len]), None));
    }
    let first = digits(bytes);
    if first == 0 {
        return None;
    }
    let mut ends = [0_usize; MAX_GROUPS];
    let mut separators = [0_u8; MAX_GROUPS];
    let (mut count, mut end) = (0, first);
    while count < MAX_GROUPS {
        let Some(&separator) = bytes.get(end) else { break };
        let group = digits(bytes.get(end + 1..).unwrap_or_default());
        if !joins(separator, group, first, &separators[..count]) {
            break;
        }
        separators[count] = separator;
        end += 1 + group;
        ends[count] = end;
        count += 1;
    }
    interpret(text, first, &separators[..count], &ends[..count])
}

/// Whether `separator` and the `group` digits after it go on with a number.
fn joins(separator: u8, group: usize, first: usize, before: &[u8]) -> bool {
    match separator {
        b',' | b'.' | b'_' => group > 0,
        b'\'' => group == 3 && first <= 3,
        b' ' => group == 3 && first <= 3 && before.iter().all(|&b| b == b' '),
        _ => false,
    }
}

fn interpret(text: &str, first: usize, separators: &[u8], ends: &[usize]) -> Option<(Numeral, usize)> {
    let leading_zero = text.as_bytes()[0] == b'0' && first == 1;
    let group_len = |i: usize| ends[i] - 1 - if i == 0 { first } else { ends[i - 1] };
    let points: Vec<usize> =
        (0..separators.len()).filter(|&i| matches!(separators[i], b',' | b'.')).collect();
    let Some(&last) = points.last() else {
        let len = ends.last().copied().unwrap_or(first);
        return Some(finish(text, len, &strip(&text[..len]), None));
    };
    let len = *ends.last()?;
    let kinds_differ = points.iter().any(|&i| separators[i] != separators[last]);
    let same_as_last = points.iter().filter(|&&i| separators[i] == separators[last]).count();
    let lakhs = |upto: usize| {
        upto > 1
            && first <= 2
            && separators[..upto].iter().all(|&s| s == b',')
            && (0..upto).all(|i| group_len(i) == if i + 1 == upto { 3 } else { 2 })
    };
    let grouped =
        |upto: usize| first <= 3 && !leading_zero && ((0..upto).all(|i| group_len(i) == 3) || lakhs(upto));
    let decimal = |at: usize| {
        let start = if at == 0 { first } else { ends[at - 1] };
        format!("{}.{}", strip(&text[..start]), strip(&text[start + 1..len]))
    };
    if kinds_differ || separators.iter().any(|s| !matches!(s, b',' | b'.')) {
        // Thousands first, then one decimal mark at the end.
        if same_as_last == 1
            && last + 1 == separators.len()
            && (lakhs(last) || (0..last).all(|i| group_len(i) == 3))
        {
            return Some(finish(text, len, &decimal(last), None));
        }
    } else if points.len() == 1 {
        if !grouped(1) {
            return Some(finish(text, len, &decimal(0), None));
        }
        let (thousands, fraction) = (strip(&text[..len]), decimal(0));
        return Some(if separators[0] == b',' {
            finish(text, len, &thousands, Some(&fraction))
        } else {
            finish(text, len, &fraction, Some(&thousands))
        });
    } else if grouped(separators.len()) {
        return Some(finish(text, len, &strip(&text[..len]), None));
    }
    // A list without spaces, a date, a version: only its first number is read here.
    Some(finish(text, first, &text[..first], None))
}

fn finish(text: &str, len: usize, plain: &str, other: Option<&str>) -> (Numeral, usize) {
    let (exponent, exponent_len) = exponent(&text[len..]);
    let factor = 10_f64.powi(exponent);
    let parse = |plain: &str| {
        let value = (plain.parse::<f64>().unwrap_or(LARGEST) * factor).min(LARGEST);
        let decimals = plain.find('.').map_or(0, |point| plain.len() - point - 1);
        (value, 10_f64.powi(-i32::try_from(decimals).unwrap_or(300)) * factor)
    };
    let (value, unit) = parse(plain);
    (Numeral { value, unit, other: other.map(parse) }, len + exponent_len)
}

/// `e3`, `e-3` directly after a number, when no letter follows.
fn exponent(rest: &str) -> (i32, usize) {
    let bytes = rest.as_bytes();
    if bytes.first() != Some(&b'e') {
        return (0, 0);
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'-' | b'+')));
    let len = digits(&bytes[1 + sign..]);
    let end = 1 + sign + len;
    if len == 0 || len > 2 || bytes.get(end).is_some_and(u8::is_ascii_alphabetic) {
        return (0, 0);
    }
    (rest[1..end].trim_start_matches('+').parse().unwrap_or(0), end)
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn strip(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> (f64, Option<f64>, usize) {
        let (numeral, len) = read(text).unwrap();
        (numeral.value, numeral.other.map(|(value, _)| value), len)
    }

    #[test]
    fn no_number_is_too_large_to_be_finite() {
        for text in ["9".repeat(400), format!("{}e99", "9".repeat(300)), format!("0.{}1", "0".repeat(400))] {
            let (numeral, len) = read(&text).unwrap();
            assert!(numeral.value <= LARGEST && numeral.unit.is_finite(), "{numeral:?}");
            assert_eq!(len, text.len());
        }
    }

    #[test]
    fn separators_of_every_country() {
        for (text, gold) in [
            ("1000", 1000.0),
            ("1,250,000", 1_250_000.0),
            ("1.250.000", 1_250_000.0),
            ("12,50,000", 1_250_000.0),
            ("2,50,000.50", 250_000.5),
            ("1,05,00,000", 10_500_000.0),
            ("1 250 000", 1_250_000.0),
            ("1'000", 1000.0),
            ("1_000", 1000.0),
            ("1.000,50", 1000.5),
            ("1,000.50", 1000.5),
            (".25", 0.25),
            ("0,25", 0.25),
            ("0,206", 0.206),
            ("187,50", 187.5),
            ("1e3", 1000.0),
            ("2.5e-3", 0.0025),
        ] {
            assert_eq!(value(text), (gold, None, text.len()), "{text}");
        }
    }

    #[test]
    fn an_ambiguous_separator_keeps_both_values() {
        assert_eq!(value("1,000"), (1000.0, Some(1.0), 5));
        assert_eq!(value("1.000"), (1.0, Some(1000.0), 5));
    }

    #[test]
    fn a_list_without_spaces_is_no_number() {
        assert_eq!(value("3,4,5,6"), (3.0, None, 1));
        assert_eq!(value("3,10,11"), (3.0, None, 1));
        assert_eq!(value("72, in total"), (72.0, None, 2));
        assert_eq!(value("29."), (29.0, None, 2));
        assert_eq!(value("5..."), (5.0, None, 1));
        assert_eq!(value("12 345678"), (12.0, None, 2));
    }
}
