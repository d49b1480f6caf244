//! The default run of the repository itself: every shipped case, both control arms, no key, no network.

use std::path::Path;

use serde_json::json;

use crate::support::{Ran, assize};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn both_arms_behave_on_every_row_and_the_gate_says_no_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("r");
    let output = assize()
        .current_dir(repository())
        .args(["run", "--rows", "all", "--trials", "1", "--out"])
        .arg(&run)
        .output()
        .unwrap();
    let ran = Ran::of(&output).expect(0);
    assert!(ran.stderr.contains("assize run --matrix"), "it ends with the next step: {}", ran.stderr);
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(run.join("manifest.json")).unwrap()).unwrap();
    for model in manifest["models"].as_array().unwrap() {
        let counts = &model["counts"];
        let all = counts["expected"].clone();
        assert!(all.as_u64().unwrap() >= 48, "at least eight rows of six cases");
        let (passed, failed) =
            if model["id"] == "exemplar" { (all.clone(), json!(0)) } else { (json!(0), all.clone()) };
        assert_eq!((&counts["passed"], &counts["failed"]), (&passed, &failed), "{model}");
    }
    let gate = Ran::of(&assize().arg("gate").arg(&run).output().unwrap()).expect(1);
    assert!(gate.stdout.contains("recorded traces"), "{}", gate.stdout);
}

#[test]
fn the_shipped_project_is_clean() {
    let ran = Ran::of(&assize().current_dir(repository()).arg("lint").output().unwrap()).expect(0);
    assert!(ran.stderr.contains("0 errors"), "{}", ran.stderr);
}

#[test]
fn a_control_arm_that_passes_turns_the_run_red() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = folder.path().join("m.yaml");
    std::fs::write(
        &matrix,
        "models:\n  - { id: naive, role: control, provider: replay, trace: exemplar, wire: openai-chat, expect: fail }\n",
    )
    .unwrap();
    let output = assize()
        .current_dir(repository())
        .args(["run", "--case", "E1", "--matrix"])
        .arg(&matrix)
        .arg("--out")
        .arg(folder.path().join("r"))
        .output()
        .unwrap();
    let ran = Ran::of(&output).expect(1);
    assert!(ran.stdout.contains("control arm that must fail"), "{}", ran.stdout);
}
