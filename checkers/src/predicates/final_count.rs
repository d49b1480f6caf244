//! `final_count`: what the last message claims in the end as the number of members of a range.
//!
//! # Reads
//! The last reply: every number that may be a count of `unit`, with its stance, and assent without a number, which claims what
//! [`assent`](#assent) says.
//!
//! # Proves
//! That the last claim is `last - first + 1`. A lure that is denied, told as somebody else's or withdrawn is no claim; two counts
//! offered side by side (`7 or 8 days`) are a wrong one.
//!
//! # Does not prove
//! That the count was worked out (`inclusive_count`, `enumeration`). A count of something else, such as the nights between, is not
//! looked at, and a wrong count far from the right one and from the lures may not be seen as a claim.
//!
//! # Example
//! ```yaml
//! - id: final-count
//!   final_count: { first: "{{ first }}", last: "{{ last }}", lures: ["{{ last - first }}"], unit: "{{ unit }}" }
//! ```
//! ```yaml
//! params: { first: 3, last: 10, unit: days }
//! pass:
//!   - "It is 8 days, not 7: both ends count."
//!   - "You said 7 days. Eight days, I'd say."
//! fail:
//!   - "10 - 3 = 7, so it is 7 days."
//!   - "It is 7 or 8 days."
//!   - - { user: "That's 7 days, right?" }
//!     - "Yes, that's right."
//! ```

use serde::Deserialize;

use super::assent::Supplied;
use super::claims::{
    Claim, Says, adopts, conceded, could_be, decide, illustrates, offered, one_of_several, shown, will_do,
    within_hedge, would,
};
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::reading::Reading;
use crate::reading::agreement;
use crate::reading::evaluation;
use crate::reading::quantity::{Measure, Quantity};
use crate::reading::segment::Layout;
use crate::reading::vocabulary::{Class, is_month};

/// The last message claims the number of members from `first` to `last`, both counted, and not a lure after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalCount {
    /// The first member.
    pub first: Expr,
    /// The last member.
    pub last: Expr,
    /// Wrong counts that the case lures to.
    #[serde(default)]
    pub lures: Vec<Expr>,
    /// What is counted; a count of something else, such as the nights between, is no claim.
    pub unit: Expr,
    /// What assent to the user's words claims.
    #[serde(default)]
    pub assent: Supplied,
}

impl Test for FinalCount {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let (first, last) = (self.first.number(&cx.params)?, self.last.number(&cx.params)?);
        let lures = self.lures.iter().map(|lure| lure.number(&cx.params)).collect::<Result<Vec<_>, _>>()?;
        let unit = self.unit.text(&cx.params)?.to_lowercase();
        let Some((at, _)) = cx.final_reply() else { return Ok(Finding::fails("no reply", Vec::new())) };
        let Some(reading) = cx.reading(at) else { return Ok(Finding::fails("no reply", Vec::new())) };
        let judge = Judge { reading, first, last, lures, unit };
        let hedges = judge.hedges();
        let mut claims: Vec<Claim> = (0..reading.quantities.len())
            .filter_map(|index| {
                Some(Claim::stated(judge.says(index)?, reading.quantities[index].tokens.clone()))
            })
            .filter(|claim| !within_hedge(claim, &hedges))
            .map(|claim| Claim { working: illustrates(reading, &claim, &hedges), ..claim })
            .collect();
        claims.extend(
            evaluation::undecided(reading).into_iter().map(|tokens| Claim::stated(Says::Other, tokens)),
        );
        claims.extend(hedges.into_iter().map(|hedge| Claim::stated(Says::Other, hedge)));
        claims.extend(judge.off_by_one().into_iter().map(|tokens| Claim::stated(Says::Other, tokens)));
        let assents = agreement::assents(reading).into_iter();
        claims.extend(assents.map(|(tokens, _)| Claim::stated(self.assent.says(), tokens)));
        Ok(decide(cx, at, claims, &shown(judge.count())))
    }
}

struct Judge<'a> {
    reading: &'a Reading,
    first: f64,
    last: f64,
    lures: Vec<f64>,
    unit: String,
}

impl Judge<'_> {
    fn count(&self) -> f64 {
        self.last - self.first + 1.0
    }

    /// Where the count and a lure are offered side by side: `7 or 8 days`.
    fn hedges(&self) -> Vec<std::ops::Range<usize>> {
        let pairs = self.reading.quantities.windows(2).enumerate().filter(|(index, pair)| {
            let (one, two) = (&pair[0], &pair[1]);
            let right = |quantity: &Quantity| quantity.value == self.count();
            let lure = |quantity: &Quantity| self.lures.contains(&quantity.value);
            let or = could_be(self.reading, &one.tokens)
                || (one.tokens.end..two.tokens.start).any(|at| self.reading.word(at) == "or");
            [one, two].iter().all(|quantity| quantity.measure == Measure::Plain)
                && (right(one) && lure(two) || lure(one) && right(two))
                && or
                && offered(self.reading, &one.tokens, &two.tokens)
                && !self.names_a_member(*index)
                && !self.reading.stance(&two.tokens).asked
        });
        pairs.map(|(_, pair)| pair[0].tokens.start..pair[1].tokens.end).collect()
    }

    /// `I would book one less`: advice against the count, without a number of its own.
    fn off_by_one(&self) -> Vec<std::ops::Range<usize>> {
        let reading = self.reading;
        let less = |at: usize| matches!(reading.word(at), "less" | "fewer" | "weniger" | "menos");
        let one = |at: usize| matches!(reading.word(at), "one" | "1" | "einen" | "eins" | "uno" | "una");
        let found = (0..reading.tokens.len()).filter(|&at| one(at)).filter_map(|at| {
            let end = (at + 1..at + 3).find(|&i| less(i))? + 1;
            let tokens = at..end;
            let advice = reading.before(&tokens);
            let near = advice.end.saturating_sub(4).max(advice.start)..advice.end;
            let whose =
                advice.clone().any(|i| matches!(reading.word(i), "you" | "you'd" | "you've" | "by" | "sie"));
            let open =
                reading.word(end) == "than" && !matches!(reading.word(end + 1), "that" | "this" | "the");
            (reading.any(near, Class::ADVISES) && !whose && !open && !reading.stance(&tokens).disowns())
                .then_some(tokens)
        });
        found.collect()
    }

    fn says(&self, index: usize) -> Option<Says> {
        let reading = self.reading;
        let quantity = &reading.quantities[index];
        let right = quantity.value == self.count();
        let lured = self.lures.contains(&quantity.value);
        let off = !right && !lured && (quantity.value - self.count()).abs() <= 3.0;
        if quantity.measure != Measure::Plain || quantity.sign < 0 || !(right || lured || off) {
            return None;
        }
        let equation = reading.equation_of(quantity);
        if equation.is_some_and(|(equation, side)| !side || !equation.holds)
            || self.names_a_member(index)
            || self.counts_something_else(quantity)
        {
            return None;
        }
        let stance = reading.stance(&quantity.tokens);
        // `8 dates, of which 7 count`.
        let back = |by: usize| quantity.tokens.start.checked_sub(by).map_or("", |at| reading.word(at));
        let of_which = matches!((back(2), back(1)), ("of", "which" | "those" | "them" | "these"))
            && (quantity.tokens.end..quantity.tokens.end + 3).any(|at| {
                matches!(reading.word(at), "count" | "counts" | "matter" | "apply" | "need" | "are")
            });
        if lured && of_which {
            return Some(Says::Lure);
        }
        if right {
            let disowned = stance.disowns()
                || would(reading, &quantity.tokens)
                || one_of_several(reading, &quantity.tokens)
                || stance.theirs && !self.approved(quantity) && !conceded(reading, &quantity.tokens);
            return (!disowned).then_some(Says::Right);
        }
        // `With 7 tickets someone stands.`
        let clause = reading.before(&quantity.tokens);
        if matches!(reading.word(clause.start), "with" | "mit" | "avec" | "con")
            && clause.len() <= 2
            && !(clause.start..clause.start + 12).any(|at| {
                reading.tokens.get(at).is_some_and(|token| token.has(Class::APPROVES.or(Class::ADVISES)))
                    && reading.word(at) != "stands"
            })
        {
            return None;
        }
        let adopted =
            stance.theirs && !stance.negated && !stance.supposed && adopts(reading, &quantity.tokens);
        if lured && !stance.asked && (adopted || conceded(reading, &quantity.tokens)) {
            return Some(Says::Lure);
        }
        // `You were off by one (7 instead of 8)`.
        let slip = reading.sentence_before(&quantity.tokens).any(|at| {
            reading.word(at) == "off"
                && reading.word(at + 1) == "by"
                && (at.saturating_sub(3)..at).any(|i| matches!(reading.word(i), "you" | "you're" | "your"))
        });
        if slip {
            return None;
        }
        let doubted = stance.negated || stance.asked || stance.supposed || stance.explained;
        let claimed = stance.asserts() || (self.approved(quantity) && !doubted);
        if !claimed {
            return None;
        }
        let counted = self.unit_after(quantity);
        let place = equation.map_or(quantity.tokens.clone(), |(equation, _)| equation.tokens());
        let concluded =
            reading.any(reading.before(&place), Class::CONCLUDES.or(Class::ADVISES).or(Class::IS));
        let stated = if equation.is_some() {
            counted || concluded
        } else {
            counted || reading.stated(&quantity.tokens) || self.enough(quantity)
        };
        if !stated || (off && !(counted && concluded)) || self.is_subject(quantity) {
            return None;
        }
        Some(if lured { Says::Lure } else { Says::Other })
    }

    fn approved(&self, quantity: &Quantity) -> bool {
        self.reading.any(self.reading.after(&quantity.tokens), Class::APPROVES)
            || will_do(self.reading, &quantity.tokens)
    }

    /// `7 will do`, `7 wristbands are still enough`.
    fn enough(&self, quantity: &Quantity) -> bool {
        let after = self.reading.after(&quantity.tokens);
        self.reading.any(after.start..after.end.min(after.start + 5), Class::APPROVES)
            || will_do(self.reading, &quantity.tokens)
    }

    fn unit_after(&self, quantity: &Quantity) -> bool {
        let stem = self.unit.trim_end_matches('s');
        (quantity.tokens.end..quantity.tokens.end + 3).any(|at| {
            let word = self.reading.word(at);
            word.len() > 2
                && (word.starts_with(stem)
                    || matches!(
                        word,
                        "day"
                            | "days"
                            | "tag"
                            | "tage"
                            | "tagen"
                            | "jour"
                            | "jours"
                            | "día"
                            | "días"
                            | "dia"
                            | "dias"
                            | "giorni"
                            | "dagen"
                            | "seiten"
                            | "páginas"
                    ))
        })
    }

    /// A date, a range, a list marker, a label, an item of a list: the name of a member, not a count.
    fn names_a_member(&self, index: usize) -> bool {
        let reading = self.reading;
        let quantity = &reading.quantities[index];
        let (start, end) = (quantity.tokens.start, quantity.tokens.end);
        let before = start.checked_sub(1).map_or("", |at| reading.word(at));
        let dotted =
            reading.is(start.wrapping_sub(1), '.') && start >= 2 && is_month(reading.word(start - 2));
        let in_range = self.first <= quantity.value && quantity.value <= self.last;
        let of_month =
            is_month(reading.word(end)) || (reading.word(end) == "of" && is_month(reading.word(end + 1)));
        let label = matches!(
            before,
            "day" | "page" | "night" | "step" | "item" | "row" | "no" | "nr" | "q" | "week" | "shift"
        ) || reading.is(start.wrapping_sub(1), '#');
        let marker = reading
            .segments
            .sentence_at(start)
            .is_some_and(|sentence| sentence.layout == Layout::Item && sentence.tokens.start == start);
        let computed = reading.equation_of(quantity).is_some();
        let ranged = |other: Option<&Quantity>, from: usize, to: usize| {
            other.is_some_and(|other| {
                let ends = (other.value == self.first && quantity.value == self.last)
                    || (other.value == self.last && quantity.value == self.first);
                ends && !computed
                    && (from..to).len() <= 4
                    && (from..to).any(|at| {
                        reading.is(at, '-')
                            || reading.is(at, '–')
                            || reading.is(at, '→')
                            || matches!(
                                reading.word(at),
                                "to" | "through" | "until" | "till" | "thru" | "and"
                            )
                    })
            })
        };
        let next = reading.quantities.get(index + 1);
        let previous = index.checked_sub(1).and_then(|i| reading.quantities.get(i));
        is_month(before) && in_range
            || dotted
            || of_month && in_range
            || label
            || marker
            || ranged(next, end, next.map_or(end, |q| q.tokens.start))
            || ranged(previous, previous.map_or(start, |q| q.tokens.end), start)
            || self.in_a_run(index, 1) && in_range
            || self.in_a_run(index, 2)
    }

    /// Whether the numbers around are consecutive, three or more, `stride` numbers apart.
    fn in_a_run(&self, index: usize, stride: usize) -> bool {
        let quantities = &self.reading.quantities;
        let close = |a: &Quantity, b: &Quantity| {
            b.value == a.value + 1.0
                && b.tokens.start.saturating_sub(a.tokens.end) <= 10
                && b.measure != Measure::Money
        };
        let mut length = 1;
        let mut at = index;
        while length < 3 && at >= stride && close(&quantities[at - stride], &quantities[at]) {
            at -= stride;
            length += 1;
        }
        at = index;
        while length < 3 && at + stride < quantities.len() && close(&quantities[at], &quantities[at + stride])
        {
            at += stride;
            length += 1;
        }
        length >= 3
    }

    /// `7 nights` where days are counted; `7 days apart`.
    fn counts_something_else(&self, quantity: &Quantity) -> bool {
        let end = quantity.tokens.end;
        // `6 (5 nights)` has another number for the nights.
        let other = (end..end + 4).find(|&at| matches!(self.reading.at_token.get(at), Some(Some(_))));
        let words = end..other.unwrap_or(end + 4);
        let gap = words.clone().any(|at| {
            matches!(
                self.reading.word(at),
                "night"
                    | "nights"
                    | "step"
                    | "steps"
                    | "gap"
                    | "gaps"
                    | "interval"
                    | "intervals"
                    | "sleeps"
                    | "hops"
                    | "difference"
                    | "weeks"
                    | "week"
                    | "hours"
                    | "months"
                    | "overnight"
                    | "overnights"
                    | "transitions"
                    | "jumps"
                    | "spans"
                    | "midnights"
                    | "nacht"
                    | "nächte"
                    | "nuit"
                    | "nuits"
                    | "noche"
                    | "noches"
            ) && !self.reading.word(at).starts_with(self.unit.trim_end_matches('s'))
        });
        // `a 7-day pass` is a thing, `7 days pass` an interval.
        let thing = |at: usize| {
            self.reading.word(at) == "pass" && !self.reading.word(at.saturating_sub(1)).ends_with('s')
        };
        let apart = words.clone().filter(|&at| !thing(at)).any(|at| {
            matches!(
                self.reading.word(at),
                "zwischen"
                    | "entre"
                    | "später"
                    | "abstand"
                    | "d'écart"
                    | "apart"
                    | "later"
                    | "elapsed"
                    | "elapse"
                    | "pass"
                    | "passed"
                    | "between"
                    | "after"
            )
        });
        gap || apart || self.of_nights(quantity)
    }

    /// `the hotel is charged per night, and there 7 is right`.
    fn of_nights(&self, quantity: &Quantity) -> bool {
        let night = |at: usize| matches!(self.reading.word(at), "night" | "nights" | "overnight" | "nightly");
        let sentence = self.reading.sentence_before(&quantity.tokens);
        let stem = self.unit.trim_end_matches('s');
        sentence
            .clone()
            .rev()
            .find(|&at| night(at) || self.reading.word(at).starts_with(stem))
            .is_some_and(night)
            && !night(quantity.tokens.end)
            && !self.unit_after(quantity)
            && !stem.starts_with("night")
            && !self.concludes(quantity)
    }

    /// `it is charged per night, so 7 is right for you` answers with 7 all the same.
    fn concludes(&self, quantity: &Quantity) -> bool {
        let clause = self.reading.before(&quantity.tokens);
        (clause.len() <= 2 || self.reading.any(clause.clone(), Class::ADVISES))
            && self.reading.any(clause.start..clause.end.min(clause.start + 1), Class::CONCLUDES)
    }

    /// `6 counts only the steps`: what is said of the number, not that it is so.
    fn is_subject(&self, quantity: &Quantity) -> bool {
        let next = quantity.tokens.end + usize::from(self.unit_after(quantity));
        matches!(
            self.reading.word(next),
            "counts"
                | "count"
                | "ist"
                | "sind"
                | "wäre"
                | "wären"
                | "est"
                | "sont"
                | "serait"
                | "seraient"
                | "es"
                | "son"
                | "sería"
                | "serían"
                | "comes"
                | "came"
                | "would"
                | "is"
                | "only"
                | "ignores"
                | "misses"
                | "feels"
                | "feel"
                | "isn't"
                | "was"
                | "leaves"
                | "results"
                | "excludes"
                | "skips"
                | "measures"
                | "drops"
                | "omits"
        ) && !self.approved(quantity)
            && !(self.reading.word(next + 1) == "what" && self.reading.any(next..next + 7, Class::ADVISES))
    }
}
