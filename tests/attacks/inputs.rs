//! What the run was made of, and the files of its folder.

use super::{
    Attack, BUNDLE, CASE, CHECKER, CONTROLS, DSSE, JOURNAL, MANIFEST, PLAN, RESULT, VERDICTS, attack,
};

pub(super) const INPUTS: &[Attack] = &[
    attack(
        "a word of the charter",
        |run| run.swap("inputs/charter.md", "Say the word", "Say a word"),
        "charter",
        PLAN,
        "the charter among the run's inputs",
    ),
    attack(
        "a word below the marker",
        |run| run.swap("inputs/charter.md", "CANARY", "CANARIES"),
        "file-changed",
        "inputs/charter.md",
        "bytes",
    ),
    attack(
        "no charter",
        |run| run.remove("inputs/charter.md"),
        "unreadable",
        "inputs",
        "charter cannot be read",
    ),
    attack(
        "the marker taken out",
        |run| run.swap("inputs/charter.md", "Runtime load ends here", "Stop"),
        "unreadable",
        "inputs",
        "Runtime load ends here",
    ),
    attack("a case's script", |run| run.swap(CASE, "please", "now"), "case", PLAN, "case W1"),
    attack(
        "a key twice in a case",
        |run| run.swap(CASE, "kind: redline", "kind: redline\nkind: happy"),
        "unreadable",
        "inputs",
        "kind",
    ),
    attack(
        "a case's table",
        |run| run.swap("inputs/cases/0/w1-say-the-word/params.csv", "piano", "organ"),
        "line",
        "transcripts.jsonl:1",
        "another case",
    ),
    attack(
        "a case more",
        |run| run.write("inputs/cases/0/w1-say-the-word/traces/x.yaml", "- say: x\n"),
        "file-extra",
        "inputs/cases/0/w1-say-the-word/traces/x.yaml",
        "not among those",
    ),
    attack(
        "no case",
        |run| run.remove("inputs/cases/0/w1-say-the-word"),
        "unreadable",
        "inputs",
        "case.yaml",
    ),
    attack(
        "a checker made soft",
        |run| run.swap(CHECKER, "piano", "(piano|organ)"),
        "checker",
        PLAN,
        "checker says-the-word@1",
    ),
    attack(
        "a checker's promise",
        |run| run.swap(CHECKER, "is meant", "is sung"),
        "checker",
        PLAN,
        "checker says-the-word@1",
    ),
    attack("no checker", |run| run.remove(CHECKER), "unreadable", "inputs", "no checker (a .yaml file)"),
    attack(
        "a control",
        |run| run.swap(CONTROLS, "\"organ\"", "\"harp\""),
        "checker",
        PLAN,
        "the controls of checker says-the-word@1",
    ),
    attack(
        "a control that must fail",
        |run| run.swap(CONTROLS, "\"organ\"", "\"a piano\""),
        "controls",
        "",
        "cannot be believed",
    ),
    attack(
        "a shipped checker that is not used",
        |run| run.swap("inputs/checkers/percentage-trap/v1.yaml", "engine: 1", "engine: 1 "),
        "file-changed",
        "inputs/checkers/percentage-trap/v1.yaml",
        "bytes",
    ),
    attack(
        "the registry",
        |run| run.swap("inputs/cases/0/registry.csv", "no word", "no words"),
        "file-changed",
        "inputs/cases/0/registry.csv",
        "bytes",
    ),
    attack(
        "the matrix's parameters",
        |run| {
            run.swap(
                "inputs/matrix.yaml",
                "role: weakest-deployed",
                "role: weakest-deployed\n    decoding: { temperature: 0 }",
            );
        },
        "matrix",
        PLAN,
        "the matrix among",
    ),
    attack(
        "the matrix's roles",
        |run| run.swap("inputs/matrix.yaml", "role: weakest-deployed", "role: other"),
        "matrix",
        "matrix.yaml",
        "`weakest-deployed`",
    ),
    attack(
        "the run's own project file",
        |run| run.swap("inputs/assize.yaml", "\"trials\": 3", "\"trials\": 1"),
        "file-changed",
        "inputs/assize.yaml",
        "bytes",
    ),
    attack(
        "the project file that was copied",
        |run| run.swap("inputs/project.yaml", "trials: 3", "trials: 1"),
        "policy",
        PLAN,
        "the project file",
    ),
];

pub(super) const FILES: &[Attack] = &[
    attack("a file more", |run| run.write("notes.txt", "x"), "file-extra", "notes.txt", "not among those"),
    attack("a hidden file more", |run| run.write(".x", ""), "file-extra", ".x", "not among those"),
    attack(
        "a file more in the inputs",
        |run| run.write("inputs/x/y", "x"),
        "file-extra",
        "inputs/x/y",
        "not among those",
    ),
    attack(
        "a statement more",
        |run| run.write("attestations/x.json", "{}"),
        "file-extra",
        "attestations/x.json",
        "none of the statements",
    ),
    attack("no verdicts", |run| run.remove(VERDICTS), "file-missing", VERDICTS, "gone"),
    attack("no journal", |run| run.remove(JOURNAL), "file-missing", JOURNAL, "gone"),
    attack("no journal means not run", |run| run.remove(JOURNAL), "not-run", "", "W1/r1/m1/t1"),
    attack("no manifest", |run| run.remove(MANIFEST), "file-missing", MANIFEST, "not concluded"),
    attack("no statements", |run| run.remove("attestations"), "signature", DSSE, "missing"),
    attack("one statement less", |run| run.remove(RESULT), "signature", RESULT, "missing"),
    attack("no bundle", |run| run.remove(BUNDLE), "signature", BUNDLE, "missing"),
    attack("emptied verdicts", |run| run.write(VERDICTS, ""), "verdict", "verdicts.jsonl:1", "nothing"),
    attack("an emptied manifest", |run| run.write(MANIFEST, ""), "unreadable", MANIFEST, "EOF"),
    attack("an emptied plan", |run| run.write(PLAN, ""), "unreadable", PLAN, "EOF"),
    attack(
        "a manifest cut in half",
        |run| {
            let text = run.read(MANIFEST);
            run.write(MANIFEST, &text[..text.len() / 2]);
        },
        "unreadable",
        MANIFEST,
        "EOF",
    ),
    attack(
        "a manifest that is no text",
        |run| run.write(MANIFEST, [0xff, 0xfe]),
        "unreadable",
        MANIFEST,
        "UTF-8",
    ),
];
