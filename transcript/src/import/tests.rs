//! Each format's sample against its golden transcripts, what is refused and how, and inputs that are anything.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;

const FORMATS: [Format; 5] =
    [Format::Openai, Format::Anthropic, Format::Inspect, Format::ClaudeCode, Format::Codex];

const SAMPLES: [(Format, &str); 9] = [
    (Format::Openai, "openai.json"),
    (Format::Openai, "openai.jsonl"),
    (Format::Openai, "responses.json"),
    (Format::Anthropic, "anthropic.json"),
    (Format::Inspect, "inspect.json"),
    (Format::ClaudeCode, "claude-code.jsonl"),
    (Format::ClaudeCode, "claude-code-failed.jsonl"),
    (Format::Codex, "codex.jsonl"),
    (Format::Codex, "codex-failed.jsonl"),
];

fn sample(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/import").join(name)).unwrap()
}

fn e9() -> ImportAs {
    let workspace = Some("/srv/example/bay".to_owned());
    ImportAs { case: Some("E9".to_owned()), id_prefix: "log".to_owned(), workspace, ..ImportAs::default() }
}

fn refusal(format: Format, text: &str) -> String {
    let what = ImportAs { workspace: None, ..e9() };
    import(format, text.as_bytes(), &what).map(|read| format!("{read:?}")).unwrap_err().to_string()
}

#[test]
fn samples_become_the_transcripts_that_they_are() {
    for (format, name) in SAMPLES {
        insta::assert_json_snapshot!(name, import(format, &sample(name), &e9()).unwrap());
    }
}

#[test]
fn a_run_that_broke_off_always_has_an_error() {
    for (format, name) in [(Format::ClaudeCode, "claude-code.jsonl"), (Format::Codex, "codex.jsonl")] {
        let whole = String::from_utf8(sample(name)).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        assert_eq!(import(format, whole.as_bytes(), &e9()).unwrap()[0].error, None);
        for kept in 1..lines.len() {
            let transcript = import(format, lines[..kept].join("\n").as_bytes(), &e9()).unwrap().remove(0);
            let error = transcript.error.unwrap_or_else(|| panic!("{name} cut to {kept} lines has no error"));
            assert_eq!(error.kind, "agent-error");
        }
    }
}

#[test]
fn what_cannot_be_carried_over_is_refused_in_its_place() {
    use Format::{Anthropic, ClaudeCode, Codex, Inspect, Openai};
    let refused = [
        (Openai, ""),
        (Openai, "[]"),
        (Openai, "7"),
        (Openai, "{\"messages\": ["),
        (Openai, r#"[{"role": "user", "content": "a", "content": "b"}]"#),
        (Openai, r#"[{"role": "oracle", "content": "x"}]"#),
        (Openai, r#"[{"role": "user"}]"#),
        (Openai, r#"[{"role": "assistant", "tool_calls": [{"id": "a"}]}]"#),
        (Openai, r#"{"request": null, "response": null}"#),
        (Openai, r#"{"request": {"messages": []}, "response": {"body": "data: {}"}}"#),
        (Openai, "[{\"role\": \"user\", \"content\": \"a\"}]\n{\"messages\": 3}\n"),
        (Openai, r#"{"input": [{"type": "hologram"}]}"#),
        (Anthropic, r#"[{"role": "user", "content": [{"text": "x"}]}]"#),
        (Anthropic, r#"[{"role": "user", "content": [{"type": "tool_result"}]}]"#),
        (Inspect, r#"{"eval": {}, "samples": []}"#),
        (
            Inspect,
            r#"{"eval": {}, "samples": [{"id": 1, "messages": [{"role": "user", "content": "attachment://ff"}]}]}"#,
        ),
        (
            Inspect,
            r#"{"eval": {}, "samples": [{"id": 1, "messages": [], "metadata": {"assize": {"case": "E1", "parms": {}}}}]}"#,
        ),
        (Inspect, "PK\u{3}\u{4} and no more"),
        (ClaudeCode, "{\"type\": \"assistant\"}"),
        (ClaudeCode, "{\"type\": \"system\"}\n{\"type\": \"assis"),
        (
            Codex,
            r#"{"type": "item.completed", "item": {"id": "i", "type": "file_change", "changes": [{"path": "a", "kind": "melt"}]}}"#,
        ),
        (
            Codex,
            r#"{"type": "item.completed", "item": {"id": "i", "type": "file_change", "changes": [{"path": "/srv/a", "kind": "add"}]}}"#,
        ),
    ];
    let told: Vec<String> = refused.iter().map(|(format, text)| refusal(*format, text)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn without_a_case_nothing_is_imported() {
    let what = ImportAs { case: None, ..e9() };
    for (format, name) in SAMPLES.iter().filter(|(_, name)| *name != "inspect.json") {
        assert_eq!(import(*format, &sample(name), &what).unwrap_err().fault, Fault::NoCase, "{name}");
    }
}

#[test]
fn ids_are_unique_within_a_file() {
    for (format, name) in SAMPLES {
        let ids: Vec<String> =
            import(format, &sample(name), &e9()).unwrap().into_iter().map(|one| one.id).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "{ids:?}");
    }
}

#[test]
fn parameters_are_one_object_without_twins() {
    assert_eq!(read_params(r#"{"a": 1}"#).unwrap().len(), 1);
    insta::assert_snapshot!(read_params(r#"{"a": 1, "a": 2}"#).unwrap_err(), @"line 1, column 12: the key `a` occurs twice, near `{\"a\": 1, \"a\": 2}`");
    insta::assert_snapshot!(read_params("[1]").unwrap_err(), @"expected an object, found `[1, …]`");
}

/// A message of chat completions, and how many calls it makes.
fn chat_message() -> impl Strategy<Value = (Value, usize)> {
    let calls = prop::collection::vec(("[a-c]{0,2}", "[a-z]{1,8}"), 0..3);
    prop_oneof![
        "\\PC{0,20}".prop_map(|text| (serde_json::json!({"role": "user", "content": text}), 0)),
        ("\\PC{0,20}", calls).prop_map(|(text, calls)| {
            let made: Vec<Value> = calls
                .iter()
                .map(
                    |(id, name)| serde_json::json!({"id": id, "function": {"name": name, "arguments": "{}"}}),
                )
                .collect();
            (serde_json::json!({"role": "assistant", "content": text, "tool_calls": made}), calls.len())
        }),
        ("[a-c]{0,2}", "\\PC{0,20}").prop_map(|(id, text)| (
            serde_json::json!({"role": "tool", "tool_call_id": id, "content": text}),
            0
        )),
    ]
}

proptest! {
    #[test]
    fn no_message_and_no_call_is_lost(messages in prop::collection::vec(chat_message(), 1..20)) {
        let list: Vec<&Value> = messages.iter().map(|(message, _)| message).collect();
        let bytes = serde_json::to_vec(&list).unwrap();
        let read = import(Format::Openai, &bytes, &e9()).unwrap().remove(0).messages;
        prop_assert_eq!(read.len(), messages.len());
        let calls: usize = read.iter().map(|message| message.tool_calls.len()).sum();
        prop_assert_eq!(calls, messages.iter().map(|(_, calls)| calls).sum::<usize>());
        let mut said: Vec<&str> = list.iter().map(|message| message["content"].as_str().unwrap()).collect();
        let mut kept: Vec<&str> = read.iter().map(|message| message.content.as_str()).collect();
        said.sort_unstable();
        kept.sort_unstable();
        prop_assert_eq!(said, kept);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in FORMATS {
            let _ = import(format, &bytes, &e9());
            let _ = import(format, &[b"PK\x05\x06", bytes.as_slice()].concat(), &e9());
        }
    }

    #[test]
    fn damaged_samples_are_read_or_refused(
        which in 0..SAMPLES.len(), from in any::<prop::sample::Index>(), length in 0..40_usize, put in "\\PC{0,6}"
    ) {
        let mut bytes = sample(SAMPLES[which].1);
        let from = from.index(bytes.len());
        let to = (from + length).min(bytes.len());
        bytes.splice(from..to, put.into_bytes());
        for format in FORMATS {
            for transcript in import(format, &bytes, &e9()).unwrap_or_default() {
                let mut line = Vec::new();
                crate::jsonl::write(&mut line, &transcript).unwrap();
                let line = crate::jsonl::Lines::new(line.as_slice()).next().unwrap().unwrap();
                prop_assert_eq!(crate::jsonl::parse(&line).unwrap(), transcript);
            }
        }
    }
}
