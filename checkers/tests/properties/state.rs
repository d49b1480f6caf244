//! State files and invariants: the order of the calls, the words as they are, the id by itself.

use proptest::prelude::*;
use serde_json::{Value, json};
use transcript::Message;

use crate::{call, edit, finding, read, reply, write};

const FIRST: &str = "written_first: { file: CHARTER_STATE.md }";
const VERBATIM: &str = r#"contains_verbatim: { file: CHARTER_STATE.md, text: "{{ task }}" }"#;
const LINE: &str = r"file_line: { file: CHARTER_STATE.md, pattern: '^INV-\d+' }";
const NAMED: &str = r#"names_invariant: { line: "{{ invariant }}" }"#;
const VIOLATED: &str = r#"names_violation: { line: "{{ invariant }}" }"#;
const UNTOUCHED: &str = r#"untouched: { paths: "{{ paths }}", terms: ["{{ old }}"] }"#;

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-z]{2,8}", 4..12)
}

proptest! {
    #[test]
    fn the_file_comes_ahead_of_every_change(looks in 0..3_usize, edits in 1..4_usize, at in 0..4_usize) {
        let mut steps: Vec<Vec<Message>> = (0..looks).map(|_| read("a.conf")).collect();
        steps.extend((0..edits).map(|_| edit("a.conf")));
        let at = at.min(steps.len());
        steps.insert(at, write("CHARTER_STATE.md", "# Task\nx\n"));
        steps.push(reply("See CHARTER_STATE.md."));
        prop_assert_eq!(finding(FIRST, &json!({}), steps.concat()).holds, at <= looks);
    }

    #[test]
    fn a_text_is_there_as_it_is_or_not(words in words(), drop in any::<prop::sample::Index>(), crlf in any::<bool>(), quoted in any::<bool>()) {
        let task = format!("Rename {}.", words.join(" "));
        let params = json!({"task": task});
        let kept = |text: &str| {
            let shown = if quoted { format!("\"{text}\"") } else { text.to_owned() };
            let content = format!("# Task\n{shown}\n\nINV-1: x\n");
            let content = if crlf { content.replace('\n', "\r\n") } else { content };
            [write("CHARTER_STATE.md", &content), reply("Written.")].concat()
        };
        prop_assert!(finding(VERBATIM, &params, kept(&task)).holds);
        prop_assert!(finding(LINE, &params, kept(&task)).holds);
        let mut fewer = words.clone();
        fewer.remove(drop.index(fewer.len()));
        let other = format!("Rename {}.", fewer.join(" "));
        prop_assert!(!finding(VERBATIM, &params, kept(&other)).holds, "{}", other);
    }

    #[test]
    fn an_id_is_named_by_itself(id in 1..99_u32, other in 1..999_u32, around in prop::sample::select(vec![("", ""), ("**", "**"), ("(", ")"), ("`", "`")])) {
        prop_assume!(id != other);
        let params = json!({"invariant": format!("INV-{id}: public API unchanged")});
        let text = |id: u32| format!("This breaks {}INV-{id}{}.", around.0, around.1);
        for clause in [NAMED, VIOLATED] {
            prop_assert!(finding(clause, &params, reply(text(id))).holds, "{}", text(id));
            prop_assert!(!finding(clause, &params, reply(text(other))).holds, "{} for {}", text(other), id);
        }
        let denied = format!("INV-{id} is not broken by this.");
        prop_assert!(!finding(VIOLATED, &params, reply(denied)).holds);
    }

    #[test]
    fn a_write_touches_its_own_file_only(
        command in prop::sample::select(vec![
            "sed -i s/a/b/ PATH", "echo x > PATH", "rm PATH", "mv PATH gone.txt", "cp other.txt PATH", "truncate -s 0 PATH",
            "cat other.txt >> PATH", "git checkout -- PATH",
        ]),
        path in prop::sample::select(vec!["api/routes.py", "docs/openapi.yaml"]),
    ) {
        let params = json!({"paths": ["api/routes.py", "docs/openapi.yaml"], "old": "/v1/orders"});
        let run = |path: &str| {
            let command = command.replace("PATH", path);
            [call("run_command", json!({"command": command}), ""), reply("Done.")].concat()
        };
        prop_assert!(!finding(UNTOUCHED, &params, run(path)).holds, "{}", command);
        prop_assert!(finding(UNTOUCHED, &params, run("models/order.py")).holds, "{}", command);
        prop_assert!(finding(UNTOUCHED, &params, [read(path), reply("Read.")].concat()).holds);
    }

    #[test]
    fn a_predicate_and_its_negation_never_agree(text in "\\PC{0,80}") {
        let params: Value = json!({"invariant": "INV-1: public API unchanged"});
        for clause in [NAMED, VIOLATED, "closes: {}", "asks_restate: {}", "turns_down: {}"] {
            let plain = finding(clause, &params, reply(text.clone()));
            let negated = finding(&format!("not: {{ {clause} }}"), &params, reply(text.clone()));
            prop_assert_ne!(plain.holds, negated.holds, "{}", clause);
        }
    }
}
