//! How numbers are written in prompts: exactly, without floating-point noise, in the ways people write them.

/// The largest integer that every program which reads the record can hold exactly.
pub const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_992.0;

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// `number` to twelve significant digits: what a person computed, not what binary fractions made of it.
#[must_use]
pub fn tidy(number: f64) -> f64 {
    let tidy: f64 = format!("{number:.11e}").parse().unwrap_or(number);
    // Adding zero turns a negative zero into a plain one.
    tidy + 0.0
}

/// The shortest decimal form: `80000`, `0.3`, `-2.5`.
#[must_use]
pub fn plain(number: f64) -> String {
    tidy(number).to_string()
}

/// With a comma before every third digit: `80,000`, `1,234.5`.
#[must_use]
pub fn thousands(number: f64) -> String {
    let text = plain(number);
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

/// With the largest letter that keeps the value exact: `80k`, `1.25M`, `3B`.
#[must_use]
pub fn short(number: f64) -> String {
    let scale = [(1e9, "B"), (1e6, "M"), (1e3, "k")];
    match scale.into_iter().find(|(unit, _)| number.abs() >= *unit) {
        Some((unit, letter)) => format!("{}{letter}", plain(number / unit)),
        None => plain(number),
    }
}

/// An amount of `unit`: a currency gets its sign and cents, anything else follows the number as a word.
#[must_use]
pub fn amount(number: f64, unit: &str, digits: &str) -> String {
    let sign = match unit {
        "$" | "USD" => "$",
        "€" | "EUR" => "€",
        "£" | "GBP" => "£",
        "¥" | "JPY" => "¥",
        "₹" | "INR" => "₹",
        "" => return digits.to_owned(),
        "%" => return format!("{digits}%"),
        _ => return format!("{digits} {unit}"),
    };
    // A single digit after the point reads as a slip in an amount of money: 12.5 is 12.50.
    let cents = match digits.split_once('.') {
        Some((_, fraction)) if fraction.len() == 1 => "0",
        _ => "",
    };
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let minus = if number < 0.0 { "-" } else { "" };
    format!("{minus}{sign}{unsigned}{cents}")
}

/// A ratio as a percentage with at most `digits` digits after the point: 0.25 is `25%`.
#[must_use]
pub fn percent(ratio: f64, digits: usize) -> String {
    let rounded: f64 = format!("{:.digits$}", tidy(ratio * 100.0)).parse().unwrap_or(ratio * 100.0);
    format!("{}%", plain(rounded))
}

/// `3rd`, `11th`, `22nd`.
#[must_use]
pub fn ordinal(number: i64) -> String {
    let suffix = match (number.abs() % 100, number.abs() % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

/// In words, from zero to a million; `None` beyond.
#[must_use]
pub fn words(number: i64) -> Option<String> {
    if number < 0 {
        return words(number.checked_neg()?).map(|words| format!("minus {words}"));
    }
    let number = usize::try_from(number).ok().filter(|number| *number <= 1_000_000)?;
    Some(match number {
        1_000_000 => "one million".to_owned(),
        1_000.. => joined(&format!("{} thousand", below_thousand(number / 1000)), number % 1000),
        _ => below_thousand(number),
    })
}

fn below_thousand(number: usize) -> String {
    match number {
        0..20 => ONES[number].to_owned(),
        20..100 if number.is_multiple_of(10) => TENS[number / 10].to_owned(),
        20..100 => format!("{}-{}", TENS[number / 10], ONES[number % 10]),
        _ => joined(&format!("{} hundred", ONES[number / 100 % 10]), number % 100),
    }
}

fn joined(head: &str, rest: usize) -> String {
    if rest == 0 { head.to_owned() } else { format!("{head} {}", below_thousand(rest)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!(plain(0.1 + 0.2), "0.3");
        assert_eq!(plain(-0.0), "0");
        assert_eq!(thousands(1_234_567.5), "1,234,567.5");
        assert_eq!(thousands(-80_000.0), "-80,000");
        assert_eq!(thousands(999.0), "999");
        assert_eq!(short(80_000.0), "80k");
        assert_eq!(short(1_250_000.0), "1.25M");
        assert_eq!(short(450.0), "450");
        assert_eq!(amount(-12.5, "USD", "-12.5"), "-$12.50");
        assert_eq!(amount(450.0, "ms", "450"), "450 ms");
        assert_eq!(percent(0.25, 2), "25%");
        assert_eq!(percent(1.0 / 3.0, 1), "33.3%");
        assert_eq!(percent(1.0 / 3.0, 0), "33%");
    }

    #[test]
    fn ordinals_and_words() {
        let all: Vec<_> = [1, 2, 3, 4, 11, 12, 13, 21, 102, 113].map(ordinal).into();
        assert_eq!(all.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 113th");
        assert_eq!(words(8).as_deref(), Some("eight"));
        assert_eq!(words(42).as_deref(), Some("forty-two"));
        assert_eq!(words(900).as_deref(), Some("nine hundred"));
        assert_eq!(words(70_310).as_deref(), Some("seventy thousand three hundred ten"));
        assert_eq!(words(1_000_000).as_deref(), Some("one million"));
        assert_eq!(words(1_000_001), None);
        assert_eq!(words(-3).as_deref(), Some("minus three"));
        assert_eq!(words(i64::MIN), None);
    }
}
