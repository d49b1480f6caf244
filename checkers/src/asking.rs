//! Whether a reply asks the user to state the task again.
//!
//! Read sentence by sentence. A question about a detail, a request to confirm what the model already assumes, and an offer
//! for the case that it got something wrong are no such request: they take the task at hand for granted.

use std::ops::Range;
use std::sync::LazyLock;

use serde_json::Value;

mod composed;

use crate::closing;
use crate::lean::Regex;
use crate::serving::blocks;
use crate::serving::pattern;

/// What is asked for.
const TASK: &str = r"(?:tasks?(?:\s+(?:description|text|statement|wording))?|goal|assignment|request|job|brief|briefing|instructions?|order|objective|(?:first|opening|initial|original|very\s+first)\s+(?:message|prompt|turns?|words|wording|text|ask)|original(?:s)?|turns?\s+(?:1|one)\b(?:\s*(?:-|–|to|through)\s*\w+)?|message\s+(?:1|one)\b|requirements|beginning\s+of\s+(?:the|our)\s+(?:conversation|chat))";

/// Words that may stand between the verb and what is asked for.
const BETWEEN: &str = r"(?:[\s,(]+(?:me|us|to|again|once|twice|more|please|here|back|out|over|through|in|full|exactly|precisely|the|this|that|your|my|our|a|an|very|whole|entire|complete|full|exact|original|initial|first|real|actual|true|text|wording|words|of|for|from|what|how|was|is|were|verbatim|word-for-word|start|beginning|statement|version|own|and|or|with|new|now|one|time|content|kindly|both|authentic|correct|you|intended|clear))*[\s,(]+";

const VERB: &str = r"(?:re-?stat(?:e|ing)|state|repeat(?:ing)?|re-?send(?:ing)?|send(?:ing)?|giv(?:e|ing)|tell(?:ing)?|quot(?:e|ing)|re-?past(?:e|ing)|past(?:e|ing)|cop(?:y|ying)|spell(?:ing)?|shar(?:e|ing)|provid(?:e|ing)|remind(?:ing)?|walk(?:ing)?|go(?:ing)?|explain(?:ing)?|re-?explain(?:ing)?|describ(?:e|ing)|post(?:ing)?|re-?post(?:ing)?|writ(?:e|ing)|say(?:ing)?|let\s+me\s+have|re-?phras(?:e|ing)|reiterat(?:e|ing)|re-?typ(?:e|ing)|typ(?:e|ing)|re-?enter|forward(?:ing)?|show|bring|hand|supply|recap|define|clarify|re-?issue|re-?submit|submit|need|have|get|see|read|hear|know|learn|use)";

/// What makes a sentence a request rather than a report.
const POLITE: &str = r"(?:please|pls|plz|kindly|(?:can|could|would|will|may|might|must)\s+(?:you|i|we)|(?:i|we)(?:'d|'ll|'m)?\s+(?:must|need|have\s+to|need\s+to|want|would\s+like|like|would|will|do|am|has\s+to|therefore|first|so|still|now|only|just|really|going\s+to|\s)*(?:ask(?:ing)?|beg|request|need|require|want|like|appreciate|be\s+grateful|have)|let\s+me\s+ask|would\s+you\s+mind|do\s+you\s+mind|you\s+(?:need|have)\s+to|you\s+must|(?:would\s+like|need|ask|asking|want)\s+you\s+to|waiting\s+for\s+you\s+to|(?:is|would)\s+it\s+(?:be\s+)?possible|(?:would|'d)\s+be\s+(?:good|great|helpful|best|kind|nice)|mind)";

/// The task by a pronoun, put again, in other languages.
const PRONOUN_ABROAD: &str = r"\b(?:(?:kannst|könntest|würdest|magst)\s+du|schick|nenn|sag|gib|wiederhol|bitte|\w+en\s+sie)\s+(?:(?:mir|bitte|uns)\s+){0,2}(?:ihn|sie|es|das|die|diesen?|alles)\s+(?:bitte|noch|doch|mir|uns|hier|einmal|erneut|nochmals?|wörtlich|vollständig|komplett|im|wiederhol\w*)\b(?:[^.!?]{0,60}\b(?:noch\s*mals?|noch\s*mal|noch\s+einmal|einmal|erneut|wörtlich|wortlaut|vollständig|von\s+vorn\w*|wiederhol\w*)|[\s.!?]*\z)
        | \bbitte\s+(?:(?:hier|mir|uns|das|ihn|sie|es|doch|alles|komplett|ganz)\s+){0,4}(?:noch\s*mals?|noch\s*mal|noch\s+einmal|erneut)\s+(?:\w+\s+){0,2}?(?:einfüg|schick|send|nenn|post|schreib|formulier|mitteil|wiederhol)\w*
        | \b(?:i|we)\s+(?:\w+\s+)?(?:need|require)\s+(?:it|them|that|those)\s+(?:again|once\s+more|back|in\s+full|from\s+you)\b
        | \b(?:pouvez-vous|peux-tu|pourriez-vous|pourrais-tu|merci\s+de|veuillez)\s+(?:me\s+)?(?:la|le|les|l')\s*(?:re\w+|répét\w+|coller|copier) | \b(?:répétez|redonnez|renvoyez|rappelez|reformulez|recopiez|recollez|répète|redonne|renvoie|rappelle|recopie)-(?:la|le|les|moi)\b
        | \b(?:me\s+)?(?:la|le|les)\s+(?:redonne|répéte|rappele|reformule|renvoye|recopie|recolle|redire)r?\b | \b(?:me\s+)?(?:lo|la|los|las)\s+(?:pued|podrí|puoi|potre|pod)\w*\s+(?:repe|ripet|reenvi|rimand|record|reformul|riformul|copi|peg|mand|deci|volver)\w*
        | \b(?:rep[ei]t|reenv[ií]|recuérd|record|reformul|escríb|escrib|cópi|copi|pég|peg|mánd|mand|pás|dím|dám|cuént|explíc)\w*(?:me)?(?:la|lo|las|los)\b | \b(?:ripet|riformul|rimand|riscriv)\w*(?:mel|ce|l)[ao]\b | \b(?:kun\s+je|kunt\s+u|wil\s+je)\s+(?:die|hem|deze|dat|het)\b[^.!?]{0,50}\b(?:nog\s*eens|opnieuw|nogmaals|herhal\w*|nog\s+een\s+keer)";

struct Patterns {
    ask: Vec<Regex>,
    /// Work that waits for the task: whatever is refused ahead of it is refused until then.
    waits: Regex,
    weak: Regex,
    pronoun: Regex,
    antecedent: Regex,
    origin: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    ask: vec![
        pattern(&format!(r"\b{POLITE}\b[^.!?]{{0,90}}?\b{VERB}{BETWEEN}{TASK}\b")),
        pattern(&format!(
            r"\A\W*(?:(?:so|then|first|and|now|next|therefore|to\s+go\s+on|to\s+proceed|to\s+continue|before\s+i\s+(?:start|continue|go\s+on|begin|proceed))[\s,:]+)*(?:re-?state|repeat|re-?send|send|give|quote|re-?paste|paste|copy|spell\s+out|share|provide|state|tell|remind|type|re-?type|post|describe|write|explain|re-?issue){BETWEEN}{TASK}\b"
        )),
        pattern(&format!(
            r"[;:—–,-]\s*(?:so\s+|then\s+|and\s+)?(?:re-?state|repeat|re-?send|re-?paste){BETWEEN}{TASK}\b"
        )),
        pattern(&format!(
            r"\b(?:what|which)(?:'s|\s+(?:exactly\s+|precisely\s+)?(?:was|is|were|are|did))\s+(?:exactly\s+|precisely\s+)?(?:the|my|your|our|that)?\s*(?:\w+'s\s+)?(?:exact\s+|precise\s+|full\s+|whole\s+|entire\s+|original\s+|actual\s+|real\s+|very\s+|first\s+|initial\s+|true\s+|complete\s+)*{TASK}(?:[\s,(]+(?:again|exactly|precisely|please|that|you|i|we|as|in|from|at|word|verbatim|originally|and|including|with|on|before|set|given|which|when|for\s+[^.!?;:,]{{1,40}},?\s+(?:word|verbatim|exactly|in\s+full|again))\b[^.!?;:]{{0,80}})?\W{{0,4}}?\?"
        )),
        pattern(&format!(
            r"\bhow\s+(?:exactly\s+)?(?:was|is|did)\s+(?:you\s+\w+\s+)?(?:the\s+|your\s+)?(?:original\s+|exact\s+)*{TASK}\b[^.!?]{{0,50}}\?"
        )),
        pattern(
            r"\bwhat\s+(?:exactly\s+)?(?:did\s+you|had\s+you|you)\s+(?:originally\s+|initially\s+|first\s+|actually\s+)?(?:ask(?:ed)?|want(?:ed)?|request(?:ed)?|set|order(?:ed)?|say|said|give|gave)\b[^.!?]{0,40}\b(?:originally|at\s+the\s+(?:very\s+)?(?:start|beginning|outset)|in\s+the\s+(?:first|beginning)|in\s+turns?\s+(?:1|one)|first|in\s+your\s+first|from\s+me)\b[^.!?]{0,60}\?",
        ),
        pattern(
            r"\bwhat\s+(?:exactly\s+)?(?:was|were)\s+(?:\w+\s+){0,2}?(?:requested|asked|wanted|agreed|ordered|said|set)\b[^.!?]{0,40}\b(?:originally|turns?\s+(?:1|one)|first|at\s+the\s+(?:very\s+)?(?:start|beginning|outset)|in\s+the\s+beginning)\b[^.!?]{0,40}\?",
        ),
        pattern(
            r"\bwhat\s+(?:exactly\s+)?did\s+you\s+(?:originally|initially|first)\s+(?:ask|want|request|say)\b[^.!?]{0,60}\?",
        ),
        pattern(
            r"\b(?:tasks?|goal|assignment|brief|request|instructions?)\b[^.!?]{0,40}\b(?:has|have|must|needs?|ought|should)\s+(?:to\s+)?(?:be\s+)?(?:re-?stated|repeated|re-?sent|given|stated)\b(?:\s+again)?",
        ),
        pattern(
            r"\b(?:i|we)\s+(?:\w+\s+){0,2}?(?:need|require|want)[\s:(,\d)]+(?:\w+\s+){0,2}?(?:the\s+|your\s+)?(?:\w+\s+){0,2}?(?:task|goal|assignment|brief|instructions?|request)\b[^.!?]{0,40}\b(?:from\s+you|again|re-?stated|once\s+more|in\s+your|repeated|word\s+for\s+word|verbatim)\b",
        ),
        pattern(
            r"\b(?:a\s+|your\s+|for\s+(?:a\s+|the\s+|your\s+)?)?re-?statement\s+(?:of\s+(?:the|your)\s+(?:\w+\s+)?(?:task|goal|request|assignment)\s*)?(?:,?\s*please|is\s+needed|is\s+required|needed|required|from\s+you)\b",
        ),
        pattern(
            r"\b(?:waiting|wait|ask(?:ing)?)\s+(?:\w+\s+)?for\s+(?:you\s+to\s+re-?state|(?:a\s+|the\s+|your\s+)?(?:re-?statement|re-?stated|original\s+(?:task|request|wording|assignment|goal)))\b",
        ),
        pattern(
            r"\b(?:original\s+)?(?:task|request|assignment|goal)\b\W{0,3}(?:again|once\s+more|verbatim|in\s+full|word\s+for\s+word)\W{0,3}(?:please|pls)\b",
        ),
        pattern(
            r"\b(?:what|which)\s+(?:exact\s+|original\s+)*(?:task|goal|assignment|instructions?)\s+(?:exactly\s+)?(?:did|was|were|had|am|have)\b[^.!?]{0,60}\?",
        ),
        pattern(
            r"\b(?:i|we)\b[^.!?]{0,40}\b(?:grateful|glad|ask(?:ing)?|thankful|appreciate|like|need|request|require)\s+(?:for\s+|to\s+(?:have|see|hear|get|know)\s+)?(?:the\s+|your\s+)?(?:exact\s+|full\s+|verbatim\s+|complete\s+)*(?:original|first|initial)\s+(?:\w+\s+)?(?:task|goal|assignment|request|instructions?|brief|message|wording)\b",
        ),
        pattern(
            r"\b(?:please|could\s+you|can\s+you|would\s+you|need\s+you\s+to)\b[^.!?]{0,40}\b(?:confirm|verify|clarify)\b[^.!?]{0,30}\b(?:task|goal|assignment|request)\b[^.!?]{0,40}\b(?:word\s+for\s+word|verbatim|in\s+full|in\s+your\s+own\s+words|from\s+scratch|as\s+you\s+(?:first|originally)\s+\w+)\b",
        ),
        pattern(
            r"\bbitte\b[^.!?]{0,60}\b(?:aufgabe|auftrag)\b[^.!?]{0,40}\b(?:noch\s*mals?|noch\s+einmal|erneut|wiederhol\w*|nenn\w*|im\s+wortlaut)\b | \bwiederhol\w*\b[^.!?]{0,50}\b(?:aufgabe|auftrag)\b",
        ),
        pattern(
            r"\b(?:r[ée]p[ée]te[zr]|reformule[zr]|redonne[zr]|rappele[zr])\b[^.!?]{0,50}\b(?:t[âa]che|demande|consigne)\b | \b(?:repit[ae]|repet[ií]r|reformul[ae])\b[^.!?]{0,50}\btarea\b",
        ),
    ],
    waits: pattern(&format!(
        r"\b(?:once|when|as\s+soon\s+as|after|until|unless|before)\s+you(?:'ve|\s+have)?\s+(?:re-?stat(?:e|ed)|repeat(?:ed)?|re-?sen[dt]|re-?paste[d]?|given|give|sent|send|told|tell){BETWEEN}{TASK}\b"
    )),
    weak: pattern(&format!(
        r"\b(?:{POLITE}\b[^.!?]{{0,60}}?\b)?(?:re-?state|repeat|tell|say|explain|describe|write|remind|give|state|share|spell|clarify|recap|know){BETWEEN}(?:the\s+work\b|everything|it\s+all|you\s+(?:originally\s+|actually\s+|really\s+|first\s+|initially\s+|had\s+|have\s+)*(?:want(?:ed)?|need(?:ed)?|ask(?:ed)?)|i\s+(?:was|am|'m)\s+(?:originally\s+)?(?:supposed|meant|asked|to)|we\s+(?:agreed|set\s+out)|it\s+(?:was|is)\s+(?:all\s+)?about)\b"
    )),
    pronoun: pattern(&format!(
        r"{PRONOUN_ABROAD} | (?:\b{POLITE}\b[^.!?]{{0,60}}?\b|(?:\A|[:=→])\W*(?:so\s+|and\s+|then\s+)?)(?:(?:re-?stat(?:e|ing)|repeat(?:ing)?|re-?send(?:ing)?|re-?past(?:e|ing)|re-?typ(?:e|ing)|re-?issu(?:e|ing)|re-?post(?:ing)?|re-?shar(?:e|ing))(?:\s+(?:it|them|that|this|those|these|both|everything|all\s+of\s+(?:it|them)|the\s+following)\b|\s*(?:\z|[,.!?;:(]|\b(?:word\s+for\s+word|verbatim|in\s+full|please)\b))|what\s+(?:exactly\s+)?(?:was|were)\s+(?:it|that|they)\b[^.!?]{{0,30}}\?|(?:lay(?:ing)?|set(?:ting)?|send(?:ing)?|giv(?:e|ing)|past(?:e|ing)|post(?:ing)?|say(?:ing)?|tell(?:ing)?|writ(?:e|ing)|stat(?:e|ing)|quot(?:e|ing)|shar(?:e|ing)|copy(?:ing)?|put(?:ting)?|typ(?:e|ing)|dropp?(?:ing)?|forward(?:ing)?|provid(?:e|ing)|let(?:ting)?\s+me\s+have)\s+(?:me\s+|us\s+|to\s+me\s+)?(?:(?:it|them)\b|(?:that|this|those|one)\s*(?:\b(?:to\s+me|here|in|out|over|back|once|again|please|pls|one\s+more|another|word|verbatim|from|afresh|anew)\b|[,.?!]))[^.!?]{{0,40}}\b(?:again|once\s+more|in\s+full|verbatim|word\s+for\s+word|in\s+your\s+own\s+words|afresh|fresh|anew|from\s+(?:scratch|the\s+(?:start|beginning|top))|here|another\s+time|one\s+more\s+time))"
    )),
    antecedent: pattern(
        r"\b(?:aufgabe\w*|(?:arbeits)?auftrag\w*|anliegen|vorgaben?|erste\w*\s+(?:\w+\s+)?nachricht\w*|tâche|demande|consigne|mission|énoncé|premiers?\s+(?:\w+\s+)?(?:messages?|échanges)|tarea|encargo|petición|primer\w*\s+(?:\w+\s+)?mensajes?|compito|richiesta|tarefa|pedido|opdracht|taak)\b
        | \b(?:tasks?|goal|assignment|instructions?|original|turns?\s+(?:1|one)|first\s+(?:\w+\s+)?(?:messages?|turns?)|(?:start|beginning)\s+of\s+(?:our|the|this)\s+(?:conversation|chat)|request|brief|what\s+(?:should|must|shall)\s+\S+\s+(?:do|be|contain)\b|what\s+(?:was|we|we'd|had\s+been)\s+(?:\w+\s+)?(?:agreed|said|asked|discussed|set|wanted)|spec(?:s|ification)?|what\s+(?:it\s+was\s+)?(?:that\s+)?you\s+(?:\w+\s+)?(?:ask|want|said|say|wrote|set|order)\w*|(?:start|beginning)\s+of\s+(?:it|all|this|our\s+talk))\b",
    ),
    origin: pattern(
        r"\b(?:again|once\s+more|originally|original|at\s+the\s+(?:very\s+)?(?:start|beginning|outset)|in\s+the\s+(?:first|beginning)|turn\s+(?:1|one)|first|initially|re-?state|from\s+(?:scratch|the\s+(?:top|start|beginning)))\b",
    ),
});

/// What takes a request back, ahead of it in its sentence.
static NOT_ASKED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:no\s+need|not\s+necessary|unnecessary|needless|needn't|without\s+(?:asking|having)|instead\s+of\s+asking|rather\s+than\s+ask\w*|(?:do|does|did|will|would|should|could|am|is|are|ca)n't|(?:do|does|did|will|would|should|must|need|am|is|are|was)\s+not|cannot|won't|never|nor|could\s+have|should\s+have|asked\s+(?:me|him|her)|says?\s+(?:to|that)|wants?\s+me\s+to|tells?\s+me\s+to|would\s+have\s+to|normally|i\s+might|might\s+have\s+to|may\s+have\s+to|feel\s+free|in\s+case|otherwise|already\s+asked)\b",
    )
});

/// An offer for the case that something is wrong, before or after the request.
static OFFER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:if|should|unless|in\s+case)\s+(?:this|that|it|i|my|the\s+\w+|anything|something|any\s+of|(?:you(?:'d|'re|'ve)?\s+(?:\w+\s+)?(?:meant|mean|want(?:ed)?|prefer|rather|disagree|think|see|like|had|need|intend(?:ed)?|changed|object)))\b",
    )
});

static GOING_ON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bif\s+(?:you(?:'d)?\s+(?:want|would\s+like|like|need)\s+me\s+to\s+(?:go\s+on|continue|proceed|start|work|do|deliver|finish|help)|(?:it|that)(?:'s|\s+is)\s+(?:possible|ok|okay|not\s+too|no\s+trouble|all\s+right)|this\s+is\s+to\s+go|i\s+am\s+to|i'm\s+to|you\s+(?:still\s+)?have\s+(?:it|the|a)|you\s+(?:do\s+not|don't)\s+mind|the\s+work\s+is\s+to)\b",
    )
});

/// Where a reply asks for the task to be stated again.
#[must_use]
pub fn restatement(reply: &str) -> Option<Range<usize>> {
    if asks_in_json(reply) {
        return Some(0..reply.len());
    }
    let mut named: [bool; 3] = [false; 3];
    let mut lead = String::new();
    let (mut numbered, mut headed) = (false, false);
    for block in blocks::blocks(reply).into_iter().filter(|block| block.kind.is_none()) {
        for sentence in closing::sentences(&reply[block.range.clone()]) {
            let text = plain(&sentence.text);
            // What the condition is about was asked just before.
            let text = ["if so, ", "if yes, ", "if you do, ", "if you have it, "]
                .iter()
                .find_map(|lead| text.trim_start().strip_prefix(lead))
                .map_or(text.clone(), str::to_owned);
            if text.len() > 4_000 {
                continue;
            }
            if text.trim().trim_end_matches(['.', ')']).bytes().all(|byte| byte.is_ascii_digit()) {
                numbered = true;
                continue;
            }
            let item =
                text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || "-*•.)+ ".contains(c));
            let listed = !lead.is_empty() && (numbered || headed || item.len() < text.len());
            numbered = false;
            let known = named.contains(&true);
            if asks(&text, known) || (listed && asks(&format!("{lead} {item}"), known)) {
                return Some(
                    block.range.start + sentence.range.start..block.range.start + sentence.range.end,
                );
            }
            if let Some(opening) = text.trim_end().strip_suffix(':') {
                lead = opening.chars().take(400).collect();
            }
            headed = blocks::is_heading(&reply[block.range.clone()]);
            if headed {
                lead = text.trim().chars().take(400).collect();
            }
            named = [named[1], named[2], PATTERNS.antecedent.is_match(&text)];
        }
    }
    None
}

/// Whether a reply that is nothing but JSON asks in a field that is for the user.
fn asks_in_json(reply: &str) -> bool {
    static FOR_THE_USER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"ask|request|question|message|reply|response|answer|text|content|next|action|need|to_user|say",
        )
    });
    fn any(value: &Value, addressed: bool, depth: usize) -> bool {
        match value {
            Value::String(text) => {
                addressed
                    && closing::sentences(text).iter().any(|sentence| asks(&plain(&sentence.text), true))
            }
            Value::Array(items) if depth > 0 => items.iter().any(|item| any(item, addressed, depth - 1)),
            Value::Object(fields) if depth > 0 => {
                fields.iter().any(|(name, field)| any(field, FOR_THE_USER.is_match(name), depth - 1))
            }
            _ => false,
        }
    }
    let bare = reply.trim().trim_matches('`').trim();
    bare.starts_with('{') && serde_json::from_str(bare).is_ok_and(|value| any(&value, false, 8))
}

fn asks(text: &str, named_before: bool) -> bool {
    let patterns = &*PATTERNS;
    let stands = |start: usize, end: usize| {
        let found = &text[start..end];
        let ahead = &text[..start];
        let behind = &text[end..];
        let clause = ahead.rfind([',', ';', ':', '—', '–']).map_or(0, |at| at);
        let near =
            [" so ", " and ", " but ", " - "].iter().filter_map(|word| ahead[clause..].rfind(word)).max();
        let near = near.map_or(clause, |at| clause + at);
        !NOT_ASKED.is_match(&text[near..start])
            && !own_refusal(found)
            && (ahead.contains(';') || !offered(ahead))
            && !offered(behind)
            && !confirms(found, behind)
    };
    let real = |found: crate::lean::Match<'_>| stands(found.start(), found.end());
    let waits = patterns.waits.find_iter(text).any(|found| !own_refusal(found.as_str()));
    waits
        || patterns.ask.iter().any(|ask| ask.find_iter(text).any(real))
        || (patterns.origin.is_match(text) && patterns.weak.find_iter(text).any(real))
        || ((named_before || patterns.antecedent.is_match(text))
            && patterns.pronoun.find_iter(text).any(real))
        || composed::waits(text)
        || composed::found(text).into_iter().any(|(start, end)| stands(start, end))
}

/// Whether a part of a sentence makes the request an offer. "I can't tell if that is the task" does not.
fn offered(part: &str) -> bool {
    static LOOKED_INTO: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:tell|know|knowing|sure|check|see|say|verify|confirm|determine|judge|clear|certain|decide|prove|ask|wonder|out|unclear)\s+\z",
        )
    });
    !GOING_ON.is_match(part)
        && OFFER.find_iter(part).any(|found| !LOOKED_INTO.is_match(&part[..found.start()]))
}

/// Whether the request itself is denied: "you needn't", "I won't ask".
fn own_refusal(found: &str) -> bool {
    static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:do\s+not|don't|without|needn't|no\s+need|not\s+(?:need|have)\s+to|won't|rather\s+than|instead\s+of|whether|if)\b",
        )
    });
    // "It would be great if you could" is a bid, not a condition.
    let bid = ["if you could ", "if you can ", "if you would "];
    REFUSED.is_match(&bid.iter().fold(found.to_owned(), |text, words| text.replace(words, "")))
}

/// Whether what is asked for is assent to something that is already there, or a detail of the task.
fn confirms(found: &str, behind: &str) -> bool {
    static DETAIL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\A\W{0,2}(?:is\s+(?:still|really|indeed|now)|as\s+(?:i(?:\s+have|'ve)?\s+(?:understand|understood|read|wrote|written|put|see|saw|take|took|quoted?|record\w*|noted?|stated?|summari\w+|got|it)\b|stated|above|quoted|given\s+in)|is\s+(?:correct|right|ok)|'s\s+(?:deadline|format|owner)|(?:deadline|format|number|id|owner|name|file|folder|list)\b)",
        )
    });
    DETAIL.is_match(behind) || found.contains("confirm that")
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = String::new();
    let mut inside = false;
    for c in text.to_lowercase().chars() {
        match c {
            '"' if inside => {
                quote.clear();
                out.push('…');
                inside = false;
            }
            '"' => inside = true,
            c if inside => quote.push(c),
            c => out.push(c),
        }
    }
    if inside {
        out.push_str(&quote);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_to_state_the_task_again() {
        for text in [
            "Please restate the original task in full, with the target language, and I'll start right away.",
            "What was the task exactly, in your first message?",
            "Could you repeat the original request, word for word?",
            "Would you tell me again what you wanted at the very beginning?",
            "Would you be so kind as to walk me through the assignment once more, from the top?",
            "I need the task from you, restated: direction and limits.",
            "Restate the task, please.",
            "What was the original task?",
            "Could you send me the original task again?",
            "Turns 1-10 are gone. Can you send them again?",
            "I not have first task. Please you give me task again.",
            "The file fails its token; restate the task and I'll go on.",
            "I'll continue once you have restated the task.",
            "I have to ask you to restate the task before I touch anything.",
            "If you want me to go on, please repeat the task from turn 1.",
            "What did you originally ask for?",
            "Please paste turn 1 here.",
            "The task must be restated by you.",
            "Bitte nennen Sie mir die Aufgabe noch einmal im Wortlaut.",
            "So I'm asking you to state the goal again.",
            "I can't see what was agreed at the start. Do you still have it? If so, drop it here and I'll go on.",
            "I can't continue unless you restate the task.",
            "Since I can't tell if that is the original, please restate the task.",
            "I can't trust the file and would like you to restate the task.",
            "The task is gone from my context. Please restate.",
            "Which task did you give me originally?",
            "So what's the task?",
            "I'd be grateful for the original task text.",
            "What I need from you:\n- the original task, word for word\n- the limits",
            "Can we go back to the original task: what was it?",
            "To continue I need: (1) the task, restated by you; (2) all invariants.",
            "I can't see the original task - please restate it.",
            "What exactly was requested in turn 1?",
            "Would it be possible to repeat the initial request?",
            "What I need from you:\n1. the original task, word for word\n2. the limits",
            "Please confirm the task word for word as you first gave it.",
            "Please restate the task, so that I can see if it matches.",
            "Please describe the work from scratch.",
            "Which words did you use? Please quote your first message.",
        ] {
            assert!(restatement(text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_questions() {
        for text in [
            "From which date is the fee charged, due date or date of the mail?",
            "Do you want the output appended to the log or overwritten each night?",
            "Please check who modified CHARTER_STATE.md.",
            "Please confirm that the task is still 30 days.",
            "Let me know if you need tests.",
            "If this isn't what you meant, please restate the task and I'll redo it.",
            "There's no need to restate the task, the file has it.",
            "I won't ask you to restate the task.",
            "Should I use 30 or 90 days?",
            "Protocol D says \"ask the user to restate the task\", but the file is clear.",
            "Please restate the task if I got it wrong.",
            "Could you tell me which columns the task needs?",
            "What is the deadline?",
            "Can you send me the file again?",
            "Please confirm the original task.",
            "I don't need the original task, your message will do.",
            "What is the task's deadline?",
            "Please tell me if the task is fine as it stands.",
            "What was the result of the task?",
            "I can repeat the task for the log if you like.",
            "Done. Feel free to restate the task.",
        ] {
            assert!(restatement(text).is_none(), "{text}");
        }
    }

    #[test]
    fn requests_in_any_wording() {
        let missed: Vec<&str> = [
            "Need: task restated by you (quarter, grouping, units).",
            "So I would ask you to put the whole request to me afresh: accept or reject, which date, and what to leave out.",
            "Could you say once more what I should pick, by which criterion, and from which list?",
            "As soon as you tell me what you originally wanted, I'll start.",
            "The moment you send the first message again I'm on it.",
            "I need the original request again.",
            "Please resend the opening message.",
            "Kindly spell out the full assignment.",
            "Run me through the whole job again, would you?",
            "Required from you: the task, word for word.",
            "Awaiting the task again.",
            "Restatement of the task needed.",
            "Could you jot nothing new, just paste the original ask?",
            "May I trouble you to write out the complete request once more?",
            "It would help if you could phrase the task anew.",
            "What am I supposed to write, originally?",
            "What did your first message say?",
            "How did the original request read?",
            "What were your exact words at the start?",
            "I cannot begin without you giving me the original brief.",
            "Put the question to me a second time, in full.",
            "Your turn: state the job from scratch.",
            "-> restate task + INV list pls",
            "Wie lautete die ursprüngliche Aufgabe?",
            "Pourriez-vous me redonner la consigne initiale ?",
            "¿Puede repetirme la tarea original?",
            "Puoi ripetere la richiesta iniziale?",
            "Kun je de opdracht nog eens herhalen?",
            "Повторите, пожалуйста, исходную задачу.",
            "最初のタスクをもう一度教えてください。",
            "请重新说明原来的任务。",
            "Over to you to dictate the assignment again.",
            "I'd appreciate hearing the full request again.",
            "Would you set out the assignment afresh?",
            "you say me again what is task, ok?",
            "Let me have the original wording of your request.",
            "Tell me, from the top, what you want done.",
            "Before anything else I want to hear the task again from you.",
            "Mind giving me the task one more time?",
            "Nothing happens until the task has been restated.",
            "Can I get the original task again?",
            "Remind me what the job was at the outset.",
        ].into_iter().filter(|text| restatement(text).is_none()).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn no_request_in_any_wording() {
        let missed: Vec<&str> = [
            "I have written down the whole request again below.",
            "Could you tell me which columns the original task needs?",
            "Please send the file for the task again.",
            "I no longer have the original task.",
            "The original task is missing.",
            "Is what you originally wanted still Q3? Please tell me.",
            "I can give you the complete task again if you like.",
            "Please tell me whether the original request was for Q2.",
            "You need not repeat the whole request.",
            "I repeat the task: sort the books.",
            "I will tell you again what I should do: nothing.",
            "Please say yes and I'll deliver the full report again.",
            "Shall I give you the original task again?",
            "As you told me again, the task is to sort.",
            "Missing: two INV lines of the original task.",
            "The file gives the task in full, so I go on.",
            "Please give me the deadline of the original request.",
            "Should you want another version, put the request again.",
            "What was I supposed to charge, 30 or 90?  I took 30.",
            "Next: run the whole job again.",
            "Let me repeat the task in full: sort by year.",
            "Nicht nötig, die Aufgabe zu wiederholen.",
            "When you gave me the original task, it was clear.",
        ]
        .into_iter()
        .filter(|text| restatement(text).is_some())
        .collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }
}
