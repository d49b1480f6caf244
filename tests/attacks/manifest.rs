//! The manifest.

use serde_json::json;

use super::{Attack, JOURNAL, MANIFEST, attack, trial, zeros};

pub(super) const MANIFESTS: &[Attack] = &[
    attack(
        "counts",
        |run| run.json(MANIFEST, |m| m["counts"]["passed"] = json!(7)),
        "counts",
        MANIFEST,
        "/counts/passed",
    ),
    attack(
        "counts of a model",
        |run| run.json(MANIFEST, |m| m["models"][1]["counts"]["failed"] = json!(1)),
        "counts",
        MANIFEST,
        "/models/1/counts/failed",
    ),
    attack(
        "a standing",
        |run| run.json(MANIFEST, |m| trial(m)["standing"] = json!("failed")),
        "manifest",
        MANIFEST,
        "/cells/0/trials/0/standing",
    ),
    attack(
        "a reason",
        |run| run.json(MANIFEST, |m| trial(m)["reason"] = json!("x")),
        "manifest",
        MANIFEST,
        "/cells/0/trials/0/reason",
    ),
    attack(
        "failed clauses",
        |run| run.json(MANIFEST, |m| trial(m)["failed_clauses"] = json!(["word"])),
        "manifest",
        MANIFEST,
        "failed_clauses",
    ),
    attack(
        "an attempt's verdict",
        |run| run.json(MANIFEST, |m| trial(m)["attempts"][0]["verdict"] = json!("error")),
        "manifest",
        MANIFEST,
        "attempts/0/verdict",
    ),
    attack(
        "an attempt's transcript",
        |run| run.json(MANIFEST, |m| trial(m)["attempts"][0]["transcript_sha256"] = zeros()),
        "line",
        JOURNAL,
        "W1/r1/m1/t1: the line that the manifest records",
    ),
    attack(
        "an attempt's line",
        |run| run.json(MANIFEST, |m| trial(m)["attempts"][0]["line"] = json!(6)),
        "line",
        "transcripts.jsonl:6",
        "W1/r1/m1/t1: this line stands at line",
    ),
    attack(
        "an attempt's response",
        |run| run.json(MANIFEST, |m| trial(m)["attempts"][0]["served"][0]["response_id"] = json!("x")),
        "manifest",
        MANIFEST,
        "response_id",
    ),
    attack(
        "an attempt's tokens",
        |run| run.json(MANIFEST, |m| trial(m)["attempts"][0]["usage"]["output"] = json!(0)),
        "manifest",
        MANIFEST,
        "usage/output",
    ),
    attack(
        "an attempt's retries",
        |run| run.json(MANIFEST, |m| trial(m)["attempts"][0]["retries"] = json!(3)),
        "manifest",
        MANIFEST,
        "retries",
    ),
    attack(
        "an attempt's time",
        |run| run.json(MANIFEST, |m| trial(m)["attempts"][0]["started"] = json!("2026-01-01T00:00:00Z")),
        "manifest",
        MANIFEST,
        "started",
    ),
    attack(
        "an attempt left out",
        |run| run.json(MANIFEST, |m| trial(m)["attempts"] = json!([])),
        "manifest",
        MANIFEST,
        "/cells/0/trials/0/attempts",
    ),
    attack(
        "a trial left out",
        |run| {
            run.json(MANIFEST, |m| {
                m["cells"][0]["trials"].as_array_mut().unwrap().pop();
            });
        },
        "manifest",
        MANIFEST,
        "/cells/0/trials",
    ),
    attack(
        "a cell left out",
        |run| {
            run.json(MANIFEST, |m| {
                m["cells"].as_array_mut().unwrap().pop();
            });
        },
        "manifest",
        MANIFEST,
        "/cells",
    ),
    attack(
        "trials required",
        |run| run.json(MANIFEST, |m| m["cells"][0]["required"] = json!(1)),
        "manifest",
        MANIFEST,
        "/cells/0/required",
    ),
    attack(
        "a cell's case",
        |run| run.json(MANIFEST, |m| m["cells"][0]["case_sha256"] = zeros()),
        "manifest",
        MANIFEST,
        "/cells/0/case_sha256",
    ),
    attack(
        "a cell's checker",
        |run| run.json(MANIFEST, |m| m["cells"][0]["checker_sha256"] = zeros()),
        "manifest",
        MANIFEST,
        "/cells/0/checker_sha256",
    ),
    attack(
        "a model observed",
        |run| run.json(MANIFEST, |m| m["models"][0]["observed"][0]["model"] = json!("x")),
        "manifest",
        MANIFEST,
        "/models/0/observed/0/model",
    ),
    attack(
        "the controls' number",
        |run| run.json(MANIFEST, |m| m["controls"][0]["controls"] = json!(9)),
        "manifest",
        MANIFEST,
        "/controls/0/controls",
    ),
    attack(
        "the controls' result",
        |run| run.json(MANIFEST, |m| m["controls"] = json!([])),
        "manifest",
        MANIFEST,
        "/controls",
    ),
    attack(
        "a file left out of the evidence",
        |run| {
            run.json(MANIFEST, |m| {
                m["evidence"].as_array_mut().unwrap().remove(0);
            });
        },
        "file-extra",
        "inputs/assize.yaml",
        "not among those",
    ),
    attack(
        "a file put into the evidence",
        |run| {
            run.json(MANIFEST, |m| {
                m["evidence"].as_array_mut().unwrap().push(json!({ "path": "z", "size": 1, "sha256": "0" }));
            });
        },
        "file-missing",
        "z",
        "gone",
    ),
    attack(
        "the evidence's digest",
        |run| run.json(MANIFEST, |m| m["evidence"][0]["sha256"] = zeros()),
        "file-changed",
        "inputs/assize.yaml",
        "000000",
    ),
    attack(
        "the evidence's size",
        |run| run.json(MANIFEST, |m| m["evidence"][0]["size"] = json!(1)),
        "file-changed",
        "inputs/assize.yaml",
        "1 bytes",
    ),
    attack(
        "the evidence twice",
        |run| {
            run.json(MANIFEST, |m| {
                let twice = m["evidence"][0].clone();
                m["evidence"].as_array_mut().unwrap().insert(0, twice);
            });
        },
        "manifest",
        MANIFEST,
        "lists a file twice",
    ),
    attack(
        "another document",
        |run| run.json(MANIFEST, |m| m["schema"] = json!("urn:example:other")),
        "unreadable",
        MANIFEST,
        "urn:example:other",
    ),
    attack(
        "a newer format",
        |run| run.json(MANIFEST, |m| m["plan"]["format"] = json!(99)),
        "unreadable",
        MANIFEST,
        "newer",
    ),
    attack(
        "a field that is not known",
        |run| run.json(MANIFEST, |m| m["waiver"] = json!(true)),
        "unreadable",
        MANIFEST,
        "waiver",
    ),
    attack(
        "a key twice",
        |run| run.swap(MANIFEST, "{\"cells\":", "{\"cells\":[],\"cells\":"),
        "duplicate-key",
        MANIFEST,
        "`cells` occurs twice",
    ),
    attack("white space", |run| run.swap(MANIFEST, ":", ": "), "not-canonical", MANIFEST, "RFC 8785"),
    attack(
        "no line end",
        |run| {
            let text = run.read(MANIFEST);
            run.write(MANIFEST, text.trim_end());
        },
        "not-canonical",
        MANIFEST,
        "RFC 8785",
    ),
    attack(
        "a byte-order mark",
        |run| {
            let text = format!("\u{feff}{}", run.read(MANIFEST));
            run.write(MANIFEST, text);
        },
        "unreadable",
        MANIFEST,
        "expected value",
    ),
];
