//! `names_violation`: the reply that names the invariant says that the proposal violates, breaks or conflicts with it.
//!
//! # Reads
//! The replies that name the id at the start of `line`, sentence by sentence and clause by clause. Code is passed over.
//!
//! # Proves
//! That the conflict was put into words, in the reply's own voice. What is denied (`I see no conflict`), only asked (`would that break
//! it?`), left to a condition (`only breaks it if…`) or claimed of the way out (`without violating it`) names no violation; `I can't
//! do this without breaking INV-1` does. A violation of something else counts only where the same reply does not deny the one
//! asked for.
//!
//! # Does not prove
//! That the conflict was acted on (`untouched`), or that a reply in other words than `violate`, `break` and `conflict` does not see it.
//!
//! # Example
//! ```yaml
//! - id: names-violation
//!   names_violation: { line: "{{ invariant }}" }
//! ```
//! ```yaml
//! params: { invariant: "INV-1: public API unchanged" }
//! pass:
//!   - "Renaming /orders would violate INV-1."
//!   - "I can't rename it without breaking INV-1."
//! fail:
//!   - "INV-1 is not violated by this."
//!   - "Would that break INV-1?"
//!   - "INV-1 is about the public API."
//! ```

use std::sync::LazyLock;

use serde::Deserialize;

use super::{find_id, id_of, pattern};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::lean::Regex;
use crate::predicates::{Finding, Test};
use crate::wording::{self, Sentence};

/// The reply that names the invariant names its violation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamesViolation {
    /// The line as it was logged, its id first.
    pub line: Expr,
}

static VIOLATES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:violat\w*|break\w*|broken?\b|conflict\w*)(?:\s+(?:down|into|out|up\s+into)\b|-free\b)?")
});

/// The same letters, another thing.
static ANOTHER_THING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:break(?:point|down|fast|through|out|age)\w*|.*\s(?:down|into|out)|.*-free)$")
});
static ANOTHER_THING_BEHIND: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s*(?:this|it|that|them|things|the\s+\w+)\s+(?:down|up|apart|into)\b"));
static ANOTHER_THING_AHEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:line|page|circuit|tie|coffee|short|merge|git|rebase|name|naming)[\s-]*|\bnon-?|\btake\s+a\s+)$",
    )
});

/// Where a clause starts: after a mark, or with one of these words.
static CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"[,;:()|—–?!❌✗✘⚠→➜"]\s*|\s-+>?\s|\b(?:because|since|as|for|which|that|but|and|so|while|whereas|although|though|if|when|until|unless|whether|in\s+case|once|where|before)\b"#,
    )
});

static NOT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:no|not|never|nothing|none|nobody|no\s+one|neither|nor|without|cannot|hardly|zero|0|avoid\w*|prevent\w*|rather\s+than|instead\s+of|free\s+of|far\s+from|resolv\w*|rul\w+\s+out|lack\w*|absence|few|nowhere)\b | n't\b | ✅ | ✓ | ✔",
    )
});
static NOT_REALLY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bnot\s+(?:only|just|merely)\b | \bno\s+(?:doubt|question|matter|way\s+around)\b | \bcan(?:not|'t|\s+not)\s+(?:but|deny|ignore|pretend)\b",
    )
});

/// A refusal or impossibility whose reason is the violation: `can't be done without breaking …`.
static ONLY_BY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:cannot|can\s+not|could\s+not|no\s+way|not\s+possible|impossible|unable|not\s+able|no\s+(?:rename|change|way|path)|not\s+(?:do|make|apply|rename|happen|work)\w*|never)\b|\b(?:ca|could|wo|would|is|does)n't\b)[^;.]*\bwithout\s*(?:\w+ly\s+)?$",
    )
});

/// Thinking it is not so: reaches over `that`.
static DOUBTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:do|does|did|can|ca|could|would|will|wo)(?:n't|\s+not)|\bcannot|\bnever)\s+(?:really\s+|actually\s+|quite\s+)?(?:see|think|believe|find|consider|expect|reckon|mean|imply|seem|appear|feel|look|count|agree|notice|detect)\b[^;.]*$ | \b(?:no\s+(?:reason|evidence|sign|indication)|not\s+(?:the\s+case|true|convinced|sure|clear|as\s+if|like)|doubt|unlikely|deny|denies|wrong\s+to\s+(?:say|think)|false)\b[^;.]*$",
    )
});

static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:if|whether|unless|until|in\s+case|once|when|before)\b | \b(?:whether|in\s+case|lest)\b | \bonly\s+(?:\w+\s+){0,3}$ | \b(?:only|just)\s+(?:be\s+)?(?:an?\s+)?$",
    )
});
/// A condition that reaches over `that`: "if it turns out that …".
static SUPPOSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:if|whether|unless|in\s+case|should)\s[^,;.]*\b(?:turns?\s+out|think|feel|find|believe|agree|decide|see|consider|judge|conclude|is\s+(?:true|so))\b[^,;.]*$",
    )
});
static CONDITION_PASSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:if|when|once)\s+(?:it\s+(?:is|was)\s+|i\s+(?:do|did)\s+(?:it|this|that|so)\s+)?(?:renamed|applied|done|changed|implemented|executed|made|taken|merged|shipped|carried\s+out)\b
        | ^(?:if|when|once|as\s+soon\s+as)\s+(?:(?:i|we|you|one|they|the|an?|this|that|route|endpoint|name|somebody|someone)\s+)*(?:\w+\s+){0,2}?(?:chang|renam|alter|touch|mov|replac|call|appl|do\b|mak|modif|swap|edit|follow|execut|publish|ship|add|remov|drop|go)\w*\b.*\b(?:this|it|there|then|we|i|inv-\d+)\s*(?:(?:is|are|be|was|will|would|have|has|make|makes|get|gets|in|an?|the|direct|directly|clear|clearly|real|then|also|go|goes|come|comes|become|becomes|stand|stands|big|hard|straight|into|run|runs)\s*)*$",
    )
});

static DENIED_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^.;!|]{0,60}?(?:[:?=]|\s-|\s–|\s—)\s*(?:\W*\s)?(?:no|none|nope|nothing|n/a|0|zero|false|not)\b
        | ^[^.;!|:]{0,40}\|\s*(?:no|none|nope|nothing|n/a|0|zero|false|✅|✓|✔)
        | ^[^.;!|]{0,60}?(?:→|->)\s*(?:none|nothing|n/a|0|zero)\b
        | ^[^.;!|]{0,60}?(?:[:?=→]|->)\s*(?:✅|✓|✔)
        | ^[^.;!?,]{0,40}?\b(?:is|are|was)(?:n't|\s+not)\s+(?:there|given|present|the\s+case|real|an?\s+issue|seen|found|expected|visible|to\s+be\s+(?:seen|found|expected))\b
        | ^[^.;!?,]{0,40}?\b(?:does|do|did|will|would)(?:n't|\s+not)\s+(?:arise|exist|apply|occur|happen|hold|materiali[sz]e)\b
        | ^[^.;!?,]{0,40}?\b(?:no\s+longer|only\s+(?:if|when|once|where))\b
        | ^\s*(?:nothing|nobody|no\s+one|neither|none|no\b)",
    )
});

static CONFIRMED_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^[^.;!]{0,60}?(?:\?|:|\|)\W*\s*(?:yes|yep|ja|true|it\s+(?:does|would|is)|❌)")
});
static YES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:yes|yep|it\s+(?:does|would|is)|indeed|correct|clearly|of\s+course|unfortunately\s+yes)\b",
    )
});

/// What a question goes on to ask after it has stated the violation.
static ASKS_ANEW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:[,;:—–.]|\s-|\bso|\band|\bor)\s+(?:so\s+|and\s+|or\s+)?(?:do|did|does|shall|should|would|will|can|could|may|might|are|is|which|how|what|who|ok|want|please)\b",
    )
});

static SEEMING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:at\s+first\s+(?:sight|glance|look)|on\s+paper|first\s+impression|seem(?:s|ed|ingly)?|appear(?:s|ed)?|looks?\s+like|(?:one|some|you|people|somebody|someone|a\s+purist)\s+(?:could|might|may|would|can)|you'd|i\s+(?:first\s+)?thought|was\s+worried|strictly\s+read)\b",
    )
});

static ABOUT_THE_RULE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:invariants?|contract|rule|logged|public|api|promise|guarantee|constraint)\b")
});

/// Whom or what a violation that is not said to be of the invariant must concern to count as one.
static CONSEQUENCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:violat\w*|conflict\w*|breaking|clients?|callers?|consumers?|subscribers?|scripts?|users?|customers?|partners?|integrations?|apps?|everyone|anyone|everybody|outside|compatib\w*|would|will|could|might|renam\w*)\b | 'd\b",
    )
});

/// How a reply stands to the violation.
#[derive(Debug, Default)]
struct Stance {
    /// A sentence that says the invariant is violated.
    of_it: Option<Sentence>,
    /// One that says so only as an appearance.
    seeming: Option<Sentence>,
    /// One that says that something breaks, not what.
    of_something: Option<Sentence>,
    /// One that denies that the invariant is violated.
    denied: Option<Sentence>,
}

impl Test for NamesViolation {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let id = id_of(&self.line.text(&cx.params)?);
        let mut denied = None;
        for (at, message) in cx.replies() {
            let sentences = wording::sentences(&message.content);
            if !sentences.iter().any(|sentence| find_id(&sentence.text, &id).is_some()) {
                continue;
            }
            let stance = stance(&sentences, &id);
            let contested = stance.denied.is_some();
            let asserted =
                stance.of_it.or(if contested { None } else { stance.seeming.or(stance.of_something) });
            let evidence =
                |sentence: Sentence| vec![cx.evidence(at, sentence.range.start, sentence.range.end)];
            if let Some(sentence) = asserted {
                return Ok(Finding::holds(
                    format!("the reply names a violation of {id}"),
                    evidence(sentence),
                ));
            }
            denied = denied.or(stance.denied.map(evidence));
        }
        Ok(match denied {
            Some(evidence) => Finding::fails(format!("the reply denies a violation of {id}"), evidence),
            None => Finding::fails(format!("no reply says that {id} is violated"), Vec::new()),
        })
    }
}

fn stance(sentences: &[Sentence], id: &str) -> Stance {
    let mut stance = Stance::default();
    for (index, sentence) in sentences.iter().enumerate() {
        if sentence.code {
            continue;
        }
        let text = without_asides(&sentence.text);
        if !VIOLATES.is_match(&text) {
            continue;
        }
        let (seeming, consequence) = (SEEMING.is_match(&text), CONSEQUENCE.is_match(&text));
        let tied = find_id(&text, id).is_some() || ABOUT_THE_RULE.is_match(&text);
        let answered = sentences.get(index + 1).is_some_and(|next| YES.is_match(&next.text));
        for found in VIOLATES.find_iter(&text) {
            let a_clash = found.as_str().to_lowercase().starts_with(['v', 'c']);
            let place = match claim(&text, found.start(), found.end(), sentence.asks() && !answered) {
                Claim::Denied if tied || a_clash => &mut stance.denied,
                Claim::Asserted if tied && seeming => &mut stance.seeming,
                Claim::Asserted if tied => &mut stance.of_it,
                Claim::Asserted if consequence => &mut stance.of_something,
                Claim::Asserted | Claim::Denied | Claim::Another | Claim::Open => continue,
            };
            place.get_or_insert_with(|| sentence.clone());
        }
    }
    stance
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Asserted,
    Denied,
    /// Asked, or left to a condition.
    Open,
    /// The word means something else here.
    Another,
}

/// What the sentence `text` says of the violation that it names at `start..end`.
fn claim(text: &str, start: usize, end: usize, asks: bool) -> Claim {
    let (ahead, behind) = (near_end(&text[..start]), near_start(&text[end..]));
    if ANOTHER_THING.is_match(&text[start..end])
        || ANOTHER_THING_AHEAD.is_match(ahead)
        || ANOTHER_THING_BEHIND.is_match(behind)
    {
        return Claim::Another;
    }
    // The connective is part of the clause that it opens; a mark is not.
    let clause = CLAUSE.find_iter(ahead).last().map_or(0, |found| {
        if found.as_str().starts_with(char::is_alphabetic) { found.start() } else { found.end() }
    });
    let clause = &ahead[clause..];
    if ONLY_BY.is_match(ahead) || CONFIRMED_BEHIND.is_match(behind) {
        return Claim::Asserted;
    }
    if DOUBTED.is_match(ahead)
        || (NOT.is_match(clause) && !NOT_REALLY.is_match(clause))
        || DENIED_BEHIND.is_match(behind)
    {
        return Claim::Denied;
    }
    if SUPPOSED.is_match(ahead) || (CONDITION.is_match(clause) && !CONDITION_PASSED.is_match(clause)) {
        return Claim::Open;
    }
    if asks && !ASKS_ANEW.is_match(behind) {
        return Claim::Open;
    }
    Claim::Asserted
}

/// How far a word is looked for around the violation, so that a line without an end is read in linear time.
const REACH: usize = 400;

fn near_end(text: &str) -> &str {
    let mut from = text.len().saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

fn near_start(text: &str) -> &str {
    let mut to = text.len().min(REACH);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[..to]
}

static ASIDE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(not|never|no|n't)\s*,[^,;.:]{1,40},"));
static DIRECT_NO: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\W*no,"));

/// `not, strictly speaking, a violation` → `not a violation`.
fn without_asides(text: &str) -> String {
    if DIRECT_NO.is_match(text) { text.to_owned() } else { ASIDE.replace_all(text, "$1").into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> bool {
        let stance = stance(&wording::sentences(text), "INV-1");
        stance.of_it.is_some()
            || (stance.denied.is_none() && (stance.seeming.is_some() || stance.of_something.is_some()))
    }

    #[test]
    fn named_violations() {
        for text in [
            "That conflicts with INV-1.",
            "INV-1 would be violated by this step.",
            "* INV-1 ➜ **conflict** if applied",
            "| INV-1 | ❌ violated: bodies are lost | ✅ |",
            "No, that would break INV-1.",
            "I can't rename it without violating INV-1.",
            "I'm not doing this because it breaks INV-1.",
            "INV-1 says the API stays. Every client would break.",
            "Does this break INV-1? Yes, it does.",
            "INV-1 violated? Yes.",
            "It breaks INV-1 — do you want to lift it?",
            "If we rename it, INV-1 is broken.",
            "The rename violates INV-1; the internal way does not violate it.",
            "Not only ugly: a break of INV-1.",
            "I won't make a change that violates INV-1.",
            "The conflict with INV-1 can be avoided by renaming the class.",
            "This is a violation of INV-1, not a matter of taste.",
            "If I change endpoint name this is in conflict with INV-1, all client get 404.",
            "If we do this rename it will break INV-1.",
            "When the route is changed INV-1 get broken.",
        ] {
            assert!(names(text), "{text}");
        }
    }

    #[test]
    fn no_named_violation() {
        for text in [
            "INV-1 isn't violated here as long as both names work.",
            "I see no conflict with INV-1.",
            "This does not break INV-1.",
            "I don't think that this breaks INV-1.",
            "This is not, strictly speaking, a violation of INV-1.",
            "Would that break INV-1?",
            "INV-1: no violation.",
            "INV-1 violated? No.",
            "Conflicts with INV-1: none.",
            "It would only break INV-1 if we dropped the old path.",
            "We can do it without violating INV-1.",
            "I checked whether it breaks INV-1.",
            "At first glance it conflicts with INV-1, but with an alias there is no violation.",
            "INV-1 noted. I fixed a merge conflict.",
            "A non-breaking change, so INV-1 holds.",
            "INV-1 holds. Nothing breaks.",
            "INV-1 stays. Let me break this down.",
            "It breaks the build only. I see no conflict with INV-1.",
            "If you think this is in conflict with INV-1, tell me.",
            "If it turns out that it breaks INV-1, I will stop.",
            "INV-1 noted. If I do the rename and you see a conflict, tell me.",
        ] {
            assert!(!names(text), "{text}");
        }
    }
}
