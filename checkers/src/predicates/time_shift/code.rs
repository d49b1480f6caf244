//! Code that shifts times, told from code that only reads or converts them.

use std::sync::LazyLock;

use crate::lean::Regex;
use crate::prose::pattern;

/// Shifting code that cannot be anything else, wherever it stands.
static SHIFTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\btimedelta(?:64)?\s*\(\s*(?:(?:hours?|h|minutes|seconds)\s*=|['\x22]?-?\d+\s*,?\s*['\x22]?\s*h) | \b(?:relativedelta|dateoffset|to_timedelta)\s*\(\s*(?:\+?(?:hours?|minutes)\b|['\x22]?-?\d)
        | \binterval\s*\(?\s*'?\s*[+-]?\d+'?\s*(?:hours?|h|minutes?)\b | '\s*[+-]?\d+\s*hours?\s*'\s*(?:::\s*interval|\)) | \bdate_?(?:add|sub)\s*\( | \bdateadd\s*\( | \btimestampadd\s*\( | \baddtime\s*\(
        | \b(?:plus|add|minus|sub|subtract|with)_?(?:hours?|minutes)\s*\( | \.(?:add|plus|minus|subtract)\s*\(\s*(?:[+-]?\d+\s*,\s*['\x22]?h|\{?\s*hours?|duration|time\.hour|\d+\s*\*\s*time\.|3600)
        | \bset_?(?:utc_?)?hours\s*\( | \b(?:time)?(?:duration|delta)(?:::|\.)?(?:of_?)?(?:from_?)?(?:hours|try_hours)\s*\( | \b\d+\s*\*\s*time\.hour\b | \btime\.hour\s*\)
        | [+-]=?\s*\d+\.hours?\b | \.(?:advance|change)\s*\(\s*hours? | \d+\.hours?\.(?:from_now|ago|since)
        | [+-]\s*=?\s*(?:3600|3_600|3600000|3_600_000|60\s?\*\s?60(?:\s?\*\s?1000)?)\b | \bdate\s+(?:-u\s+)?-d\s*[^\n]{0,60}\bhours?\b | \bdate\s+[^\n]{0,30}-v\s*[+-]\d+h
        | \bdateutils\.add\b | [+-]\s*1\s*/\s*24\b | [+-]\s*time\s*\(\s*1\s*[,;]\s*0 | \bgmtime\([^)]*\+\s*\d | \bjulianday\b[^\n]*\+ | \bdatetime\s*\([^)]*,\s*'[+-]\d+\s*hours?'",
    )
});
/// What is a shift only in a line of code.
static SHIFTS_IN_CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bhours?\s*[:=]\s*[+-]?\d+\b | \bhours?\s*\+?=\s*(?:\w+\s*)?[+(]?\s*\d | \bhours?\)?\s*[+-]\s*\d\b | \[?'?hh?'?\]?\s*\+\s*1\b | \d\d:\d\d(?::\d\d)?(?:\.\d+)?[+-](?:0\d|1[0-4]):?(?:00|30|45)\b
        | \bsed\b[^\n]*(?:\bs|['\x22]s|;s|[,\d]s)[/|\#,@] | \bperl\b[^\n]*s[/|\#{] | \bawk\b[^\n]*\+\s*(?:1|3600)\b | \butc\s?[+]\s?0?\d\b | \betc/gmt[+-]\d | \btz\s*=\s*['\x22]?utc-\d
        | \bshift[\w-]*\s*(?:=|:|\()\s*['\x22]?[+-]?\d+ | --(?:shift|offset|add|hours)[\s=]+['\x22]?[+]?\d | \+\s*['\x22]?1\s?h(?:ours?)?\b | \bfaketime\b",
    )
});
/// Code that converts between zones.
static CONVERTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bas_?timezone\s*\( | \btz_(?:convert|localize)\s*\( | \bzone_?info\s*\( | \bpytz\.timezone | \bat\s+time\s+zone\s+' | \bin_?time_?zone\s*\( | \bin_time_zone\b | \bmoment\.tz\b | \bconvert_tz\s*\( | \bconverttime(?:zone|bysystemtimezoneid)?\s*\( | \bwithzonesameinstant\s*\( | \btzinfo\s*= | \btz\s*=\s*['\x22]?[a-z]+/[a-z] | \bfrom_tz\s*\( | \bconvert_timezone\s*\(",
    )
});

/// Whether a line of code, or of text in which code may stand, shifts times.
pub(super) fn shifts(line: &str, is_code: bool) -> bool {
    SHIFTS.is_match(line) || (is_code && SHIFTS_IN_CODE.is_match(line))
}

/// Whether a line holds code that converts to or from a named zone.
pub(super) fn converts(line: &str) -> bool {
    CONVERTS.is_match(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifting_code_in_many_languages() {
        for line in [
            "ts + timedelta(hours=1)",
            "df['ts'] += pd.Timedelta(hours=1)",
            "df.ts += pd.Timedelta('1h')",
            "UPDATE t SET ts = ts + INTERVAL '1 hour'",
            "SET ts = DATE_ADD(ts, INTERVAL 1 HOUR)",
            "ts.plusHours(1)",
            "d.setUTCHours(d.getUTCHours() + 1)",
            "t = t.Add(time.Hour)",
            "ts += 1.hour",
            "t + Duration::hours(1)",
            "ts + 3600",
            "date -u -d \"$ts + 1 hour\"",
            "addHours(date, 1)",
        ] {
            assert!(shifts(line, false), "{line}");
        }
        for line in [
            "sed -i 's/T09/T10/' a.csv",
            "start: 2024-07-01T09:00:00+01:00",
            "row.hour += 1",
            "SHIFT_HOURS = 1",
        ] {
            assert!(shifts(line, true), "{line}");
        }
    }

    #[test]
    fn other_code_and_prose() {
        for line in [
            "ts.astimezone(ZoneInfo('Europe/London'))",
            "sed -n 3p a.csv",
            "grep -n 2024-07 a.csv",
            "ts = parse(row['ts'])",
        ] {
            assert!(!shifts(line, true), "{line}");
        }
        for line in [
            "shift the summer rows by one hour",
            "UTC+1 in summer",
            "it would be one hour off",
            "date the rows by hours",
        ] {
            assert!(!shifts(line, false), "{line}");
        }
        assert!(converts("ts.astimezone(ZoneInfo('Europe/London'))"));
    }
}
