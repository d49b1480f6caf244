//! The plan and the signatures.

use serde_json::{Value, json};

use super::{Attack, BUNDLE, DSSE, MANIFEST, PLAN, RESULT, attack, zeros};

pub(super) const PLANS: &[Attack] = &[
    attack("trials", |run| run.json(PLAN, |p| p["trials"] = json!(1)), "expected-set", PLAN, "3 trials"),
    attack(
        "a cell less, with a digest that fits",
        |run| {
            run.json(PLAN, |p| {
                p["cells"].as_array_mut().unwrap().pop();
                let owed = json!([p["cells"], 3]);
                p["expected_sha256"] =
                    json!(reports::digest::sha256_hex(&reports::digest::canonical(&owed).unwrap()));
            });
        },
        "expected-set",
        PLAN,
        "W1/r1/m2",
    ),
    attack("no cells", |run| run.json(PLAN, |p| p["cells"] = json!([])), "empty", "", "nothing was owed"),
    attack(
        "a cell twice",
        |run| {
            run.json(PLAN, |p| {
                let twice = p["cells"][0].clone();
                p["cells"].as_array_mut().unwrap().push(twice);
            });
        },
        "expected-set",
        PLAN,
        "planned twice",
    ),
    attack(
        "a cell of a row that is not there",
        |run| run.json(PLAN, |p| p["cells"][0]["row"] = json!(7)),
        "case",
        PLAN,
        "W1 row 7",
    ),
    attack(
        "the digest of what is owed",
        |run| run.json(PLAN, |p| p["expected_sha256"] = zeros()),
        "expected-set",
        PLAN,
        "digest recorded",
    ),
    attack(
        "the commit",
        |run| run.json(PLAN, |p| p["source"]["commit"] = json!("0".repeat(40))),
        "commit",
        PLAN,
        "another commit",
    ),
    attack(
        "the tree",
        |run| run.json(PLAN, |p| p["source"]["tree"] = json!("0".repeat(40))),
        "commit",
        PLAN,
        "another tree",
    ),
    attack(
        "a dirty tree",
        |run| run.json(PLAN, |p| p["source"]["dirty"] = json!(true)),
        "dirty",
        PLAN,
        "working tree",
    ),
    attack("no commit", |run| run.json(PLAN, |p| p["source"] = Value::Null), "commit", PLAN, "of no commit"),
    attack(
        "the charter's digest",
        |run| run.json(PLAN, |p| p["charter"]["sha256"] = zeros()),
        "charter",
        PLAN,
        "the charter among the files at",
    ),
    attack(
        "the charter's version",
        |run| run.json(PLAN, |p| p["charter"]["version"] = json!("2.0.0")),
        "charter",
        PLAN,
        "version",
    ),
    attack(
        "the matrix's digest",
        |run| run.json(PLAN, |p| p["matrix"]["sha256"] = zeros()),
        "matrix",
        PLAN,
        "the matrix among the files at",
    ),
    attack(
        "the policy's digest",
        |run| run.json(PLAN, |p| p["policy"]["sha256"] = zeros()),
        "policy",
        PLAN,
        "the project file among the files at",
    ),
    attack(
        "a case's digest",
        |run| run.json(PLAN, |p| p["cases"][0]["sha256"] = zeros()),
        "case",
        PLAN,
        "case W1 among the files at",
    ),
    attack(
        "who judges a case",
        |run| run.json(PLAN, |p| p["cases"][0]["judged_by"][0]["checker"] = json!("percentage-trap@1")),
        "case",
        PLAN,
        "who judges case W1",
    ),
    attack(
        "a checker's digest",
        |run| run.json(PLAN, |p| p["checkers"][0]["sha256"] = zeros()),
        "checker",
        PLAN,
        "checker says-the-word@1 among the files at",
    ),
    attack(
        "the controls' digest",
        |run| run.json(PLAN, |p| p["checkers"][0]["controls_sha256"] = zeros()),
        "checker",
        PLAN,
        "the controls of checker",
    ),
    attack(
        "the digest of the checkers' folder",
        |run| run.json(PLAN, |p| p["checker_folders"] = json!([])),
        "checker",
        PLAN,
        "a folder of checkers",
    ),
    attack(
        "no checkers",
        |run| run.json(PLAN, |p| p["checkers"] = json!([])),
        "checker",
        PLAN,
        "judges and is not pinned",
    ),
    attack("no cases", |run| run.json(PLAN, |p| p["cases"] = json!([])), "case", PLAN, "W1 row 1"),
    attack(
        "a model renamed",
        |run| run.json(PLAN, |p| p["models"][0]["requested"] = json!("a-better-model")),
        "matrix",
        PLAN,
        "model m1",
    ),
    attack(
        "a model that must fail",
        |run| run.json(PLAN, |p| p["models"][0]["expect"] = json!("fail")),
        "matrix",
        PLAN,
        "model m1",
    ),
    attack(
        "models called recorded",
        |run| {
            run.json(PLAN, |p| {
                for model in p["models"].as_array_mut().unwrap() {
                    model["replay"] = json!(true);
                }
            });
        },
        "replay",
        "",
        "recorded traces",
    ),
    attack(
        "a model left out",
        |run| {
            run.json(PLAN, |p| {
                p["models"].as_array_mut().unwrap().pop();
            });
        },
        "matrix",
        PLAN,
        "model m2 is owed trials",
    ),
    attack(
        "a run narrowed by hand",
        |run| run.json(PLAN, |p| p["narrowed"] = json!(["only cases W1"])),
        "expected-set",
        PLAN,
        "narrowed",
    ),
    attack(
        "another program",
        |run| run.json(PLAN, |p| p["binary_sha256"] = zeros()),
        "manifest",
        MANIFEST,
        "/plan/binary_sha256",
    ),
    attack(
        "another time",
        |run| run.json(PLAN, |p| p["planned"] = json!("2026-01-01T00:00:00Z")),
        "chain",
        "transcripts.jsonl:1",
        "another run",
    ),
    attack(
        "a plan of a newer format",
        |run| run.json(PLAN, |p| p["format"] = json!(99)),
        "unreadable",
        PLAN,
        "newer",
    ),
    attack(
        "a key twice in the plan",
        |run| run.swap(PLAN, "{\"assize\":", "{\"assize\":\"9\",\"assize\":"),
        "duplicate-key",
        PLAN,
        "`assize` occurs twice",
    ),
    attack(
        "a plan that owes too much",
        |run| run.json(PLAN, |p| p["trials"] = json!(4_000_000_000_u32)),
        "unreadable",
        PLAN,
        "more than a run can hold",
    ),
];

pub(super) const SIGNATURES: &[Attack] = &[
    attack(
        "a statement's payload",
        |run| {
            run.json(DSSE, |e| {
                let text = e["payload"].as_str().unwrap().replacen('A', "B", 1);
                e["payload"] = json!(text);
            });
        },
        "signature",
        DSSE,
        "does not hold",
    ),
    attack(
        "a signature",
        |run| {
            run.json(DSSE, |e| {
                let text = e["signatures"][0]["sig"].as_str().unwrap().to_owned();
                e["signatures"][0]["sig"] =
                    json!(format!("{}{}", if text.starts_with('M') { "N" } else { "M" }, &text[1..]));
            });
        },
        "signature",
        DSSE,
        "does not hold",
    ),
    attack(
        "another key's name",
        |run| run.json(DSSE, |e| e["signatures"][0]["keyid"] = zeros()),
        "signature",
        DSSE,
        "not with",
    ),
    attack(
        "two signatures",
        |run| {
            run.json(DSSE, |e| {
                let twice = e["signatures"][0].clone();
                e["signatures"].as_array_mut().unwrap().push(twice);
            });
        },
        "signature",
        DSSE,
        "2 signatures",
    ),
    attack(
        "no signature",
        |run| run.json(DSSE, |e| e["signatures"] = json!([])),
        "signature",
        DSSE,
        "0 signatures",
    ),
    attack(
        "another type of payload",
        |run| run.json(DSSE, |e| e["payloadType"] = json!("text/plain")),
        "signature",
        DSSE,
        "text/plain",
    ),
    attack(
        "white space in a statement",
        |run| run.swap(DSSE, ":", ": "),
        "signature",
        DSSE,
        "not in the form",
    ),
    attack(
        "statements in each other's place",
        |run| {
            let (one, two) = (run.read(DSSE), run.read(RESULT));
            run.write(DSSE, two);
            run.write(RESULT, one);
        },
        "signature",
        DSSE,
        "not what the run's records come to",
    ),
    attack(
        "the bundle's hint",
        |run| run.json(BUNDLE, |b| b["verificationMaterial"]["publicKey"]["hint"] = zeros()),
        "signature",
        BUNDLE,
        "not in the form",
    ),
    attack(
        "the bundle's payload",
        |run| {
            run.json(BUNDLE, |b| {
                let text = b["dsseEnvelope"]["payload"].as_str().unwrap().replacen('A', "B", 1);
                b["dsseEnvelope"]["payload"] = json!(text);
            });
        },
        "signature",
        BUNDLE,
        "does not hold",
    ),
];
