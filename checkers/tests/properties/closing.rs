//! Closing: each deliverable has to be looked at after its last edit, in whatever order.

use proptest::prelude::*;
use serde_json::json;
use transcript::Message;

use crate::{edit, finding, read, reply, write};

const BACKED: &str = r#"closure_backed: { deliverables: "{{ files }}" }"#;
const RIGHT: &str = r#"closes_right: { deliverables: "{{ files }}", stale: "{{ stale }}" }"#;
const FILES: [&str; 4] = ["a.conf", "src/b.rs", "docs/c.md", "d/e.yaml"];

fn done() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "Done.",
        "All four files are updated.",
        "The task is complete.",
        "Finished; everything is in place.",
    ])
}

proptest! {
    #[test]
    fn every_file_is_looked_at_after_its_edit(
        edits in Just(FILES.to_vec()).prop_shuffle(), reads in Just(FILES.to_vec()).prop_shuffle(),
        left_out in 0..4_usize, done in done(),
    ) {
        let params = json!({"files": FILES});
        let edited: Vec<Message> = edits.iter().flat_map(|path| edit(path)).collect();
        let all: Vec<Message> = reads.iter().flat_map(|path| read(path)).collect();
        let some: Vec<Message> =
            reads.iter().enumerate().filter(|(at, _)| *at != left_out).flat_map(|(_, path)| read(path)).collect();
        let backed = |messages: &[Vec<Message>]| finding(BACKED, &params, messages.concat()).holds;
        prop_assert!(backed(&[edited.clone(), all.clone(), reply(done)]));
        prop_assert!(!backed(&[edited.clone(), some.clone(), reply(done)]), "{} was not read", reads[left_out]);
        prop_assert!(!backed(&[all.clone(), edited.clone(), reply(done)]), "the looks came first");
        prop_assert!(!backed(&[edited.clone(), all, edit(reads[left_out]), reply(done)]), "one more edit");
        prop_assert!(backed(&[edited, some, reply("Not everything is verified yet; that is still open.")]));
    }

    #[test]
    fn a_stale_word_in_any_file_spoils_the_closing(at in 0..4_usize, before in "[a-z ]{0,12}", after in "[a-z ]{0,12}", done in done()) {
        let params = json!({"files": FILES, "stale": ["\\bold_key\\b"]});
        let written = |stale: Option<usize>| -> Vec<Message> {
            let content = |index| if Some(index) == stale { format!("x {before} old_key {after}") } else { "new_key = 1".to_owned() };
            FILES.iter().enumerate().flat_map(|(index, path)| write(path, &content(index))).collect()
        };
        prop_assert!(finding(RIGHT, &params, [written(None), reply(done)].concat()).holds);
        prop_assert!(!finding(RIGHT, &params, [written(Some(at)), reply(done)].concat()).holds);
    }
}
