//! Runs that are kept in an object store: in a folder by `file://`, and in one that speaks S3.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::shards::{copy, record};
use crate::support::s3::{Fault, ID, KEY, S3};
use crate::support::server::{Server, says};
use crate::support::shifting::Shifting;
use crate::support::{Project, Ran};

const PLACE: &str = "s3://bucket/night/1";

/// Every file below a folder of the project.
fn tree(project: &Project, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = project.path().join(folder);
    let below = |file: &Path| file.strip_prefix(&folder).ok().map(|path| path.display().to_string());
    project.files().iter().filter_map(|file| Some((below(file)?, fs::read(file).unwrap()))).collect()
}

fn remove(project: &Project, folder: &str) {
    fs::remove_dir_all(project.path().join(folder)).unwrap();
}

/// The run in `folder` is, byte for byte, what the store gives to a machine that has nothing of it.
fn restored(s3: &S3, project: &Project, folder: &str, place: &str) {
    let before = tree(project, folder);
    assert!(before.contains_key("transcripts.jsonl") && before.contains_key("manifest.json"));
    let again = format!("{folder}-again");
    s3.run(project, &["run", "--resume", &again, "--store", place, "--quiet"]);
    let after = tree(project, &again);
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (path, bytes) in before {
        assert_eq!(after[&path], bytes, "{path}");
    }
}

fn play<'a>(folder: &'a str, place: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--rows", "all", "--out", folder, "--store", place, "--quiet"][..], more].concat()
}

#[test]
fn a_store_gives_back_what_the_folder_held() {
    let model = Shifting::start();
    let project = model.project(6);
    let s3 = S3::start();
    let place = format!("file://{}/store/run", project.path().display());
    for (folder, place) in [("s", PLACE), ("f", place.as_str())] {
        project.write("checkers/says-the-word/tool.sh", "#!/bin/sh\n");
        let tool = project.path().join("checkers/says-the-word/tool.sh");
        fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let before = model.count();
        s3.run(&project, &play(folder, place, &[])).expect(0);
        assert_eq!(model.count() - before, 18);
        restored(&s3, &project, folder, place);
        assert_eq!(model.count() - before, 18, "nothing is played again");
        let whole = project.run(&["gate", folder]);
        assert_eq!(s3.run(&project, &["gate", place]).expect(whole.code).stdout, whole.stdout);
        let report = project.run(&["report", folder, "--format", "junit"]);
        assert_eq!(s3.run(&project, &["report", place, "--format", "junit"]).stdout, report.stdout);
        let (pack, own) = (format!("{folder}.pack"), format!("{folder}-own.pack"));
        s3.run(&project, &["pack", place, "--out", &pack]).expect(0);
        project.run(&["pack", folder, "--out", &own]).expect(0);
        assert!(tree(&project, "")[&pack] == tree(&project, "")[&own], "modes come along, and all else");
        let ran = s3.run(&project, &["pack", place]).expect(2);
        assert!(ran.stderr.contains("--out"), "{}", ran.stderr);
    }
}

#[test]
fn shards_are_joined_from_where_they_are_kept() {
    let model = Shifting::start();
    let project = model.project(6);
    let s3 = S3::start();
    project.run(&["run", "--rows", "all", "--out", "whole", "--quiet"]).expect(0);
    for k in 1..=3 {
        let (folder, place, shard) = (format!("s{k}"), format!("s3://bucket/night/{k}"), format!("{k}/3"));
        s3.run(&project, &play(&folder, &place, &["--shard", &shard])).expect(0);
        remove(&project, &folder);
    }
    s3.run(&project, &["merge", "s3://bucket/night", "-o", "m"]).expect(0);
    assert_eq!(record(&project, "m/manifest.json"), record(&project, "whole/manifest.json"));
    let named = ["s3://bucket/night/2", "s3://bucket/night/1", "s3://bucket/night/3/"];
    s3.run(&project, &[&["merge", "-o", "n"][..], &named].concat()).expect(0);
    assert_eq!(record(&project, "n/manifest.json"), record(&project, "whole/manifest.json"));
    assert_eq!(model.count(), 36);
    let ran = s3.run(&project, &["merge", "s3://bucket/night/2", "s3://bucket/night/2", "-o", "x"]).expect(2);
    assert!(
        ran.stderr.contains("shard 2/3 is there twice, in s3://bucket/night/2 and in s3://bucket/night/2"),
        "{}",
        ran.stderr
    );
    let ran = s3.run(&project, &["gate", "s3://bucket/night"]).expect(2);
    assert!(ran.stderr.contains("keeps 3 runs"), "{}", ran.stderr);
    let ran = s3.run(&project, &["merge", "s3://bucket/day", "-o", "x"]).expect(2);
    assert!(ran.stderr.contains("s3://bucket/day: no run is kept there"), "{}", ran.stderr);
}

#[test]
fn another_machine_goes_on_where_a_killed_one_was() {
    let server = Server::slow(Duration::from_millis(60), |_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let s3 = S3::start();
    let command = |folder| {
        ["run", "--out", folder, "--store", PLACE, "--trials", "60", "--concurrency", "2", "--shard", "1/1"]
    };
    let mut child =
        s3.command(&project, &command("first")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pieces = || s3.objects().keys().filter(|name| name.contains("/transcripts/")).count();
    let start = Instant::now();
    while pieces() == 0 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let sent: usize = s3
        .objects()
        .iter()
        .filter(|(name, _)| name.contains("/transcripts/"))
        .map(|(_, bytes)| bytes.iter().filter(|byte| **byte == b'\n').count())
        .sum();
    let before = server.count();
    assert!(sent > 0 && before < 60, "{sent} of {before}");
    // The machine is gone with its disk; the same command runs on another one.
    fs::rename(project.path().join("first"), project.path().join("lost")).unwrap();
    let ran = s3.run(&project, &command("second")).expect(0);
    assert!(ran.stderr.contains("going on with what s3://bucket/night/1 keeps of it"), "{}", ran.stderr);
    assert_eq!(server.count() - before, 60 - sent, "what was sent is not played again");
    restored(&s3, &project, "second", PLACE);
    // The first machine comes back, with a folder that is behind; what it has beyond is another trial's line.
    let lost = project.read("lost/transcripts.jsonl").lines().count();
    let ran = s3.run(&project, &["run", "--resume", "lost", "--store", PLACE, "--quiet"]);
    if lost == sent {
        assert_eq!(project.read("lost/transcripts.jsonl"), project.read("second/transcripts.jsonl"));
    } else {
        let ran = ran.expect(3);
        assert!(ran.stderr.contains("another machine has sent other trials"), "{}", ran.stderr);
    }
}

#[test]
fn a_folder_that_is_behind_catches_up() {
    let model = Shifting::start();
    let project = model.project(6);
    let s3 = S3::start();
    s3.run(&project, &play("r", PLACE, &[])).expect(0);
    copy(&project, "r", "behind");
    let journal = project.read("r/transcripts.jsonl");
    let cut = journal.match_indices('\n').nth(4).unwrap().0;
    // Behind, and its last line torn.
    project.write("behind/transcripts.jsonl", &journal[..cut + 20]);
    for gone in ["manifest.json", "verdicts.jsonl"] {
        fs::remove_file(project.path().join("behind").join(gone)).unwrap();
    }
    let ran = s3.run(&project, &["push", "behind", PLACE]).expect(3);
    assert!(ran.stderr.contains("assize run --resume behind --store s3://bucket/night/1"), "{}", ran.stderr);
    s3.run(&project, &["run", "--resume", "behind", "--store", PLACE, "--quiet"]).expect(0);
    assert_eq!(project.read("behind/transcripts.jsonl"), journal);
    assert_eq!(model.count(), 18);
}

#[test]
fn a_run_is_gone_on_with_by_its_place_alone() {
    let model = Shifting::start();
    let project = model.project(2);
    let s3 = S3::start();
    s3.run(&project, &play("runs/named", PLACE, &[])).expect(0);
    remove(&project, "runs");
    s3.run(&project, &["run", "--resume", PLACE, "--quiet"]).expect(0);
    assert!(project.path().join("runs/named/manifest.json").exists());
    assert_eq!(model.count(), 6);
}

/// The command is refused before anything is played or made, and the store stays as it is.
fn refused(s3: &S3, project: &Project, arguments: &[&str], says: &[&str]) {
    let before = s3.objects();
    let ran = s3.run(project, arguments).expect(2);
    for part in says {
        assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
    }
    assert!(s3.objects() == before, "the store was changed");
}

#[test]
fn no_run_writes_where_another_one_is() {
    let model = Shifting::start();
    let project = model.project(6);
    let s3 = S3::start();
    s3.run(&project, &play("s1", PLACE, &["--shard", "1/3"])).expect(0);
    let played = model.count();
    let second = play("s2", PLACE, &["--shard", "2/3"]);
    refused(&s3, &project, &second, &["s3://bucket/night/1 is taken", "which shard it is"]);
    assert!(!project.path().join("s2").exists());
    refused(&s3, &project, &play("x", "s3://bucket/night", &[]), &["1/", "which is not of this run"]);
    s3.put("bucket/other/notes.txt", b"mine");
    refused(&s3, &project, &play("y", "s3://bucket/other", &[]), &["it holds notes.txt"]);
    s3.put("bucket/half/inputs/charter.md", b"mine");
    refused(&s3, &project, &play("z", "s3://bucket/half", &[]), &["another inputs/charter.md"]);
    project.edit("CHARTER.md", "CANARY-BELOW", "BELOW");
    let first = play("s1-edited", PLACE, &["--shard", "1/3"]);
    refused(&s3, &project, &first, &["is taken", "the charter"]);
    assert_eq!(model.count(), played);
    // A store without conditions is looked at first.
    let ran = s3
        .command(&project, &play("u", "s3://bucket/plain", &["--shard", "1/3"]))
        .env("AWS_CONDITIONAL_PUT", "disabled")
        .output()
        .unwrap();
    Ran::of(&ran).expect(0);
    restored(&s3, &project, "u", "s3://bucket/plain");
    refused(&s3, &project, &play("v", "s3://bucket/plain", &["--shard", "2/3"]), &["which shard it is"]);
}

#[test]
fn two_machines_with_the_same_trials_find_out() {
    let model = Shifting::start();
    let project = model.project(6);
    let s3 = S3::start();
    s3.run(&project, &play("r", PLACE, &[])).expect(0);
    // The same run, whose last trials were played again elsewhere.
    copy(&project, "r", "fork");
    let journal = project.read("r/transcripts.jsonl");
    let kept: String = journal.split_inclusive('\n').take(16).collect();
    project.write("fork/transcripts.jsonl", &kept);
    project.as_killed("fork", 16);
    project.run(&["run", "--resume", "fork", "--quiet"]).expect(0);
    let before = s3.objects();
    let ran = s3.run(&project, &["push", "fork", PLACE]).expect(3);
    assert!(ran.stderr.contains("another machine has sent other trials of this same run"), "{}", ran.stderr);
    assert!(s3.objects() == before, "what was paid for is never written over");
}

#[test]
fn what_goes_wrong_for_a_moment_is_tried_again() {
    let model = Shifting::start();
    let project = model.project(6);
    let s3 = S3::start();
    let mut seen = BTreeMap::new();
    s3.fails(move |method, path| {
        let times: &mut usize = seen.entry((method.clone(), path.to_owned())).or_default();
        *times += 1;
        // Each request once: a third of them with a busy store, a third with a connection that ends too early.
        match (*times, path.len() % 3) {
            (1, 0) => Some(Fault::Status(503)),
            (1, 1) => Some(Fault::CutAfter),
            _ => None,
        }
    });
    s3.run(&project, &play("r", PLACE, &[])).expect(0);
    restored(&s3, &project, "r", PLACE);
    assert_eq!(model.count(), 18);
}

#[test]
fn a_store_that_refuses_costs_nothing_and_loses_nothing() {
    let model = Shifting::start();
    let project = model.project(6);
    let s3 = S3::start();
    s3.fails(|_, _| Some(Fault::Status(403)));
    let ran = s3.run(&project, &play("r", PLACE, &[])).expect(3);
    assert!(ran.stderr.contains("s3://bucket/night/1/store.json cannot be read"), "{}", ran.stderr);
    assert_eq!(model.count(), 0, "nothing is played that cannot be kept");
    // It takes the run, and then no more of it.
    s3.fails(|method, path| {
        let late = ["transcripts/", "sittings.jsonl", "manifest.json"].iter().any(|part| path.contains(part));
        (method == "PUT" && late).then_some(Fault::Status(403))
    });
    let ran = s3.run(&project, &play("r", PLACE, &[])).expect(3);
    assert!(
        ran.stderr.contains("keep it, and send it with:\n  assize push r s3://bucket/night/1"),
        "{}",
        ran.stderr
    );
    assert!(project.json("r/manifest.json")["counts"]["passed"] == 18, "the folder has all of it");
    let ran = s3.run(&project, &["push", "r", PLACE]).expect(3);
    assert!(ran.stderr.contains("cannot be written"), "{}", ran.stderr);
    s3.recovers();
    s3.run(&project, &["push", "r", PLACE]).expect(0);
    restored(&s3, &project, "r", PLACE);
    assert_eq!(model.count(), 18);
    // The same command, once more: there is nothing left to do.
    s3.run(&project, &play("r", PLACE, &[])).expect(0);
    assert_eq!(model.count(), 18);
}

#[test]
fn keys_are_in_no_artefact_and_in_no_message() {
    let server = Server::start(|_, _| says(&format!("piano, and your keys are {ID} and {KEY}")));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let s3 = S3::start();
    let mut ran = vec![s3.run(&project, &["run", "--out", "r", "--store", PLACE]).expect(0)];
    assert!(project.read("r/transcripts.jsonl").contains("[secret AWS_SECRET_ACCESS_KEY]"));
    s3.fails(|_, _| Some(Fault::Status(403)));
    for arguments in [
        &["run", "--out", "q", "--store", PLACE][..],
        &["push", "r", PLACE],
        &["gate", PLACE],
        &["merge", PLACE, "-o", "m"],
    ] {
        let refused = s3.run(&project, arguments).expect(3);
        assert!(refused.stderr.contains("not for [secret AWS_ACCESS_KEY_ID]"), "{}", refused.stderr);
        ran.push(refused);
    }
    ran.push(s3.run(&project, &["gate", &format!("s3://{ID}:{KEY}@bucket/x")]).expect(2));
    ran.push(s3.run(&project, &["run", "--store", &format!("s3://{ID}:{KEY}@bucket/x")]).expect(2));
    for ran in ran {
        assert!(!ran.stdout.contains("7ZQ3") && !ran.stdout.contains("7zq3"), "{}", ran.stdout);
        assert!(!ran.stderr.contains("7ZQ3") && !ran.stderr.contains("7zq3"), "{}", ran.stderr);
    }
    for bytes in tree(&project, "").values().chain(s3.objects().values()) {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("7ZQ3") && !text.contains("7zq3"), "{text}");
    }
    assert!(s3.requests().iter().all(|(_, uri)| !uri.contains("7zq3")));
}

#[test]
fn a_large_file_goes_in_parts_and_comes_back_whole() {
    let model = Shifting::start();
    let project = model.project(1);
    let s3 = S3::start();
    project.run(&["run", "--out", "r", "--quiet"]).expect(0);
    let large: Vec<u8> = (0..20_000_000_u32).map(|n| (n % 251) as u8).collect();
    fs::write(project.path().join("r/transcripts.torn"), &large).unwrap();
    s3.run(&project, &["push", "r", PLACE]).expect(0);
    let parts = s3.requests().iter().filter(|(_, uri)| uri.contains("partNumber=")).count();
    assert_eq!(parts, 3);
    s3.run(&project, &["pack", PLACE, "--out", "store.pack"]).expect(0);
    project.run(&["pack", "r", "--out", "own.pack"]).expect(0);
    assert!(tree(&project, "")["store.pack"] == tree(&project, "")["own.pack"]);
}

#[test]
fn what_was_changed_in_the_store_is_found() {
    let model = Shifting::start();
    let project = model.project(2);
    let s3 = S3::start();
    s3.run(&project, &play("r", PLACE, &[])).expect(0);
    let object = |name: &str| format!("bucket/night/1/{name}");
    let whole = s3.objects();
    let found = |says: &str| {
        let ran = s3.run(&project, &["run", "--resume", "back", "--store", PLACE, "--quiet"]).expect(2);
        assert!(ran.stderr.contains(says), "no {says:?} in {}", ran.stderr);
        assert!(!project.path().join("back").exists(), "no half of a run is left behind");
        whole.iter().for_each(|(name, bytes)| s3.put(name, bytes));
    };
    s3.put(&object("inputs/charter.md"), b"another charter");
    found("night/1/inputs/charter.md: damaged: it does not have the digest");
    s3.remove(&object("inputs/matrix.yaml"));
    found("night/1/inputs/matrix.yaml: damaged: it is missing");
    let piece = whole.keys().find(|name| name.contains("/transcripts/")).unwrap();
    s3.remove(piece);
    s3.put(&object("transcripts/0000000000000007.jsonl"), b"{}\n");
    let ran = s3.run(&project, &["gate", PLACE]).expect(2);
    assert!(ran.stderr.contains("one is missing or was cut"), "{}", ran.stderr);
    s3.remove(&object("transcripts/0000000000000007.jsonl"));
    s3.put(&object("store.json"), b"{\"format\":1,\"plan_sha256\":\"\",\"files\":[{\"path\":\"inputs/../../x\",\"size\":1,\"sha256\":\"\"}]}");
    found("night/1/store.json: damaged");
    assert_eq!(model.count(), 6);
}

#[test]
fn whoever_has_no_key_is_told_at_once() {
    let model = Shifting::start();
    let project = model.project(1);
    for (place, wanted) in [
        ("s3://bucket/x", "AWS_ACCESS_KEY_ID"),
        ("gs://bucket/x", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("az://container/x", "AZURE_STORAGE_ACCOUNT_NAME"),
    ] {
        let mut command = project.command(&["run", "--out", "r", "--store", place]);
        for (name, _) in std::env::vars() {
            if ["AWS_", "AZURE_", "GOOGLE_", "GCE_"].iter().any(|maker| name.starts_with(maker)) {
                command.env_remove(name);
            }
        }
        let ran = Ran::of(&command.output().unwrap()).expect(2);
        assert!(ran.stderr.contains(wanted), "{}", ran.stderr);
        assert!(!project.path().join("r").exists());
    }
    let ran = project.run(&["run", "--out", "s3://bucket/x"]).expect(2);
    assert!(ran.stderr.contains("--store"), "{}", ran.stderr);
    assert_eq!(model.count(), 0);
}
