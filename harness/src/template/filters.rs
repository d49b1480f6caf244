//! The filters a case file can use, besides the engine's own.
//!
//! | filter | 80000, 0.25, 3, … | becomes |
//! |---|---|---|
//! | `money`, `money("EUR")`, `money("ms")` | 80000 | `$80,000`, `€80,000`, `80,000 ms` |
//! | `short`, `short("USD")` | 1250000 | `1.25M`, `$1.25M` |
//! | `thousands` | 80000 | `80,000` |
//! | `number` | 80000.0 | `80000` |
//! | `percent`, `percent(1)` | 0.25 (a ratio) | `25%` |
//! | `pct` | 25 (already a percentage) | `25%` |
//! | `ordinal`, `words` | 3 | `3rd`, `three` |
//! | `date("%-d %B %Y")`, `add_days(9)` | `2026-03-01` | `1 March 2026`, `2026-03-10` |
//! | `sha256`, `bytes` | a text | its digest in hex, its length in bytes |
//! | `tojson` | anything | compact JSON |

use jiff::ToSpan;
use jiff::civil::Date;
use minijinja::{Environment, Error, ErrorKind, Value};
use sha2::{Digest, Sha256};

use super::number;

pub(super) fn add_to(engine: &mut Environment<'static>) {
    engine.add_filter("money", |value: &Value, unit: Option<String>| {
        let number = numeric(value, "money")?;
        Ok::<_, Error>(number::amount(number, unit.as_deref().unwrap_or("USD"), &number::thousands(number)))
    });
    engine.add_filter("short", |value: &Value, unit: Option<String>| {
        let number = numeric(value, "short")?;
        Ok::<_, Error>(number::amount(number, unit.as_deref().unwrap_or(""), &number::short(number)))
    });
    engine.add_filter("thousands", |value: &Value| numeric(value, "thousands").map(number::thousands));
    engine.add_filter("number", |value: &Value| numeric(value, "number").map(number::plain));
    engine.add_filter("percent", |value: &Value, digits: Option<usize>| {
        numeric(value, "percent").map(|ratio| number::percent(ratio, digits.unwrap_or(2).min(12)))
    });
    engine.add_filter("pct", |value: &Value| {
        numeric(value, "pct").map(|number| format!("{}%", number::plain(number)))
    });
    engine.add_filter("ordinal", |value: &Value| whole(value, "ordinal").map(number::ordinal));
    engine.add_filter("words", |value: &Value| {
        let number = whole(value, "words")?;
        number::words(number).ok_or_else(|| refuse(format!("`words` goes up to a million, not {number}")))
    });
    engine.add_filter("date", |value: &Value, format: &str| {
        let date = date_of(value, "date")?;
        jiff::fmt::strtime::format(format, date)
            .map_err(|error| refuse(format!("`{format}` is not a date format: {error}")))
    });
    engine.add_filter("add_days", |value: &Value, days: i64| {
        let date = date_of(value, "add_days")?;
        let span = 0.days().try_days(days).map_err(|error| refuse(error.to_string()))?;
        date.checked_add(span).map(|date| date.to_string()).map_err(|error| refuse(error.to_string()))
    });
    engine.add_filter("sha256", |text: &str| crate::case::digest::hex(&Sha256::digest(text)));
    engine.add_filter("bytes", |text: &str| text.len());
    engine.add_filter("tojson", |value: &Value| {
        serde_json::to_value(value)
            .map(|value| super::value::tidy_json(value).to_string())
            .map_err(|error| refuse(error.to_string()))
    });
}

fn refuse(detail: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, detail)
}

fn numeric(value: &Value, filter: &str) -> Result<f64, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if !value.is_number() {
        return Err(refuse(format!("`{filter}` needs a number, not {} `{value}`", value.kind())));
    }
    f64::try_from(value.clone())
}

fn whole(value: &Value, filter: &str) -> Result<i64, Error> {
    let number = numeric(value, filter)?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53, so the conversion is exact")]
    if number.fract() == 0.0 && number.abs() <= number::MAX_SAFE_INTEGER {
        Ok(number as i64)
    } else {
        Err(refuse(format!("`{filter}` needs a whole number, not `{value}`")))
    }
}

fn date_of(value: &Value, filter: &str) -> Result<Date, Error> {
    let text = value.as_str().ok_or_else(|| refuse(format!("`{filter}` needs a date such as 2026-03-10")))?;
    text.parse().map_err(|_| refuse(format!("`{filter}` needs a date such as 2026-03-10, not `{text}`")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::template::{Context, Template};

    fn render(source: &str) -> String {
        let values =
            json!({"start": 80000, "ratio": 0.25, "day": "2026-02-28", "name": "a\"<b>", "list": [1, 2.0]});
        let result = Template::new(source).and_then(|t| t.render(&Context::new(values.as_object().unwrap())));
        result.unwrap_or_else(|error| format!("error: {}", error.message))
    }

    #[test]
    fn each_filter_does_what_its_table_says() {
        assert_eq!(
            render("{{ start | money }} {{ start | money('EUR') }} {{ start | money('ms') }}"),
            "$80,000 €80,000 80,000 ms"
        );
        assert_eq!(render("{{ start | short('USD') }} {{ start | short }}"), "$80k 80k");
        assert_eq!(render("{{ start | thousands }} {{ (start / 3) | round(2) }}"), "80,000 26666.67");
        assert_eq!(
            render("{{ ratio | percent }} {{ 25.0 | pct }} {{ (1/3) | percent(1) }}"),
            "25% 25% 33.3%"
        );
        assert_eq!(render("{{ 3 | ordinal }} {{ 8 | words }}"), "3rd eight");
        assert_eq!(
            render("{{ day | date('%-d %B %Y') }} {{ day | add_days(3) }}"),
            "28 February 2026 2026-03-03"
        );
        assert_eq!(render("{{ name | tojson }} {{ list | tojson }}"), r#""a\"<b>" [1,2]"#);
        assert_eq!(
            render("{{ '' | sha256 }}"),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(render("{{ 'é' | bytes }}"), "2");
    }

    #[test]
    fn a_filter_says_what_it_was_given() {
        assert_eq!(render("{{ day | money }}"), "error: `money` needs a number, not string `2026-02-28`");
        assert_eq!(render("{{ ratio | ordinal }}"), "error: `ordinal` needs a whole number, not `0.25`");
        assert_eq!(render("{{ 2000000 | words }}"), "error: `words` goes up to a million, not 2000000");
        assert_eq!(
            render("{{ 'soon' | date('%Y') }}"),
            "error: `date` needs a date such as 2026-03-10, not `soon`"
        );
        assert_eq!(render("{{ nothing | money }}"), "error: `nothing` is not defined");
        assert!(render("{{ day | date('%!') }}").starts_with("error: `%!` is not"));
        assert!(render("{{ day | add_days(99999999999) }}").starts_with("error: "));
    }
}
