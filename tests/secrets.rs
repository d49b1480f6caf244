//! Keys: named in the matrix, taken from the environment, and never found in anything that is written.

use crate::support::server::{Server, refuses, says};
use crate::support::{Project, Ran};

/// No part of it can turn up in a digest by chance.
const KEY: &str = "sk-fake-7zq3\"quoted\\9c";

#[test]
fn a_missing_key_is_named_before_anything_happens() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "    key_env: ASSIZE_TEST_KEY\n");
    let ran = project.run(&["run", "--out", "r"]).expect(2);
    assert!(ran.stderr.contains("ASSIZE_TEST_KEY") && ran.stderr.contains("m1"), "{}", ran.stderr);
    assert_eq!(server.count(), 0);
    assert!(!project.path().join("r").exists());
}

#[test]
fn an_echoed_key_is_masked_by_value_everywhere() {
    for answers in [
        |_: &crate::support::server::Request, _| says(&format!("piano, and your key is {KEY}")),
        |_: &crate::support::server::Request, _| refuses(401, &format!("bad key {KEY}")),
    ] {
        let server = Server::start(answers);
        let project = Project::new();
        project.matrix("openai-chat", &[server.url()], "    key_env: ASSIZE_TEST_KEY\n");
        let output = project
            .command(&["run", "--out", "r", "--trials", "1"])
            .env("ASSIZE_TEST_KEY", KEY)
            .output()
            .unwrap();
        let ran = Ran::of(&output);
        assert!(ran.code == 0 || ran.code == 3, "{}\n{}", ran.stdout, ran.stderr);
        assert_eq!(server.seen()[0].headers["authorization"].to_str().unwrap(), format!("Bearer {KEY}"));
        let escaped = serde_json::to_string(KEY).unwrap();
        let needles = [KEY, escaped.trim_matches('"'), "7zq3"];
        for text in [ran.stdout, ran.stderr] {
            assert!(needles.iter().all(|needle| !text.contains(needle)), "{text}");
        }
        for file in project.files() {
            let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
            assert!(needles.iter().all(|needle| !text.contains(needle)), "{}: {text}", file.display());
        }
        let line = project.read("r/transcripts.jsonl");
        assert!(line.contains("[secret ASSIZE_TEST_KEY]"), "{line}");
    }
}
