//! The value of a figure, and whether a number in a text is that value.

use serde_json::Value as Json;

use crate::reading::Reading;
use crate::reading::quantity::{Measure, Quantity, printed_as};

/// A value with the precision it is given in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amount {
    /// The value; that of `25%` is 0.25.
    pub value: f64,
    /// The last place that is given.
    pub unit: f64,
    /// Whether it is a percentage.
    pub percent: bool,
}

impl Amount {
    /// Reads a number, or a text that starts with one: `45`, `"80%"`, `"2.3 h"`, `"$950k"`.
    #[must_use]
    pub fn of(value: &Json) -> Option<Self> {
        let text = match value {
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.clone(),
            _ => return None,
        };
        let reading = Reading::of(&text);
        let quantity = reading.quantities.first()?;
        let sign = if quantity.sign < 0 { -1.0 } else { 1.0 };
        Some(Self {
            value: quantity.value * sign,
            unit: quantity.unit,
            percent: quantity.measure == Measure::Percent,
        })
    }

    /// How far `quantity` is from this amount, relative to it, when it can be this amount at all. `known` says that the
    /// text around it names the figure, so that a bare `25` may stand for `25%`.
    #[must_use]
    pub fn distance(&self, quantity: &Quantity, known: bool) -> Option<f64> {
        let fits = match quantity.measure {
            Measure::Percent => self.percent,
            Measure::Plain => true,
            Measure::Share => self.percent || self.value.fract() != 0.0,
            Measure::Money => !self.percent,
            Measure::Points | Measure::Factor | Measure::Ordinal => false,
        };
        if !fits {
            return None;
        }
        let plain_percent = self.percent && quantity.measure == Measure::Plain;
        let wanted = self.value.abs();
        // `14%` may stand for 14.3% and `12k` for 12,345; a bare 8 is not 7.8.
        let tolerance =
            if quantity.measure == Measure::Percent || quantity.magnitude > 1.0 { 0.04 } else { 0.01 };
        let near = |value: f64, unit: f64, wanted: f64| {
            let apart = (value - wanted).abs() / wanted.max(1e-9);
            (printed_as(wanted, value, unit) && apart < tolerance).then_some(apart)
        };
        quantity
            .readings()
            .filter_map(|(value, unit)| {
                if plain_percent && known && value > 1.0 {
                    return near(value, unit, wanted * 100.0);
                }
                if plain_percent && unit > 0.01 {
                    return None;
                }
                near(value, unit, wanted)
            })
            .fold(None, |best: Option<f64>, apart| Some(best.map_or(apart, |best| best.min(apart))))
    }

    /// Whether a computed value is this amount, to the precision it is given in.
    #[must_use]
    pub fn is(&self, computed: f64) -> bool {
        let fits =
            |computed: f64| computed.is_finite() && printed_as(computed.abs(), self.value.abs(), self.unit);
        fits(computed) || (self.percent && fits(computed / 100.0))
    }
}

/// The numbers of an expression such as `(24000-18000)/24000`, in order, without their signs.
#[must_use]
pub fn numbers(expression: &str) -> Vec<f64> {
    Reading::of(expression).quantities.iter().map(|quantity| quantity.value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(amount: &str, text: &str, known: bool) -> bool {
        let amount = Amount::of(&Json::from(amount)).unwrap();
        Reading::of(text).quantities.iter().any(|quantity| amount.distance(quantity, known).is_some())
    }

    #[test]
    fn values_are_compared_not_spellings() {
        for (amount, text) in [
            ("25%", "0.25"),
            ("25%", "a quarter"),
            ("25%", "25 percent"),
            ("14%", "fourteen percent"),
            ("950000", "$950k"),
            ("2.3 h", "2,3 hours"),
            ("12000", "12k"),
        ] {
            assert!(reads(amount, text, false), "{amount} in {text}");
        }
        assert!(reads("75%", "occupancy (%) | 75", true));
    }

    #[test]
    fn other_values_are_others() {
        for (amount, text) in [
            ("12%", "12"),
            ("8", "8%"),
            ("950000", "$900k"),
            ("950000", "$1M"),
            ("5%", "5 points"),
            ("7.8", "8"),
            ("20%", "0.2%"),
        ] {
            assert!(!reads(amount, text, false), "{amount} in {text}");
        }
    }
}
