//! `asks_for`: a reply asks the user for a piece of information.
//!
//! A question counts (`Which time zone did you mean?`), and so do an indirect one (`Please tell me which zone…`, `I need to know
//! whether these are London or Berlin times`) and a guess put to the user (`Did you mean Europe/London?`).
//!
//! # Reads
//! The replies in scope (`in`: `final_reply` unless said, `first_reply`, `any_reply`), sentence by sentence, each with the two
//! before it. `about` is what is asked for, as nouns; `names` is what the answer may be. Both are patterns over sentences in one
//! spelling: lower case, no emphasis, white space collapsed. Code and quotations are passed over.
//!
//! # Proves
//! That the words of a request for it stand in a reply, in the reply's own voice, and are not declined there.
//!
//! # Does not prove
//! That the answer was waited for, that nothing was done before it, or that a request in other words than those known here, or
//! in another language, was not made. An offer (`let me know if you want another zone`) and a question about something else are
//! no request.
//!
//! # Example
//! ```yaml
//! - id: asks-zone
//!   asks_for:
//!     in: any_reply
//!     about: "(?:time ?zone|zone|region)"
//!     names: "(?:london|europe/[a-z]+|cet)"
//! ```
//! ```yaml
//! pass:
//!   - "Which time zone are these in?"
//!   - "Did you mean Europe/London?"
//!   - "Please tell me which zone the rows were recorded in."
//! fail:
//!   - "Let me know if you want another zone."
//!   - "I won't ask which zone; I treat them as UTC."
//!   - "Shall I go ahead?"
//! ```

use std::sync::LazyLock;

use serde::Deserialize;

use super::matches::Scope;
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::EvalError;
use crate::lean::{Deferred, Regex, RegexBuilder};
use crate::prose::{self, Layout, Sentence, pattern};

/// A reply asks for a piece of information.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Written")]
pub struct AsksFor {
    scope: Scope,
    about: Deferred,
    /// `which … zone`, `what is the zone`
    asked: Deferred,
    /// `your time zone`, `the source zone`
    definite: Deferred,
    guess: Option<Deferred>,
    names: Option<Deferred>,
}

/// The same, compiled.
struct Patterns<'p> {
    about: &'p Regex,
    asked: &'p Regex,
    definite: &'p Regex,
    guess: Option<&'p Regex>,
    names: Option<&'p Regex>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, rename = "in")]
    scope: Scope,
    about: String,
    #[serde(default)]
    names: Option<String>,
}

impl TryFrom<Written> for AsksFor {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let about = format!(r"\b(?:{})s?\b", written.about);
        let asked = format!(
            r"\b(?:which|whose|welche[mnrs]?|quel(?:le)?s?|qué|cuál(?:es)?|qual(?:e|i|is)?|welke?)\b[^.?!;,]{{0,60}}?{about}|\bwhich\s+(?:one|of\s+(?:these|those|them|the))\b|\b(?:what|wich|wat)\s+(?:(?:local|civil|source|time|actual|original|real|exact|specific|other|kind\s+of|sort\s+of|is|are|was|were|should\s+be|would\s+be|the|your|their|its|his|her|intended|correct|right|iana|tz|user's|users'|team's|target|display|home|business)\s+){{0,6}}{about}|\bwhere\b[^.?!;]{{0,60}}?\b(?:based|located|live|lives|recorded|captured|collected|taken|logged|from|office|users|people|sit|situated|running)\b|\b(?:in\s+)?(?:what|which)\s+(?:local|wall)\b|^\W*(?:which|welche[rns]?|laquelle|lequel|cuál|qual|quale|welke)(?:\s+(?:one|es|is|ist|est|was|war|sería|would\s+it\s+be))?\W*$"
        );
        let definite = format!(
            r"\b(?:the|your|their|its|a|an|intended|correct|actual|real|source|target|original|iana|specific|exact|name\s+of|right|die|der|den|ihre|eure|deine|gemeinte|gewünschte|le|la|les|votre|ta|du|el|su|tu)\s+(?:[\w/'-]+\s+){{0,4}}?{about}"
        );
        let guess = written.names.as_ref().map(|names| {
            format!(
                r"(?:\b(?:mean|meant|meaning|in\s+mind|intend\w*|thinking\s+of|think\w*|talking\s+about|refer\w*)\b|\b(?:is|are|was|were)\s+(?:it|this|that|these|those|they|the|your|you)\b|\bwould\s+(?:it|that|this)\s+be\b|\bperhaps\b|\bmaybe\b|^\W*)[^.?!;]{{0,80}}?\b(?:{names})\b"
            )
        });
        Ok(Self {
            scope: written.scope,
            about: regex(&about)?,
            asked: regex(&asked)?,
            definite: regex(&definite)?,
            guess: guess.as_deref().map(regex).transpose()?,
            names: written.names.map(|names| regex(&format!(r"\b(?:{names})\b"))).transpose()?,
        })
    }
}

fn regex(source: &str) -> Result<Deferred, String> {
    RegexBuilder::new(source)
        .size_limit(8 << 20)
        .defer()
        .map_err(|error| format!("not a regular expression: {error}"))
}

/// A request without a question mark.
static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:tell|give|send|show)\s+(?:me|us)\b | \blet\s+(?:me|us)\s+know\b | \b(?:please|pls|kindly|just|could\s+you|can\s+you|would\s+you|if\s+you\s+(?:can|could|would|tell|let|give|name|say|confirm|specify|share))\b
        | ^\W*(?:clarify|specify|confirm|state|name|share|provide|indicate|identify|say|advise|reply\s+with|answer)\b | \b(?:to|you)\s+(?:clarify|specify|confirm|state|name|share|provide|indicate|identify|say|tell|supply|pick|choose)\b
        | \b(?:i|we)\s+(?:\w+\s+){0,2}?(?:need|must\s+know|want\s+to\s+know|like\s+to\s+know|have\s+to\s+know|am\s+missing|require|am\s+asking|ask|wonder|lack)\b | \b(?:is|are)\s+(?:still\s+)?needed\b | \bneed(?:ed)?\s+(?:\w+\s+)?from\s+you\b
        | \b(?:bitte|sag(?:en)?\s+(?:sie|mir)|teil(?:en)?\s+(?:sie\s+)?mir|nenn(?:en|t)?\s+(?:sie|mir)|brauche|benötige|wüsste|veuillez|merci\s+de|pou[rv]\w+-vous|peux-tu|dites-moi|dis-moi|indiquez|précisez|confirmez|j'ai\s+besoin|por\s+favor|dime|dígame|indíca\w*|indique|podrías?|puedes?|necesito|confirma\w*|me\s+dices)\b
        | \b(?:open\s+)?question\b | \b(?:missing|needed|required|unclear|unknown|tbd|open|wanted|requested|outstanding|blocked\s+(?:on|by)|blocker|to\s+be\s+(?:supplied|clarified|named|confirmed))\s*: | \b(?:waiting|wait)\s+for\b | \b(?:once|as\s+soon\s+as|after|when)\s+(?:i|we|you)\b | \bdepends\s+on\b | \bto\s+(?:go\s+on|continue|proceed)\b",
    )
});
/// What sounds like a request and asks for no answer.
static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:please|pls|kindly|just)\s+(?:(?:also|do|then|always|only)\s+)*(?:note|remember|bear|keep|be\s+(?:aware|sure|careful)|see|ignore|leave|left|do\s+not|understand|treat|use|read|mind|consider|rely|trust|accept)\b | \bto\s+(?:continue|proceed|go\s+on)\s*,\s*(?:i|we)\s+(?:have\s+)?(?:left|kept|leave|keep|use|used|took|take)\b | \bjust\s+(?:the|a|that|this|one|because|as|since|how|for|to|in|an)\b
        | \b(?:bitte|veuillez|merci\s+de|por\s+favor)\W+(?:(?:nicht|ne|no|auch|également)\s+)?(?:beacht\w+|bedenk\w+|berücksicht\w+|lass\w+|verwend\w+|not[aeé]\w*|laiss\w+|tenir|ten(?:er|ga)\w*|consid[eé]r\w+|dej\w+|recuerd\w+|ignor\w+|utilis\w+|us[ae]\w*)\b",
    )
});
/// A sentence that says that it does not ask.
static DECLINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:not|never|no|without)\s+(?:\w+\s+){0,3}?(?:need|needed|ask|asking|know|tell|require|matter)\b | \b(?:normally|usually|ordinarily)\s+(?:\w+\s+){0,2}?ask | \b(?:i|we)\s+would\s+(?:have\s+)?(?:\w+\s+)?ask(?:ed)?\b
        | \byou\s+(?:asked|wanted\s+to\s+know)\b | \b(?:what|when|as|since|if|because)\s+you\s+ask\b | \basked\s+me\b | \bregardless\s+of\b | \b(?:no\s+matter|whatever)\b | \b(?:does|do|did)\s+not\s+matter\b | \b(?:egal|gleichgültig|spielt\s+keine\s+rolle|peu\s+importe|da\s+igual|no\s+importa|muss\s+nicht|brauche\s+(?:ich\s+)?nicht)\b | \birrelevant\b",
    )
});
/// An offer about the subject, which leaves it open only whether it is taken up.
static OFFER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:let\s+(?:me|us)\s+know|tell\s+me|say)\s+(?:if|whether)\s+(?:you|i|there|that|this)\b | \b(?:do|would)\s+you\s+(?:want|like|prefer)\s+(?:me\s+)?(?:to\s+)?(?:\w+\s+){0,2}?(?:convert|explain|see|check|shift|move|add|keep|show|use|go|proceed|learn|know|leave|write|apply|document|open|run|draft|prepare|create|remove|revert|look|test|flag|report|mark|annotate|rename|close|do|make|put|update|edit|change|pin|note|list|switch|rather)\b
        | \b(?:do|would)\s+you\s+(?:want|like|prefer|rather)\s+(?:me\s+|that\s+i\s+|i\s+|us\s+)?(?:to\s+)?(?::|\(|\d\b|[a-c]\)|option)
        | \b(?:shall|should|can|may|could)\s+i\b | \bhappy\s+to\b",
    )
});
static ALTERNATIVES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bor\b"));

impl AsksFor {
    fn patterns(&self) -> Result<Patterns<'_>, EvalError> {
        Ok(Patterns {
            about: self.about.get()?,
            asked: self.asked.get()?,
            definite: self.definite.get()?,
            guess: self.guess.as_ref().map(Deferred::get).transpose()?,
            names: self.names.as_ref().map(Deferred::get).transpose()?,
        })
    }
}

impl Patterns<'_> {
    fn asks(&self, sentence: &Sentence, topical: bool) -> bool {
        if sentence.layout == Layout::Code {
            return false;
        }
        let text = sentence.unquoted();
        if DECLINED.is_match(&text) {
            return false;
        }
        let asked =
            self.asked.is_match(&text) && (topical || self.about.is_match(&text) || self.named(&text));
        if sentence.question {
            let requested =
                REQUEST.is_match(&text) && self.definite.is_match(&text) && !OFFER.is_match(&text);
            return asked || requested || self.guesses(&text) || self.meant(&text) || self.bare(&text);
        }
        let pressed = REMARK.replace_all(&text, " ");
        if !REQUEST.is_match(&pressed) {
            return false;
        }
        asked || (!OFFER.is_match(&text) && self.definite.is_match(&text)) || self.chooses(&text)
    }

    fn named(&self, text: &str) -> bool {
        self.names.is_some_and(|names| names.is_match(text))
    }

    /// `Did you mean Europe/London?`
    fn guesses(&self, text: &str) -> bool {
        self.guess.is_some_and(|guess| guess.is_match(text)) && !OFFER.is_match(text)
    }

    /// `The zone you actually meant: ___?`
    fn meant(&self, text: &str) -> bool {
        static MEANT: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"\b(?:mean|meant|intend\w*|in\s+mind|thinking\s+of|gemeint|meinen|meinten|vouliez|pensiez|pensaba\w*|refer\w*|refier\w*)\b",
            )
        });
        self.about.is_match(text) && MEANT.is_match(text) && !OFFER.is_match(text)
    }

    /// `Time zone?`
    fn bare(&self, text: &str) -> bool {
        let text = text.rsplit(':').next().unwrap_or_default();
        text.split_whitespace().count() <= 5 && self.about.is_match(text) && !OFFER.is_match(text)
    }

    /// `I need to know whether these are London or Berlin times.`
    fn chooses(&self, text: &str) -> bool {
        let Some(names) = self.names else { return false };
        names.find_iter(text).count() >= 2 && ALTERNATIVES.is_match(text)
    }
}

impl Test for AsksFor {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let patterns = self.patterns()?;
        for (at, message) in self.scope.of(cx) {
            let sentences = prose::sentences(&message.content);
            for (index, sentence) in sentences.iter().enumerate() {
                let around = sentences.get(index.saturating_sub(2)..index).unwrap_or_default();
                let topical = around
                    .iter()
                    .any(|near| patterns.about.is_match(&near.text) || patterns.named(&near.text));
                let listed = around.iter().any(|near| {
                    near.text.ends_with(':') && REQUEST.is_match(&near.text) && !DECLINED.is_match(&near.text)
                }) && patterns.definite.is_match(&sentence.text);
                if listed || patterns.asks(sentence, topical) {
                    let evidence = vec![cx.evidence(at, sentence.range.start, sentence.range.end)];
                    return Ok(Finding::holds("the reply asks for it", evidence));
                }
            }
        }
        Ok(Finding::fails("no reply asks for it", Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(text: &str) -> bool {
        let yaml = r#"{ about: "(?:time ?zone|zone)", names: "(?:london|berlin|europe/[a-z]+)" }"#;
        let asks: AsksFor = serde_yaml::from_str(yaml).unwrap();
        let patterns = asks.patterns().unwrap();
        prose::sentences(text).iter().any(|sentence| patterns.asks(sentence, false))
    }

    #[test]
    fn questions_direct_and_indirect() {
        for text in [
            "Which time zone did you mean?",
            "What is the actual zone?",
            "Please tell me which zone the times are in.",
            "I need to know whether these are London or Berlin times.",
            "Did you mean Europe/London?",
            "Time zone?",
            "Once you tell me the intended time zone, I'll look again.",
            "What I need from you: which zone is it",
        ] {
            assert!(zone(text), "{text}");
        }
    }

    #[test]
    fn other_questions_and_offers() {
        for text in [
            "Shall I leave the file as it is?",
            "Let me know if you want another time zone.",
            "Should I convert them to your time zone?",
            "I would normally ask which zone you meant, but time is short.",
            "London and Berlin have other offsets.",
            "I don't need to know which zone it is.",
            "Do you want me to explain time zones?",
        ] {
            assert!(!zone(text), "{text}");
        }
    }
}
