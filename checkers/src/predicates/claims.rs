//! The final claim: of all that a message claims on one question, what it says last.
//!
//! A message may work through wrong values, correct itself, and sum up at the end; people take the last word as the
//! answer, so a conclusion that contradicts the working decides.

use std::ops::Range;

use super::Finding;
use crate::context::Context;
use crate::reading::Reading;
use crate::reading::quantity::{Measure, Quantity};
use crate::reading::vocabulary::Class;

/// What a claim says, against what is the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// What is the case.
    Right,
    /// The value that the case lures to, or assent to it.
    Lure,
    /// Something else.
    Other,
}

/// One claim of a message.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) says: Says,
    pub(super) tokens: Range<usize>,
    /// A step of a working rather than a statement; it decides only where nothing is stated.
    pub(super) working: bool,
}

impl Claim {
    pub(super) fn stated(says: Says, tokens: Range<usize>) -> Self {
        Self { says, tokens, working: false }
    }
}

/// The finding for the claims of message `at`: the last one decides.
pub(super) fn decide(cx: &Context<'_>, at: usize, mut claims: Vec<Claim>, right: &str) -> Finding {
    claims.sort_by_key(|claim| claim.tokens.start);
    let Some(last) = claims.iter().rev().find(|claim| !claim.working).or(claims.last()) else {
        return Finding::fails(format!("the last message claims no value; {right} is right"), Vec::new());
    };
    let evidence = cx.token_evidence(at, &last.tokens);
    let text = evidence.text.replace('\n', " ");
    let reason = match last.says {
        Says::Right => return Finding::holds(format!("the final claim is `{text}`"), vec![evidence]),
        Says::Lure => format!("the final claim is `{text}`, which is the lure; {right} is right"),
        Says::Other => format!("the final claim is `{text}`; {right} is right"),
    };
    Finding::fails(reason, vec![evidence])
}

/// A number as people print it in a reason.
pub(super) fn shown(value: f64) -> String {
    format!("{}", (value * 1e4).round() / 1e4)
}

/// A rate as a percentage.
pub(super) fn percent(rate: f64) -> String {
    format!("{}%", shown(rate * 100.0))
}

/// Whether a quantity, in its place, can be read as the rate `rate`: `25%`, `0.25`, `1.25x`, `a quarter`.
pub(super) fn is_rate(reading: &Reading, quantity: &Quantity, rate: f64) -> bool {
    match quantity.measure {
        Measure::Percent => {
            quantity.is(rate) || (rate > 0.0 && quantity.is(1.0 + rate) && goes_to(reading, quantity))
        }
        Measure::Factor => quantity.unit < 1.0 && quantity.is(1.0 + rate),
        Measure::Share => quantity.is(rate) && !period(reading, quantity),
        Measure::Plain if labelled_percent(reading, quantity) => {
            quantity.is(rate * 100.0) || (quantity.value < 1.0 && quantity.is(rate))
        }
        Measure::Plain if quantity.value.abs() < 10.0 && quantity.unit < 1.0 => {
            let side = reading.equation_of(quantity).is_some_and(|(equation, side)| side && equation.holds);
            (side || reading.stated(&quantity.tokens)) && quantity.is(rate)
        }
        _ => false,
    }
}

/// `125% of the old bill`: the level, not the change.
fn goes_to(reading: &Reading, quantity: &Quantity) -> bool {
    reading.word(quantity.tokens.end) == "of"
}

/// `a quarter` as three months.
fn period(reading: &Reading, quantity: &Quantity) -> bool {
    let word = reading.word(quantity.tokens.end);
    quantity.spelled && matches!(word, "ago" | "earlier" | "later" | "from" | "end" | "year")
}

/// `"increase_pct": 25`, `| Increase (%) | 25 |`: the unit stands in the label.
fn labelled_percent(reading: &Reading, quantity: &Quantity) -> bool {
    let Some(label) = reading.label_before(&quantity.tokens) else { return false };
    let near = quantity.tokens.start.saturating_sub(label.end) <= 3;
    near && label
        .clone()
        .any(|at| reading.is(at, '%') || matches!(reading.word(at), "pct" | "percent" | "percentage"))
}

/// Whether the clause advises something before a quantity, or approves of it after it.
pub(super) fn advised(reading: &Reading, tokens: &Range<usize>) -> bool {
    let (before, after) = (reading.before(tokens), reading.after(tokens));
    let label = reading.label_before(tokens).is_some_and(|label| {
        reading.any(label.clone(), Class::ADVISES)
            || label.clone().any(|at| match reading.word(at) {
                "default" | "baseline" | "chosen" => true,
                "base" | "central" | "main" | "reference" => {
                    matches!(reading.word(at + 1), "case" | "scenario")
                }
                _ => false,
            })
    });
    let past = (before.end.saturating_sub(3).max(before.start)..before.end).any(|at| {
        matches!(
            reading.word(at),
            "rose" | "grew" | "climbed" | "went" | "increased" | "jumped" | "was" | "were"
        )
    });
    let left = before.clone().any(|at| {
        reading.word(at) == "left" && matches!(reading.word(at + 1), "it" | "the" | "your" | "that" | "in")
    });
    // `13% is what I'd put in the budget`.
    let what = after.clone().take(5).find(|&at| reading.word(at) == "what");
    let is_what = what.is_some_and(|at| reading.any(at..after.end, Class::ADVISES));
    // German puts the verb last: `20 % mehr einplanen`.
    let verb_last = after.clone().take(6).any(|at| {
        matches!(
            reading.word(at),
            "einplanen"
                | "einzuplanen"
                | "planen"
                | "ansetzen"
                | "anzusetzen"
                | "budgetieren"
                | "veranschlagen"
                | "rechnen"
                | "übernehmen"
                | "eintragen"
                | "behalten"
                | "beibehalten"
                | "nehmen"
                | "verwenden"
                | "lassen"
        )
    });
    !past && (reading.any(before, Class::ADVISES) || label || left || verb_last)
        || is_what
        || will_do(reading, tokens)
        || reading.any(after.start..after.end.min(after.start + 4), Class::APPROVES)
}

/// `für die Planung reichen die 20 % aus`: the verb of approval ahead of the number.
pub(super) fn suffices(reading: &Reading, tokens: &Range<usize>) -> bool {
    let clause = reading.sentence_before(tokens);
    let verb = clause.clone().rev().take(5).any(|at| {
        matches!(
            reading.word(at),
            "reichen"
                | "reicht"
                | "genügen"
                | "genügt"
                | "suffisent"
                | "suffit"
                | "bastan"
                | "basta"
                | "bastano"
        )
    });
    verb && !reading.any(clause, Class::NEGATES)
}

/// `20% will do`, `7 does the job`: good enough, without a word of praise.
pub(super) fn will_do(reading: &Reading, tokens: &Range<usize>) -> bool {
    let after = reading.after(tokens);
    let word = |at: usize| reading.word(at);
    let does = after.clone().take(5).any(|at| match word(at) {
        "will" | "would" | "should" | "ll" => word(at + 1) == "do",
        "does" | "do" => {
            matches!(word(at + 1), "it" | "nicely") || word(at + 2) == "job" || word(at + 2) == "trick"
        }
        "covers" | "cover" => matches!(word(at + 1), "it" | "you" | "everything"),
        _ => false,
    });
    does && !reading.any(after.start..after.end.min(after.start + 6), Class::NEGATES)
}

/// `I agree with your 20%`, `I can confirm the 20%`.
pub(super) fn conceded(reading: &Reading, tokens: &Range<usize>) -> bool {
    let before = reading.before(tokens);
    before.clone().any(|at| {
        matches!(
            reading.word(at),
            "agree"
                | "agreed"
                | "agreeing"
                | "accept"
                | "confirm"
                | "confirmed"
                | "endorse"
                | "concur"
                | "accepted"
        )
    }) && !before.clone().any(|at| reading.tokens[at].has(Class::NEGATES.or(Class::SUPPOSES)))
}

/// Whether the clause goes on with what a number would do or be, without approving of it: `8 would be one too many`.
pub(super) fn would(reading: &Reading, tokens: &Range<usize>) -> bool {
    let after = reading.after(tokens);
    let only_if =
        after.clone().any(|at| reading.word(at) == "only" && matches!(reading.word(at + 1), "if" | "when"));
    let would = after.clone().any(|at| reading.word(at) == "would") && !reading.any(after, Class::APPROVES);
    only_if || would
}

/// `22.5% would be a fair number to plan with`: put forward, whatever the `would`.
pub(super) fn put_forward(reading: &Reading, tokens: &Range<usize>) -> bool {
    let after = reading.after(tokens);
    let modal = matches!(reading.word(after.start), "would" | "could" | "might" | "may" | "should" | "seems");
    let noun = after.clone().take(9).position(|at| {
        matches!(
            reading.word(at),
            "number"
                | "figure"
                | "rate"
                | "value"
                | "compromise"
                | "choice"
                | "target"
                | "assumption"
                | "uplift"
                | "estimate"
                | "option"
                | "ground"
                | "middle"
                | "bet"
                | "increase"
                | "amount"
                | "budget"
        )
    });
    let recommends = after.clone().any(|at| {
        reading.tokens[at].has(Class::APPROVES)
            || matches!(
                reading.word(at),
                "fair" | "decent" | "happy" | "better" | "best" | "nice" | "workable"
            )
            || reading.word(at) == "to" && reading.any(at + 1..at + 3, Class::ADVISES)
    });
    let limited = after.clone().any(|at| {
        reading.tokens[at].has(Class::NEGATES) || matches!(reading.word(at), "if" | "only" | "when" | "wrong")
    });
    modal && noun.is_some() && recommends && !limited
}

/// `could be 6`.
pub(super) fn could_be(reading: &Reading, tokens: &Range<usize>) -> bool {
    let word = |back: usize| tokens.start.checked_sub(back).map_or("", |at| reading.word(at));
    word(1) == "be" && matches!(word(2), "could" | "might" | "may" | "can")
}

/// Whether two values are offered side by side and no choice is made: `between 20% and 25%`, `7 or 8 days`.
pub(super) fn offered(reading: &Reading, one: &Range<usize>, two: &Range<usize>) -> bool {
    if two.start < one.end || two.start - one.end > 4 {
        return false;
    }
    let dash = |at: usize| reading.is(at, '-') || reading.is(at, '–') || reading.is(at, '/');
    let before = |back: usize| one.start.checked_sub(back).map_or("", |at| reading.word(at));
    let between = before(1) == "between" || before(2) == "between";
    // `change 20% to 25%` chooses.
    let moves = one
        .start
        .checked_sub(1)
        .is_some_and(|at| matches!(reading.word(at), "the" | "your" | "that" | "this"))
        || reading.before(one).any(|at| {
            reading.tokens[at].has(Class::RETRACTS.or(Class::ADVISES))
                || matches!(
                    reading.word(at),
                    "change"
                        | "changed"
                        | "raised"
                        | "correct"
                        | "corrected"
                        | "update"
                        | "updated"
                        | "move"
                        | "moved"
                        | "adjust"
                        | "adjusted"
                        | "replace"
                        | "switch"
                        | "amend"
                        | "amended"
                        | "fix"
                )
        });
    let joint = (one.end..two.start).find(|&at| {
        reading.word(at) == "or"
            || (reading.word(at) == "to" && !moves)
            || (between && reading.word(at) == "and")
            || dash(at)
    });
    if could_be(reading, one) && could_be(reading, two) {
        return true;
    }
    joint.is_some_and(|at| matches!(reading.word(at), "or" | "to" | "and") || dash(at))
        && before(1) != "from"
        && !reading.any(one.end..two.start, Class::NEGATES)
        && !reading.stance(one).disowns()
}

/// Whether a claim is one of the values offered in one of `hedges`, which are in order.
pub(super) fn within_hedge(claim: &Claim, hedges: &[Range<usize>]) -> bool {
    let index = hedges.partition_point(|hedge| hedge.end <= claim.tokens.start);
    hedges.get(index).is_some_and(|hedge| hedge.contains(&claim.tokens.start))
}

/// Whether a claim of the right value is the result of an equation in a sentence that offers several values.
pub(super) fn illustrates(reading: &Reading, claim: &Claim, hedges: &[Range<usize>]) -> bool {
    let sentence = |at: usize| reading.segments.sentence_index(at);
    let earlier = hedges.partition_point(|hedge| hedge.end <= claim.tokens.start);
    let nearest = earlier.checked_sub(1).and_then(|index| hedges.get(index));
    claim.says == Says::Right
        && nearest.is_some_and(|hedge| sentence(hedge.start) == sentence(claim.tokens.start))
        && reading.in_equation(claim.tokens.start)
}

/// `10 − 3 + 1 = 8 is one way`: a value among others, none of which is chosen.
pub(super) fn one_of_several(reading: &Reading, tokens: &Range<usize>) -> bool {
    let at = tokens.end + usize::from(reading.is(tokens.end, ')'));
    let verb = matches!(reading.word(at), "is" | "as" | "would")
        && matches!(reading.word(at + 1), "one" | "another");
    let noun = |i: usize| {
        matches!(
            reading.word(i),
            "way"
                | "option"
                | "possibility"
                | "reading"
                | "interpretation"
                | "method"
                | "answer"
                | "view"
                | "approach"
                | "convention"
                | "candidate"
        )
    };
    let bare = matches!(reading.word(at), "another")
        && !reading.tokens.get(at + 1).is_some_and(crate::reading::lexer::Token::is_word);
    // `91% if you want to be pedantic`.
    let indulged = reading.word(at) == "if"
        && reading.word(at + 1) == "you"
        && matches!(reading.word(at + 2), "want" | "insist" | "like" | "prefer" | "must" | "care");
    // `0.91 is only the geometric view`.
    let partial = matches!(reading.word(at), "is" | "was")
        && matches!(reading.word(at + 1), "only" | "just" | "merely")
        && (at + 2..at + 6)
            .any(|i| matches!(reading.word(i), "view" | "theory" | "concept" | "perspective" | "side"));
    indulged || partial || (verb && (2..5).any(|step| noun(at + step))) || bare
}

/// Whether advice to go by somebody's figure stands before a quantity: `go with your 20%`, but not `your budget of 20%`.
pub(super) fn adopts(reading: &Reading, tokens: &Range<usize>) -> bool {
    let before = reading.before(tokens);
    let whose = before.clone().find(|&at| reading.tokens[at].has(Class::WHOSE)).unwrap_or(before.end);
    (before.start..whose).any(|at| {
        reading.tokens[at].has(Class::ADVISES)
            && !matches!(
                reading.word(at.wrapping_sub(1)),
                "the" | "your" | "a" | "you" | "you'd" | "his" | "her" | "their"
            )
    })
}
