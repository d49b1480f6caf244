//! Claims that nothing has changed: `we're even`, `they cancel out`, `back to where it was`.

mod abroad;

use std::ops::Range;

use super::Reading;
use super::vocabulary::Class;

/// Where a text claims evenness in its own voice, in order.
#[must_use]
pub fn claims(reading: &Reading) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in 0..reading.tokens.len() {
        if !reading.tokens[at].is_word() {
            continue;
        }
        if let Some(end) = phrase(reading, at).or_else(|| abroad::phrase(reading, at))
            && claimed(reading, &(at..end))
        {
            found.push(at..end);
        }
    }
    found
}

const LINKS: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "it's",
    "we're",
    "you're",
    "they're",
    "that's",
    "i'm",
    "broke",
    "break",
    "broken",
    "comes",
    "come",
    "came",
    "out",
    "up",
    "stay",
    "stays",
    "stayed",
    "stands",
    "remain",
    "remains",
    "remained",
    "ended",
    "ends",
    "end",
    "finished",
    "call",
    "calling",
    "called",
    "say",
    "saying",
    "looks",
    "becomes",
    "at",
    "holds",
    "held",
    "goes",
    "nets",
    "netted",
    "left",
    "he's",
    "she's",
    "makes",
    "leaves",
    "'re",
    "ur",
    "closed",
    "finish",
    "rounds",
    "effectively",
    "practically",
    "basically",
    "essentially",
    "amounts",
    "treat",
    "consider",
    "regard",
    "as",
];

fn phrase(reading: &Reading, at: usize) -> Option<usize> {
    let word = |i: usize| reading.word(i);
    let clause = reading.segments.clause_at(at);
    let linked = || (clause.start.max(at.saturating_sub(5))..at).any(|i| LINKS.contains(&word(i)));
    let short = || clause.clone().filter(|&i| reading.tokens[i].is_word()).count() <= 2;
    match word(at) {
        "even" => {
            let adverb = matches!(
                word(at + 1),
                "though"
                    | "if"
                    | "more"
                    | "less"
                    | "when"
                    | "after"
                    | "before"
                    | "with"
                    | "a"
                    | "the"
                    | "bigger"
                    | "smaller"
                    | "lower"
                    | "higher"
                    | "close"
                    | "larger"
                    | "worse"
                    | "better"
                    | "further"
                    | "so"
                    | "an"
            );
            // `"even" is a fair word for it`.
            let next = at + 1 + usize::from(reading.is(at + 1, '"') || reading.is(at + 1, '\''));
            let fair = matches!(word(next), "is" | "works" | "would")
                && (next + 1..next + 5)
                    .any(|i| reading.tokens.get(i).is_some_and(|t| t.has(Class::APPROVES)))
                || word(next) == "is" && (next + 1..next + 4).any(|i| word(i) == "fair");
            (!adverb && (linked() || short() || fair || word(at + 1) == "out")).then_some(at + 1)
        }
        "cancel" | "cancels" | "cancelled" | "canceled" | "cancelling" | "canceling" | "breakeven"
        | "evens" | "evened" | "break-even" | "zero-sum" => Some(at + 1),
        "wash" | "washes" | "washed" | "net" | "nets" | "netted"
            if word(at + 1) == "out" && !matches!(word(at + 2), "at" | "to" | "as" | "with") =>
        {
            Some(at + 2)
        }
        "balance" | "balances" | "balanced" => {
            let out = (at + 1..at + 4).any(|i| word(i) == "out");
            (out || word(at + 1) == "each").then_some(at + 1)
        }
        "offset" | "offsets" | "offsetting" | "neutralise" | "neutralize" | "undo" | "undoes" | "negate"
        | "negates" | "compensate" | "counterbalance" | "counteract" => {
            let whole = matches!(
                word(at + 1),
                "each" | "one" | "the" | "exactly" | "perfectly" | "completely" | "fully"
            );
            let bare = !reading.tokens.get(at + 1).is_some_and(super::lexer::Token::is_word)
                && matches!(
                    word(at.wrapping_sub(1)),
                    "they" | "both" | "two" | "moves" | "changes" | "percentages" | "swings"
                );
            // `the loss was fully offset by the later gain`.
            let fully = matches!(
                word(at.wrapping_sub(1)),
                "fully" | "completely" | "exactly" | "entirely" | "perfectly"
            );
            (whole || bare || fully).then_some(at + 1)
        }
        "same" => {
            let other = matches!(
                word(at + 1),
                "percentage"
                    | "percentages"
                    | "percent"
                    | "base"
                    | "rate"
                    | "rates"
                    | "number"
                    | "numbers"
                    | "size"
                    | "thing"
                    | "way"
                    | "pace"
                    | "basis"
                    | "quarter"
                    | "time"
                    | "period"
                    | "amount"
                    | "figure"
                    | "trap"
                    | "mistake"
                    | "money"
                    | "percents"
                    | "absolute"
                    | "change"
                    | "changes"
                    | "magnitude"
                    | "logic"
                    | "reason"
                    | "starting"
                    | "relative"
            );
            (!other && linked()).then_some(at + 1)
        }
        "flat" | "level" | "unchanged" | "equal" | "equel" | "identical" | "square" | "wash" | "stable"
        | "neutral" | "quits" | "equivalent" | "par" | "restored" | "draw" | "tie" | "standoff"
        | "steady" => {
            let noun = word(at) == "level"
                && matches!(
                    word(at.wrapping_sub(1)),
                    "the"
                        | "that"
                        | "this"
                        | "starting"
                        | "original"
                        | "previous"
                        | "its"
                        | "their"
                        | "former"
                        | "initial"
                        | "old"
                );
            let other = matches!(word(at + 1), "percentage" | "percentages" | "percent" | "size" | "in" if word(at) != "level" || word(at + 1) != "with");
            (linked() && !noun && !other).then_some(at + 1)
        }
        "equals" | "==" if word(at + 1) == "the" || word(at + 1) == "its" => (at + 1..at + 5)
            .any(|i| matches!(word(i), "original" | "start" | "starting" | "initial" | "previous"))
            .then_some(at + 1),
        "where" => {
            let there = matches!(
                word(at.wrapping_sub(1)),
                "are" | "is" | "you're" | "we're" | "it's" | "they're" | "exactly" | "precisely" | "right"
            );
            let denied = (at.saturating_sub(4)..at).any(|i| reading.tokens[i].has(Class::NEGATES));
            let began = (at + 1..at + 4).find(|&i| matches!(word(i), "started" | "began" | "begun"));
            began.filter(|_| there && !denied).map(|i| i + 1)
        }
        "zero" if word(at + 1) == "sum" || (reading.is(at + 1, '-') && word(at + 2) == "sum") => Some(at + 2),
        "zero" | "nil" => (matches!(word(at.wrapping_sub(1)), "net" | "is" | "to" | "at" | "sum")
            && reading.any(clause.clone(), Class::CONCLUDES.or(Class::IS))
            || matches!(word(at + 1), "net" | "change" | "overall"))
        .then_some(at + 1),
        "no" | "nothing" => {
            let what = (at + 1..at + 4).find(|&i| {
                matches!(word(i), "change" | "difference" | "gain" | "loss" | "net" | "lost" | "changed")
            });
            what.map(|i| i + 1)
        }
        "made" | "makes" | "make" => {
            let whole = word(at + 1) == "up"
                && word(at + 2) == "for"
                && matches!(word(at + 3), "it" | "the" | "that" | "all" | "this" | "everything" | "last");
            let good = word(at + 1) == "good" && matches!(word(at + 2), "the" | "all" | "for");
            (whole || good).then_some(at + 3)
        }
        "erased" | "erases" | "reversed" | "reverses" | "undone" | "compensated" | "compensates"
        | "wiped" => {
            let loss = (at + 1..at + 6).find(|&i| {
                matches!(
                    word(i),
                    "loss" | "losses" | "drop" | "decline" | "fall" | "dip" | "decrease" | "damage" | "hit"
                )
            });
            loss.map(|i| i + 1)
        }
        "recovery" => {
            matches!(word(at.wrapping_sub(1)), "full" | "complete" | "total" | "entire").then_some(at + 1)
        }
        // `0.91, which rounds to 1`.
        "rounds" | "round" if word(at + 1) == "to" => reading
            .at_token
            .get(at + 2)
            .copied()
            .flatten()
            .and_then(|index| reading.quantities.get(usize::try_from(index).ok()?))
            .filter(|quantity| quantity.value == 1.0 || quantity.value == 0.0 || quantity.value == 100.0)
            .map(|quantity| quantity.tokens.end),
        "full" | "round" => {
            matches!((word(at), word(at + 1)), ("full", "circle") | ("round", "trip")).then_some(at + 2)
        }
        "closed" | "close" | "bridged" => (word(at + 1) == "the" && word(at + 2) == "gap").then_some(at + 3),
        "recovered" | "recouped" | "regained" | "recover" | "recovers" => {
            let fully = matches!(word(at + 1), "fully" | "completely" | "everything" | "all" | "entirely")
                || matches!(word(at.wrapping_sub(1)), "fully" | "completely" | "entirely");
            // `what was lost has been regained`.
            let lost = (clause.start.max(at.saturating_sub(7))..at)
                .any(|i| matches!(word(i), "lost" | "everything"))
                && (at.saturating_sub(2)..at).any(|i| matches!(word(i), "been" | "is" | "was"));
            // `close enough to call it recovered`.
            let called = (clause.start.max(at.saturating_sub(3))..at)
                .any(|i| matches!(word(i), "call" | "calling" | "consider" | "declare" | "count" | "regard"));
            (fully || lost || called).then_some(at + 1)
        }
        // `you've clawed everything back`.
        "back"
            if matches!(word(at.wrapping_sub(1)), "everything" | "it" | "all" | "lost")
                && (at.saturating_sub(4)..at).any(|i| {
                    matches!(
                        word(i),
                        "clawed" | "won" | "earned" | "gained" | "got" | "made" | "taken" | "brought"
                    )
                }) =>
        {
            Some(at + 1)
        }
        "back" | "returned" | "returns" | "return" | "brings" => {
            let to =
                (at + 1..at + 4).any(|i| matches!(word(i), "to" | "at" | "on" | "where" | "in" | "even"));
            let whither = (at + 1..at + 9)
                .take_while(|&i| {
                    reading.tokens.get(i).is_some_and(super::lexer::Token::is_word) || reading.is(i, '-')
                })
                .find(|&i| {
                    matches!(
                        word(i),
                        "square"
                            | "started"
                            | "start"
                            | "starting"
                            | "began"
                            | "original"
                            | "previous"
                            | "former"
                            | "initial"
                            | "same"
                            | "baseline"
                            | "even"
                            | "beginning"
                            | "were"
                            | "was"
                            | "normal"
                            | "level"
                            | "levels"
                            | "before"
                            | "old"
                            | "where"
                    )
                });
            whither.filter(|_| to).map(|i| i + 1)
        }
        _ => None,
    }
}

/// Whether the phrase is claimed: not denied, supposed, asked, reported, or what it would take.
fn claimed(reading: &Reading, tokens: &Range<usize>) -> bool {
    let sentence = match reading.segments.sentence_at(tokens.start) {
        Some(sentence) if !sentence.question => sentence.tokens.clone(),
        _ => return false,
    };
    let clause = reading.segments.clause_at(tokens.start);
    // `don't treat it as unchanged`.
    let before = if reading.word(clause.start) == "as" {
        reading.sentence_before(tokens)
    } else {
        reading.before(tokens)
    };
    let denied = before.clone().any(|at| {
        reading.tokens[at].has(Class::NEGATES)
            || matches!(
                reading.word(at),
                "almost"
                    | "nearly"
                    | "short"
                    | "shy"
                    | "below"
                    | "under"
                    | "off"
                    | "far"
                    | "from"
                    | "closer"
                    | "towards"
                    | "toward"
                    | "before"
                    | "until"
            )
    }) || matches!(reading.word(before.end.wrapping_sub(1)), "no" | "than")
        && reading.word(tokens.start + 1) != "a";
    let seems = before.clone().any(|at| {
        matches!(
            reading.word(at),
            "looks"
                | "look"
                | "seem"
                | "seems"
                | "feel"
                | "feels"
                | "sound"
                | "sounds"
                | "appear"
                | "appears"
                | "assuming"
                | "assume"
                | "assumes"
                | "expect"
                | "imagine"
                | "intuition"
                | "intuitively"
                | "myth"
                | "idea"
        ) || ((reading.tokens[at].has(Class::SAYS)
            && !matches!(reading.word(at.wrapping_sub(1)), "can" | "may" | "could" | "should" | "i'd" | "i"))
            && !matches!(
                reading.word(at + 1),
                "it" | "that" | "this" | "that's" | "it's" | "we're" | "you're"
            ))
    });
    // `"even": false`, `Even? No.`
    let answer = (tokens.end..tokens.end + 5)
        .find(|&at| reading.tokens.get(at).is_some_and(super::lexer::Token::is_word));
    let refused = answer.is_some_and(|at| {
        (tokens.end..at).any(|i| reading.is(i, ':') || reading.is(i, '|'))
            && matches!(reading.word(at), "false" | "no" | "not" | "never")
    });
    let takes =
        (sentence.start.max(tokens.start.saturating_sub(30))..sentence.end.min(tokens.end + 20)).any(|at| {
            // `no reorder is needed` asks for nothing.
            let free = (at.saturating_sub(3)..at).any(|i| matches!(reading.word(i), "no" | "nothing"));
            // `I would simply say we're flat` says it.
            let says = matches!(reading.word(at), "would" | "i'd" | "we'd")
                && (at + 1..at + 4).any(|i| {
                    matches!(
                        reading.word(i),
                        "say"
                            | "call"
                            | "report"
                            | "describe"
                            | "treat"
                            | "consider"
                            | "write"
                            | "put"
                            | "state"
                            | "tell"
                            | "present"
                            | "phrase"
                    )
                });
            !free
                && !says
                && matches!(
                    reading.word(at),
                    "need"
                        | "needs"
                        | "needed"
                        | "require"
                        | "requires"
                        | "required"
                        | "would"
                        | "you'd"
                        | "we'd"
                        | "it'd"
                        | "if"
                        | "must"
                        | "takes"
                        | "unless"
                        | "only"
                        | "requiring"
                        | "wouldn't"
                        | "should've"
                )
        });
    let comes_to = matches!(
        reading.word(before.end.wrapping_sub(2)),
        "rounds" | "round" | "amounts" | "comes" | "boils" | "equates" | "adds" | "evens"
    ) || before.clone().any(|at| {
        matches!(reading.word(at), "turns" | "turned" | "works" | "comes" | "came" | "proves")
            && reading.word(at + 1) == "out"
    });
    let infinitive = !comes_to
        && (matches!(
            reading.word(before.end.wrapping_sub(1)),
            "to" | "breaking" | "getting" | "get" | "being"
        ) || matches!(reading.word(before.end.wrapping_sub(2)), "to")
            && matches!(
                reading.word(before.end.wrapping_sub(1)),
                "be" | "break" | "get" | "come" | "end" | "return" | "bring"
            ));
    let explains = |at: usize| {
        let harmless = match reading.word(at) {
            "base" => reading.names_people(at),
            // `it comes out even`, `the result comes to zero`, `that leaves you even`, `the answer is zero`.
            "comes" | "came" | "leaves" | "leave" | "results" | "answers" | "reflects" | "alone"
            | "falls" => {
                reading.tokens[tokens.start].has(Class::EVEN)
                    || matches!(reading.word(tokens.start), "no" | "nil" | "nothing" | "back")
            }
            _ => false,
        };
        reading.tokens[at].has(Class::EXPLAINS) && !harmless
    };
    let wrong = clause.clone().any(|at| !tokens.contains(&at) && explains(at))
        || matches!(reading.word(clause.end.min(tokens.end)), "point");
    !(denied || refused || seems || takes || infinitive || wrong || reading.struck(tokens))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(text: &str) -> bool {
        !claims(&Reading::of(text)).is_empty()
    }

    #[test]
    fn claims_of_evenness() {
        for text in [
            "So yes, you're even.",
            "they balance each other out over the two periods",
            "fee income is level with where it was",
            "Ad revenue ended the year unchanged.",
            "Hence the volume is unchanged.",
            "Fee income has returned to its previous level.",
            "Donations are back to their 2020 level, no gain and no loss",
            "you can say you've closed the gap",
            "the two number is same and they cancel each other",
            "We broke even.",
            "The second year made up for the loss.",
            "The gain has wiped out the earlier drop.",
            "That is close enough to call it recovered.",
            "What was lost has been regained.",
            "I would simply say we're flat.",
            "We have come full circle.",
        ] {
            assert!(even(text), "{text}");
        }
    }

    #[test]
    fn denials_and_suppositions() {
        for text in [
            "Not even: it is lower.",
            "You are not even close.",
            "Equal percentage moves down and up never cancel.",
            "Breaking even from there would have taken a 150% gain.",
            "To be back at 100 you'd need +25%.",
            "You're 4.84% short of square one.",
            "It looks even, but it isn't.",
            "Are we even?",
            "It is even more than that.",
            "the same percentage applies to a smaller base",
            "Sadly it's not a wash.",
            "I wouldn't call it recovered.",
            "You have recovered 70% of what was lost.",
        ] {
            assert!(!even(text), "{text}");
        }
    }
}
