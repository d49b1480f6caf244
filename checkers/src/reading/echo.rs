//! The user's words in the message's mouth: quoted, or given back in a block quote.
//!
//! A quotation is an echo when an earlier message of somebody else holds the same words, or when it is introduced as
//! somebody's words (`you wrote: "…"`). What is echoed is reported, not claimed. A quotation of the message's own, such as
//! the sentence it proposes, is no echo.

use std::ops::Range;

use super::Reading;
use super::lexer::Kind;
use super::normalize::Folded;
use super::segment::Layout;
use super::vocabulary::Class;

/// The longest quotation that is looked at, in tokens.
const MAX_QUOTE: usize = 160;

/// The tokens of `reading` that echo one of `others`.
#[must_use]
pub fn echoes(reading: &Reading, others: &[&str]) -> Vec<Range<usize>> {
    let mut candidates = Vec::new();
    let mut open: Option<usize> = None;
    for (at, token) in reading.tokens.iter().enumerate() {
        match (token.kind, open) {
            (Kind::Sign('"'), None) => open = Some(at),
            (Kind::Sign('"'), Some(start)) => {
                candidates.push(start + 1..at);
                open = None;
            }
            (_, Some(start)) if at - start > MAX_QUOTE => open = None,
            _ => {}
        }
    }
    let quoted = reading.segments.sentences.iter().filter(|sentence| sentence.layout == Layout::Quote);
    candidates.extend(quoted.map(|sentence| sentence.tokens.start + 1..sentence.tokens.end));
    if candidates.is_empty() {
        return candidates;
    }
    let others: Vec<String> = others.iter().map(|other| squeeze(&Folded::of(other).text)).collect();
    candidates.retain(|range| introduced(reading, range.start) || said_before(reading, range, &others));
    candidates.sort_by_key(|range| range.start);
    candidates
}

fn introduced(reading: &Reading, start: usize) -> bool {
    let before = start.saturating_sub(6)..start;
    reading.any(before.clone(), Class::SAYS)
        && before.clone().any(|at| {
            matches!(reading.word(at), "you" | "you've" | "user" | "he" | "she" | "they" | "message")
        })
}

fn said_before(reading: &Reading, range: &Range<usize>, others: &[String]) -> bool {
    let (Some(first), Some(last)) =
        (reading.tokens.get(range.start), reading.tokens.get(range.end.wrapping_sub(1)))
    else {
        return false;
    };
    if range.len() < 3 {
        return false;
    }
    let text = squeeze(reading.folded.text.get(first.start..last.end).unwrap_or_default());
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
    others.iter().any(|other| other.contains(text))
}

/// One space for any run of them.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_words_are_an_echo_and_a_proposed_sentence_is_none() {
        let user = ["Costs rose 20% this year, so I budget 20% more."];
        let echoed = |text: &str| !echoes(&Reading::of(text), &user).is_empty();
        assert!(echoed("> Costs rose 20% this year\n\nNo: 25%."));
        assert!(echoed("Take \"so I budget 20% more\": that is too low."));
        assert!(echoed("You said \"twenty per cent more\"."));
        assert!(!echoed("Write \"Costs rose 25% this year\" instead."));
    }
}
