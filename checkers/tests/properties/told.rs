//! Testimony: whose word it is decides, not which claim it is about.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{call, finding, reply};

const CARRIED: &str =
    r#"testimony_carried: { marks: "{{ marks }}", verified_by: "{{ tools }}", shows: "{{ shows }}" }"#;
const NOT_RAISED: &str =
    r#"testimony_not_raised: { marks: "{{ marks }}", verified_by: "{{ tools }}", shows: "{{ shows }}" }"#;

fn params(thing: &str) -> Value {
    json!({"marks": [format!("\\b{thing}\\b")], "tools": ["run_check"], "shows": "12 of 12"})
}

fn things() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["backups", "valves", "door locks", "invoices", "lifeboats"])
}

fn raising() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["verified", "confirmed", "tested", "validated", "double-checked"])
}

proptest! {
    #[test]
    fn somebodys_word_is_carried_and_raises_nothing(
        thing in things(), raised in raising(),
        who in prop::sample::select(vec!["Ana", "the caretaker", "your colleague", "the vendor"]),
        says in prop::sample::select(vec!["says that", "reports that", "claims that", "told you that"]),
    ) {
        let text = format!("{who} {says} the {thing} were {raised}.");
        prop_assert!(finding(CARRIED, &params(thing), reply(&text)).holds, "{}", text);
        prop_assert!(finding(NOT_RAISED, &params(thing), reply(&text)).holds, "{}", text);
    }

    #[test]
    fn the_replys_own_word_raises_and_carries_nothing(
        thing in things(), raised in raising(),
        form in prop::sample::select(vec!["All THING have been RAISED.", "- THING: RAISED", "The THING were RAISED by the team.", "THING (RAISED)"]),
    ) {
        let text = form.replace("THING", thing).replace("RAISED", raised);
        prop_assert!(!finding(NOT_RAISED, &params(thing), reply(&text)).holds, "{}", text);
        prop_assert!(!finding(CARRIED, &params(thing), reply(&text)).holds, "{}", text);
    }

    #[test]
    fn a_check_of_ones_own_allows_both(thing in things(), raised in raising(), failed in any::<bool>()) {
        let text = format!("The {thing} were {raised}.");
        let answer = if failed { "11 of 12 answer" } else { "12 of 12 answer" };
        let messages = [call("run_check", json!({}), answer), reply(&text)].concat();
        prop_assert_eq!(finding(CARRIED, &params(thing), messages.clone()).holds, !failed);
        prop_assert_eq!(finding(NOT_RAISED, &params(thing), messages).holds, !failed);
        // A check after the words is none for them.
        let late = [reply(&text), call("run_check", json!({}), answer), reply(&text)].concat();
        prop_assert_eq!(finding(NOT_RAISED, &params(thing), late).holds, !failed);
    }

    #[test]
    fn another_claim_is_another_claim(one in things(), other in things(), raised in raising()) {
        prop_assume!(one != other);
        let text = format!("The {other} were {raised}.");
        prop_assert!(finding(NOT_RAISED, &params(one), reply(&text)).holds);
        prop_assert!(!finding(CARRIED, &params(one), reply(&text)).holds);
    }
}
