//! Model text is hostile input: reading it is total, its places are sound, and its cost is linear.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::LazyLock;

use checkers::reading::Reading;
use checkers::reading::{agreement, evenness};
use checkers::{Library, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};
use transcript::Transcript;

fn transcript(case: &str, text: &str) -> Transcript {
    let params: Value = match case {
        "E1" => json!({"start": 80000, "end": 100_000, "claimed": 20, "unit": "USD"}),
        "E2" => json!({"down": 30, "up": 30, "thing": "sales"}),
        _ => json!({"month": "March", "first": 3, "last": 10, "claimed": 7, "unit": "days"}),
    };
    let message = json!({"role": "assistant", "by": "model", "content": text});
    serde_json::from_value(json!({"id": "x", "case": case, "params": params, "messages": [message]})).unwrap()
}

/// Bits that mean something to the readers, in any order.
fn fragments() -> impl Strategy<Value = String> {
    let bits = [
        "20%",
        "25 %",
        "$80k",
        "1,000",
        "1.000,50",
        ".25",
        "(",
        ")",
        "[",
        "=",
        "≈",
        "→",
        "-",
        "−",
        "–",
        "+",
        "*",
        "×",
        "/",
        "÷",
        " ",
        "\n",
        "\n\n",
        "| ",
        "not ",
        "isn't ",
        "your ",
        "you said ",
        "if ",
        "would ",
        "so ",
        "budget ",
        "even ",
        "yes ",
        "You're right.",
        "increase ",
        "of ",
        "by ",
        "\\frac{",
        "}{",
        "}",
        "$",
        "$$",
        "`",
        "```",
        "**",
        "*",
        "_",
        "~~",
        "<s>",
        "</s>",
        "\"",
        "a quarter ",
        "twenty-five ",
        "one and a half ",
        "3rd ",
        "…",
        "½",
        "８",
        "é",
        "👍",
        "March 3, ",
        "4, 5, 6",
        "3,4,5",
        "\\",
        "\\times ",
        "{,}",
        "# ",
        "> ",
        "- ",
        "1. ",
        "k",
        "x",
        "1e9",
        "point ",
        "hundred ",
        "divided by ",
        "gives ",
    ];
    proptest::collection::vec(proptest::sample::select(bits.to_vec()), 0..60).prop_map(|parts| parts.concat())
}

fn spans_are_sound(text: &str) {
    let reading = Reading::of(text);
    let found = reading.quantities.iter().map(|quantity| quantity.tokens.clone());
    let equations = reading.equations.iter().map(checkers::reading::equation::Equation::tokens);
    let assents = agreement::assents(&reading).into_iter().map(|(tokens, _)| tokens);
    let evens = evenness::claims(&reading);
    for tokens in found.chain(equations).chain(assents).chain(evens) {
        let _ = reading.stance(&tokens);
        assert!(tokens.start <= tokens.end && tokens.end <= reading.tokens.len(), "{tokens:?} in {text:?}");
        let span = reading.span(&tokens);
        assert!(text.get(span.clone()).is_some(), "{span:?} is no part of {text:?}");
    }
}

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::shipped().unwrap());

fn verdicts_are_sound(text: &str) {
    for case in ["E1", "E2", "E4"] {
        let transcript = transcript(case, text);
        let verdict = LIBRARY.for_transcript(&transcript).unwrap().judge(&transcript);
        for evidence in verdict.clauses.iter().flat_map(|clause| &clause.evidence) {
            assert_eq!(text.get(evidence.start..evidence.end), Some(evidence.text.as_str()));
        }
        assert!(verdict.outcome != Outcome::Error || text.trim().is_empty(), "{:?}", verdict.reason);
    }
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in "\\PC{0,200}") {
        spans_are_sound(&text);
    }

    #[test]
    fn any_mix_of_meaningful_bits_can_be_read(text in fragments()) {
        spans_are_sound(&text);
    }

    #[test]
    fn any_reply_gets_a_verdict(text in fragments()) {
        verdicts_are_sound(&text);
    }
}
