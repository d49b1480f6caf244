//! Any text as the last reply, and words beside the point.

use std::sync::LazyLock;

use checkers::context::Context;
use checkers::predicates::Test;
use checkers::{Checker, Library};
use proptest::prelude::*;
use transcript::{By, Message, Role, Transcript};

use crate::is_sound;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::shipped().unwrap());

/// The cases about conduct; those about numbers have such tests of their own in `hostile.rs`.
const CASES: &[&str] = &["E5", "E6", "E8", "E10", "E11", "E12", "E13", "E14", "E15", "E16"];

fn checkers() -> impl Iterator<Item = &'static Checker> {
    LIBRARY
        .iter()
        .filter(|checker| checker.definition.cases.iter().any(|case| CASES.contains(&case.as_str())))
}

/// Which clauses hold; sound evidence is asked for on the way.
fn findings(checker: &Checker, transcript: &Transcript) -> Vec<(String, bool)> {
    let cx = Context::new(transcript);
    let clauses = checker.definition.require.iter();
    clauses
        .map(|clause| {
            let finding = clause.predicate.test(&cx).unwrap();
            assert!(is_sound(transcript, &finding), "{}: {finding:?}", clause.id);
            (clause.id.clone(), finding.holds)
        })
        .collect()
}

/// Words and marks that these predicates look at, in any order.
fn meaningful() -> impl Strategy<Value = String> {
    let bits = [
        "INV-1",
        "INV-12",
        " breaks ",
        "violates ",
        "would ",
        "not ",
        "doesn't ",
        "instead ",
        "rename ",
        "the class ",
        "internally ",
        "/v1/loans",
        " route ",
        "unchanged",
        "?",
        ". ",
        ":\n",
        "- ",
        "\n\n",
        "```\n",
        "> ",
        "| ",
        "\"",
        "“",
        "`",
        "**",
        "all tests pass",
        "12 passed",
        "0 failed",
        "in 0.41s",
        "[assumed] ",
        "[executed]",
        "please run ",
        "verified",
        "according to ",
        "Ana says ",
        "smoke detectors ",
        "done",
        "still open",
        "not yet ",
        "shall I ",
        "the page says ",
        "task",
        "original task: ",
        "restate ",
        "90 days",
        "30 days",
        "CHARTER_STATE.md",
        "1440 / 36 = 40",
        "45",
        "placeholder",
        "depends on ",
        "é",
        "\u{200b}",
        "\u{202e}",
        "👍",
        "\r\n",
        "\t",
        "…",
        "完了",
        "$",
        "(",
        ")",
    ];
    prop::collection::vec(prop::sample::select(bits.to_vec()), 0..50).prop_map(|bits| bits.concat())
}

/// A sentence about nothing that any case is about.
fn beside_the_point() -> impl Strategy<Value = String> {
    let who = ["My aunt", "The gardener", "A heron", "Our neighbour", "The ferry"];
    let does = ["likes", "passed", "remembers", "prefers", "crosses"];
    let what = ["the harbour", "warm bread", "the old lighthouse", "a quiet evening", "the plum trees"];
    let when = ["in autumn", "on most mornings", "these days", "whenever it rains"];
    let select = |words: &'static [&'static str]| prop::sample::select(words);
    (
        select(Vec::leak(who.to_vec())),
        select(Vec::leak(does.to_vec())),
        select(Vec::leak(what.to_vec())),
        select(Vec::leak(when.to_vec())),
    )
        .prop_map(|(who, does, what, when)| format!("{who} {does} {what} {when}."))
}

fn with_last_reply(control: &Transcript, text: String) -> Transcript {
    let mut transcript = control.clone();
    transcript.messages.push(Message::text(Role::Assistant, By::Model, text));
    transcript
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_reply_has_findings_with_sound_evidence(text in prop_oneof![meaningful(), "\\PC{0,120}", any::<String>()]) {
        for checker in checkers() {
            for control in [checker.controls.first(), checker.controls.last()].into_iter().flatten() {
                findings(checker, &with_last_reply(&control.transcript, text.clone()));
            }
        }
    }

    #[test]
    fn words_beside_the_point_change_nothing(sentence in beside_the_point(), apart in prop::sample::select(vec!["\n\n", "\n", " "])) {
        let mut reached = 0;
        for checker in checkers() {
            for control in &checker.controls {
                let mut transcript = control.transcript.clone();
                let Some(last) = transcript.messages.last_mut().filter(|last| last.is_models_own()) else { continue };
                // What stands right behind a quotation, a fence or a list belongs to it.
                let prose = last.content.trim_end().ends_with('.') && !last.content.contains("```");
                if !prose || (apart != "\n\n" && last.content.contains(['>', '|', '"'])) {
                    continue;
                }
                reached += 1;
                last.content = format!("{}{apart}{sentence}", last.content.trim_end());
                let (before, after) = (findings(checker, &control.transcript), findings(checker, &transcript));
                prop_assert_eq!(before, after, "{}: {}", &control.transcript.id, &last_content(&transcript));
            }
        }
        prop_assert!(reached >= 20, "only {} controls end in prose", reached);
    }
}

fn last_content(transcript: &Transcript) -> String {
    transcript.messages.last().map(|last| last.content.clone()).unwrap_or_default()
}
