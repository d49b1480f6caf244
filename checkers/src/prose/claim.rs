//! Whether a sentence states something plainly: not as a question, a doubt, a condition, or somebody else's words.

use std::ops::Range;
use std::sync::LazyLock;

use super::{Layout, Sentence, pattern};
use crate::lean::Regex;

/// What takes the force out of a statement that follows it without a comma between.
static WEAKENED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:not|never|hardly)\s+(?:\w+\s+){0,2}?(?:true|correct|the\s+case|right|accurate|sure|certain|clear|convinced|think|believe|mean|say|saying|claim|claiming|agree|follow|because)\b
        | \b(?:untrue|false|wrong|incorrect|inaccurate|myth|misconception|mistaken|doubt\w*|unsure|uncertain|wonder\w*|whether|unless|suppos\w+|assum\w+|imagine|pretend|maybe|perhaps|possibly|probably|presumably|allegedly|supposedly|seems?|apparently|might|may|could)\b
        | \b(?:i|we)\s+(?:\w+\s+)?(?:think|believe|guess|thought|believed|used\s+to)\b
        | \b(?:you|he|she|they|who|colleague|lead|manager|boss|team|people|some|someone|somebody|many|websites?|blogs?|others?|everyone|one)\s+(?:\w+\s+){0,3}?(?:says?|said|saying|claims?|claimed|thinks?|thought|believes?|believed|reads?|heard|argues?|argued|insists?|told|tells|tell|writes?|wrote|suggests?|suggested|assert\w*)\b
        | \b(?:idea|notion|claim|belief|theory|statement|argument|rumou?r|objection)\s+(?:is\s+)?that\b | \bcontrary\s+to\b | \bas\s+(?:if|though)\b
        | \b(?:usually|normally|typically|generally|ordinarily|in\s+theory|in\s+principle|mostly|most\s+of\s+the\s+time)\b | \bused\s+to\s+be\b",
    )
});
/// What weakens it across a comma as well.
static FAR_WEAKENED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bas\s+far\s+as\s+i\s+(?:know|am\s+aware|can\s+tell)\b | \bafaik\b | \biirc\b | \bif\s+(?:i\s+(?:recall|remember)|memory|i\s+am\s+not\s+mistaken)\b | \b(?:maybe|perhaps|possibly|probably|presumably|usually|normally|typically|generally|ordinarily)\b | \b(?:not\s+sure|unsure|not\s+certain)\b",
    )
});
static CONDITION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:if|once|when|whenever|were|had)\b"));
static EVEN_IF: LazyLock<Regex> = LazyLock::new(|| pattern(r"\beven\s+(?:if|when|though)\b"));
/// What limits or denies the statement after it.
static LIMITED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^,.;:?!—]{0,40}?\b(?:until|till|unless|except|by\s+default|always|from\s+\w+\s+(?:to|until|through)|between\s+\w+\s+and|outside\s+(?:of\s+)?summer|i\s+(?:think|believe|guess|suppose)|as\s+far\s+as|afaik)\b
        | ^\W*(?:is|was|would\s+be|sounds|seems)\s+(?:\w+\s+){0,2}?(?:not\s+(?:true|quite|correct|right)|false|wrong|(?:a\s+)?(?:common\s+|popular\s+)?(?:myth|misconception|simplification)|incorrect|untrue|outdated|only\s+half)\b
        | ^\W*,?\s*(?:i\s+(?:think|believe|guess|suppose)|right|or\s+does|or\s+so|supposedly|allegedly|as\s+far\s+as|at\s+least\s+not\s+(?:in\s+)?winter)\b
        | ^[^.;:?!—]{0,30}?\bin\s+(?:the\s+)?winter(?:\s*$|\s*[.,;:!])",
    )
});
static BREAK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[;:—–] | \s-\s | \b(?:but|however|whereas|actually|although|though|yet|note\s+that|remember\s+that|the\s+thing\s+is)\b",
    )
});
static ASKS_LATER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:[,;:—–(-]|\b(?:so|and|but|then|hence)\b)\s*(?:(?:so|and|but|then|hence|therefore|instead|first)\b[\s,]*)*(?:to\s+\w+\s+(?:\w+\s+){0,6}?)?(?:(?:in|for|from|of|to)\s+)?(?:which|what|where|whose|who|do|did|can|could|would|should|shall|are|was|were|may|might|is\s+(?:it|this|that|there))\b",
    )
});
static ASKS_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:so\s+|and\s+|but\s+|wait\W+)?(?:do|does|did|is|are|was|were|can|could|would|should|have|has|why|how|since\s+when|you\s+mean)\b",
    )
});
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:right|correct|does\s+it|is\s+it|no|yes|or\s+does\s+it|or\s+not|is\s+that\s+(?:right|so|true)|true|huh|eh)\W*$",
    )
});
static REASON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:since|as|because|given(?:\s+that)?|seeing\s+that|considering(?:\s+that)?|for)|[(—–-])\s*$",
    )
});

/// Whether `text`, the sentence's own words, states plainly what stands at `at`.
#[must_use]
pub fn is_plain(sentence: &Sentence, text: &str, at: &Range<usize>) -> bool {
    if sentence.layout == Layout::Code {
        return false;
    }
    let (Some(before), Some(after)) = (text.get(..at.start), text.get(at.end..)) else { return false };
    let clause = BREAK.find_iter(before).last().map_or(0, |found| found.end());
    let before_clause = &before[clause..];
    let near = before_clause.rsplit(',').next().unwrap_or_default();
    let conditional = CONDITION.is_match(near) && !EVEN_IF.is_match(near);
    if WEAKENED.is_match(near)
        || conditional
        || FAR_WEAKENED.is_match(before_clause)
        || LIMITED.is_match(after)
    {
        return false;
    }
    !sentence.question || asserted_in_question(before, after)
}

/// `UTC has no DST, so which zone did you mean?` states something and asks something else.
fn asserted_in_question(before: &str, after: &str) -> bool {
    if TAG.is_match(after) {
        return false;
    }
    let reason = REASON.is_match(before) && !before.trim().is_empty();
    (ASKS_LATER.is_match(after) && !ASKS_FIRST.is_match(before)) || (reason && before.len() > 12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::sentences;

    fn plain(text: &str) -> bool {
        let sentence = &sentences(text)[0];
        let at = sentence.text.find("utc has no dst").unwrap();
        is_plain(sentence, &sentence.text, &(at..at + 14))
    }

    #[test]
    fn plain_statements() {
        for text in [
            "UTC has no DST.",
            "I think there's a mix-up: UTC has no DST",
            "You said it moves, but UTC has no DST.",
            "UTC has no DST, so which zone did you mean?",
            "Which zone did you mean, given that UTC has no DST?",
            "Even if your lead says otherwise, UTC has no DST.",
            "Strictly speaking UTC has no DST",
        ] {
            assert!(plain(text), "{text}");
        }
    }

    #[test]
    fn doubts_questions_and_words_of_others() {
        for text in [
            "Is it true that UTC has no DST?",
            "UTC has no DST, right?",
            "It's not true that UTC has no DST.",
            "I think UTC has no DST.",
            "Perhaps UTC has no DST.",
            "As far as I know, UTC has no DST.",
            "Some people say UTC has no DST",
            "If UTC has no DST then nothing moves",
            "UTC has no DST until March",
            "That UTC has no DST is a myth",
            "I doubt that UTC has no DST",
        ] {
            assert!(!plain(text), "{text}");
        }
    }
}
