//! What response headers say of waiting: `Retry-After` in all its forms, and what is left of a rate limit.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// How long the endpoint asks to wait before the same request is sent again.
pub(crate) fn asked_to_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(milliseconds) = text("retry-after-ms").and_then(|value| value.trim().parse::<f64>().ok()) {
        return seconds(milliseconds / 1000.0);
    }
    let asked = text(RETRY_AFTER.as_str()).or_else(|| text("llm_provider-retry-after"))?;
    retry_after(asked, their_now(headers, now))
}

/// Whether the endpoint itself says that trying again makes sense, or none.
pub(crate) fn should_retry(headers: &HeaderMap) -> Option<bool> {
    match headers.get("x-should-retry")?.as_bytes() {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

/// How long to leave the endpoint alone because a limit is used up: the longest of all that are.
pub(crate) fn used_up(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let now = their_now(headers, now);
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let is_none_left = |name: &str| text(name).and_then(|left| left.parse::<f64>().ok()) == Some(0.0);
    let pairs = [
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        ("x-ratelimit-remaining", "x-ratelimit-reset"),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
        ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
        ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
        ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ];
    let waits = pairs.iter().filter(|(left, _)| is_none_left(left));
    waits.filter_map(|(_, reset)| until_reset(text(reset)?, now)).max()
}

/// The endpoint's own time, by which its dates are to be understood: our clock may be another.
fn their_now(headers: &HeaderMap, ours: SystemTime) -> SystemTime {
    let date = headers.get(DATE).and_then(|date| date.to_str().ok());
    date.and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(ours)
}

/// Reads a `retry-after` header: seconds, with or without a fraction, or a date.
fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(number) = header.parse::<f64>() {
        return seconds(number);
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Reads when a limit starts afresh: a time, a number of seconds, or a length such as `6m0s`.
fn until_reset(reset: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(number) = reset.parse::<f64>() {
        // So large a number counts from 1970, in seconds or in milliseconds.
        return match number {
            1e11.. => until(UNIX_EPOCH + seconds(number / 1000.0)?, now),
            1e9.. => until(UNIX_EPOCH + seconds(number)?, now),
            _ => seconds(number),
        };
    }
    if let Ok(time) = reset.parse::<Timestamp>() {
        let since = u64::try_from(time.as_millisecond()).ok()?;
        return until(UNIX_EPOCH + Duration::from_millis(since), now);
    }
    length(reset)
}

fn until(time: SystemTime, now: SystemTime) -> Option<Duration> {
    Some(time.duration_since(now).unwrap_or_default())
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number.max(0.0)).ok()
}

/// Reads a length such as `6m0s`, `59.9s` or `450ms`.
fn length(text: &str) -> Option<Duration> {
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let after = &rest[digits..];
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        total += number
            * match &after[..end] {
                "d" => 86_400.0,
                "h" => 3600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 1e-3,
                "us" | "µs" => 1e-6,
                _ => return None,
            };
        rest = &after[end..];
    }
    (!text.is_empty()).then(|| seconds(total)).flatten()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    fn now() -> SystemTime {
        httpdate::parse_http_date("Mon, 30 Nov 2026 11:37:40 GMT").unwrap()
    }

    fn asked(pairs: &[(&'static str, &str)]) -> Option<Duration> {
        asked_to_wait(&headers(pairs), now())
    }

    #[test]
    fn retry_after_is_read_in_all_forms() {
        let wait = |value: &str| asked(&[("retry-after", value)]);
        assert_eq!(wait("2"), Some(Duration::from_secs(2)));
        assert_eq!(wait(" 0.25 "), Some(Duration::from_millis(250)));
        assert_eq!(wait("-3"), Some(Duration::ZERO));
        assert_eq!(wait("Mon, 30 Nov 2026 11:37:50 GMT"), Some(Duration::from_secs(10)));
        assert_eq!(wait("Mon, 30 Nov 2026 11:37:30 GMT"), Some(Duration::ZERO));
        assert_eq!((wait("soon"), wait("inf"), wait("")), (None, None, None));
        assert_eq!(asked(&[("retry-after-ms", "450")]), Some(Duration::from_millis(450)));
        assert_eq!(
            asked(&[("retry-after-ms", "450"), ("retry-after", "9")]),
            Some(Duration::from_millis(450))
        );
        assert_eq!(asked(&[("llm_provider-retry-after", "3")]), Some(Duration::from_secs(3)));
        assert_eq!(asked(&[]), None);
    }

    #[test]
    fn dates_are_understood_by_the_endpoints_own_clock() {
        let skewed =
            [("date", "Mon, 30 Nov 2026 15:00:00 GMT"), ("retry-after", "Mon, 30 Nov 2026 15:00:07 GMT")];
        assert_eq!(asked(&skewed), Some(Duration::from_secs(7)));
    }

    #[test]
    fn the_endpoints_word_on_trying_again() {
        assert_eq!(should_retry(&headers(&[("x-should-retry", "true")])), Some(true));
        assert_eq!(should_retry(&headers(&[("x-should-retry", "false")])), Some(false));
        assert_eq!(should_retry(&headers(&[("x-should-retry", "maybe")])), None);
        assert_eq!(should_retry(&headers(&[])), None);
    }

    #[test]
    fn a_limit_that_is_used_up_is_waited_for() {
        let wait =
            |pairs: &[(&'static str, &str)]| used_up(&headers(pairs), now()).map(|wait| wait.as_secs_f64());
        let requests = |left, reset| {
            wait(&[("x-ratelimit-remaining-requests", left), ("x-ratelimit-reset-requests", reset)])
        };
        assert_eq!(requests("0", "6m0s"), Some(360.0));
        assert_eq!(requests("0", "59.9s"), Some(59.9));
        assert_eq!(requests("0", "450ms"), Some(0.45));
        assert_eq!(requests("0", "1h2m3s"), Some(3723.0));
        assert_eq!(requests("0", "7"), Some(7.0));
        assert_eq!(requests("1", "6m0s"), None);
        for bad in ["", "soon", "s", "6m0", "6x"] {
            assert_eq!(requests("0", bad), None, "{bad}");
        }
        assert_eq!(
            wait(&[
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "1s"),
                ("x-ratelimit-remaining-tokens", "0"),
                ("x-ratelimit-reset-tokens", "3s"),
            ]),
            Some(3.0)
        );
        assert_eq!(
            wait(&[
                ("anthropic-ratelimit-tokens-remaining", "0"),
                ("anthropic-ratelimit-tokens-reset", "2026-11-30T11:37:52Z"),
            ]),
            Some(12.0)
        );
        assert_eq!(
            wait(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1796038665000")]),
            Some(5.0)
        );
    }
}
