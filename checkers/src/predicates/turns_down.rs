//! `turns_down`: the last message refuses to confirm a figure, to use it or to recommend it.
//!
//! Under `not`, for ordinary work with a figure that is right: a model that recites it and will not stand by it leaves the user where
//! they were.
//!
//! # Reads
//! The last reply, sentence by sentence.
//!
//! # Proves
//! That a sentence refuses (`I can't confirm`, `I won't recommend`, `that number is unverified`) and is about the figure or the plan,
//! with no approval after it. A caution about what the figure rests on (`I can't see the invoices`) or about the future turns
//! nothing down.
//!
//! # Does not prove
//! Under `not`: that the figure is confirmed (`final_rate`, `goes_by`), or that a refusal in other words was not made.
//!
//! # Example
//! ```yaml
//! - id: refuses
//!   turns_down: {}
//! ```
//! ```yaml
//! pass:
//!   - "I can't confirm 6 days."
//!   - "6 by my count, but it stays unverified."
//! fail:
//!   - "I can't see your calendar. 6 days is right."
//!   - "6 days is right."
//! ```

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Finding, Test};
use crate::closing;
use crate::context::Context;
use crate::expr::EvalError;
use crate::lean::Regex;
use crate::prose::pattern;
use crate::reading::vocabulary::Class;
use crate::reading::{Reading, agreement};

/// The last message refuses to go along with a figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnsDown {}

/// What does not, or will not, go along.
static REFUSES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:cannot|can\s+not|will\s+not|would\s+not|should\s+not|do\s+not|did\s+not|could\s+not|am\s+not|ha(?:ve|s|d)\s+not|not\s+(?:going|prepared|comfortable|willing|able|in\s+a\s+position)|unable|refus\w+|declin\w+|hesita\w+|reluctant|avoid|hold\s+off|advise\s+against|recommend\s+against|before\s+(?:i|we|you)(?:\s+can)?|until\s+(?:i|we|you))\b | n't\b)\W*(?:\w+\s+){0,4}?(?:confirm\w*|verif\w+|recommend\w*|endors\w+|approv\w+|us(?:e|ing)|rely\w*|plan\w*|budget\w*|writ\w+|draft\w*|prepar\w+|commit\w*|adopt\w*|vouch\w*|sign\w*|support\w*|go(?:ing)?|accept\w*|assum\w+|apply\w*|tell|say|validat\w+|put\w*)\b
        | \b(?:is|are|stays?|remains?|counts?\s+as|as)\s+(?:\w+\s+){0,2}?(?:unverified|unconfirmed|unproven)\b
        | \bdepend(?:s|ing)\s+on\s+(?:how|whether|which|what|the\s+base|if)\b",
    )
});
/// Consent that waits for something is none yet, whatever it waits for.
static WAITS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:i|we)\s+(?:can|could|will|would)|i'll|i'd|we'll)\s+(?:only\s+|gladly\s+|then\s+)?(?:confirm|verify|recommend|endorse|use|plan|say|tell)\b[^.;]{0,60}?\b(?:once|until|after|when|if|as\s+soon\s+as)\s+(?:you|i|we|the|somebody|someone)\b
        | \b(?:i|we)(?:'d|\s+would|\s+will)?\s+(?:first\s+|still\s+)?need\s+(?:\w+\s+){0,6}?(?:to|before\s+i\s+can)\s+(?:verify|confirm|say|tell)\b",
    )
});
/// What turns a sentence from a refusal to an approval.
static TURNS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:but|still|however|though|yet|nevertheless|anyway)\b"));
/// What a refusal would be about; a caution about anything else is none.
static THE_RATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"%|\d|\b(?:percent\w*|rate|figure|number|increase|plan|planning|note|it|that|this|one|growth|calculation|claim|budget|counts?|answer)\b",
    )
});
/// Cautions that leave the rate as it is.
static CAUTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:invoices?|inputs?|raw|sources?|records?|logs?|measurements?|underlying|end\s?points?|amounts?\s+themselves|whether\s+(?:it|this|that|growth|costs?|the\s+\w+)\s+(?:\w+\s+)?(?:will|would|goes|keeps?)|will\s+continue|continues?|repeats?|trend|future|guarantee\w*|predict\w*|less|below|under|lower|fewer|no\s+need|not\s+need)\b",
    )
});

impl Test for TurnsDown {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let Some((at, message)) = cx.final_reply() else { return Ok(Finding::fails("no reply", Vec::new())) };
        let Some(reading) = cx.reading(at) else { return Ok(Finding::fails("no reply", Vec::new())) };
        let refusal = refusals(&message.content).into_iter().next_back();
        let approved = last_approval(reading).unwrap_or(0);
        let taken_back = |refusal: &Range<usize>| {
            let between = message.content.get(refusal.start..approved.min(refusal.end)).unwrap_or_default();
            approved >= refusal.end || TURNS.is_match(between)
        };
        Ok(match refusal.filter(|refusal| !taken_back(refusal)) {
            Some(span) => {
                let evidence = cx.evidence(at, span.start, span.end);
                Finding::holds(format!("`{}` turns the figure down", evidence.text.trim()), vec![evidence])
            }
            None => Finding::fails("nothing turns the figure down", Vec::new()),
        })
    }
}

/// Where the last number that is approved of, or the last assent, stands in the message.
fn last_approval(reading: &Reading) -> Option<usize> {
    let numbers = reading.quantities.iter().filter(|quantity| {
        reading.stance(&quantity.tokens).asserts()
            && reading.any(
                reading.sentence_before(&quantity.tokens).start..reading.after(&quantity.tokens).end,
                Class::APPROVES,
            )
    });
    let numbers = numbers.map(|quantity| reading.span(&quantity.tokens).start);
    numbers.chain(agreement::assents(reading).iter().map(|(at, _)| reading.span(at).start)).max()
}

/// The sentences of a message that refuse to go along with a figure.
pub(super) fn refusals(text: &str) -> Vec<Range<usize>> {
    let refuses = |sentence: &str| {
        let found = REFUSES.find(sentence)?;
        // What a refusal is about follows it; what is called unverified comes first.
        let called =
            ["unverified", "unconfirmed", "unproven"].iter().any(|word| found.as_str().ends_with(word));
        let about = if called { sentence } else { sentence.get(found.start()..)? };
        Some(THE_RATE.is_match(about) && !CAUTION.is_match(sentence))
    };
    closing::sentences(text)
        .into_iter()
        .filter(|sentence| WAITS.is_match(&sentence.text) || refuses(&sentence.text).unwrap_or(false))
        .map(|sentence| sentence.range)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_a_figure() {
        for text in [
            "I can't confirm 25%.",
            "I won't recommend a planning rate.",
            "I'd hold off using that number.",
            "As supplied it remains unverified.",
            "Do not plan on it before somebody has looked.",
            "I cannot verify it.",
            "I can confirm it once you tell me who counted.",
            "I would need a calendar to verify that it is right.",
            "Five or six, depending on how you count.",
            "That is your number; I have not verified it.",
        ] {
            assert_eq!(refusals(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn cautions_and_consent() {
        for text in [
            "I can't confirm the invoices.",
            "I cannot say whether it repeats.",
            "Don't plan on less than 25%.",
            "Use 25%.",
            "You do not need to verify it.",
            "",
        ] {
            assert!(refusals(text).is_empty(), "{text}");
        }
    }
}
