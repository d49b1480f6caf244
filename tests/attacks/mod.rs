//! A good, signed run, spoilt in one way at a time: by forgers, by careless hands, by torn writes. The audit must name
//! each, at its place.

use std::fs;
use std::path::Path;

use harness::audit::commit::AtCommit;
use harness::audit::{self, Question};
use harness::git::Named;
use harness::pack;
use harness::sitting::evidence;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use reports::Answer;
use serde_json::{Value, json};

use crate::support::signed::{Folder, Signed, copy_all, says};

/// A way to spoil a run, and what the audit must say of it: rule, place, words.
struct Attack {
    name: &'static str,
    spoil: fn(&Folder),
    rule: &'static str,
    place: &'static str,
    says: &'static str,
}

mod commits;
mod inputs;
mod journal;
mod manifest;
mod plan;

const fn attack(
    name: &'static str,
    spoil: fn(&Folder),
    rule: &'static str,
    place: &'static str,
    says: &'static str,
) -> Attack {
    Attack { name, spoil, rule, place, says }
}

const JOURNAL: &str = "transcripts.jsonl";
const VERDICTS: &str = "verdicts.jsonl";
const MANIFEST: &str = "manifest.json";
const PLAN: &str = "plan.json";
const DSSE: &str = "attestations/manifest.dsse.json";
const RESULT: &str = "attestations/test-result.dsse.json";
const BUNDLE: &str = "attestations/folder.sigstore.json";
const CASE: &str = "inputs/cases/0/w1-say-the-word/case.yaml";
const CHECKER: &str = "inputs/own-checkers/0/says-the-word/v1.yaml";
const CONTROLS: &str = "inputs/own-checkers/0/says-the-word/v1.controls.jsonl";

fn zeros() -> Value {
    json!("0".repeat(64))
}

fn trial(manifest: &mut Value) -> &mut Value {
    &mut manifest["cells"][0]["trials"][0]
}

/// Audits in this process: the project at its commit is read once for all attacks.
fn examined(run: &Path, question: &Question<'_>) -> (Answer, Vec<Value>) {
    let report = audit::audit(&audit::open(run).unwrap().run, question).unwrap();
    let findings = report.findings.iter().map(|finding| serde_json::to_value(finding).unwrap());
    (report.answer(), findings.collect())
}

#[test]
fn each_attack_is_named_at_its_place() {
    let good = Signed::new();
    let keys = [good.key()];
    let commit = AtCommit::read(good.project.path(), &Named::Hash(good.commit.clone())).unwrap();
    let question = Question { commit: Some(&commit), keys: &keys, whole_matrix: true };
    assert_eq!(examined(good.copy().path(), &question), (Answer::Yes, Vec::new()));
    let all = [
        inputs::INPUTS,
        inputs::FILES,
        journal::LINES,
        journal::VERDICT_ROWS,
        manifest::MANIFESTS,
        plan::PLANS,
        plan::SIGNATURES,
    ];
    let mut unnamed = Vec::new();
    for attack in all.into_iter().flatten() {
        let run = good.copy();
        (attack.spoil)(&run);
        let (answer, findings) = examined(run.path(), &question);
        if answer == Answer::Yes || !says(&findings, attack.rule, attack.place, attack.says) {
            let said: Vec<String> = findings.iter().map(Value::to_string).collect();
            unnamed.push(format!(
                "{}: {answer:?}, wanted [{}] {} {:?}:\n  {}",
                attack.name,
                attack.rule,
                attack.place,
                attack.says,
                said.join("\n  ")
            ));
        }
    }
    assert!(unnamed.is_empty(), "{} are not named:\n{}", unnamed.len(), unnamed.join("\n"));
    let names: std::collections::HashSet<_> = all.into_iter().flatten().map(|attack| attack.name).collect();
    assert!(names.len() >= 60, "{}", names.len());
}

#[test]
fn a_good_run_holds_as_a_folder_and_as_a_pack_with_and_without_a_key() {
    let good = Signed::new();
    good.project.run(&["pack", "runs/r", "--out", "runs/r.tar.zst"]).expect(0);
    let pack = good.project.path().join("runs/r.tar.zst");
    assert_eq!(good.audit(&pack).ran.code, 0);
    let audited = good.audit_as(&pack, &["--commit", &good.commit[..12]]);
    assert_eq!(audited.ran.code, 0, "{}", audited.ran.stdout);
    assert!(audited.ran.stdout.contains("no key was given"), "{}", audited.ran.stdout);
    good.project.run(&["gate", "runs/r.tar.zst"]).expect(0);
    good.project.run(&["report", "runs/r.tar.zst"]).expect(0);
    let explained = good.project.run(&["explain", "runs/r.tar.zst", "W1/r1/m1/t1"]).expect(0);
    assert!(explained.stdout.contains("piano"), "{}", explained.stdout);
    crate::support::signed::git(&good.project, &["tag", "v1.0.0"]);
    assert_eq!(good.audit_as(&pack, &["--tag", "v1.0.0"]).ran.code, 0);
    assert_eq!(good.audit_as(&pack, &["--tag", "v9"]).ran.code, 2);
    assert_eq!(
        good.audit_as(&pack, &["--commit", "HEAD"]).ran.code,
        2,
        "a branch or HEAD is no fixed commit"
    );
    // It is packed to the same bytes again, from the folder and from what it unpacks to.
    let before = fs::read(&pack).unwrap();
    good.project.run(&["pack", "runs/r", "--out", "runs/again.tar.zst"]).expect(0);
    assert!(before == fs::read(good.project.path().join("runs/again.tar.zst")).unwrap());
}

#[test]
fn another_key_another_commit_and_a_damaged_pack_are_refused() {
    let good = Signed::new();
    let run = good.project.path().join("runs/r");
    let audited = good.audit_as(&run, &["--commit", &good.commit, "--public-key", "runs/other.pub"]);
    assert!(audited.says("signature", DSSE, "not with"), "{}", audited.ran.stdout);
    assert_eq!(audited.ran.code, 1);
    good.project.edit("CHARTER.md", "Say them.", "Say each.");
    let next = crate::support::signed::commit(&good.project, "second");
    let audited = good.audit_as(&run, &["--commit", &next]);
    assert!(audited.says("commit", PLAN, "another commit"), "{}", audited.ran.stdout);
    assert!(audited.says("charter", PLAN, "the charter among the files at"), "{}", audited.ran.stdout);
    // The commit it is of is still there.
    assert_eq!(good.audit(&run).ran.code, 0);
    good.project.run(&["pack", "runs/r", "--out", "runs/r.tar.zst"]).expect(0);
    let pack = good.project.path().join("runs/r.tar.zst");
    let bytes = fs::read(&pack).unwrap();
    fs::write(&pack, &bytes[..bytes.len() - 9]).unwrap();
    let audited = good.audit(&pack);
    assert!(audited.says("pack", "", "damaged"), "{}", audited.ran.stdout);
    assert_eq!(audited.ran.code, 1);
    assert_eq!(good.audit(&good.project.path().join("CHARTER.md")).ran.code, 2);
    assert_eq!(good.audit(&good.project.path().join("nowhere")).ran.code, 2);
}

#[cfg(unix)]
#[test]
fn links_and_modes_are_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let good = Signed::new();
    let run = good.copy();
    run.remove(VERDICTS);
    std::os::unix::fs::symlink(good.project.path().join("runs/r/verdicts.jsonl"), run.at(VERDICTS)).unwrap();
    assert!(good.audit(run.path()).says("file-odd", VERDICTS, "symbolic link"));
    let run = good.copy();
    fs::set_permissions(run.at(CHECKER), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(good.audit(run.path()).says("file-changed", CHECKER, "mode"));
}

#[test]
fn a_run_is_not_signed_once_it_was_changed() {
    let good = Signed::new();
    let run = good.copy();
    run.swap(VERDICTS, "\"verdict\":\"pass\"", "\"verdict\":\"fail\"");
    let key = ["--key", "runs/key"];
    let ran = good.project.run(&[&["sign", run.path().to_str().unwrap()], &key[..]].concat()).expect(2);
    assert!(ran.stderr.contains("verdicts.jsonl"), "{}", ran.stderr);
    let run = good.copy();
    run.remove(MANIFEST);
    good.project.run(&[&["sign", run.path().to_str().unwrap()], &key[..]].concat()).expect(2);
}

/// Places in files, and what to change there.
fn changes() -> impl Strategy<Value = Vec<(Index, Index, u8)>> {
    prop::collection::vec((any::<Index>(), any::<Index>(), 1_u8..), 24)
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() })
}

#[test]
fn any_byte_changed_in_any_file_is_found() {
    let good = Signed::new();
    let run = good.copy();
    let keys = [good.key()];
    let question = Question { keys: &keys, ..Question::default() };
    let files = evidence::list(run.path()).unwrap().files;
    let files: Vec<_> = files.into_iter().filter(|file| file.size > 0).collect();
    let tried = runner(8).run(&changes(), |places| {
        for (file, byte, by) in places {
            let file = &files[file.index(files.len())];
            let whole = fs::read(&file.place).unwrap();
            let mut bytes = whole.clone();
            let at = byte.index(bytes.len());
            bytes[at] ^= by;
            fs::write(&file.place, &bytes).unwrap();
            let found = match audit::open(run.path()) {
                Ok(opened) => {
                    audit::audit(&opened.run, &question).map_or(true, |report| !report.findings.is_empty())
                }
                Err(_) => true,
            };
            fs::write(&file.place, &whole).unwrap();
            prop_assert!(found, "{} byte {at} ^ {by} is not found", file.path);
        }
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn a_pack_with_a_byte_changed_is_refused_or_unpacks_to_the_same() {
    let good = Signed::new();
    let path = good.project.path().join("runs/r.tar.zst");
    pack::pack(&good.project.path().join("runs/r"), &path).unwrap();
    let whole = fs::read(&path).unwrap();
    let list = |folder: &Path| evidence::of(&evidence::list(folder).unwrap().files).unwrap();
    let expected = list(&good.project.path().join("runs/r"));
    let tried = runner(16).run(&changes(), |places| {
        for (byte, _, by) in places {
            let mut bytes = whole.clone();
            let at = byte.index(bytes.len());
            bytes[at] ^= by;
            fs::write(&path, &bytes).unwrap();
            if let Ok(unpacked) = pack::unpack(&path) {
                prop_assert_eq!(&list(unpacked.path()), &expected, "byte {} ^ {}", at, by);
            }
        }
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn a_run_that_was_copied_elsewhere_holds_there_too() {
    let good = Signed::new();
    let elsewhere = tempfile::tempdir().unwrap();
    copy_all(&good.project.path().join("runs/r"), elsewhere.path());
    assert_eq!(good.audit(elsewhere.path()).ran.code, 0);
}
