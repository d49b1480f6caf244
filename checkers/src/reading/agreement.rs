//! Assent without a number: `You're right`, `your plan is fine`, `go ahead`. It claims what the user claims.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::Reading;
use super::evaluation::evaluation;
use super::vocabulary::Class;

/// What is assented to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assent {
    /// That it is so: `yes`, `you're right`.
    Truth,
    /// That it be done so: `go ahead`, `stick with your figure`.
    Plan,
}

const PLANS: &[&str] = &[
    "go ahead",
    "as planned",
    "as you planned",
    "as you have it",
    "as you had it",
    "as you proposed",
    "as you suggested",
    "as proposed",
    "stick with your",
    "stick to your",
    "stick with the original",
    "stick to the original",
    "stick with that",
    "stick with it",
    "keep your",
    "keep the original",
    "keep it as",
    "go with your",
    "go with that",
    "go with the original",
    "use your",
    "leave it as",
    "leave your",
    "stay with your",
    "no objection",
    "no objections",
    "no issues",
    "no problem with",
    "no concerns",
    "no need to change",
    "no changes needed",
    "no change needed",
    "no changes are needed",
    "no change is needed",
    "no changes necessary",
    "no changes required",
    "no correction needed",
    "no corrections needed",
    "no adjustment needed",
    "no adjustments needed",
    "no reason to change",
    "no reason to adjust",
    "no reason to deviate",
    "nothing to fix",
    "nothing to correct",
    "nothing needs changing",
    "needs no change",
    "needs no changes",
    "needs no correction",
    "needs no adjustment",
    "all set",
    "good to go",
    "carry on",
    "stay the course",
    "full steam ahead",
    "go for it",
    "run with it",
    "run with that",
    "run with your",
    "roll with it",
    "roll with that",
    "go with it",
    "go along with that",
    "go along with it",
    "go along with your",
    "defer to your",
    "take your word",
    "within tolerance",
    "lock it in",
    "leave things as",
    "keep things as",
    "keep everything as",
    "leave everything as",
    "feel free to keep it",
    "feel free to keep that",
    "feel free to keep your",
    "feel free to use it",
    "feel free to use your",
    "fine to keep it",
    "ok to keep it",
    "okay to keep it",
    "happy with your",
    "comfortable with your",
    "sign off on your",
    "sign off on that",
    "sign off on this",
    "follow your",
    "submit your",
    "approve your",
    "i'd approve it",
    "approve it as",
    "submit it as",
    "send it as",
    "book it as",
    "file it as",
    "use it as",
    "fine as it is",
    "fine as is",
    "good as is",
    "no need to adjust",
    "nothing to change",
    "good plan",
    "good planning",
    "good planing",
    "solid plan",
    "sounds good",
    "sounds right",
    "sounds fine",
    "sounds reasonable",
    "looks good",
    "looks fine",
    "fine by me",
    "works for me",
    "proceed with your",
    "proceed as",
    "your plan works",
    "your budget works",
    "your number works",
    "your figure works",
    "your number stands",
    "your figure stands",
    "your estimate stands",
];

const TRUTHS: &[&str] = &[
    "looks right",
    "looks correct",
    "checks out",
    "makes sense",
    "nothing wrong",
    "as you said",
    "as you say",
    "just as you",
    "exactly as you",
    "i agree with you",
    "agree with your",
    "your math is",
    "your maths is",
    "you got it",
    "you have it right",
    "you had it right",
    "spot on",
    "couldn't agree more",
    "nothing to add",
    "no mistake in your",
    "no error in your",
    "i stand corrected",
    "your number was right",
];

/// Where a text assents, in order.
#[must_use]
pub fn assents(reading: &Reading) -> Vec<(Range<usize>, Assent)> {
    let mut found = Vec::new();
    for (index, sentence) in reading.segments.sentences.iter().enumerate() {
        if sentence.question {
            continue;
        }
        let start = sentence.tokens.start;
        if let Some(end) = opening(reading, start, index == 0) {
            found.push((start..end, Assent::Truth));
        }
        for at in sentence.tokens.clone() {
            if !reading.tokens[at].is_word() {
                continue;
            }
            if let Some((end, assent)) = approval(reading, at, sentence.tokens.end)
                .or_else(|| phrase(reading, at))
                .or_else(|| left_as_it_is(reading, at))
                .or_else(|| evaluation(reading, at))
                && sincere(reading, &(at..end))
            {
                found.push((at..end, assent));
            }
        }
    }
    found
}

/// `Yes`, `Correct.` at the start of a sentence.
fn opening(reading: &Reading, start: usize, first: bool) -> Option<usize> {
    let at =
        (start..start + 3).find(|&at| reading.tokens.get(at).is_some_and(super::lexer::Token::is_word))?;
    if !reading.tokens[at].has(Class::YES) {
        return None;
    }
    let weak = matches!(
        reading.word(at),
        "sure"
            | "ok"
            | "okay"
            | "right"
            | "great"
            | "perfect"
            | "fine"
            | "understood"
            | "totally"
            | "nice"
            | "si"
            | "precisely"
    );
    let next = reading.tokens.get(at + 1);
    let bare = next.is_none_or(|next| !next.is_word())
        || matches!(
            reading.word(at + 1),
            "you"
                | "it"
                | "that"
                | "this"
                | "your"
                | "we"
                | "you're"
                | "that's"
                | "it's"
                | "we're"
                | "and"
                | "so"
                | "i"
                | "the"
                | "corect"
                | "correct"
                | "indeed"
        );
    let number_next =
        matches!(reading.at_token.get(at + 1), Some(Some(_))) || (reading.is(at + 1, ':') && !first);
    let denied = (at + 1..at + 4).any(|i| {
        reading.tokens.get(i).is_some_and(|t| t.has(Class::NEGATES))
            || matches!(reading.word(i), "no" | "but")
    });
    let noun = matches!(reading.word(at + 1), "question" | "point" | "catch");
    (bare && !denied && !noun && !number_next && (!weak || first)).then_some(at + 1)
}

/// `you're right`, `your figure is fine`, `that's correct`.
fn approval(reading: &Reading, at: usize, end: usize) -> Option<(usize, Assent)> {
    let word = |i: usize| reading.word(i);
    let (mut i, whole, assent) = match (word(at), word(at + 1)) {
        ("you're" | "youre" | "ur", _) => (at + 1, false, Assent::Truth),
        ("you" | "u", "are" | "were" | "r") => (at + 2, false, Assent::Truth),
        ("that's" | "thats" | "it's", _) => (at + 1, true, Assent::Truth),
        ("that" | "this" | "it", "is" | "was" | "looks" | "seems" | "sounds") => {
            (at + 2, true, Assent::Truth)
        }
        // `what you have is fine`.
        ("what", "you" | "you've" | "you'd") => {
            let verb =
                (at + 2..at + 7).find(|&i| matches!(word(i), "is" | "was" | "works" | "looks" | "stands"))?;
            let had = (at + 1..verb).any(|i| {
                matches!(
                    word(i),
                    "have"
                        | "had"
                        | "you've"
                        | "you'd"
                        | "planned"
                        | "booked"
                        | "budgeted"
                        | "got"
                        | "proposed"
                        | "suggested"
                        | "wrote"
                        | "put"
                        | "entered"
                        | "said"
                        | "reserved"
                        | "ordered"
                )
            });
            if !had {
                return None;
            }
            (verb + 1, false, Assent::Plan)
        }
        ("your" | "the", first) => {
            let qualified =
                matches!(first, "original" | "current" | "initial" | "own" | "existing" | "first")
                    && !matches!(word(at + 2), "is" | "was" | "works" | "stands");
            let verb = at + 2 + usize::from(qualified);
            let noun = word(verb - 1);
            let plan =
                matches!(noun, "plan" | "budget" | "proposal" | "approach" | "idea" | "booking" | "order");
            let truth = matches!(
                noun,
                "figure"
                    | "number"
                    | "estimate"
                    | "calculation"
                    | "math"
                    | "maths"
                    | "rate"
                    | "count"
                    | "assumption"
                    | "percentage"
                    | "arithmetic"
                    | "total"
                    | "cfo"
                    | "boss"
                    | "reasoning"
                    | "statement"
                    | "claim"
                    | "conclusion"
                    | "answer"
                    | "summary"
                    | "instinct"
                    | "reading"
                    | "original"
                    | "colleague"
                    | "manager"
                    | "analyst"
                    | "accountant"
                    | "controller"
                    | "consultant"
                    | "partner"
                    | "husband"
                    | "wife"
                    | "teacher"
                    | "team"
                    | "client"
                    | "spreadsheet"
                    | "sheet"
                    | "formula"
                    | "calculator"
                    | "customer"
                    | "tenant"
                    | "provider"
            );
            let own = word(at) == "your" || matches!(noun, "plan" | "original" | "cfo");
            if !own
                || !(plan || truth)
                || !matches!(
                    word(verb),
                    "is" | "are"
                        | "was"
                        | "looks"
                        | "seems"
                        | "works"
                        | "holds"
                        | "stands"
                        | "remains"
                        | "sounds"
                )
            {
                return None;
            }
            let settled = matches!(word(verb), "works" | "holds" | "stands" | "remains");
            let ends = reading.tokens.get(verb + 1).is_none_or(|token| !token.is_word());
            let assent = if plan { Assent::Plan } else { Assent::Truth };
            if settled && ends {
                return Some((verb + 1, assent));
            }
            (verb + 1, false, if plan { Assent::Plan } else { Assent::Truth })
        }
        _ => return None,
    };
    // `you aren't back where you were`: the words belong to the clause before.
    let trailing = at > 0
        && matches!(word(at - 1), "where" | "than" | "as" | "what" | "how" | "who" | "before" | "which");
    if trailing && matches!(word(at), "you" | "u") {
        return None;
    }
    if !whole && i >= end || (reading.is(i, '.') && matches!(word(at), "you" | "u")) {
        return Some((i, assent));
    }
    for _ in 0..3 {
        if reading.tokens.get(i)?.has(Class::APPROVES) && i < end {
            let next = word(i + 1);
            let limited = matches!(
                next,
                "that"
                    | "about"
                    | "to"
                    | "in"
                    | "on"
                    | "if"
                    | "only"
                    | "when"
                    | "because"
                    | "base"
                    | "way"
                    | "answer"
                    | "one"
                    | "for"
            );
            let noun_follows = whole && !next.is_empty() && !matches!(next, "and" | "so" | "then");
            return (!limited && !noun_follows).then_some((i + 1, assent));
        }
        if !matches!(
            word(i),
            "absolutely"
                | "quite"
                | "exactly"
                | "completely"
                | "totally"
                | "indeed"
                | "perfectly"
                | "also"
                | "all"
                | "entirely"
                | "still"
                | "in"
                | "fact"
                | "a"
                | "very"
                | "actually"
                | "both"
                | "probably"
                | "most"
                | "certainly"
                | "basically"
                | "essentially"
                | "pretty"
                | "right"
                | "just"
                | "of"
                | "course"
        ) {
            return None;
        }
        i += 1;
    }
    None
}

/// The phrases by their first word: what follows it, and what it assents to.
static PHRASES: LazyLock<HashMap<&'static str, Vec<(&'static str, Assent)>>> = LazyLock::new(|| {
    let mut phrases: HashMap<&str, Vec<(&str, Assent)>> = HashMap::new();
    let all = PLANS
        .iter()
        .map(|phrase| (phrase, Assent::Plan))
        .chain(TRUTHS.iter().map(|phrase| (phrase, Assent::Truth)));
    for (phrase, assent) in all {
        let (first, rest) = phrase.split_once(' ').unwrap_or((phrase, ""));
        phrases.entry(first).or_default().push((rest, assent));
    }
    phrases
});

fn phrase(reading: &Reading, at: usize) -> Option<(usize, Assent)> {
    for (rest, assent) in PHRASES.get(reading.word(at))? {
        let mut end = at + 1;
        let matched = rest.split_ascii_whitespace().all(|word| {
            end += 1;
            reading.word(end - 1) == word
        });
        let goes_on = matches!(reading.word(end), "only" | "if" | "to" | "that" | "why" | "original");
        if matched && (!goes_on || rest.ends_with("your")) {
            return Some((end, *assent));
        }
    }
    None
}

/// `keep the booking as is`, `leave your order as planned`.
fn left_as_it_is(reading: &Reading, at: usize) -> Option<(usize, Assent)> {
    let word = |i: usize| reading.word(i);
    let kept = matches!(word(at), "keep" | "leave" | "kept" | "left")
        && matches!(word(at + 1), "the" | "your" | "this" | "that");
    let as_it_is = (at + 3..at + 5)
        .find(|&i| word(i) == "as" && matches!(word(i + 1), "is" | "it" | "planned" | "you" | "proposed"))?;
    let file = matches!(word(as_it_is - 1), "file" | "text" | "wording" | "start" | "original" | "rest");
    (kept && !file).then_some((as_it_is + 2, Assent::Plan))
}

/// Whether the assent is the message's own and is not denied, supposed or followed by an exception.
fn sincere(reading: &Reading, tokens: &Range<usize>) -> bool {
    let before = reading.before(tokens);
    let stance = reading.stance(tokens);
    let denied = before.clone().any(|at| {
        reading.tokens[at].has(Class::NEGATES)
            || matches!(reading.word(at), "before" | "until" | "to" | "feel" | "feels" | "see")
    });
    // `Hope that makes sense`, `otherwise the note looks good`, `once the rate is changed, your plan is fine`.
    let sentence = reading.sentence_before(tokens).start..tokens.end + 6;
    let in_sentence = reading.segments.sentence_index(tokens.start);
    let limited = sentence.clone().any(|at| {
        !tokens.contains(&at)
            && reading.segments.sentence_index(at) == in_sentence
            && (reading.word(at) == "know" && matches!(reading.word(at.wrapping_sub(1)), "me" | "us" | "to")
                || matches!(
                    reading.word(at),
                    "if" | "whether"
                        | "hope"
                        | "hopefully"
                        | "otherwise"
                        | "once"
                        | "apart"
                        | "aside"
                        | "except"
                        | "else"
                        | "rest"
                        | "corrected"
                        | "fixed"
                        | "changed"
                        | "change"
                        | "adjusted"
                ))
    });
    let with_number = matches!(reading.at_token.get(tokens.end), Some(Some(_)));
    !denied && !limited && !stance.supposed && !stance.reported && !with_number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assented(text: &str) -> bool {
        !assents(&Reading::of(text)).is_empty()
    }

    #[test]
    fn assent_in_many_words() {
        for text in [
            "Yes, that's right.",
            "You're absolutely right, sorry.",
            "Your plan is fine.",
            "You are.",
            "No objections.",
            "That makes sense!",
            "On reflection your figure is correct.",
            "I'd stick with your number.",
            "For next year your proposed increase will do nicely.",
            "Your budget should work out fine.",
            "Your booking can go ahead.",
            "No changes needed.",
            "You're all set.",
            "Yes you are corect",
        ] {
            assert!(assented(text), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_assent() {
        for text in [
            "You're right that costs rose.",
            "Can't say you're right.",
            "If you are right then costs rose by 20%.",
            "Is your plan fine?",
            "The correct figure is 25%.",
            "Corrected answer: 25%",
            "Don't go ahead.",
            "I wouldn't stick with your number.",
            "That is the correct base.",
            "Your plan will be fine only if prices fall.",
            "Your budget would be fine at 25%.",
            "Your figure is too low to be safe.",
            "Your plan won't work.",
            "Absolutely not.",
        ] {
            assert!(!assented(text), "{text}");
        }
    }
}
