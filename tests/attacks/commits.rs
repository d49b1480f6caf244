//! A good run, audited against a repository that was spoilt: names that lead elsewhere, objects that are not their hash.

use std::fs;
use std::path::PathBuf;

use crate::support::signed::{Signed, commit, git};

/// The file of an object that is in no pack.
fn object(good: &Signed, hash: &str) -> PathBuf {
    good.project.path().join(".git/objects").join(&hash[..2]).join(&hash[2..])
}

/// Puts the content of the object `other` in the place of `hash`.
fn forge(good: &Signed, hash: &str, other: &str) {
    let content = fs::read(object(good, other)).unwrap();
    fs::remove_file(object(good, hash)).unwrap();
    fs::write(object(good, hash), content).unwrap();
}

#[test]
fn a_name_is_only_what_it_says() {
    let good = Signed::new();
    let run = good.project.path().join("runs/r");
    git(&good.project, &["tag", "v1.0.0"]);
    git(&good.project, &["tag", "-a", "-m", "annotated", "release/1.0.0+a"]);
    good.project.edit("CHARTER.md", "Say them.", "Say each.");
    let next = commit(&good.project, "second");
    git(&good.project, &["tag", "v2.0.0"]);
    // A branch is not taken for the hash whose beginning it is called after, nor for a tag.
    git(&good.project, &["branch", &next[..12], &good.commit]);
    git(&good.project, &["branch", "refs/tags/v9", &good.commit]);
    let audited = good.audit_as(&run, &["--commit", &next[..12]]);
    assert_eq!(audited.ran.code, 2, "{}", audited.ran.stdout);
    assert!(audited.ran.stderr.contains("begins otherwise"), "{}", audited.ran.stderr);
    let described = format!("v1.0.0-0-g{}", &good.commit[..12]);
    for tag in
        ["v2.0.0~1", "v2.0.0^", "v1.0.0^0", "v1.0.0^{commit}", "v1.0.0@{0}", "v9", "v1*", "", &described]
    {
        let audited = good.audit_as(&run, &["--tag", tag]);
        assert_eq!(audited.ran.code, 2, "{tag}: {}", audited.ran.stdout);
    }
    for tag in ["v1.0.0", "release/1.0.0+a"] {
        assert_eq!(good.audit_as(&run, &["--tag", tag]).ran.code, 0, "{tag}");
    }
    assert_eq!(good.audit_as(&run, &["--commit", &good.commit[..12].to_uppercase()]).ran.code, 0);
}

#[test]
fn an_object_that_is_not_what_its_hash_says_is_refused_with_its_path() {
    for (path, said) in [
        ("HEAD:CHARTER.md", "CHARTER.md: the object"),
        ("HEAD:cases", "cases: the object"),
        // Git looks at a commit's own hash by itself.
        ("HEAD", "hash mismatch"),
    ] {
        let good = Signed::new();
        let run = good.project.path().join("runs/r");
        let hash = git(&good.project, &["rev-parse", path]);
        let first = good.commit.clone();
        good.project.edit("CHARTER.md", "Say them.", "Say each.");
        good.project.edit("cases/w1-say-the-word/params.csv", "piano", "organ");
        commit(&good.project, "second");
        let other = git(&good.project, &["rev-parse", path]);
        assert_ne!(hash, other);
        forge(&good, &hash, &other);
        let audited = good.audit_as(&run, &["--commit", &first]);
        assert_eq!(audited.ran.code, 2, "{path}: {}", audited.ran.stdout);
        assert!(audited.ran.stderr.contains(said), "{path}: {}", audited.ran.stderr);
    }
}
