//! Nothing paid for is lost: kills at any moment, resumed runs, and runs that are judged again.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::server::{Server, refuses, says};
use crate::support::signed::{answers, committed, copy_all};
use crate::support::{Project, Ran};

/// Starts a run of `trials` and kills it once the server has answered `after` requests.
fn killed_after(project: &Project, server: &Server, trials: &str, after: usize) {
    let mut child = project
        .command(&["run", "--out", "r", "--trials", trials, "--concurrency", "4"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while server.count() < after && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_killed_run_loses_nothing_and_repeats_nothing() {
    for after in [1, 7, 23] {
        let server =
            Server::slow(Duration::from_millis(15), |_, n| says(if n % 5 == 0 { "organ" } else { "piano" }));
        let project = Project::new();
        project.matrix("openai-chat", &[server.url()], "");
        killed_after(&project, &server, "40", after);
        let finished = project.read("r/transcripts.jsonl").lines().count();
        let before = server.count();
        let ran = project.run(&["run", "--resume", "r"]).expect(1);
        let repeated = server.count() - before;
        assert_eq!(repeated, 40 - finished, "each unfinished trial is played once, no finished one again");
        let manifest = project.json("r/manifest.json");
        assert_eq!(manifest["counts"]["expected"], 40);
        assert_eq!(manifest["counts"]["not_run"], 0);
        // Peers: a resume that reported 980 passed, 0 failed with 10 failures in its store.
        let failed = project.lines("r/verdicts.jsonl").iter().filter(|row| row["verdict"] == "fail").count();
        assert_eq!(manifest["counts"]["failed"], failed);
        assert!(failed > 0 && ran.stdout.contains(&format!("{failed} failed")), "{}", ran.stdout);
    }
}

#[test]
fn an_interrupt_finishes_what_is_under_way_and_leaves_a_resumable_run() {
    interrupted_by("-INT");
}

#[test]
fn the_end_of_the_terminal_is_an_interrupt() {
    interrupted_by("-HUP");
}

#[test]
fn a_run_that_was_started_to_outlive_its_terminal_does() {
    let server = Server::slow(Duration::from_millis(30), |_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let run = project.command(&["run", "--out", "r", "--trials", "20", "--concurrency", "2"]);
    let mut command = std::process::Command::new("nohup");
    command.arg(run.get_program()).args(run.get_args()).current_dir(project.path());
    command.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while server.count() < 4 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    Ran::of(&child.wait_with_output().unwrap()).expect(0);
    assert_eq!(server.count(), 20);
}

/// Interrupts a run by `signal`, looks at what is left of it, and goes on.
fn interrupted_by(signal: &str) {
    let server = Server::slow(Duration::from_millis(60), |_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let child = project
        .command(&["run", "--out", "r", "--trials", "200", "--concurrency", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while server.count() < 4 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
    let ran = Ran::of(&child.wait_with_output().unwrap()).expect(130);
    assert!(ran.stderr.contains("assize run --resume r"), "{}", ran.stderr);
    let kept = project.read("r/transcripts.jsonl").lines().count();
    assert_eq!(kept, server.count(), "every request that was sent is on disk");
    let gate = project.run(&["gate", "r"]).expect(3);
    assert!(gate.stdout.contains("incomplete"), "{}", gate.stdout);
    project.run(&["run", "--resume", "r"]).expect(0);
    assert_eq!(server.count(), 200);
}

#[test]
fn killed_between_playing_and_judging_a_run_is_judged_without_a_request() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(0);
    let (verdicts, manifest) = (project.read("r/verdicts.jsonl"), project.read("r/manifest.json"));
    std::fs::remove_file(project.path().join("r/verdicts.jsonl")).unwrap();
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    project.run(&["run", "--resume", "r"]).expect(0);
    assert_eq!(server.count(), 3);
    assert_eq!(project.read("r/verdicts.jsonl"), verdicts, "judging again gives the same bytes");
    assert_eq!(project.read("r/manifest.json"), manifest);
}

#[test]
fn a_resume_tries_errors_again_keeps_every_attempt_and_never_a_verdict() {
    let server = Server::start(|_, n| match n {
        0 => says("organ"),
        1 => refuses(400, "quota"),
        _ => says("piano"),
    });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(1);
    project.run(&["run", "--resume", "r"]).expect(1);
    assert_eq!(server.count(), 4, "only the error is tried again; the failure stands");
    let manifest = project.json("r/manifest.json");
    let trials = &manifest["cells"][0]["trials"];
    assert_eq!(trials[0]["standing"], "failed");
    assert_eq!(trials[1]["standing"], "passed");
    assert_eq!(trials[1]["attempts"].as_array().unwrap().len(), 2, "the failed attempt is on record");
}

#[test]
fn a_torn_last_line_is_set_aside_and_played_again() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(0);
    let text = project.read("r/transcripts.jsonl");
    project.write("r/transcripts.jsonl", &text[..text.len() - 40]);
    // The sitting came to its end, so the line was whole: whoever cuts it does not get another go at the trial.
    let ran = project.run(&["run", "--resume", "r"]).expect(2);
    assert!(ran.stderr.contains("lines that were played are gone"), "{}", ran.stderr);
    assert_eq!(server.count(), 3);
    project.as_killed("r", 2);
    let ran = project.run(&["run", "--resume", "r"]).expect(0);
    assert!(ran.stderr.contains("torn"), "{}", ran.stderr);
    assert_eq!(server.count(), 4);
    assert_eq!(project.lines("r/transcripts.jsonl").len(), 3);
    assert!(project.path().join("r/transcripts.torn").exists());
}

/// A reply of 600 KB.
#[cfg(unix)]
fn at_length() -> String {
    format!("piano {}", "la ".repeat(200_000))
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_before_what_follows_from_it_and_costs_no_other_trial() {
    let server = Server::start(|_, n| if matches!(n, 1 | 2) { says(&at_length()) } else { says("piano") });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run_limited(400, &["run", "--out", "r", "--concurrency", "1"]).expect(2);
    let says = |ran: &Ran, parts: &[&str]| {
        let mut rest = ran.stderr.as_str();
        for part in parts {
            let at =
                rest.find(part).unwrap_or_else(|| panic!("no {part:?} in its place in:\n{}", ran.stderr));
            rest = &rest[at + part.len()..];
        }
    };
    let go_on = "what was finished is kept; go on with:\n  assize run --resume r";
    says(&ran, &["r/transcripts.jsonl: File too large", go_on]);
    let first = project.read("r/transcripts.jsonl");
    assert_eq!(first.lines().count(), 1, "the one that was kept, and nothing of the other");
    assert_eq!(project.json("r/manifest.json")["counts"]["passed"], 1);

    // What cannot be concluded either does not hide why.
    std::fs::remove_file(project.path().join("r/verdicts.jsonl")).unwrap();
    std::fs::create_dir(project.path().join("r/verdicts.jsonl")).unwrap();
    let ran = project.run_limited(400, &["run", "--resume", "r", "--concurrency", "1"]).expect(2);
    says(
        &ran,
        &["r/transcripts.jsonl: File too large", "nor can the run be concluded", "verdicts.jsonl", go_on],
    );
    std::fs::remove_dir(project.path().join("r/verdicts.jsonl")).unwrap();
    project.run(&["run", "--resume", "r"]).expect(0);
    assert!(project.read("r/transcripts.jsonl").starts_with(&first));
    assert_eq!(server.count(), 5);
    project.run(&["gate", "r"]).expect(0);
}

#[cfg(unix)]
#[test]
fn a_runs_files_can_be_read_by_others_and_what_a_kill_left_is_swept_away() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = Server::start(|_, n| if n == 0 { refuses(400, "no") } else { says("piano") });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r", "--concurrency", "1"]).expect(3);
    // As a kill leaves it in the middle of the record.
    project.write("r/.assize-k1ll3d.tmp", "{\"half\":");
    project.run(&["run", "--resume", "r"]).expect(0);
    assert!(!project.path().join("r/.assize-k1ll3d.tmp").exists());
    assert!(!project.read("r/manifest.json").contains(".assize-"));
    let mode =
        |name: &str| std::fs::metadata(project.path().join("r").join(name)).unwrap().permissions().mode();
    for name in ["plan.json", "manifest.json", "verdicts.jsonl", "sittings.jsonl"] {
        assert_eq!(mode(name), mode("transcripts.jsonl"), "{name}");
    }
}

#[test]
fn a_resumed_run_uses_its_own_inputs_and_refuses_changed_ones() {
    let server = Server::slow(Duration::from_millis(15), |_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    killed_after(&project, &server, "30", 3);
    // The project moves on; the run does not care.
    project.edit("CHARTER.md", "Say the word", "Say nothing");
    project.edit("cases/w1-say-the-word/case.yaml", "please", "now");
    project.run(&["run", "--resume", "r"]).expect(0);
    assert!(server.seen().iter().all(|request| request.body.to_string().contains("Say the word.")));
    // Its own inputs must be what they were.
    project.edit("r/inputs/charter.md", "Say the word", "Say nothing");
    let ran = project.run(&["run", "--resume", "r"]).expect(2);
    assert!(ran.stderr.contains("the charter"), "{}", ran.stderr);
}

/// A manifest without times, ids, and the digests of what holds them.
fn timeless(manifest: &mut Value) {
    match manifest {
        Value::Object(fields) => {
            for key in ["started", "elapsed_ms", "response_id", "transcript_sha256", "evidence"] {
                fields.remove(key);
            }
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

#[test]
fn a_resumed_run_has_the_record_of_a_straight_one_but_for_times_and_ids() {
    let server = Server::start(|request, _| answers(request, "organ"));
    let (project, _) = committed(&[server.url()]);
    project.run(&["run", "--out", "runs/straight", "--concurrency", "1"]).expect(1);
    let mut straight = project.json("runs/straight/manifest.json");
    timeless(&mut straight);
    for kept in 0..=3 {
        // As a kill leaves it after so many trials.
        let resumed = project.path().join("runs/resumed");
        let _ = std::fs::remove_dir_all(&resumed);
        std::fs::create_dir(&resumed).unwrap();
        copy_all(&project.path().join("runs/straight"), &resumed);
        project.as_killed("runs/resumed", kept);
        let journal = project.read("runs/straight/transcripts.jsonl");
        let lines: String = journal.lines().take(kept).map(|line| format!("{line}\n")).collect();
        project.write("runs/resumed/transcripts.jsonl", &lines);
        project.run(&["run", "--resume", "runs/resumed", "--concurrency", "1"]).expect(1);
        let mut manifest = project.json("runs/resumed/manifest.json");
        timeless(&mut manifest);
        assert_eq!(manifest, straight, "after {kept}");
        let gate = project.run(&["gate", "runs/resumed"]).expect(1);
        assert!(!gate.stdout.contains("[chain]") && !gate.stdout.contains("[line]"), "{}", gate.stdout);
    }
}

#[test]
fn an_existing_folder_is_never_written_over() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(0);
    let before = project.read("r/transcripts.jsonl");
    let ran = project.run(&["run", "--out", "r"]).expect(2);
    assert!(ran.stderr.contains("r is there already; give another --out"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--resume r"), "{}", ran.stderr);
    assert_eq!(project.read("r/transcripts.jsonl"), before);
    assert_eq!(server.count(), 3);
}

#[test]
fn a_run_that_another_process_plays_is_left_as_it_is() {
    let server = Server::slow(Duration::from_millis(40), |_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let mut child = project
        .command(&["run", "--out", "r", "--trials", "400", "--concurrency", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while server.count() < 2 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let sittings = project.read("r/sittings.jsonl");
    let second = project.run(&["run", "--resume", "r"]);
    let untouched = (project.read("r/sittings.jsonl"), project.path().join("r/manifest.json").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let second = second.expect(2);
    assert!(second.stderr.contains("another assize is writing this run"), "{}", second.stderr);
    assert_eq!(untouched, (sittings, false));
}

/// Whoever opens a named pipe waits for a writer that never comes.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_never_waited_for() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r"]).expect(0);
    for file in [
        "plan.json",
        "manifest.json",
        "transcripts.jsonl",
        "verdicts.jsonl",
        "attestations/test-result.dsse.json",
        "inputs/charter.md",
    ] {
        let folder = project.path().join("piped");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        copy_all(&project.path().join("r"), &folder);
        std::fs::create_dir_all(folder.join("attestations")).unwrap();
        let place = folder.join(file);
        let _ = std::fs::remove_file(&place);
        assert!(std::process::Command::new("mkfifo").arg(&place).status().unwrap().success());
        for command in [&["gate", "piped"][..], &["report", "piped"], &["explain", "piped", "W1/r1/m1/t1"]] {
            let mut child =
                project.command(command).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            let start = Instant::now();
            while child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = child.kill();
            let ran = Ran::of(&child.wait_with_output().unwrap()).expect(2);
            assert!(ran.stderr.contains(file), "{command:?} {file}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_run_ends_with_what_to_do_next() {
    let server = Server::start(|_, n| if n == 0 { refuses(400, "not today") } else { says("organ") });
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--out", "r", "--trials", "1"]).expect(3);
    assert!(ran.stderr.contains("assize run --resume r"), "{}", ran.stderr);
    let ran = project.run(&["run", "--resume", "r"]).expect(1);
    assert!(ran.stderr.contains("assize explain r W1/r1/m1/t1"), "{}", ran.stderr);
}
