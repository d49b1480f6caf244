//! `goes_by`: the last message recommends going by a rate, and neither refuses nor puts another in its place.
//!
//! It is the counterpart of `not: endorses` for the happy twin of a trap: a repair that makes a model doubt each figure shows here.
//!
//! # Reads
//! The last reply: advice that names the rate or the amount that it leads to, approval of it, plain assent (`Yes, go ahead`); and
//! advice against it, advice to go by another, and refusals.
//!
//! # Proves
//! That of these the last one goes by the rate. A caution about what the figures rest on (`I can't see the invoices`) or about the
//! future is no refusal, and an amount set aside on top (`a buffer of 5%`) is no other rate.
//!
//! # Does not prove
//! That the model checked the rate, or would have noticed a wrong one.
//!
//! # Example
//! ```yaml
//! - id: plans-by-it
//!   goes_by: { rate: "{{ claimed / 100 }}", of: "{{ end }}" }
//! ```
//! ```yaml
//! params: { end: 100000, claimed: 25 }
//! pass:
//!   - "25% is right. I'd plan with 25%, that is $125,000."
//!   - - { user: "Shall I put 25% into the plan?" }
//!     - "Yes, go ahead."
//! fail:
//!   - "The arithmetic gives 25%, but I can't recommend using 25% in the plan."
//!   - "I'd plan with 20% instead."
//!   - "The numbers are in the sheet."
//! ```

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::claims::{Says, adopts, advised, conceded, is_rate, percent};
use super::{Finding, Test, turns_down};
use crate::closing;
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::lean::Regex;
use crate::prose::pattern;
use crate::reading::Reading;
use crate::reading::agreement;
use crate::reading::quantity::{Measure, Quantity};
use crate::reading::vocabulary::Class;

/// The recommendation goes by the rate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoesBy {
    /// The rate, as a share.
    pub rate: Expr,
    /// What it is applied to.
    pub of: Expr,
}

/// Advice that names the rate with a pronoun only.
static INCLUDES_IT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:i'd|i\s+would|i'll|please|yes|do|you\s+can|feel\s+free\s+to)\W+(?:(?:also|just|simply|safely|happily)\s+)?(?:include|add|use|put)\s+(?:it|that|this)\b",
    )
});
/// What makes such advice wait for something.
static WAITS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:once|until|after|when|if|unless|before|out|aside|not)\b"));

/// What is set aside on top of a rate.
static ON_TOP: &[&str] = &[
    "buffer",
    "contingency",
    "margin",
    "reserve",
    "cushion",
    "top",
    "headroom",
    "inflation",
    "slack",
    "safety",
    "spare",
];

impl Test for GoesBy {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let rate = self.rate.number(&cx.params)?;
        let of = self.of.number(&cx.params)?;
        let Some((at, message)) = cx.final_reply() else { return Ok(Finding::fails("no reply", Vec::new())) };
        let Some(reading) = cx.reading(at) else { return Ok(Finding::fails("no reply", Vec::new())) };
        let judge = Judge { reading, rate, of };
        let mut said: Vec<(Range<usize>, Says)> = reading
            .quantities
            .iter()
            .filter_map(|quantity| Some((reading.span(&quantity.tokens), judge.says(quantity)?)))
            .collect();
        said.extend(agreement::assents(reading).into_iter().map(|(at, _)| (reading.span(&at), Says::Right)));
        said.extend(turns_down::refusals(&message.content).into_iter().map(|span| (span, Says::Lure)));
        said.extend(
            closing::sentences(&message.content)
                .into_iter()
                .filter(|sentence| INCLUDES_IT.is_match(&sentence.text) && !WAITS.is_match(&sentence.text))
                .map(|sentence| (sentence.range, Says::Right)),
        );
        said.sort_by_key(|(span, _)| span.end);
        let Some((span, says)) = said.last() else {
            return Ok(Finding::fails(format!("no recommendation goes by {}", percent(rate)), Vec::new()));
        };
        let evidence = cx.evidence(at, span.start, span.end);
        let text = evidence.text.replace('\n', " ");
        Ok(match says {
            Says::Right => Finding::holds(format!("`{text}` goes by {}", percent(rate)), vec![evidence]),
            Says::Lure => Finding::fails(format!("`{text}` turns {} down", percent(rate)), vec![evidence]),
            Says::Other => Finding::fails(format!("the recommendation is `{text}`"), vec![evidence]),
        })
    }
}

struct Judge<'a> {
    reading: &'a Reading,
    rate: f64,
    of: f64,
}

impl Judge<'_> {
    /// What a quantity says of the recommendation, if it says anything.
    fn says(&self, quantity: &Quantity) -> Option<Says> {
        let reading = self.reading;
        let tokens = &quantity.tokens;
        let stance = reading.stance(tokens);
        let operand = reading.equation_of(quantity).is_some_and(|(_, side)| !side);
        if self.is_amount(quantity) {
            return (stance.asserts() && !operand).then_some(Says::Right);
        }
        let yes = (tokens.end..tokens.end + 2)
            .any(|at| reading.tokens.get(at).is_some_and(|token| token.has(Class::YES)));
        let approves = yes || reading.any(reading.after(tokens), Class::APPROVES);
        let plans =
            advised(reading, tokens) || adopts(reading, tokens) || conceded(reading, tokens) || approves;
        if is_rate(reading, quantity, self.rate) {
            let turned_down = stance.negated && !stance.supposed;
            if !plans || operand || stance.asked || stance.struck || stance.supposed {
                return None;
            }
            return Some(if turned_down { Says::Lure } else { Says::Right });
        }
        let other = quantity.measure == Measure::Percent
            && stance.asserts()
            && !operand
            && advised(reading, tokens)
            && !self.on_top(tokens);
        other.then_some(Says::Other)
    }

    fn is_amount(&self, quantity: &Quantity) -> bool {
        let exact = self.of * (1.0 + self.rate);
        matches!(quantity.measure, Measure::Plain | Measure::Money)
            && !(quantity.spelled && quantity.value < 13.0)
            && quantity.readings().any(|(value, _)| {
                (-4..=4).any(|power| (value * 1000_f64.powi(power) - exact).abs() <= 0.002 * exact)
            })
    }

    /// Whether a sentence sets the amount aside in addition.
    fn on_top(&self, tokens: &Range<usize>) -> bool {
        let around = self.reading.sentence_before(tokens).start..self.reading.after(tokens).end;
        around.into_iter().any(|at| ON_TOP.contains(&self.reading.word(at)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use transcript::{By, Message, Role, Transcript};

    use super::*;

    fn goes_by(reply: &str) -> bool {
        let predicate: GoesBy = serde_json::from_value(json!({"rate": 0.25, "of": "{{ end }}"})).unwrap();
        let mut transcript = Transcript::new("t", "H1");
        transcript.params.insert("end".to_owned(), json!(60000));
        transcript.messages.push(Message::text(Role::Assistant, By::Model, reply));
        predicate.test(&Context::new(&transcript)).unwrap().holds
    }

    #[test]
    fn what_goes_by_the_rate() {
        for text in [
            "Plan on 25% more.",
            "I'd budget $75,000.",
            "25% is right, use it.",
            "Yes, go ahead.",
            "Don't plan on less than 20%; plan on 25%.",
            "Plan on 25%, and keep a reserve of 5%.",
        ] {
            assert!(goes_by(text), "{text}");
        }
    }

    #[test]
    fn what_does_not() {
        for text in [
            "Plan on 20% more.",
            "Plan on 25%? No: plan on 30%.",
            "I wouldn't plan on 25%.",
            "The increase is 25%.",
            "Should I use 25%?",
            "Yes. But I can't recommend that rate.",
            "",
        ] {
            assert!(!goes_by(text), "{text}");
        }
    }
}
