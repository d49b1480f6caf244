//! What other people's tools say of a signed run: openssl, PyPI's securesystemslib and model-signing. The script installs
//! what it needs, so these run only where they are asked for.

use std::process::Command;

use crate::support::Ran;
use crate::support::signed::Signed;

/// Runs the script on a run and a public key of the project.
fn verify(good: &Signed, run: &str, key: &str) -> Ran {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/outside/verify.sh");
    let mut command = Command::new("bash");
    Ran::of(&command.current_dir(good.project.path()).args([script, run, key]).output().unwrap())
}

#[test]
#[ignore = "installs openssl and Python packages; `.ci/run` asks for it"]
fn tools_that_know_nothing_of_this_program_verify_both_kinds_of_keys() {
    let good = Signed::new();
    let ran = verify(&good, "runs/r", "runs/key.pub").expect(0);
    for says in ["openssl: 3 signatures", "securesystemslib: 2 envelopes", "model-signing: the folder"] {
        assert!(ran.stdout.contains(says), "{}", ran.stdout);
    }
    // A further key of either kind, and each of them holds beside the others.
    good.project.run(&["keygen", "--type", "p256", "--out", "runs/third"]).expect(0);
    good.project.run(&["sign", "runs/r", "--key", "runs/other"]).expect(0);
    good.project.run(&["sign", "runs/r", "--key", "runs/third"]).expect(0);
    let ran = verify(&good, "runs/r", "runs/other.pub").expect(0);
    assert!(ran.stdout.contains("openssl: 2 signatures"), "{}", ran.stdout);
    for key in ["runs/key.pub", "runs/third.pub"] {
        let ran = verify(&good, "runs/r", key).expect(0);
        for says in ["openssl: 3 signatures", "securesystemslib: 2 envelopes", "model-signing: the folder"] {
            assert!(ran.stdout.contains(says), "{key}: {}", ran.stdout);
        }
    }
    // They can say no.
    good.project.run(&["keygen", "--out", "runs/stranger"]).expect(0);
    verify(&good, "runs/r", "runs/stranger.pub").expect(1);
    good.project.write("runs/r/extra", "x");
    let ran = verify(&good, "runs/r", "runs/key.pub").expect(1);
    assert!(
        ran.stdout.contains("securesystemslib: 2 envelopes"),
        "only the folder's signature covers it: {}",
        ran.stdout
    );
}
