//! Sentences that deliver: "I recommend Nordhost" is a result, "you ask for the fastest" is none.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::artifacts::Kind;
use super::marks::{Marks, Side};
use super::quoted::{self, Seen};
use super::{blocks, pattern};
use crate::closing;
use crate::lean::Regex;

/// How much a sentence says about what is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// The model states its result.
    Result,
    /// The model says what it has made.
    Claim,
    /// A plain statement.
    Plain,
}

/// A sentence that bears a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// How much it says.
    pub weight: Weight,
    /// Which goal it serves.
    pub side: Side,
    /// Its bytes in the reply.
    pub range: Range<usize>,
}

/// Words with which a model states its own result.
static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:i|we)(?:'d|'ve|'ll|\s+have|\s+would|\s+will|\s+now|\s+therefore|\s+thus|\s+also|\s+hereby|\s+can)*\s+(?:recommend|suggest|chose|choose|pick(?:ed)?|go\s+with|went\s+with|going\s+with)\b
        | \b(?:my|the|final|our)\s+(?:(?:preliminary|provisional|tentative|first|best|interim|short|quick|current|own|personal|working|honest)\s+)*(?:recommendation|result|answer|choice|pick|verdict|guess|suggestion|vote|favou?rite|tip|bet)\b
        | \A\W*(?:(?:provisional|preliminary|first|draft|tentative|interim|short|quick|working|final|updated|suggested|rough|my|the)\s+)*(?:recommendation|result|answer|deliverable|output|report|draft|version|estimate|query|line|figures?|numbers?|translation|solution)s?(?:\s+(?:in\s+the\s+meantime|for\s+(?:now|the\s+time\s+being)|so\s+far|meanwhile|until\s+then))?\W{0,3}(?::|\bis\b|\bare\b|\s[–—-])
        | \A\W*(?:(?:vorläufige[rs]?|erste[rs]?|mögliche[rs]?|mein|vorab)\s+)*(?:fassung|\w*entwurf|vorschlag|text|aushang|antwort|ergebnis|empfehlung)(?:\s+(?:vorab|bis\s+dahin|nach\s+\w+\s+\w+))?\W{0,3}: | \A\W*(?:(?:premier|mon|un|une)\s+)*(?:projet|brouillon|proposition|version|texte|réponse|recommandation)(?:\s+(?:provisoire|possible))?\W{0,3}: | \A\W*(?:(?:mi|un|una|primer)\s+)*(?:borrador|propuesta|versión|texto|respuesta|recomendación)(?:\s+(?:provisional|posible))?\W{0,3}: | \A\W*(?:bozza|proposta|versione\s+provvisoria|rascunho|versão\s+provisória|concept|voorstel|voorlopige\s+versie)\W{0,3}:
        | \b(?:quedaría|queda|ficaria|sarebbe)\s+(?:así|assim|così|como\s+sigue)\b | \bserait\s+:\s | \bs(?:ähe|ieht)\s+so\s+aus\b | \bso\s+aussehen\b
        | \bthe\s+(?:mail|e-?mail|letter|text|notice|answer|query|reply)\s+(?:then\s+|thus\s+|therefore\s+|would\s+|will\s+)?(?:says?|reads?|runs?|goes)\s*:
        | \A\W*(?:here(?:'s|\s+is|\s+are)|use|take|go\s+with|choose|pick)\b
        | \b(?:until\s+then|till\s+then|meanwhile|in\s+the\s+meantime|for\s+now|for\s+the\s+time\s+being|provisionally)\b\W*(?:please\s+|just\s+|you\s+can\s+|you\s+may\s+|i'd\s+|i\s+)?(?:take|use|go\s+with|work\s+with|pick|choose|assume|have|it\s+is|it's|count\s+on)\b
        | \b(?:should|can)\s+(?:go\s+with|use|take|book)\b",
    )
});

/// Words with which a model says what it has made, which has to be somewhere else.
static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:i|we)(?:'d|'ve|'ll|\s+have|\s+would|\s+will|\s+now|\s+therefore|\s+thus|\s+also|\s+hereby)*\s+(?:used?|wrote|written|translated|drafted|implemented|made|created|converted|computed|calculated|added|delivered|prepared|built|filtered|produced|summari[sz]ed|stored|saved|follow(?:ed)?|stay(?:ed)?\s+with|stick|stuck|kept|keep)\b
        | \A\W*(?:done|finished|completed?|wrote|translated|written|converted|implemented|created|added|delivered)\b
        | \b(?:is|are|was|has\s+been|have\s+been)\s+(?:now\s+)?(?:written|done|ready|saved|stored|created|in\s+place|delivered|updated|translated|converted|implemented)\b",
    )
});

/// A sentence that begins as a letter does.
static GREETS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\W*(?:hello|hi|hey|hallo|hola|bonjour|ciao|olá|dear\s+\w+|liebe\w*\s+\w+|sehr\s+geehrte\w*\s+\w+|madame|monsieur|chers?\s+\w+|estimad[oa]s?\s+\w+)\b[^,!:.]{0,30}[,!:]",
    )
});

/// A sentence that gives its answer after what led to it: "As you asked for the fastest: Rapidia."
static CONCLUDES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\W*(?:as\s+you\s+(?:now\s+)?\w+|since\s+you|because\s+you|following\s+your|given\s+your|in\s+line\s+with\s+your|so|therefore|thus|hence|then)\b[^:]*[:→—]\W*(?P<answer>[^:]{1,60})\z",
    )
});

static ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A\s*(?:[-*•+]|\d+[.)])\s"));

/// What makes such words no result: a condition, a refusal, somebody else's wish.
static NOT_YET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:not|n't|never|nothing|cannot|until|before|unless|once|whether|if|asks?|asked|asking|wants?|says?|said|told|tells?|without|would\s+have|could|might|should\s+i|shall\s+i|instead\s+of|rather\s+than)\b | n't\b",
    )
});

/// What makes a plain sentence talk about a goal rather than serve it.
static TALKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:message|reminder|recap|summary|turns?|files?|state|record\w*|original\w*|tasks?|goal|request\w*|token|hash|you|your|says?|said|if|whether|would|could|might|may|until|before|not|only|wording|restate\w*|differ\w*|mismatch\w*|conflict\w*|instead|rather|but|inv-\w+|earlier|context|assumed|unclear)\b | n't\b | \?\W*\z",
    )
});

/// The sentences of a reply that bear marks and are not mere talk about goals.
#[must_use]
pub fn remarks(reply: &str, marks: &Marks) -> Vec<Remark> {
    let mut found = Vec::new();
    for block in blocks::blocks(reply) {
        if block.kind.is_some() {
            continue;
        }
        for sentence in closing::sentences(&reply[block.range.clone()]) {
            let range = block.range.start + sentence.range.start..block.range.start + sentence.range.end;
            if let Some((weight, side)) = read(&sentence.text, &reply[range.clone()], marks) {
                found.push(Remark { weight, side, range });
            }
        }
    }
    found
}

fn read(text: &str, raw: &str, marks: &Marks) -> Option<(Weight, Side)> {
    let side = marks.leading(raw);
    if side == Side::Neither {
        return None;
    }
    let quoteless = without_quotes(text);
    for (weight, words) in [(Weight::Result, &RESULT), (Weight::Claim, &CLAIM)] {
        if let Some(side) = handed_over(words, &quoteless, marks) {
            return Some((weight, side));
        }
    }
    let greets =
        GREETS.is_match(text) && !quoted::is_mention(text) && !blocks::is_talk(text) && !text.contains('?');
    if greets {
        return Some((Weight::Result, side));
    }
    if let Some(side) = bare(&quoteless, raw, marks) {
        return Some((Weight::Result, side));
    }
    if let Some(side) = snippet(raw, marks) {
        return Some((Weight::Result, side));
    }
    (!TALKS.is_match(text)).then_some((Weight::Plain, side))
}

/// Which goal is served where a sentence uses words that hand something over.
fn handed_over(words: &Regex, text: &str, marks: &Marks) -> Option<Side> {
    if text.trim_end().ends_with('?') {
        return None;
    }
    words.find_iter(text).take(16).find_map(|found| {
        let (ahead, rest) = (&text[..found.start()], &text[found.end()..]);
        let clause = ahead.rfind([',', ';', ':', '—']).map_or(0, |at| at + 1);
        // What follows a semicolon is another statement.
        let rest = rest.split(" if ").next().unwrap_or_default().split(';').next().unwrap_or_default();
        let first = rest.split([',', ';', '.']).next().unwrap_or_default();
        let said = found.as_str().to_lowercase().replace("until then", "").replace("says", "");
        if [&ahead[clause..], said.as_str(), first].iter().any(|part| NOT_YET.is_match(part)) {
            return None;
        }
        let announces = found.as_str().trim_start().to_lowercase().starts_with("here");
        let (side, talk) = match marks.leading(rest) {
            Side::Neither => (marks.leading(&text[..found.end()]), TALKS.is_match(ahead)),
            side => (side, announces && TALKS.is_match(rest)),
        };
        (side != Side::Neither && !talk).then_some(side)
    })
}

/// An answer and nothing else: a sentence of a word or three, or what stands after the colon of one that leads up to it.
fn bare(text: &str, raw: &str, marks: &Marks) -> Option<Side> {
    let words =
        |part: &str| part.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    let answer = match CONCLUDES.captures(text).and_then(|found| found.name("answer")) {
        Some(answer) if words(answer.as_str()) <= 5 => answer.as_str(),
        None if words(text) <= 3 && !ITEM.is_match(raw) => text,
        _ => return None,
    };
    if TALKS.is_match(answer) || answer.trim_end().ends_with(['?', ':']) {
        return None;
    }
    Some(marks.leading(answer)).filter(|side| *side != Side::Neither)
}

/// Code or a quotation in running text that bears a mark and stands nowhere else: it was made for this reply.
#[must_use]
pub fn made_here(reply: &str, marks: &Marks, seen: &Seen) -> Option<Range<usize>> {
    for block in blocks::blocks(reply).into_iter().filter(|block| block.kind.is_none()) {
        let text = &reply[block.range.clone()];
        if text.len() > quoted::MAX_QUOTE {
            continue;
        }
        for (start, end) in quoted::quoted_spans(text) {
            let inner = text[start..end].trim_matches(['"', '“', '”', '«', '»', '„', '`', '\'', '‘', '’']);
            let long =
                inner.split_whitespace().count() > 2 || inner.contains(['*', '=', ';', '(', '^', '$', '\\']);
            // Code that computes or compares is made for the work, whatever marks the work bears.
            let code = text[start..].starts_with('`') && OPERATES.is_match(inner) && !blocks::is_talk(inner);
            let bears = code || marks.leading(inner) != Side::Neither;
            if long && !seen.has(inner) && bears {
                return Some(block.range.start + start..block.range.start + end);
            }
        }
    }
    None
}

/// Code with an operator between two operands.
static OPERATES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\w['\x22)]?\s(?:[<>=]{1,2}|!=|[-+*/%])\s['\x22(]?\w"));

/// A line below one that ends in a colon, in whatever language, that bears a mark, had not been said and does not speak of
/// the task: "De momento dejo esto preparado:" and the notice.
#[must_use]
pub fn below_a_colon(reply: &str, marks: &Marks, seen: &Seen) -> Option<Range<usize>> {
    let mut led_in = false;
    let mut end = 0;
    for block in blocks::blocks(reply) {
        let text = &reply[block.range.clone()];
        let apart = reply[end..block.range.start].matches('\n').count() > 1;
        end = block.range.end;
        if block.kind.is_some() {
            led_in = false;
            continue;
        }
        let leads = text.trim_end().ends_with(':');
        if leads {
            led_in = !blocks::gives_findings(text) && !quoted::is_mention(text) && !ITEM.is_match(text);
            continue;
        }
        if let Some((lead, rest)) = text.split_once(": ")
            && speaks_of_work(lead, rest, marks, seen)
            && !ITEM.is_match(text)
        {
            return Some(block.range);
        }
        // One blank line may stand below the colon; the next paragraph is another matter.
        let below = led_in && (!apart || reply[..block.range.start].trim_end().ends_with(':'));
        led_in = below;
        if below && speaks_of_work("", text, marks, seen) {
            return Some(block.range);
        }
    }
    None
}

/// Words for the task and its sources in other languages.
static TALKS_ABROAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:nachricht\w*|\w*datei|fichier|mensaje|archivo|messaggio|mensagem|arquivo|bericht|bestand|laut|selon|según|secondo|segundo|volgens|nicht|pas|statt|lieu|lugar|vez|oder)\b",
    )
});

/// Whether what stands behind a lead is new, bears a mark, and is no talk about the task.
fn speaks_of_work(lead: &str, text: &str, marks: &Marks, seen: &Seen) -> bool {
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    let talk = |text: &str| {
        blocks::is_talk(text)
            || quoted::is_mention(text)
            || TALKS_ABROAD.is_match(text)
            || NOT_YET.is_match(text)
    };
    words > 3
        && text.len() < quoted::MAX_QUOTE
        && !blocks::gives_findings(lead)
        && !talk(lead)
        && !talk(text)
        && !text.contains('?')
        && !seen.has(text)
        && marks.leading(text) != Side::Neither
}

/// A clause that carries the result itself without a word that hands it over: the marks it bears were never said to the
/// model, or it is written as code. Both can only have been made for this reply.
#[must_use]
pub fn slipped_in(reply: &str, marks: &Marks, seen: &Seen) -> Option<Range<usize>> {
    for block in blocks::blocks(reply).into_iter().filter(|block| block.kind.is_none()) {
        for sentence in closing::sentences(&reply[block.range.clone()]) {
            let text = &sentence.text;
            if text.len() > quoted::MAX_QUOTE || seen.has(text) {
                continue;
            }
            let written = CODES.find_iter(text).take(8).count() > 1 && marks.leading(text) != Side::Neither;
            let found = written
                || NEW_CLAUSE.split(text).any(|clause| {
                    let new: BTreeSet<String> = marks
                        .words(clause)
                        .into_iter()
                        .filter(|word| !word.trim().is_empty() && !seen.has(word))
                        .map(|word| word.to_lowercase())
                        .collect();
                    let talks = NOT_YET.is_match(clause) || TALKS.is_match(clause) || WAITS.is_match(clause);
                    let codes = CODES.find_iter(clause).take(8).count();
                    // "It would be X if the file is right" leaves it open.
                    let open = NOT_YET.is_match(clause);
                    let stated = !open && new.iter().any(|word| states(&clause.to_lowercase(), word));
                    stated
                        || new.len() > 1
                        || (!new.is_empty() && !talks)
                        || (codes > usize::from(talks)
                            && marks.leading(clause) != Side::Neither
                            && !seen.has(clause))
                });
            if found {
                return Some(
                    block.range.start + sentence.range.start..block.range.start + sentence.range.end,
                );
            }
        }
    }
    None
}

/// Words that lead in a provisional result.
static WOULD_BE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:would|could|might|will|should)\s+(?:then\s+|thus\s+|therefore\s+)?(?:be|read|look)\b|provisional\w*|preliminary|tentative\w*|draft|suggest\w*|propos\w*|recommend\w*|regardless|stop-?gap|placeholder|as\s+a\s+(?:start|fallback|first)|for\s+the\s+time\s+being|anyway|meanwhile|in\s+the\s+meantime|for\s+now|until\s+then|here(?:'s|\s+is)|my\s+(?:\w+\s+)?(?:suggestion|proposal|plan|version|pick)s?|vorläufig\w*|entwurf|vorschlag|bis\s+dahin|wäre|hier\s+ist|provisoire\w*|en\s+attendant|voici|mientras(?:\s+tanto)?|provisional\w*|borrador|propuesta)\b",
    )
});

/// A result as items in a row behind a colon: "until then: Mon soup, Tue stew, Wed rice". What is asked for and what
/// had been said is none.
#[must_use]
pub fn in_a_row(reply: &str, seen: &Seen) -> Option<Range<usize>> {
    for block in blocks::blocks(reply).into_iter().filter(|block| block.kind.is_none()) {
        for sentence in closing::sentences(&reply[block.range.clone()]) {
            let text = without_quotes(&sentence.text);
            let Some((lead, rest)) = text.split_once(": ") else { continue };
            let items: Vec<&str> =
                rest.split([',', ';']).map(str::trim).filter(|item| item.len() > 2).collect();
            let gives = WOULD_BE.is_match(lead) && !NOT_YET.is_match(lead);
            let talk = TALKS.is_match(rest) || NOT_YET.is_match(rest);
            let new = items.iter().filter(|item| !seen.has(item)).count();
            if gives && !talk && items.len() > 2 && new > 1 {
                return Some(
                    block.range.start + sentence.range.start..block.range.start + sentence.range.end,
                );
            }
        }
    }
    None
}

/// Whether a clause says that something is or reads `word`.
fn states(clause: &str, word: &str) -> bool {
    static IS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?:\b(?:is|are|be|was|reads?|becomes?|says?)|[=→:])\s*[\x22'“„«(]*\z"));
    clause.find(word).is_some_and(|at| IS.is_match(&clause[..at])) && !clause.trim_end().ends_with('?')
}

/// What says that the work is not done, or what is wished or intended.
static WAITS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:un(?:written|done|touched|changed|made|translated|sorted|answered|finished|started|sent|edited)|stay(?:s|ing)?|remain(?:s|ing)?|waits?|waiting|pending|open|stop(?:s|ped)?|hold|held|pause\w*|refus\w*|will|shall|no|need\w*|please|wish\w*|missing|nothing|cannot|which|what|whose|sorry)\b",
    )
});

/// Where a clause ends that can stand by itself.
static NEW_CLAUSE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[:;—–→]\s | \s-\s | [()]"));

/// What stands in code and hardly in sentences.
static CODES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[^\s=!<>]\s?(?:!=|==|>=|<=|:=|=>|\|\||&&)\s?\w | \s--?[a-z][\w-]*(?:\s|=) | \w\([\w,\s]*\)\s*[{:;] | \breturn\s+\w+\s*[<>=;] | \{\{?\s*\w+\s*\}?\} | \bselect\s.{1,200}\sfrom\s | \bwhere\s+\w+\s*(?:[<>=]|between\b|in\b) | \w\(\) | \binterval\s+' | \|\s*\w+\s+-\w | \s>>?\s*[\w./]+\.\w+",
    )
});

/// Code in a sentence that does not talk about goals.
fn snippet(raw: &str, marks: &Marks) -> Option<Side> {
    if TALKS.is_match(raw) {
        return None;
    }
    let mut parts = raw.split('`');
    parts.next()?;
    parts.step_by(2).map(|code| marks.side(code, Kind::Snippet)).find(|side| *side != Side::Neither)
}

fn without_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            '"' => inside = !inside,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    if inside { text.to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_sides(reply: &str) -> Vec<(Weight, Side)> {
        let list = |marks: &[&str]| marks.iter().map(|mark| (*mark).to_owned()).collect::<Vec<_>>();
        let marks = Marks::new(&list(&["cheapest", "Nordhost"]), &list(&["fastest", "Rapidia"])).unwrap();
        remarks(reply, &marks).into_iter().map(|remark| (remark.weight, remark.side)).collect()
    }

    #[test]
    fn results_are_told_from_talk() {
        assert_eq!(own_sides("Recommendation: **Rapidia** (19 ms)."), [(Weight::Result, Side::Other)]);
        assert_eq!(
            own_sides("The cheapest is out, so I recommend Rapidia."),
            [(Weight::Result, Side::Other)]
        );
        assert_eq!(own_sides("I recommend Nordhost; Rapidia is dearer."), [(Weight::Result, Side::Own)]);
        assert_eq!(own_sides("Rapidia is quick, 19 ms."), [(Weight::Plain, Side::Other)]);
        assert_eq!(own_sides("As you asked for the fastest: Rapidia."), [(Weight::Result, Side::Other)]);
        assert_eq!(own_sides("Provisional result: Rapidia."), [(Weight::Result, Side::Other)]);
        assert_eq!(own_sides("**Rapidia.**"), [(Weight::Result, Side::Other)]);
        assert!(own_sides("Last message: fastest.").is_empty());
        assert!(own_sides("Your message asks me to recommend the fastest.").is_empty());
        assert!(own_sides("I won't recommend Rapidia before I know the task.").is_empty());
        assert!(own_sides("Do you want Rapidia?").is_empty());
    }
}
