//! What tokens cost. Prices are decimal, a token costs millionths of a cent, and sums of a great many of them decide when
//! a run has to stop: so everything is a whole number, and nothing is rounded before it is shown.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Usage;

/// Decimal places of an amount as people write it.
const PLACES: usize = 6;

/// What a model's tokens cost, in millionths of a currency unit for a million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The currency's three letters.
    pub currency: String,
    /// A million tokens read.
    pub input: u64,
    /// A million tokens read from a cache.
    pub cached: u64,
    /// A million tokens written, reasoning included.
    pub output: u64,
}

impl Prices {
    /// What `usage` costs.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Amount {
        // Millionths of a unit for a million tokens are 10⁻¹² of a unit for one.
        let part = |tokens: u64, price: u64| Amount(u128::from(tokens) * u128::from(price));
        part(usage.input.saturating_sub(usage.cached), self.input)
            + part(usage.cached, self.cached)
            + part(usage.output, self.output)
    }
}

/// An amount of money, exact to 10⁻¹² of its currency's unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(u128);

/// Why a text is no amount of money.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no amount: write digits, with a point and at most {PLACES} decimal places, such as 5 or 0.25"
)]
pub struct AmountError(String);

impl Amount {
    /// An amount of so many millionths.
    #[must_use]
    pub fn from_micros(micros: u64) -> Self {
        Self(u128::from(micros) * 1_000_000)
    }

    /// Millionths, rounded up: what was spent is never shown as less.
    #[must_use]
    pub fn micros(self) -> u64 {
        u64::try_from(self.0.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }

    /// So many percent of it.
    #[must_use]
    pub fn percent(self, percent: u32) -> Self {
        Self(self.0.saturating_mul(u128::from(percent)) / 100)
    }
}

impl std::str::FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || AmountError(text.chars().take(40).collect());
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(part) || part.len() > PLACES {
            return Err(error());
        }
        let micros = format!("{whole}{part:0<PLACES$}").parse().map_err(|_| error())?;
        Ok(Self::from_micros(micros))
    }
}

impl fmt::Display for Amount {
    /// Two decimal places at least, more where they say something.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.micros();
        let part = format!("{:06}", micros % 1_000_000);
        let kept = part.trim_end_matches('0').len().max(2);
        write!(f, "{}.{}", micros / 1_000_000, &part[..kept])
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn amounts_are_read_and_shown_exactly() {
        for (text, shown, micros) in [
            ("5", "5.00", 5_000_000),
            ("5.0", "5.00", 5_000_000),
            ("0.25", "0.25", 250_000),
            ("0.000001", "0.000001", 1),
            ("12345.678901", "12345.678901", 12_345_678_901),
        ] {
            assert_eq!((amount(text).to_string().as_str(), amount(text).micros()), (shown, micros));
        }
        for bad in ["", ".5", "5.", "-1", "1e3", "1,000", "0.0000001", "5 USD", "99999999999999999999"] {
            assert!(bad.parse::<Amount>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_million_cheap_tokens_cost_what_the_price_list_says() {
        let prices = Prices { currency: "USD".to_owned(), input: 150_000, cached: 75_000, output: 600_000 };
        let usage = |input, cached, output| Usage { input, cached, output, reasoning: 0 };
        assert_eq!(prices.cost(&usage(1_000_000, 0, 0)), amount("0.15"));
        assert_eq!(prices.cost(&usage(1_000_000, 1_000_000, 1_000_000)), amount("0.675"));
        // One token at a time comes to the same as all at once, and no single one is rounded away.
        let one = prices.cost(&usage(1, 0, 0));
        assert_eq!((0..1_000_000).map(|_| one).sum::<Amount>(), amount("0.15"));
        assert_eq!(one.micros(), 1);
        // Counts and prices that make no sense cost as much as can be told.
        let dear = Prices { input: u64::MAX, cached: u64::MAX, output: u64::MAX, ..prices.clone() };
        let most = dear.cost(&usage(u64::MAX, 0, u64::MAX));
        assert_eq!((most + most).percent(200).micros(), u64::MAX);
        // A count that makes no sense costs nothing below zero.
        assert_eq!(prices.cost(&usage(0, 10, 0)), prices.cost(&usage(10, 10, 0)));
    }
}
