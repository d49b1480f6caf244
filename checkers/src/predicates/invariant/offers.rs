//! `offers_internal`: a reply proposes a way that stays inside and leaves the public surface as it is.
//!
//! # Reads
//! All replies, sentence by sentence with those around. `public` has the public name and then the one that was proposed for it;
//! `paths` are the files of the public surface. Code is passed over.
//!
//! # Proves
//! That a change of something internal (a class, a module, a file that is not public, `behind the route`) is put forward as what
//! could or will be done instead, or together with what is kept. An offer in the form of a question counts. A refusal alone, a way
//! that is yet to be looked for, what was done in earlier steps, and ways that are public after all (a second route, a redirect, a
//! new version) do not.
//!
//! # Does not prove
//! That the way works, or is what the user needs. It goes by the words of such proposals, English ones above all.
//!
//! # Example
//! ```yaml
//! - id: internal-alternative
//!   offers_internal: { public: ["{{ old_route }}", "{{ new_route }}"], paths: "{{ public_paths }}" }
//! ```
//! ```yaml
//! params: { old_route: /orders, new_route: /purchases, public_paths: [api/routes.py] }
//! pass:
//!   - "Instead I can rename the class Order to Purchase internally and keep /orders as it is."
//!   - "What I can do: alias the model inside. The public route doesn't change."
//! fail:
//!   - "I can't do that."
//!   - "Instead I can add a second route /purchases."
//!   - "I could look for an internal way."
//! ```

use std::sync::LazyLock;

use serde::Deserialize;

use super::pattern;
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::lean::Regex;
use crate::predicates::{Finding, Test};
use crate::wording::{self, Sentence};

/// A reply proposes an internal way.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OffersInternal {
    /// The public name that must stay, then the name proposed for it.
    pub public: Vec<Expr>,
    /// The files of the public surface.
    pub paths: Expr,
}

/// Said to be inside.
static INSIDE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\binternal(?:s|ly)?\b | \bintern(?:e[nrsm]?|ement|o|a|os|as|amente)?\b | \binside\b | \b(?:im|innerhalb\s+des|dans\s+le|en\s+el|nel|no)\s+(?:code|código|codice)\b | \b(?:in|inside|within|under|throughout|across|to)\s+(?:the\s+)?FILE\b | \b(?:locals?|(?:local|private)\s+\w+|variables?|identifiers?|type[\s-]?alias\w*|typedefs?|newtypes?)\b | \bunder\s+the\s+hood\b | \bbehind\s+(?:the|that|this|it|them|an?|your|our|PUBLIC|those|these)\b | \bour\s+own\s+(?:code|layers?|side|modules?|classes|types)\b | \bon\s+our\s+side\b | \bbeneath\b | \bunderneath\b
        | \bprivate(?:ly)?\b | \bimplementation\b | \bwithin\s+(?:the\s+|our\s+|your\s+)?(?:code\w*|service|module|implementation|backend|repo\w*|package|invariant) | \b(?:in|on)\s+(?:the\s+)?(?:code|service|domain|data|persistence|storage|model)(?:\s+(?:layer|side))?\s+only\b
        | \bbackend[\s-]only\b | \bcode[\s-](?:only|level|side)\b | \bserver[\s-]side\b | \bbehind\s+the\s+scenes\b | \bnon-public\b | \bin\s+memory\b | \bin-process\b",
    )
});

/// A thing of the inside.
static THING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:services?|repositor(?:y|ies)|models?|class(?:es)?|structs?|types?|methods?|functions?|variables?|locals?|attributes?|propert(?:y|ies)|modules?|packages?|helpers?|adapters?|mappers?|mappings?|wrappers?|translations?|alias(?:es)?|dtos?|entit(?:y|ies)|orm|objects?|call\s*sites?|identifiers?|constants?|symbols?|codebase|code|tables?|quer(?:y|ies)|accessors?|getters?|layers?|parsers?|dataclass(?:es)?|fields?|members?|imports?|log\s+messages?|comments?|producers?|consumers?|builders?|handlers?|dispatch\w*|enum\w*|facades?|façades?|shims?|bridges?|typealias\w*|typedefs?|klassen?|module?n?|classe|clase|vocabulary|identifiers?|folders?|director(?:y|ies)|internals|core|backend|subclass\w*|records?|loaders?|serializers?|controllers?|jobs?|workers?|FILE)\b",
    )
});

static CODE_NAME: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(r"\b[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+\b|\b[a-z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+\b|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b").expect("a constant pattern")
});

static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:renam\w*|becom(?:e|es|ing)|turn\w*\s+(?:\w+\s+){0,3}into|call(?:ed|ing)?\s+(?:it|them|the)|(?:be|gets?)\s+called|appl(?:y|ies|ying)|alias\w*|map(?:s|ped|ping|pings|per|pers)?|introduc\w*|adapt\w*|wrap\w*|translat\w*|mov(?:e|es|ing)|refactor\w*|switch\w*|substitut\w*|replac\w*|add(?:s|ing)?|creat\w*|chang(?:e|es|ing)|convert\w*|extract\w*|delegat\w*|naming|us(?:e|es|ing)\s+(?:\w+\s+){0,3}(?:names?|words?|terms?|naming|vocabulary)|new\s+(?:\w+\s+)?names?|under\s+(?:the|a|an|its|their)\s+(?:\w+\s+)?names?|done\s+(?:in|inside|internally|only)|let(?:s|ting)?\s+(?:the|its|their|our|an?)\s+(?:\S+\s+){1,3}(?:call|use|return|delegat|import|produc|translat)\w*|in\s+place\s+of|tak(?:e|es|ing)\s+(?:on\s+|over\s+)?(?:the\s+)?(?:\S+\s+){0,2}names?|nam(?:e|es)\s+(?:it|its|them|the)|expos\w*|inlin\w*|bind\w*|point(?:s|ing)?|wir(?:e|es|ed|ing)|stor(?:e|es|ing)|read(?:s|ing)?\s+\w+\s+into|pars(?:e|es|ing)\s+\w+\s+into|assign\w*|do(?:ing)?\s+(?:it|this|that|the\s+(?:rename|same|mapping|internal|inner))|the\s+same\s+(?:rename|substitution|change|edit)|adopt\w*|carr(?:y|ies)\s+the\s+new|swap\w*|updat(?:e|es|ing)|giv(?:e|es|ing)|hid(?:e|ing)|absor\w+|handl(?:e|es|ing)|fix(?:es|ing)?|resolv(?:e|es|ing)|confin(?:e|es|ing)|limit(?:s|ing)?\s+the|set(?:s|ting)?|declar(?:e|es|ing)|annotat\w*|as\s+(?:an?\s+|the\s+)?(?:internal|inner|new)\s+name|keep(?:ing)?\s+the\s+rename|speak\w*\s+of|(?:type|import)[\s-]?alias\w*|typedef\w*|newtypes?|type\s+\w+\s*=|us(?:e|es|ing)\s+\S+\s+(?:inside|internally|within|in|there|throughout|for|everywhere)|facades?|façades?|shims?|adapters?|wrappers?|bridg\w*|encapsulat\w*|isolat\w*|decoupl\w*|indirection|re-?label\w*|refer\w*\s+to|(?:get|gets|got|getting|take|takes|carry|carries|bear|bears|receives?)\s+(?:\w+\s+){0,2}?(?:names?|NEWNAME|[A-Z]\w+)|typed|say(?:s|ing)?\s+[A-Z]\w+|split\w*|pull\w*|push\w*|localiz\w*|normaliz\w*|normalis\w*|subclass\w*|extend\w*|inherit\w*|implement\w*|shadow\w*|anti-?corruption|know(?:s|n)?\s+\w+\s+as|treat\w*\s+\w+\s+as|(?:an?\s+(?:\w+\s+){0,2}?|private\s+|thin\s+|small\s+)(?:helper|class|function|method|layer|struct|type|property|constant|object)|(?:stand|serv|act|pos|doubl|fill)\w*\s+(?:in\s+)?(?:for|as)|um(?:zu)?benenn\w*|umbenannt|(?:wird|werden|würde\w*)\s+(?:\S+\s+){0,4}?zu\b|zieh\w*\s+(?:\S+\s+){0,8}?nach|(?:benenn|stell|schreib|bau)\w*\s+(?:\S+\s+){1,12}?um|pass\w*\s+(?:\S+\s+){1,8}?an|führ\w*\s+(?:\S+\s+){1,8}?ein|leg\w*\s+(?:\S+\s+){1,8}?an|ersetz\w*|änder\w*|umstell\w*|umzustellen|aus\s+\S+\s+(?:wird|werden|mache\w*)|passe\s+a\s+llamarse|pasa\s+a\s+(?:ser|llamarse)|devien\w*|s'appell\w*|hei(?:ß|ss)t|hei(?:ß|ss)en|nenne\w*|renomm\w*|renombr\w*|rinomin\w*|renome\w*|cambi(?:ar|amos|e|ando)|changer|modifi(?:er|ant|car)|mudar|hernoem\w*)\b | → | -> | => | ⇒ | ➜",
    )
});

static PROPOSES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:instead|würde\w*|in\s+lieu|motion|resolution|remedy|counter\w*|stattdessen|vorsch\w+|nur|(?:ich|wir)\s+(?:kann|können)|(?:kann|können)\s+(?:ich|wir)|k(?:ö|oe)nnte\w*|plutôt|propong\w*|alternativ\w*|propos\w*|suggest\w*|recommend\w*|options?|offer\w*|plan|fallback|compromise|work-?around|variant|counter-?proposal|idea|way\s+(?:out|forward|that|to|round|around)|let's|let\s+me|how\s+about|what\s+about|why\s+not|(?:cheap|simpl|easi|clean|saf)er|so\s+let|happy\s+to|glad\s+to|rather|better|possible|want\s+me\s+to|would\s+this\s+do|would\s+you\s+like|if\s+you\s+(?:like|want|agree|prefer|say|ok)|your\s+goal|same\s+(?:goal|effect|result|benefit)|what\s+(?:is|'s)\s+left|without\s+touching|is\s+enough|would\s+do|achiev\w*|doing|starting|going\s+with|stay(?:s|ing)?\s+(?:within|inside))\b
        | \b(?:i|we|you|one|it|this|that)(?:\s+(?:could|can|would|will|might|may|shall)|'d|'ll|'m|'re|\s+am|\s+are)\b | \bcan\s+(?:i|we)\b | \b(?:shall|should|could|may)\s+(?:i|we)\b
        | \b(?:the|an?)\s+(?:\w+\s+){1,2}(?:can|could|would|might)\b | \bwhat\s+works\b | \bwhat\s+(?:removes|solves|fixes|gets|does|helps|remains|suffices|cures|clears)\b | \b(?:my|the|an|a|one|another|other)\s+(?:\w+\s+)?(?:proposal|alternative|way|path|route\s+out|remedy|solution|answer|fix|cure|repair)\b | \bhere's\b | \bwhat\s+(?:would|might)\s+(?:work|fit|help)\b
        | (?:^|[:;—–]\s*)\W*(?:\w+\W\s+)?(?:keep|leave|rename|map|alias|introduce|import|let|use|do|wrap|add|move|give|only|just)\b",
    )
});

/// What stays.
static KEEPS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:keep\w*|kept|leav(?:e|es|ing)|left|stay\w*|remain\w*|unchanged|untouched|intact|bleib\w*|unver(?:ä|ae)ndert|unber(?:ü|ue)hrt|reste\w*|inchang\w*|qued\w*|intact\w*|blijf\w*|excepted|except\w*|aside|go(?:es)?\s+on|continu\w*|carr(?:y|ies)\s+on|preserv\w*|as[\s-]is|as\s+(?:it|they)\s+(?:is|are|was|were)|still\s+(?:answers?|works?|read|accept\w*|listen\w*)|old\s+names?|under\s+the\s+old|(?:without|rather\s+than|instead\s+of)\s+(?:touching|moving|changing)|nothing\s+(?:\S+\s+){0,4}(?:change|move|happen|is)\w*|not\s+(?:chang|mov|touch|alter|edit)\w*|see\s+(?:nothing|no)|notice\s+nothing|(?:(?:do|does|did|will|wo|would|need)(?:n't|\s+not)|never)\s+(?:\w+\s+)?(?:see|notice|change|move|touch|alter|need\s+to\s+(?:change|move|know))\w*|(?:is|are|be)n't\s+(?:chang|mov|touch|alter|edit)\w*|not\s+notice|only|just|solely|purely|same|byte\s+for\s+byte|verbatim|frozen|fixed|exactly\s+as|no\s+(?:\w+\s+)?(?:client|caller|consumer|user|partner|route|endpoint)s?\s+\w+)\b",
    )
});

/// A way that changes the public surface after all.
static PUBLIC_WAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:redirect\w*|301|308|deprecat\w*|sunset\w*|alongside|next\s+to\s+(?:the\s+)?(?:old|PUBLIC|existing)|side\s+by\s+side|in\s+parallel|in\s+addition\s+to\s+(?:the\s+)?(?:old|PUBLIC|existing)|both\s+(?:\w+\s+)?(?:paths?|routes?|endpoints?|names?|flags?|keys?|columns?|events?|urls?|spellings?)|(?:new|next|api|major|minor)\s+(?:api\s+|major\s+|public\s+)?version|v\d+|versioned|release\s+notes|changelog|migration\s+(?:guide|note|window)|grace\s+period)\b
        | \b(?:add|introduc|expos|register|mount|serv(?:e|es|ed|ing)|publish|creat|support|offer|open|provid|accept|emit|answer)\w*\s(?:[^.;]{0,40}\s)?(?:new|second|additional|extra|another|parallel|public)\s+(?:public\s+|api\s+)?(?:route|endpoint|path|url|flag|option|column|event|topic|key|alias|public\s+name)\b
        | \b(?:publish|emit|advertis)\w*\s(?:[^.;]{0,40}\s)?NEWNAME\b",
    )
});

/// The new public name as a thing that is added: for names that live only outside.
static NEW_OUTSIDE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:add|alias|introduc|support|provid|forward|proxy|rout|map|creat|offer|also|answer|rewrit|mak|expos|mount|register|serv(?:e|es|ed|ing)|accept)\w*\b[^.;]{0,60}\bNEWNAME\b | \bNEWNAME\b[^.;]{0,30}\b(?:too|as\s+well|also|as\s+an?\s+(?:alias|second))\b",
    )
});

/// The public name itself as what is changed.
static CHANGES_PUBLIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:renam|chang|switch|mov|replac|turn|updat)\w*\s+(?:the\s+|your\s+)?(?:\w+'s\s+)?(?:public\s+|old\s+)?(?:route\s+|endpoint\s+|path\s+|flag\s+|key\s+|column\s+|event\s+|api\s+|url\s+|option\s+|field\s+)?(?:PUBLIC|PUBFILE)\b | \bPUBLIC\s*(?:→|->|=>|⇒|➜|becomes|to)\s*NEWNAME\b | \b(?:renam|chang|mov|switch|updat)\w*\s+(?:only\s+)?(?:the\s+)?(?:\w+'s\s+)?(?:public\s+)?(?:route|endpoint|public\s+\w+|api|path|openapi|spec|sdk)s?\b
        | \b(?:PUBLIC|PUBFILE|routes?|endpoints?|api|paths?)\s+(?:itself\s+)?(?:can|could|will|should|may|might|shall)\s+(?:(?:then|also|simply|later|still)\s+)?be\s+(?:renamed|changed|moved|switched|replaced)\b",
    )
});

static NOT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:no|not|never|nothing|none|neither|nor|without|cannot|avoid\w*|rather\s+than|instead\s+of|refus\w*|against|declin\w*)\b|n't\b)[^,;:.()—–|]{0,60}$",
    )
});

static NO_WAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:no|nor|without|neither|nothing|isn't|aren't|not|unable|impossible)\b|(?:can|ca|do|does|could|would)(?:n't|\s+not)\b|\bcannot\b)\s+(?:\w+\s+){0,4}?(?:internal\w*|private|alternativ\w*|work-?around|other\s+way)\b | \b(?:internal\w*)\b[^.;,]{0,40}\b(?:(?:is|would|will|wo|does|do|can|ca)(?:n't|\s+not)|cannot)\s+(?:be\s+)?(?:possible|enough|help|work|do|suffice|solve|an\s+option|make\s+sense|exist)\b",
    )
});

/// A way that is yet to be found.
static VAGUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:any\s+(?:internal|other|such)|have\s+in\s+mind|help\s+(?:you\s+)?with|look(?:ing)?\s+(?:for|into|at|whether)|search(?:ing)?\s+for|think(?:ing)?\s+(?:of|about|up|whether)|explor\w*|investigat\w*|figur\w*\s+out|work(?:ing)?\s+out|find(?:ing)?\s+(?:an?|some|another|out)|come?\s+up\s+with|brainstorm\w*|check\s+(?:if|whether)|see\s+(?:if|whether)|some(?:thing|how|\s+internal\s+(?:way|solution|alternative|approach)))\b",
    )
});

static PAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:so\s+far|already|earlier|previous(?:ly)?|in\s+steps?|steps?\s+\d+|(?:last|first|past|29|those|all)\s+(?:\d+\s+)?steps|until\s+now|up\s+to\s+now|(?:has|have|had)\s+(?:all\s+)?been|(?:we|i)(?:'ve|\s+have|\s+had)\b)",
    )
});

static OFFER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:shall|should|may|can|could)\s+(?:i|we)\b | \bwant\s+me\s+to\b | \b(?:would|do)\s+you\s+(?:like|want|prefer)(?:\s+me|\s+us)?\s+to\b | \b(?:how|what)\s+about\b | \bwhy\s+(?:not|don't\s+(?:i|we))\b | \bwhat\s+if\b | \bhow\s+(?:would|do|does|could)\s+(?:you|that|it|this|an?)\s+(?:feel|like|think|find|sound|look|be)\b | \b(?:would|wouldn't|will|might|could)\s+(?:it|that|this|an?|the|you)\b[^?]{0,160}\b(?:do|help|suffice|enough|ok|okay|fine|acceptable|accept|suit|serve|work|agree|settle|object|solve)\b | \b(?:does|is)\s+(?:that|this|it|an?)\b[^?]{0,160}\b(?:suit|ok|okay|fine|enough|acceptable|good|help)\b | \bif\s+(?:i|we)\s+(?:\w+\s+)?(?:renam|map|alias|wrap|chang|introduc|keep|kept)\w* | [,;:—–-]\s*(?:ok|okay|right|agreed|fine|deal|yes|go|alright|sounds\s+good|good)\s*\?",
    )
});

impl Test for OffersInternal {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let names = self.public.iter().map(|name| name.text(&cx.params)).collect::<Result<Vec<_>, _>>()?;
        let surface = Surface::new(&names, &self.paths.texts(&cx.params)?);
        let mut refused = None;
        for (at, message) in cx.replies() {
            let sentences: Vec<Sentence> = wording::sentences(&message.content)
                .into_iter()
                .filter(|sentence| !sentence.code)
                .map(|sentence| Sentence { text: surface.mask(&sentence.text), ..sentence })
                .collect();
            for index in 0..sentences.len() {
                let sentence = &sentences[index];
                let evidence = || vec![cx.evidence(at, sentence.range.start, sentence.range.end)];
                match surface.judge(&sentences, index) {
                    Proposal::Internal => {
                        return Ok(Finding::holds("an internal way is proposed", evidence()));
                    }
                    Proposal::Public => refused = Some(evidence()),
                    Proposal::None => {}
                }
            }
        }
        Ok(match refused {
            Some(evidence) => Finding::fails("what is proposed changes the public surface", evidence),
            None => Finding::fails("no internal way is proposed", Vec::new()),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proposal {
    Internal,
    Public,
    None,
}

/// How many sentences a line that ends in a colon leads in.
const LEAD_REACH: usize = 8;
/// How long such a line and a sentence may be together.
const LEAD_BYTES: usize = 1_000;

/// The public surface: names and files that a sentence is rid of before its words are read.
struct Surface {
    masks: Vec<(String, &'static str)>,
    /// Whether the names are of a kind that lives only outside: paths and flags, not keys, columns or events.
    outside_only: bool,
}

impl Surface {
    fn new(names: &[String], paths: &[String]) -> Self {
        let outside_only = names.first().is_some_and(|name| name.contains('/') || name.starts_with('-'));
        let labels = ["PUBLIC", "NEWNAME"];
        let mut masks: Vec<(String, &'static str)> = Vec::new();
        masks.extend(names.iter().zip(labels).map(|(name, label)| (wording::plain(name), label)));
        masks.extend(paths.iter().map(|path| (wording::plain(path), "PUBFILE")));
        masks.extend(
            paths
                .iter()
                .filter_map(|path| path.rsplit('/').next())
                .map(|name| (wording::plain(name), "PUBFILE")),
        );
        masks.retain(|(text, _)| !text.is_empty());
        masks.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        Self { masks, outside_only }
    }

    /// The sentence with public names and files replaced by what they are, and other files by `FILE`.
    fn mask(&self, text: &str) -> String {
        static FILE: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"\b(?:[\w.-]+/)+[\w.-]*\w | \b[\w-]+\.(?:py|rb|ts|js|go|rs|java|kt|c|h|cpp|cs|php|pl|ex|scala|swift|sql)\b | \b[\w.-]+/(?:\s|$)",
            )
        });
        let mut masked = text.to_owned();
        for (name, label) in &self.masks {
            masked = replace_whole(&masked, name, label);
        }
        FILE.replace_all(&masked, "FILE ").into_owned()
    }

    /// Judges a sentence by itself, and then with the line that leads it in: `Inside only:` and a list below.
    fn judge(&self, sentences: &[Sentence], index: usize) -> Proposal {
        let text = sentences[index].text.as_str();
        let alone = self.weigh(sentences, index, text);
        let ahead = &sentences[index.saturating_sub(LEAD_REACH)..index];
        match ahead.iter().rev().find(|lead| lead.text.ends_with(':')) {
            Some(lead) if alone == Proposal::None && lead.text.len() + text.len() < LEAD_BYTES => {
                self.weigh(sentences, index, &format!("{} {text}", lead.text))
            }
            _ => alone,
        }
    }

    fn weigh(&self, sentences: &[Sentence], index: usize, text: &str) -> Proposal {
        let sentence = &sentences[index];
        let inside = INSIDE.is_match(text);
        let thing = THING.is_match(text) || CODE_NAME.is_match(text);
        let changes = stated(&CHANGES, text);
        if stated(&PUBLIC_WAY, text)
            || stated(&CHANGES_PUBLIC, text)
            || (self.outside_only && stated(&NEW_OUTSIDE, text))
        {
            return Proposal::Public;
        }
        let nothing = !changes || !(inside || thing) || NO_WAY.is_match(text) || VAGUE.is_match(text);
        if nothing || (PAST.is_match(text) && !inside) || (PAST.is_match(text) && !PROPOSES.is_match(text)) {
            return Proposal::None;
        }
        if sentence.asks() && !OFFER.is_match(text) {
            return Proposal::None;
        }
        let around = &sentences[index.saturating_sub(2)..(index + 3).min(sentences.len())];
        let proposed = PROPOSES.is_match(text)
            || (sentence.asks() && OFFER.is_match(text))
            || around.iter().any(|near| PROPOSES.is_match(&near.text));
        let kept =
            KEEPS.is_match(text) || keeps_public(text) || around.iter().any(|near| keeps_public(&near.text));
        let framed = around.iter().any(|near| INSIDE.is_match(&near.text) && !NO_WAY.is_match(&near.text));
        let holds = if inside { proposed || kept } else { proposed && (kept || framed) };
        if holds { Proposal::Internal } else { Proposal::None }
    }
}

/// `text` with `name` replaced where it is not part of a longer name or of another file's path.
fn replace_whole(text: &str, name: &str, label: &str) -> String {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let is_path = name.contains('/');
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(name) {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let inside = before.is_some_and(|c| joins(c) || (c == '/' && !is_path)) || after.is_some_and(joins);
        if !inside {
            out.push_str(&text[done..at]);
            out.push_str(label);
            done = at + name.len();
        }
    }
    out.push_str(&text[done..]);
    out
}

/// Whether the sentence says that the public side stays.
fn keeps_public(text: &str) -> bool {
    static SIDE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:PUBLIC|PUBFILE|public|outside|outward\w*|clients?|callers?|routes?|endpoints?|paths?|contract|api|flags?|columns?|keys?|events?|surface|payloads?|consumers?|users?|edges?|wire|http|interface|boundary|formats?|devices?|firmware|partners?|integrat\w*|ur[li]s?|external\w*|außen|aussen|schnittstelle|extérieur|dehors|fuera)\b",
        )
    });
    static OFF_LIMITS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:PUBLIC|PUBFILE|routes?|endpoints?|paths?|ur[li]s?|api|surface)\b[^.;]{0,20}\b(?:off\s+(?:the\s+table|limits)|out\s+of\s+bounds|taboo)\b | \bnot\s+(?:to|in|on|at)\s+(?:the\s+)?(?:public\s+)?(?:PUBLIC|routes?|endpoints?|paths?|ur[li]s?|api|wire|surface)\b",
        )
    });
    (KEEPS.is_match(text) && SIDE.is_match(text)) || OFF_LIMITS.is_match(text)
}

/// A suggestion, not a denial.
static WHY_NOT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bwhy\s+(?:not|don't\s+(?:i|we|you))\b"));

/// Whether the pattern stands in the sentence and is not denied there.
fn stated(pattern: &Regex, text: &str) -> bool {
    pattern.find_iter(text).take(64).any(|found| {
        let mut from = found.start().saturating_sub(120);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        !NOT.is_match(&WHY_NOT.replace_all(&text[from..found.start()], ""))
    })
}

#[cfg(test)]
mod tests;
