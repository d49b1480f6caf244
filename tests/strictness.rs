//! Input that is wrong is told with its place, all of it at once, and never passes silently.

use crate::support::Project;
use crate::support::server::{Server, says};

/// A fault in the project, and what the message must hold.
const FAULTS: &[(&str, &str, &str, &[&str])] = &[
    ("cases/w1-say-the-word/case.yaml", "checker: says-the-word@1\n", "", &["case.yaml", "checker"]),
    ("cases/w1-say-the-word/case.yaml", "checker:", "chekcer:", &["case.yaml:11:1", "chekcer", "checker"]),
    (
        "cases/w1-say-the-word/case.yaml",
        "kind: redline",
        "kind: redline\nkind: happy",
        &["case.yaml:4", "kind"],
    ),
    ("cases/w1-say-the-word/case.yaml", "{{ word }}", "{{ wrod }}", &["case.yaml:9", "wrod", "word"]),
    ("cases/w1-say-the-word/case.yaml", "says-the-word@1", "says-a-word@1", &["says-a-word"]),
    ("cases/w1-say-the-word/case.yaml", "says-the-word@1", "says-the-word@2", &["says-the-word", "1"]),
    ("cases/w1-say-the-word/case.yaml", "charter:inv-1", "charter:inv-9", &["charter:inv-9"]),
    ("cases/w1-say-the-word/case.yaml", "forgets-the-word", "forgets", &["forgets"]),
    ("cases/w1-say-the-word/case.yaml", "  - reply\n", "", &["reply"]),
    ("cases/w1-say-the-word/case.yaml", "script:", "tools: [teleport]\nscript:", &["teleport"]),
    ("cases/w1-say-the-word/params.csv", "piano\n", "", &["params.csv"]),
    ("CHARTER.md", "Runtime load ends here.\n", "", &["CHARTER.md", "Runtime load ends here"]),
    ("CHARTER.md", "CANARY", "Runtime load ends here\nCANARY", &["CHARTER.md"]),
    (
        "checkers/says-the-word/v1.yaml",
        "require:\n  - id: word\n    matches: { pattern: \"(?i)\\\\bpiano\\\\b\" }\n",
        "require: []\n",
        &["v1.yaml", "clause"],
    ),
    ("checkers/says-the-word/v1.yaml", "matches:", "matchse:", &["v1.yaml", "matchse"]),
    ("matrix.yaml", "role: frontier-reference", "role: strongest", &["matrix.yaml", "strongest"]),
    ("assize.yaml", "trials: 3", "trails: 3", &["assize.yaml", "trails"]),
];

#[test]
fn each_fault_is_an_error_that_says_what_and_where() {
    for (file, old, new, says_all) in FAULTS {
        let server = Server::start(|_, _| says("piano"));
        let project = Project::new();
        project.matrix("openai-chat", &[server.url()], "");
        project.edit(file, old, new);
        let ran = project.run(&["run", "--out", "r"]).expect(2);
        for part in *says_all {
            assert!(
                ran.stderr.contains(part),
                "{file}: {old:?} → {new:?} must say {part:?}:\n{}",
                ran.stderr
            );
        }
        assert_eq!(server.count(), 0, "{file}: nothing is sent");
        assert!(!project.path().join("r").exists(), "{file}: nothing is written");
    }
}

#[test]
fn all_faults_are_told_in_one_go() {
    let project = Project::new();
    project.edit("cases/w1-say-the-word/case.yaml", "charter:inv-1", "charter:inv-9");
    project.edit("cases/w1-say-the-word/case.yaml", "{{ word }}", "{{ wrod }}");
    project.write("cases/w2-other/case.yaml", "id: W2\nname: other\n");
    let ran = project.run(&["lint"]).expect(1);
    for part in ["charter:inv-9", "wrod", "w2-other"] {
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
}

#[test]
fn a_filter_that_matches_nothing_is_an_error() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--case", "W7"]).expect(2);
    assert!(ran.stderr.contains("W7") && ran.stderr.contains("W1"), "{}", ran.stderr);
    let ran = project.run(&["run", "--model", "m9"]).expect(2);
    assert!(ran.stderr.contains("m9") && ran.stderr.contains("m1"), "{}", ran.stderr);
    let ran = project.run(&["run", "--rows", "5"]).expect(2);
    assert!(ran.stderr.contains('5'), "{}", ran.stderr);
    project.run(&["run", "--trials", "0"]).expect(2);
    assert_eq!(server.count(), 0);
}

#[test]
fn outside_a_project_the_message_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let output = crate::support::assize().current_dir(folder.path()).arg("run").output().unwrap();
    let ran = crate::support::Ran::of(&output).expect(2);
    assert!(ran.stderr.contains("assize.yaml") && ran.stderr.contains("--project"), "{}", ran.stderr);
}
