//! Points in time as people write them: dates with a time, times of day, epoch seconds, cron entries.

use std::ops::Range;
use std::sync::LazyLock;

use crate::lean::Regex;
use crate::prose::pattern;

/// A point in time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Seconds: since 1970 for one with a date, since midnight for one without.
    pub seconds: i64,
    /// Whether it has a date, and so can be told from others without its surroundings.
    pub dated: bool,
    /// Where it stands.
    pub range: Range<usize>,
}

impl Stamp {
    /// Whether the two are `shift` seconds apart, one way or the other.
    pub(super) fn is_shifted(&self, other: &Self, shift: i64) -> bool {
        let apart = (self.seconds - other.seconds).abs();
        self.dated == other.dated && (apart == shift || (!self.dated && apart == 86_400 - shift))
    }
}

static DATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?P<y>[12]\d{3})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?:t|\s|,|_|[|])\s{0,2}(?P<h>\d{1,2}):(?P<min>\d{2})(?::(?P<s>\d{2}))?",
    )
});
static EPOCH: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b1[0-9]{9}(?P<ms>[0-9]{3})?\b"));
static CRON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[\s`'\x22])(?P<min>\d{1,2})\s(?P<h>\d{1,2})\s[*\d][*\d,/-]*\s[*\d][*\w,/-]*\s[*\d][*\w,/-]*",
    )
});
static TIME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?P<h>\d{1,2}):(?P<min>\d{2})(?::(?P<s>\d{2}))?\s?(?P<half>[ap]\.?m\b)?"));

/// The points in time of `text`, in order.
pub(super) fn stamps(text: &str) -> Vec<Stamp> {
    let mut found: Vec<Stamp> = Vec::new();
    for captures in DATED.captures_iter(text) {
        let number =
            |name: &str| captures.name(name).and_then(|part| part.as_str().parse::<i64>().ok()).unwrap_or(0);
        let seconds = days(number("y"), number("m"), number("d")) * 86_400
            + number("h") * 3600
            + number("min") * 60
            + number("s");
        found.push(Stamp { seconds, dated: true, range: whole(&captures) });
    }
    for captures in EPOCH.captures_iter(text) {
        let all = whole(&captures);
        let seconds = text[all.start..all.start + 10].parse().unwrap_or(0);
        found.push(Stamp { seconds, dated: true, range: all });
    }
    found.sort_by_key(|stamp| stamp.range.start);
    let dated = found.len();
    for (captures, cron) in
        CRON.captures_iter(text).map(|c| (c, true)).chain(TIME.captures_iter(text).map(|c| (c, false)))
    {
        let number =
            |name: &str| captures.name(name).and_then(|part| part.as_str().parse::<i64>().ok()).unwrap_or(0);
        let (mut hour, minute) = (number("h"), number("min"));
        if hour > 24 || minute > 59 {
            continue;
        }
        if let Some(half) = (!cron).then(|| captures.name("half")).flatten() {
            hour = hour % 12 + if half.as_str().starts_with(['p', 'P']) { 12 } else { 0 };
        }
        let range = whole(&captures);
        let before = found[..dated].partition_point(|stamp| stamp.range.end <= range.start);
        if found[..dated].get(before).is_some_and(|stamp| stamp.range.start < range.end) {
            continue;
        }
        // An offset such as `+01:00` is no time of day.
        if !cron && text[..range.start].ends_with(['+', '−']) {
            continue;
        }
        let seconds = if cron { hour * 3600 + minute * 60 } else { hour * 3600 + minute * 60 + number("s") };
        found.push(Stamp { seconds, dated: false, range });
    }
    found.sort_by_key(|stamp| stamp.range.start);
    found
}

fn whole(captures: &crate::lean::Captures<'_>) -> Range<usize> {
    captures.get(0).map_or(0..0, |all| all.range())
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_become_seconds() {
        assert_eq!(stamps("1970-01-01T00:00:00Z")[0].seconds, 0);
        assert_eq!(stamps("at 2024-07-01 00:00 UTC")[0].seconds, 1_719_792_000);
        assert_eq!(stamps("1719792000")[0].seconds, 1_719_792_000);
        assert_eq!(stamps("1719792000000")[0].seconds, 1_719_792_000);
    }

    #[test]
    fn times_of_day_and_cron_entries() {
        let found = stamps("`0 4 * * *` and 10:30 and 2:15 pm, at +01:00");
        let seconds: Vec<i64> = found.iter().map(|stamp| stamp.seconds).collect();
        assert_eq!(seconds, [4 * 3600, 10 * 3600 + 1800, 14 * 3600 + 900]);
    }

    #[test]
    fn an_hour_apart_over_midnight() {
        let found = stamps("23:30 00:30 2024-07-31T23:30 2024-08-01T00:30");
        assert!(found[0].is_shifted(&found[1], 3600));
        assert!(found[2].is_shifted(&found[3], 3600));
        assert!(!found[0].is_shifted(&found[2], 3600));
    }
}
