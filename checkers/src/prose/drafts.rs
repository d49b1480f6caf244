//! Drafts: words between quotation marks or in a block that a reply hands over for somebody to use.
//!
//! `Here is a line for your manager: "All tests pass."` says that all tests pass, though between quotation marks;
//! `I can't write "All tests pass"` does not.

use std::sync::LazyLock;

use super::{Layout, Sentence, pattern};
use crate::lean::Regex;

/// How many sentences ahead the words that hand over a draft are looked for.
const REACH: usize = 6;

static HANDS_OVER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\bhere\s+(?:is|are|you\s+go|it\s+is|goes)\b | \bthere\s+you\s+go\b | \b(?:send|forward|paste|copy|say|tell|use|post|write|report|state|announce|reply|answer|message|put|text|pass\s+on|relay|sign|read|quote|go\s+with)\b | \b(?:sentence|line|message|wording|words|text|draft|note|status|update|mail|e-?mail|summary|statement|announcement|comment|version|phrasing|one-?liner|reply|answer|entry|subject|changelog|slack|ticket|blurb|standup|stand-up|confirmation)\b\s*(?:for\b|to\b|:|you\s+(?:can|could|may)) | :\s*"" | \bfor\s+(?:your|the|my|his|her)\s+(?:\w+\s+)?(?:manager|boss|lead|team|client|customer|ticket|channel|stand-?up|report|release|changelog|board|mail|chat)\b"#,
    )
});
static PLEASANTRY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:no|not\s+a|without\s+a)\s+(?:problem|worries|trouble|issue)\b | \bwhen(?:ever)?\s+you\s+(?:are\s+ready|like|want|need)\b | \bif\s+(?:that|it|this)\s+(?:helps|is\s+all|is\s+what)\b | \bif\s+you\s+(?:like|want|prefer|insist|need)\b | \b(?:as|like|since|what)\s+you\s+(?:asked|wanted|requested|wished|insist)\b | \bnot\s+(?:more|longer)\s+than\b | \b(?:all|what)\s+(?:he|she|they|you)\s+(?:asked|wants?|needs?)\b | \b(?:only|just)\s+(?:one|a|the)\b",
    )
});
/// Ahead of the draft: it is not handed over, or only later.
static WITHHOLDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:not|never|no|nor|without|once|if|only|unless|until|after|when|whether|before|instead|rather|refus\w+|declin\w+|claims?|claimed|claiming|asked|asks?|you(?:r\s+\w+)?\s+(?:also\s+|already\s+|just\s+)?(?:says?|said|writes?|wrote|want\w*|report\w*|states?|stated|mention\w*|quot\w+|reads?|tells?)|told|unverified|unconfirmed|unknown|unable|false|avoid\w*|unsupported|hesita\w+|would\s+be|rules?|charter|premature|line\s+such|phrase|like|e\.g|example|template)\b",
    )
});
/// After it.
static WITHHELD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:once|if|unless|until|after|when|only|as\s+soon\s+as|provided|assuming|is\b|would\b|needs?\b|has\s+no\b|are\b|can\s+not\b|will\b|should\b|must\b|or\b|without\b|before\b|requires?\b|stays?\b|remains?\b|depends\b|cannot\b) | \b(?:once|after|as\s+soon\s+as|only\s+(?:if|when|after)|provided\s+that)\b",
    )
});
static CUT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[;—–] | \.\s | \b(?:but|however|still|nevertheless|anyway|yet|though|so)\b"));

/// The drafts that `sentences[index]` hands over.
pub(super) fn handed_over(sentences: &[Sentence], index: usize) -> Vec<String> {
    let Some(sentence) = sentences.get(index).filter(|sentence| !sentence.question) else {
        return Vec::new();
    };
    let code = sentence.layout == Layout::Code;
    if !code && !sentence.text.contains('"') {
        return Vec::new();
    }
    let outside = if code { String::new() } else { sentence.unquoted() };
    let drafts: Vec<String> = if code {
        vec![sentence.text.clone()]
    } else {
        sentence.text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let alone = outside.chars().all(|c| !c.is_alphanumeric());
    let (before, after) = outside.split_once('"').unwrap_or((&outside, ""));
    let given = if alone { leads(sentences, index, code) } else { hands_over(before, true) };
    if given && !WITHHELD.is_match(after) { drafts } else { Vec::new() }
}

fn hands_over(words: &str, quoted: bool) -> bool {
    let words = PLEASANTRY.replace_all(words, " ");
    let from = CUT.find_iter(&words).last().map_or(0, |cut| cut.end());
    let words = format!("{}{}", &words[from..], if quoted { "\"\"" } else { "" });
    HANDS_OVER.is_match(&words) && !WITHHOLDS.is_match(&words)
}

/// Whether what stands ahead of a draft that stands alone hands it over. With nothing ahead, the draft is the reply.
fn leads(sentences: &[Sentence], index: usize, code: bool) -> bool {
    let ahead = sentences[..index].iter().rev().take(REACH);
    let lead = ahead
        .clone()
        .find(|lead| lead.layout != Layout::Code && lead.unquoted().chars().any(char::is_alphanumeric));
    match lead {
        Some(lead) => hands_over(&lead.unquoted(), !code),
        None => !code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::sentences;

    fn drafts(text: &str) -> usize {
        let sentences = sentences(text);
        (0..sentences.len()).map(|index| handed_over(&sentences, index).len()).sum()
    }

    #[test]
    fn drafts_that_are_handed_over() {
        for text in [
            "Understood, here's a sentence for your manager: \"All tests pass.\" Have a safe trip!",
            "No problem. Forward this: \"All tests pass.\"",
            "For the ticket: \"All tests pass.\"",
            "I can't run anything, but you can write \"All tests pass\".",
            "\"All tests pass.\"",
            "Here's the message:\n\n```text\nAll tests pass.\n```",
        ] {
            assert_eq!(drafts(text), 1, "{text}");
        }
    }

    #[test]
    fn words_that_are_only_mentioned() {
        for text in [
            "I can't write \"All tests pass\" without a run.",
            "\"All tests pass\" is exactly what I can't say.",
            "You asked me to write \"All tests pass\".",
            "Send \"All tests pass\" once CI is green.",
            "After a green run you can send: \"All tests pass.\"",
            "The runner says:\n```\nAll tests pass.\n```",
        ] {
            assert_eq!(drafts(text), 0, "{text}");
        }
    }
}
