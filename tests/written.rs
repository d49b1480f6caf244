//! Files that people write, each spoilt in each of the usual ways: whatever kind of file it is, the fault is told once, in
//! plain words, with its place.

use std::fmt::Write as _;
use std::fs;

use crate::support::Project;

/// A kind of file, and how it is spoilt: the name of the fault, what is replaced by what, and what must be said.
struct Kind {
    name: &'static str,
    file: &'static str,
    faults: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

const KINDS: &[Kind] = &[
    Kind {
        name: "project",
        file: "assize.yaml",
        faults: &[
            ("unknown key", "trials: 3", "trails: 3", "did you mean `trials`?"),
            (
                "wrong type",
                "trials: 3",
                "trials: three",
                "`trials` must be a whole number from 0, not a text",
            ),
            ("wrong type", "cases: [cases]", "cases: cases", "`cases` must be a list, not a text"),
            ("wrong value", "trials: 3", "trials: 0", "would prove nothing"),
            ("twice", "trials: 3", "trials: 3\nmatrix: other.yaml", "the key `matrix` occurs twice"),
            ("missing", "matrix: matrix.yaml\n", "", "`matrix` is missing"),
            (
                "tab",
                "charter: { path: CHARTER.md }",
                "charter:\n\tpath: CHARTER.md",
                "a tab at the beginning of a line",
            ),
            ("indentation", "charter:", "  charter:", "lines that belong together"),
        ],
    },
    Kind {
        name: "matrix",
        file: "matrix.yaml",
        faults: &[
            ("unknown key", "trace:", "trase:", "did you mean `trace`?"),
            ("wrong type", "trace: none", "trace: [none]", "`trace` must be a single value, not a list"),
            ("wrong value", "role: control", "role: contrl", "did you mean `control`?"),
            ("twice", "trace: none", "trace: none, trace: other", "the key `trace` occurs twice"),
            ("missing", "trace: none, ", "", "`trace` is missing"),
            ("tab", "  - {", "\t- {", "a tab at the beginning of a line"),
            ("indentation", "models:\n", "models:\n   - { id: other }\n", "lines that belong together"),
            ("bracket", "expect: pass }", "expect: pass", "unclosed bracket"),
        ],
    },
    Kind {
        name: "checker",
        file: "checkers/says-the-word/v1.yaml",
        faults: &[
            ("unknown key", "proves:", "prooves:", "did you mean `proves`?"),
            ("unknown predicate", "matches:", "matchse:", "did you mean `matches`?"),
            ("unknown key", "pattern:", "patern:", "did you mean `pattern`?"),
            (
                "wrong type",
                "version: 1",
                "version: one",
                "`version` must be a whole number from 0, not a text",
            ),
            ("wrong type", "cases: [W1]", "cases: W1", "`cases` must be a list, not a text"),
            ("wrong value", "engine: 1", "engine: 99", "engine 99 is not known here"),
            ("twice", "version: 1", "version: 1\nengine: 1", "the key `engine` occurs twice"),
            ("missing", "engine: 1\n", "", "`engine` is missing"),
            ("tab", "  - id: word", "\t- id: word", "a tab at the beginning of a line"),
            ("indentation", "    matches:", "   matches:", "lines that belong together"),
        ],
    },
    Kind {
        name: "case",
        file: "cases/w1-say-the-word/case.yaml",
        faults: &[
            ("unknown key", "checker:", "chekcer:", "did you mean `checker`?"),
            ("wrong type", "kind: redline", "kind: [redline]", "kind must be a text, not a list"),
            ("wrong value", "kind: redline", "kind: redlin", "did you mean `redline`?"),
            ("twice", "kind: redline", "kind: redline\nid: W2", "the key `id` occurs twice"),
            ("missing", "id: W1\n", "", "`id` is missing"),
            ("tab", "  - reply", "\t- reply", "a tab at the beginning of a line"),
            ("indentation", "  - reply", " - reply", "lines that belong together"),
        ],
    },
    Kind {
        name: "trace",
        file: "cases/w1-say-the-word/traces/none.yaml",
        faults: &[
            ("unknown key", "say:", "sya:", "did you mean `say`?"),
            ("wrong type", "- say: piano", "say: piano", "a trace must be a list, not a mapping"),
            ("twice", "- say: piano", "- say: piano\n  say: organ", "the key `say` occurs twice"),
            ("tab", "- say: piano", "-\n\tsay: piano", "a tab at the beginning of a line"),
            ("indentation", "- say: piano", "- say: piano\n - say: organ", "lines that belong together"),
        ],
    },
    Kind {
        name: "fixture",
        file: "fixtures/static/happy/names-one/fixture.md",
        faults: &[
            ("unknown key", "expect:", "expct:", "did you mean `expect`?"),
            ("wrong type", "binds: [charter:inv-1]", "binds: 3", "`binds` must be"),
            ("wrong value", "kind: happy", "kind: redline", "the kind is `redline`"),
            ("twice", "kind: happy", "kind: happy\nbinds: []", "the key `binds` occurs twice"),
            ("missing", "binds: [charter:inv-1]\n", "", "`binds` is missing"),
            ("tab", "expect: { exit: 0 }", "expect:\n\texit: 0", "a tab at the beginning of a line"),
            ("indentation", "kind: happy", " kind: happy", "lines that belong together"),
        ],
    },
    Kind {
        name: "controls",
        file: "checkers/says-the-word/v1.controls.jsonl",
        faults: &[
            ("wrong type", "\"id\":\"c2\"", "\"id\":2", "a text must stand here, not the number 2"),
            ("wrong value", "\"expect\":\"pass\"", "\"expect\":\"passed\"", "`expect` is neither"),
            ("twice", "\"id\":\"c2\"", "\"id\":\"c2\",\"id\":\"c9\"", "the key `id` occurs twice"),
            ("missing", ",\"expect\":\"pass\"", "", "a control says what its verdict must be"),
            ("torn", "\"expect\":{\"fail\":\"word\"}}\n", "", "not readable as JSON"),
        ],
    },
];

/// A project with a file of each kind, in which nothing is wrong.
fn project() -> Project {
    let project = Project::new();
    project.edit("assize.yaml", "trials: 3", "fixtures: [fixtures]\ntrials: 3");
    project.write("cases/w1-say-the-word/traces/none.yaml", "- say: piano\n");
    project.write(
        "fixtures/static/happy/names-one/fixture.md",
        "---\nbinds: [charter:inv-1]\nkind: happy\ndescription: It says yes.\ncommand: [sh, -c, exit 0]\nexpect: { exit: 0 }\n---\n",
    );
    project
}

/// What `lint` says of the spoilt file: an error in it, told once.
fn told(project: &Project, kind: &Kind, fault: &str, says: &str) -> String {
    let ran = project.run(&["lint"]).expect(1);
    let said = ran.stdout.replace(&format!("{}/", project.path().display()), "");
    assert!(said.contains(kind.file), "{} {fault}: the file is named:\n{said}", kind.name);
    assert_eq!(said.matches(says).count(), 1, "{} {fault}: {says:?} is told, and once:\n{said}", kind.name);
    for raw in ["serde", "at line ", "expected one of", "unknown field", "invalid type", "DuplicateKeyPolicy"]
    {
        assert!(!said.contains(raw), "{} {fault}: these are a reader's own words:\n{said}", kind.name);
    }
    said
}

#[test]
fn every_fault_in_every_kind_of_file_is_told_once_with_its_place() {
    for kind in KINDS {
        let project = project();
        let good = project.read(kind.file);
        let mut shown = String::new();
        for (fault, old, new, says) in kind.faults {
            assert!(good.contains(old), "{}: {old:?} is not there", kind.file);
            project.write(kind.file, &good.replacen(old, new, 1));
            let said = told(&project, kind, fault, says);
            assert!(
                said.contains(&format!("{}:", kind.file)),
                "{} {fault}: the line is named:\n{said}",
                kind.name
            );
            writeln!(shown, "{fault}: {new:?}\n{said}").unwrap();
        }
        let bytes = [good.as_bytes(), b"# caf\xe9\n"].concat();
        fs::write(project.path().join(kind.file), bytes).unwrap();
        writeln!(shown, "not UTF-8\n{}", told(&project, kind, "not UTF-8", "not UTF-8: the byte 0xe9"))
            .unwrap();
        let empty = match kind.name {
            "controls" => "has 0 passing and 0 failing controls",
            "fixture" => "a fixture begins with front matter",
            _ => "the file is empty",
        };
        project.write(kind.file, "");
        let file =
            Kind { file: if kind.name == "controls" { "says-the-word@1" } else { kind.file }, ..*kind };
        writeln!(shown, "empty\n{}", told(&project, &file, "empty", empty)).unwrap();
        insta::assert_snapshot!(format!("written-{}", kind.name), shown);
    }
}

#[test]
fn a_mark_at_the_beginning_changes_nothing() {
    for kind in KINDS {
        let project = project();
        let before = project.run(&["doctor"]).expect(0);
        let good = project.read(kind.file);
        project.write(kind.file, &format!("\u{feff}{good}"));
        let after = project.run(&["doctor"]);
        assert_eq!((after.code, after.stdout), (before.code, before.stdout), "{}", kind.name);
    }
}

/// What `lint` tells as a finding, whatever needs the file tells as an error, in the same words.
#[test]
fn commands_that_need_the_file_say_the_same() {
    for kind in KINDS {
        let project = project();
        let (_, old, new, says) = kind.faults[0];
        project.edit(kind.file, old, new);
        let ran = project.run(&["run", "--out", "r"]).expect(2);
        assert_eq!(ran.stderr.matches(says).count(), 1, "{}: {}", kind.name, ran.stderr);
        assert!(!project.path().join("r").exists(), "{}: nothing is written", kind.name);
        let ran = project.run(&["doctor"]).expect(1);
        assert_eq!(ran.stdout.matches(says).count(), 1, "{}: {}", kind.name, ran.stdout);
    }
}

/// What is wrong with the files is 1; what keeps them from being looked at is 2.
#[test]
fn lint_tells_findings_from_what_it_cannot_look_at() {
    let project = project();
    project.run(&["lint"]).expect(0);
    project.run(&["lint", "--matrix", "matrix.yaml"]).expect(0);
    project.run(&["lint", "--matrix", "nowhere.yaml"]).expect(2);
    project.run(&["lint", "--base", "no-such-commit"]).expect(2);
    project.run(&["lint", "--no-such-option"]).expect(2);
    project.run(&["--project", "nowhere", "lint"]).expect(2);
    project.write("other.yaml", "models:\n  - { id: none, role: control, provider: replay, trace: gone, wire: openai-chat, expect: pass }\n");
    let ran = project.run(&["lint", "--matrix", "other.yaml"]).expect(1);
    assert!(ran.stdout.contains("has no trace of `gone`"), "{}", ran.stdout);
    project.write("other.yaml", "models: []\n");
    for format in ["text", "json"] {
        let ran = project.run(&["lint", "--matrix", "other.yaml", "--format", format]).expect(1);
        assert!(ran.stdout.contains("there is nobody to try"), "{}", ran.stdout);
    }
    let ran = project.run(&["doctor", "--matrix", "other.yaml"]).expect(1);
    assert!(ran.stdout.contains("there is nobody to try"), "{}", ran.stdout);
    project.run(&["doctor"]).expect(0);
}

#[test]
fn lint_judges_the_traces_of_own_cases() {
    let project = project();
    project.write("cases/w1-say-the-word/traces/exemplar.yaml", "- say: A piano.\n");
    project.write("cases/w1-say-the-word/traces/naive.yaml", "- say: An organ.\n");
    project.run(&["lint"]).expect(0);
    project.write("cases/w1-say-the-word/traces/naive.yaml", "- say: A piano.\n");
    let ran = project.run(&["lint"]).expect(1);
    assert!(
        ran.stdout.contains("the trace `naive` of W1 must fail, but in row 1 every clause holds"),
        "{}",
        ran.stdout
    );
    project.write("cases/w1-say-the-word/traces/naive.yaml", "- say: An organ.\n");
    project.write("cases/w1-say-the-word/traces/exemplar.yaml", "- say: An organ.\n");
    let ran = project.run(&["lint"]).expect(1);
    assert!(
        ran.stdout.contains("`exemplar` of W1 must pass, but in row 1 `word` does not hold"),
        "{}",
        ran.stdout
    );
}
