//! Several people sign one record: each signature stays beside the others, and an audit demands each key it is given.

use crate::support::signed::Signed;

const RESULT: &str = "attestations/test-result.dsse.json";
const DSSE: &str = "attestations/manifest.dsse.json";

/// A signed run, further keys of both kinds, and the run signed with each of them.
fn signed_by_three() -> Signed {
    let good = Signed::new();
    good.project.run(&["keygen", "--type", "p256", "--out", "runs/third"]).expect(0);
    good.project.run(&["sign", "runs/r", "--key", "runs/other"]).expect(0);
    good.project.run(&["sign", "runs/r", "--key", "runs/third"]).expect(0);
    good
}

#[test]
fn each_key_that_is_given_must_have_signed() {
    let good = signed_by_three();
    let run = good.project.path().join("runs/r");
    let keys = ["runs/key.pub", "runs/other.pub", "runs/third.pub"];
    let audit = |keys: &[&str]| {
        let mut arguments = vec!["--commit", good.commit.as_str()];
        keys.iter().for_each(|key| arguments.extend(["--public-key", key]));
        good.audit_as(&run, &arguments)
    };
    for some in [&keys[..1], &keys[1..], &keys] {
        let audited = audit(some);
        assert_eq!(audited.ran.code, 0, "{some:?}: {}", audited.ran.stdout);
    }
    // Signers whom nobody held against a key are named.
    assert!(audit(&keys[..2]).ran.stdout.contains("not held against any key"));
    assert!(!audit(&keys).ran.stdout.contains("not held against any key"));
    good.project.run(&["keygen", "--out", "runs/stranger"]).expect(0);
    let audited = audit(&["runs/key.pub", "runs/stranger.pub"]);
    assert_eq!(audited.ran.code, 1);
    assert!(audited.says("signature", DSSE, "not with"), "{}", audited.ran.stdout);
    // The signature of any of them is what its key says, or it is told.
    for index in 0..3 {
        let spoilt = good.copy();
        spoilt.json(RESULT, |envelope| {
            let sig = envelope["signatures"][index]["sig"].as_str().unwrap();
            let first = if sig.starts_with('M') { "N" } else { "M" };
            let sig = format!("{first}{}", &sig[1..]);
            envelope["signatures"][index]["sig"] = sig.into();
        });
        let arguments: Vec<&str> = keys.iter().flat_map(|key| ["--public-key", key]).collect();
        let audited =
            good.audit_as(spoilt.path(), &[&["--commit", good.commit.as_str()][..], &arguments].concat());
        assert!(audited.says("signature", RESULT, "does not hold"), "{index}: {}", audited.ran.stdout);
    }
}

#[test]
fn signing_again_replaces_ones_own_signature_and_no_other() {
    let good = signed_by_three();
    let before = good.project.json(&format!("runs/r/{DSSE}"));
    assert_eq!(before["signatures"].as_array().unwrap().len(), 3);
    good.project.run(&["sign", "runs/r", "--key", "runs/other"]).expect(0);
    // Ed25519 signs the same bytes the same way.
    assert_eq!(good.project.json(&format!("runs/r/{DSSE}")), before);
    good.project.run(&["sign", "runs/r", "--key", "runs/third"]).expect(0);
    let after = good.project.json(&format!("runs/r/{DSSE}"));
    assert_eq!(after["signatures"].as_array().unwrap().len(), 3);
    let run = good.project.path().join("runs/r");
    assert_eq!(good.audit(&run).ran.code, 0);
    // A pack is signed in the same way.
    good.project.run(&["pack", "runs/r", "--out", "runs/r.tar.zst"]).expect(0);
    good.project.run(&["keygen", "--out", "runs/fourth"]).expect(0);
    good.project.run(&["sign", "runs/r.tar.zst", "--key", "runs/fourth"]).expect(0);
    let arguments =
        ["--commit", &good.commit, "--public-key", "runs/fourth.pub", "--public-key", "runs/key.pub"];
    assert_eq!(good.audit_as(&good.project.path().join("runs/r.tar.zst"), &arguments).ran.code, 0);
}

#[test]
fn nothing_is_signed_beside_signatures_over_something_else() {
    let good = Signed::new();
    let run = good.copy();
    run.swap(RESULT, "\"signatures\":[", "\"signatures\": [");
    let key = good.project.path().join("runs/other");
    let sign = ["sign", run.path().to_str().unwrap(), "--key", key.to_str().unwrap()];
    let ran = good.project.run(&sign).expect(2);
    assert!(
        ran.stderr.contains("nothing was signed") && ran.stderr.contains("Take attestations/ away"),
        "{}",
        ran.stderr
    );
    // Two statements in each other's place are over something else.
    let run = good.copy();
    let (one, two) = (run.read(DSSE), run.read(RESULT));
    run.write(DSSE, two);
    run.write(RESULT, one);
    let sign = ["sign", run.path().to_str().unwrap(), "--key", key.to_str().unwrap()];
    let ran = good.project.run(&sign).expect(2);
    assert!(ran.stderr.contains("signed over something else"), "{}", ran.stderr);
    run.remove("attestations");
    good.project.run(&sign).expect(0);
}

#[test]
fn a_bundle_under_the_name_of_another_key_is_told() {
    let good = signed_by_three();
    let run = good.copy();
    let bundles = std::fs::read_dir(run.at("attestations")).unwrap();
    let names: Vec<String> = bundles.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let further = names.iter().find(|name| name.starts_with("folder-")).unwrap();
    run.write("attestations/folder-000000000000.sigstore.json", run.read(&format!("attestations/{further}")));
    assert!(good.audit(run.path()).says(
        "file-extra",
        "attestations/folder-000000000000.sigstore.json",
        "none of the statements"
    ));
    // One that is gone is missed by its key only.
    let run = good.copy();
    run.remove(&format!("attestations/{further}"));
    assert_eq!(good.audit(run.path()).ran.code, 0);
    let audited = good.audit_as(run.path(), &["--commit", &good.commit, "--public-key", "runs/third.pub"]);
    assert!(
        audited.says("signature", "attestations/folder.sigstore.json", "not with"),
        "{}",
        audited.ran.stdout
    );
}
