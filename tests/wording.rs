//! What commands say is true, and enough to go on with.

use crate::support::server::{Server, refuses, says};
use crate::support::{PINNED, Project};

#[test]
fn an_unknown_trial_brings_those_that_come_near_it() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url(), server.url()], "");
    project.run(&["run", "--out", "r", "--model", "m1"]).expect(0);
    let told = |trial: &str| project.run(&["explain", "r", trial]).expect(2).stderr;
    insta::assert_snapshot!(
        ["W1/r1/m1/t9", "say-the-word", "w1/r1/m2/t1", "nothing-like-it"].map(told).join("\n")
    );
}

#[test]
fn what_is_hidden_is_offered_by_no_shell_and_no_page() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = project.run(&["completions", shell]).expect(0).stdout;
        for hidden in ["fence", "case-tools", "case__tools", "case__subcmd__tools"] {
            assert!(!script.contains(hidden), "{shell} offers {hidden}");
        }
        assert!(script.contains("nightly") && script.contains("doctor"), "{shell} offers the rest");
    }
    project.run(&["man", "pages"]).expect(0);
    let pages: Vec<String> = project
        .files()
        .iter()
        .filter(|path| path.starts_with(project.path().join("pages")))
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(pages.contains(&"assize-run.1".to_owned()), "{pages:?}");
    assert!(!pages.iter().any(|page| page.contains("fence") || page.contains("case-tools")), "{pages:?}");
    let page = project.read("pages/assize.1");
    assert!(page.contains("nightly") && !page.contains("fence"), "{page}");
}

/// What is verified of an endpoint that refused is that the charter was sent; nobody has read it.
#[test]
fn a_charter_that_nobody_answered_is_not_called_loaded() {
    let server = Server::start(|_, _| refuses(401, "no such key"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--out", "r", "--trials", "1"]).expect(3);
    assert!(
        ran.stdout.contains("charter sent, and no reply came: verified (requests as sent"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("charter loaded"), "{}", ran.stdout);
}

/// A change may land on the models that the matrix names. What a release will want besides is told.
#[test]
fn a_gate_on_one_model_tells_what_an_audit_will_want() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.write(
        "matrix.yaml",
        &format!(
            "models:\n  - id: m1\n    role: other\n    provider: openai-chat\n    model: test-model-1\n    base_url: {}\n{PINNED}",
            server.url()
        ),
    );
    project.run(&["run", "--out", "r"]).expect(0);
    let ran = project.run(&["gate", "r"]).expect(0);
    for role in ["frontier-reference", "weakest-deployed"] {
        let note = format!("no model in the role `{role}` was tried; the audit of a release needs both ends");
        assert!(ran.stdout.contains(&note) || ran.stderr.contains(&note), "{}{}", ran.stdout, ran.stderr);
    }
}
