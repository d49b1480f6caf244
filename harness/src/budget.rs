//! What a run may use up: money, tokens, time. A run that has used it up starts no further trials and says so.
//!
//! Money and tokens are those of the whole run, every attempt before a resume included, as the journal has them. Time is
//! that of one sitting. What is under way when the budget is used up is finished, because it is paid for; only when
//! [`HARD_PERCENT`] of the budget is used up is it given up too, kept in the journal as an error, and so played again by
//! a resume.

mod meter;
mod taken;

use std::time::Duration;

use model_matrix::Model;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use transcript::Amount;

pub use meter::{Meter, Spent};
pub use taken::Taken;

/// How much of a budget may be used up before trials under way are given up.
pub const HARD_PERCENT: u32 = 150;

/// A budget; what is `None` is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Money, in the currency of the matrix's prices.
    #[serde(with = "money", skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<Amount>,
    /// Tokens, read and written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Time for one sitting.
    #[serde(with = "length", skip_serializing_if = "Option::is_none")]
    pub max_time: Option<Duration>,
}

/// Why a budget cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// Models whose cost cannot be told.
    #[error(
        "the budget limits the cost, but the matrix has no `prices` for {}: add `prices: {{ currency: USD, input: …, output: … }}` (for a million tokens), or limit tokens instead",
        .0.join(", ")
    )]
    NoPrices(Vec<String>),
    /// Prices that cannot be added up.
    #[error("the budget limits the cost, but the matrix has prices in {}: a sum needs one currency", .0.join(" and "))]
    Currencies(Vec<String>),
    /// A length of time that is none.
    #[error("`{0}` is no length of time: write a number and a unit, such as 30m, 90s or 1h30m")]
    Time(String),
    /// A limit of nothing.
    #[error("a budget of nothing lets nothing be played; give more, or leave it out")]
    Nothing,
}

impl Budget {
    /// What is limited here, and else what is limited in `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            max_cost: self.max_cost.or(other.max_cost),
            max_tokens: self.max_tokens.or(other.max_tokens),
            max_time: self.max_time.or(other.max_time),
        }
    }

    /// Whether nothing is limited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Makes sure that it can be kept for `models`, before anything is sent.
    ///
    /// # Errors
    /// [`BudgetError`] when the cost is limited and the cost of a model cannot be told.
    pub fn check<'m>(&self, models: impl Iterator<Item = &'m Model>) -> Result<(), BudgetError> {
        if self.max_cost == Some(Amount::default())
            || self.max_tokens == Some(0)
            || self.max_time == Some(Duration::ZERO)
        {
            return Err(BudgetError::Nothing);
        }
        if self.max_cost.is_none() {
            return Ok(());
        }
        let mut missing = Vec::new();
        let mut currencies: Vec<String> = Vec::new();
        // Recorded traces cost nothing.
        for model in models.filter(|model| !model.provider.is_replay()) {
            match &model.prices {
                None => missing.push(format!("{} (line {})", model.id, model.line)),
                Some(prices) if currencies.contains(&prices.currency) => {}
                Some(prices) => currencies.push(prices.currency.clone()),
            }
        }
        match (missing.is_empty(), currencies.len()) {
            (false, _) => Err(BudgetError::NoPrices(missing)),
            (true, 2..) => Err(BudgetError::Currencies(currencies)),
            _ => Ok(()),
        }
    }
}

/// Reads a length of time such as `30m`.
///
/// # Errors
/// [`BudgetError::Time`].
pub fn parse_time(text: &str) -> Result<Duration, BudgetError> {
    let error = || BudgetError::Time(text.chars().take(40).collect());
    let length: jiff::SignedDuration = text.parse().map_err(|_| error())?;
    Duration::try_from(length).map_err(|_| error())
}

/// Money in a project file: a number, or one in quotes.
mod money {
    use super::{Amount, Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde's interface")]
    pub(super) fn serialize<S: Serializer>(amount: &Option<Amount>, out: S) -> Result<S::Ok, S::Error> {
        match amount {
            Some(amount) => out.serialize_str(&amount.to_string()),
            None => out.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Amount>, D::Error> {
        let text = match Option::<serde_json::Value>::deserialize(from)? {
            None | Some(serde_json::Value::Null) => return Ok(None),
            Some(serde_json::Value::String(text)) => text,
            Some(other) => other.to_string(),
        };
        text.parse().map(Some).map_err(serde::de::Error::custom)
    }
}

/// A length of time in a project file.
mod length {
    use super::{Deserialize, Deserializer, Duration, Serializer, parse_time};

    #[expect(clippy::ref_option, reason = "serde's interface")]
    pub(super) fn serialize<S: Serializer>(length: &Option<Duration>, out: S) -> Result<S::Ok, S::Error> {
        match length {
            Some(length) => out.serialize_str(&format!("{}ms", length.as_millis())),
            None => out.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
        parse_time(&text).map(Some).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Budget, String> {
        serde_yaml::from_str(text).map_err(|error| error.without_snippet().to_string())
    }

    #[test]
    fn a_budget_is_read_and_written_back_as_it_was() {
        let budget = read("max_cost: 0.1\nmax_tokens: 5000\nmax_time: 1h30m\n").unwrap();
        assert_eq!(budget.max_cost.unwrap().to_string(), "0.10");
        assert_eq!(budget.max_time, Some(Duration::from_secs(5400)));
        let again: Budget = serde_json::from_str(&serde_json::to_string(&budget).unwrap()).unwrap();
        assert_eq!(again, budget);
        assert!(read("{}").unwrap().is_empty());
        assert_eq!(read("max_cost: '5'").unwrap().max_cost, Some(Amount::from_micros(5_000_000)));
    }

    #[test]
    fn what_is_no_budget_is_refused() {
        for (text, says) in [
            ("max_cost: -1", "no amount"),
            ("max_cost: lots", "no amount"),
            ("max_time: soon", "no length of time"),
            ("max_time: -5m", "no length of time"),
            ("max_coin: 5", "max_coin"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
        let nothing = Budget { max_tokens: Some(0), ..Budget::default() };
        assert_eq!(nothing.check(std::iter::empty()), Err(BudgetError::Nothing));
    }
}
