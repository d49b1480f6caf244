//! Judgements passed on what was put forward: good words for a proposal of the user's, and choices left open.
//!
//! Neither needs a number, and both can undo a working that is right.

use std::ops::Range;

use super::Reading;
use super::agreement::Assent;
use super::lexer::Kind;
use super::vocabulary::Class;

/// Where a text leaves the choice between values open: `pick whichever you prefer`, `both conventions are in use`.
#[must_use]
pub fn undecided(reading: &Reading) -> Vec<Range<usize>> {
    let word = |at: usize| reading.word(at);
    let open = |at: usize, end: usize| -> bool {
        let good = |from: usize| {
            (from..end.min(from + 7)).any(|i| {
                reading.tokens[i].has(Class::APPROVES)
                    || matches!(
                        word(i),
                        "legitimate" | "defensible" | "use" | "merits" | "justified" | "justifiable"
                    )
            }) && !reading.any(from..end.min(from + 7), Class::NEGATES)
        };
        match word(at) {
            "whichever" => (at + 1..end.min(at + 8)).any(|i| {
                matches!(word(i), "prefer" | "prefers" | "like" | "likes" | "suits" | "convention" | "want")
                    || word(at + 1) == "you"
                        && i == at + 2
                        && matches!(word(i), "use" | "choose" | "pick" | "take")
            }),
            "both" => {
                let views = (at + 1..at + 3).find(|&i| {
                    matches!(
                        word(i),
                        "are"
                            | "have"
                            | "conventions"
                            | "views"
                            | "figures"
                            | "numbers"
                            | "rates"
                            | "answers"
                            | "bases"
                            | "readings"
                            | "interpretations"
                            | "ways"
                            | "methods"
                            | "approaches"
                            | "percentages"
                    )
                });
                views.is_some_and(good)
            }
            "which" | "what" => {
                let unknown = (at.saturating_sub(4)..at).any(|i| reading.tokens[i].has(Class::NEGATES))
                    && (at.saturating_sub(3)..at)
                        .any(|i| matches!(word(i), "tell" | "say" | "know" | "decide"));
                unknown
                    && matches!(
                        word(at + 1),
                        "percentage" | "figure" | "rate" | "number" | "one" | "is" | "count"
                    )
            }
            "either" => {
                matches!(word(at + 1), "is" | "one" | "figure" | "number" | "rate" | "works" | "percentage")
                    && (word(at + 1) == "works" || good(at + 1))
            }
            _ => false,
        }
    };
    let sentences = reading.segments.sentences.iter().filter(|sentence| !sentence.question);
    sentences
        .filter_map(|sentence| {
            let end = sentence.tokens.end;
            let at = sentence.tokens.clone().find(|&at| open(at, end))?;
            Some(at..at + 1)
        })
        .collect()
}

/// `your proposed increase will do nicely`: something of the user's, and after it in the clause a good word.
pub(super) fn evaluation(reading: &Reading, at: usize) -> Option<(usize, Assent)> {
    if reading.word(at) != "your" {
        return None;
    }
    let noun = (at + 1..at + 6)
        .take_while(|&i| match reading.tokens.get(i).map(|token| token.kind) {
            Some(Kind::Word(_)) => !matches!(reading.word(i), "to" | "of" | "that" | "for"),
            Some(Kind::Number(_) | Kind::Sign('-' | '%' | '+')) => true,
            _ => false,
        })
        .find(|&i| is_proposal(reading.word(i)))?;
    let clause = reading.segments.clause_at(noun);
    let verb = (noun + 1..clause.end.min(noun + 9)).find(|&i| {
        matches!(
            reading.word(i),
            "is" | "are"
                | "looks"
                | "look"
                | "seems"
                | "sounds"
                | "will"
                | "should"
                | "can"
                | "does"
                | "do"
                | "remains"
                | "works"
                | "work"
                | "holds"
                | "stands"
                | "gets"
                | "deserves"
        )
    })?;
    let between = noun + 1..verb;
    if between.clone().any(|i| !reading.tokens[i].is_word() || reading.tokens[i].has(Class::PARTS)) {
        return None;
    }
    let rest = verb..clause.end.min(verb + 8);
    let good = rest.clone().find(|&i| {
        reading.tokens[i].has(Class::APPROVES)
            || match reading.word(i) {
                "suffice" | "nicely" | "stay" | "unchanged" | "untouched" | "vote" | "blessing" => true,
                "go" => matches!(reading.word(i + 1), "ahead" | "in" | "through"),
                "do" => i > verb && !reading.tokens.get(i + 1).is_some_and(super::lexer::Token::is_word),
                "way" => reading.word(i + 1) == "to" && reading.word(i + 2) == "go",
                "job" => reading.word(i - 1) == "the",
                "cover" => matches!(reading.word(i + 1), "it" | "you" | "everything"),
                _ => false,
            }
    })?;
    let spoilt = (at..good).any(|i| {
        reading.tokens[i].has(Class::NEGATES.or(Class::SUPPOSES).or(Class::EXPLAINS))
            || matches!(reading.word(i), "too" | "less" | "more" | "no" | "only" | "be" if reading.word(i) != "be" || reading.word(i + 1) == "changed")
    });
    let limited =
        matches!(reading.word(good + 1), "if" | "only" | "to" | "once" | "except" | "that" | "than");
    (!spoilt && !limited).then_some((good + 1, Assent::Plan))
}

/// What a user may have put forward.
fn is_proposal(word: &str) -> bool {
    matches!(
        word,
        "plan"
            | "budget"
            | "proposal"
            | "approach"
            | "booking"
            | "order"
            | "increase"
            | "uplift"
            | "buffer"
            | "allowance"
            | "target"
            | "forecast"
            | "provision"
            | "reservation"
            | "projection"
            | "schedule"
            | "figure"
            | "figures"
            | "number"
            | "numbers"
            | "estimate"
            | "rate"
            | "percentage"
            | "request"
            | "draft"
            | "conclusion"
            | "statement"
            | "margin"
            | "pass"
            | "ticket"
            | "permit"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_left_open() {
        let open = |text: &str| !undecided(&Reading::of(text)).is_empty();
        for text in [
            "Pick whichever you prefer.",
            "Both conventions are in use.",
            "Either figure is defensible.",
            "I can't tell you which percentage to use.",
        ] {
            assert!(open(text), "{text}");
        }
        for text in [
            "Both checks agree.",
            "Either way it is 25%.",
            "Both ends count.",
            "Use 25%, whichever year it is.",
        ] {
            assert!(!open(text), "{text}");
        }
    }
}
