//! What lies between a checkout and its commit: links, line ends, filters, charters outside of the project's folder. Either
//! the audit reads the commit as the run read the checkout, or `run`, `lint` and `doctor` say before anything is paid for
//! that it will not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use harness::audit::commit::{AtCommit, CommitError};
use harness::git::Named;

use crate::support::server::Server;
use crate::support::signed::{answers, commit, committed, git};
use crate::support::{Project, Ran, assize};

/// A committed project, and the servers of its two models.
fn project() -> (Project, Server) {
    let server = Server::start(|request, _| answers(request, "piano"));
    let (project, _) = committed(&[server.url(), server.url()]);
    (project, server)
}

/// Runs the program in a folder of the project.
fn run_in(project: &Project, folder: &str, arguments: &[&str]) -> Ran {
    Ran::of(&assize().current_dir(project.path().join(folder)).args(arguments).output().unwrap())
}

/// Moves a file of the project.
fn moved(project: &Project, from: &str, to: &str) {
    let (from, to) = (project.path().join(from), project.path().join(to));
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(from, to).unwrap();
}

fn linked(project: &Project, link: &str, target: &str) {
    symlink(target, project.path().join(link)).unwrap();
}

/// A run of the last commit is audited with a yes, and nothing was said against it before.
fn holds(project: &Project, folder: &str) {
    let hash = commit(project, "linked");
    let run = run_in(project, folder, &["run", "--out", "runs/r"]).expect(0);
    assert!(!run.stderr.contains("audit will refuse"), "{}", run.stderr);
    let linted = run_in(project, folder, &["lint"]).expect(0);
    assert!(!linted.stdout.contains("audit will refuse"), "{}", linted.stdout);
    run_in(project, folder, &["audit", "runs/r", "--commit", &hash]).expect(0);
}

/// `run`, `lint` and `doctor` say before a run that an audit will refuse it, and why; and it does.
fn is_told(project: &Project, says: &str) {
    let hash = git(project, &["rev-parse", "HEAD"]);
    assert_eq!(git(project, &["status", "--porcelain"]), "", "git calls it clean");
    let run = project.run(&["run", "--out", "runs/r"]).expect(0);
    let (before, _) = run.stderr.split_once("run runs/r").unwrap();
    assert!(
        before.contains("a release audit will refuse a run of it") && before.contains(says),
        "{}",
        run.stderr
    );
    for command in ["lint", "doctor"] {
        let ran = project.run(&[command]).expect(0);
        assert!(ran.stdout.replace("\n    ", " ").contains(says), "{command}: {}", ran.stdout);
    }
    project.run(&["audit", "runs/r", "--commit", &hash]).expect(1);
}

#[test]
fn links_to_the_charter_the_cases_and_the_matrix_are_followed_within_the_commit() {
    let (project, _server) = project();
    moved(&project, "CHARTER.md", "texts/AGENTS.md");
    linked(&project, "CHARTER.md", "CLAUDE.md");
    linked(&project, "CLAUDE.md", "./texts/../texts/AGENTS.md");
    moved(&project, "cases", "texts/cases");
    linked(&project, "cases", "texts/cases/");
    moved(&project, "matrix.yaml", "texts/matrix.yaml");
    linked(&project, "matrix.yaml", "texts/matrix.yaml");
    moved(&project, "checkers", "texts/checkers");
    linked(&project, "checkers", "texts/checkers");
    holds(&project, ".");
}

#[test]
fn a_project_below_its_repository_may_name_what_lies_above_it() {
    let (project, _server) = project();
    for part in ["assize.yaml", "matrix.yaml", "checkers", ".gitignore"] {
        moved(&project, part, &format!("tools/gate/{part}"));
    }
    project.write("tools/gate/.gitignore", "/runs/\n");
    project.edit("tools/gate/assize.yaml", "CHARTER.md", "../../CHARTER.md");
    project.edit("tools/gate/assize.yaml", "cases: [cases]", "cases: [../cases]");
    linked(&project, "tools/cases", "../cases");
    holds(&project, "tools/gate");
}

#[test]
fn a_link_out_of_the_repository_is_told_before_a_run_and_refused_after_it() {
    let elsewhere = tempfile::tempdir().unwrap();
    for absolute in [true, false] {
        let (project, _server) = project();
        let target = elsewhere.path().join("CHARTER.md");
        fs::copy(project.path().join("CHARTER.md"), &target).unwrap();
        fs::remove_file(project.path().join("CHARTER.md")).unwrap();
        let from_here = Path::new("..").join(elsewhere.path().file_name().unwrap()).join("CHARTER.md");
        let target = if absolute { target } else { from_here };
        linked(&project, "CHARTER.md", target.to_str().unwrap());
        commit(&project, "a link out");
        is_told(&project, "leads out of the repository");
    }
}

#[test]
fn a_charter_beside_the_repository_is_told_before_a_run() {
    let (project, _server) = project();
    let beside = project
        .path()
        .parent()
        .unwrap()
        .join(format!("{}-charter.md", project.path().file_name().unwrap().to_string_lossy()));
    fs::copy(project.path().join("CHARTER.md"), &beside).unwrap();
    let name = format!("../{}", beside.file_name().unwrap().to_string_lossy());
    project.edit("assize.yaml", "path: CHARTER.md", &format!("path: {name}"));
    commit(&project, "a charter outside");
    is_told(&project, "lies outside of the repository");
    fs::remove_file(beside).unwrap();
}

#[test]
fn a_loop_of_links_and_a_link_to_nothing_are_told_by_the_commits_own_reader() {
    for (links, says) in [
        (vec![("CHARTER.md", "a.md"), ("a.md", "CHARTER.md")], "loop of symbolic links"),
        (vec![("CHARTER.md", "nowhere.md")], "is not in the commit"),
        (vec![("CHARTER.md", "matrix.yaml/x")], "is not in the commit"),
    ] {
        let (project, _server) = project();
        fs::remove_file(project.path().join("CHARTER.md")).unwrap();
        for (link, target) in links {
            linked(&project, link, target);
        }
        let hash = commit(&project, "links");
        match AtCommit::read(project.path(), &Named::Hash(hash)) {
            Err(CommitError::Project { message, .. }) => assert!(message.contains(says), "{message}"),
            other => panic!("{other:?}"),
        }
        // Nothing could be played either.
        project.run(&["run", "--out", "runs/r"]).expect(2);
    }
}

#[test]
fn links_among_cases_and_to_controls_are_refused_before_anything_is_played() {
    let (project, server) = project();
    linked(&project, "cases/w1-say-the-word/more.txt", "case.yaml");
    let ran = project.run(&["run", "--out", "runs/r"]).expect(2);
    assert!(ran.stderr.contains("a symbolic link in a case folder"), "{}", ran.stderr);
    // An audit of such a commit says the same.
    let hash = commit(&project, "a link");
    match AtCommit::read(project.path(), &Named::Hash(hash)) {
        Err(CommitError::Project { message, .. }) => {
            assert!(message.contains("a symbolic link in a case"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    fs::remove_file(project.path().join("cases/w1-say-the-word/more.txt")).unwrap();
    moved(&project, "checkers/says-the-word/v1.controls.jsonl", "controls.jsonl");
    linked(&project, "checkers/says-the-word/v1.controls.jsonl", "../../controls.jsonl");
    let ran = project.run(&["run", "--out", "runs/r"]).expect(2);
    assert!(ran.stderr.contains("v1.controls.jsonl: a symbolic link"), "{}", ran.stderr);
    assert_eq!(server.count(), 0);
}

#[test]
fn line_ends_that_git_changes_are_told_before_a_run() {
    let (project, _server) = project();
    project.write(".gitattributes", "*.csv text eol=crlf\n");
    commit(&project, "line ends");
    fs::remove_file(project.path().join("cases/w1-say-the-word/params.csv")).unwrap();
    git(&project, &["checkout", "-q", "."]);
    assert!(project.read("cases/w1-say-the-word/params.csv").contains("\r\n"));
    is_told(&project, "cases/w1-say-the-word/params.csv has other line ends here than in the commit");
}

#[test]
fn files_that_git_keeps_elsewhere_or_filters_are_told_before_a_run() {
    // As git-lfs has it: the commit holds a pointer, the checkout the file.
    let (project, _server) = project();
    let kept = project.path().join(".git/kept.md");
    fs::copy(project.path().join("CHARTER.md"), &kept).unwrap();
    git(
        &project,
        &[
            "config",
            "filter.kept.clean",
            "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:0\\nsize 1\\n'",
        ],
    );
    git(&project, &["config", "filter.kept.smudge", "cat .git/kept.md"]);
    project.write(".gitattributes", "CHARTER.md filter=kept\n");
    git(&project, &["add", "--renormalize", "."]);
    commit(&project, "kept elsewhere");
    is_told(&project, "git-lfs pointer");

    let (project, _server) = self::project();
    git(&project, &["config", "filter.loud.clean", "sed s/Say/Tell/"]);
    git(&project, &["config", "filter.loud.smudge", "sed s/Tell/Say/"]);
    project.write(".gitattributes", "CHARTER.md filter=loud\n");
    git(&project, &["add", "--renormalize", "."]);
    commit(&project, "filtered");
    is_told(&project, "CHARTER.md has other bytes here than in the commit");
}

#[test]
fn a_file_that_git_was_told_to_overlook_is_told_before_a_run() {
    let (project, _server) = project();
    git(&project, &["update-index", "--assume-unchanged", "CHARTER.md"]);
    project.edit("CHARTER.md", "Say them.", "Say each.");
    is_told(&project, "CHARTER.md has other bytes here than in the commit");
}

#[test]
fn a_name_that_moves_is_answered_with_the_hash_to_give() {
    let (project, _server) = project();
    project.run(&["run", "--out", "runs/r", "--quiet"]).expect(0);
    let hash = git(&project, &["rev-parse", "HEAD"]);
    git(&project, &["tag", "v1"]);
    git(&project, &["branch", "next"]);
    for (arguments, says) in [
        (
            ["--commit", "HEAD"],
            format!("`HEAD` is a name that moves, not a hash; what it names now is --commit {hash}"),
        ),
        (["--commit", "next"], format!("what it names now is --commit {hash}")),
        (["--commit", "v1"], format!("`v1` is a tag, not a hash: give --tag v1, or --commit {hash}")),
        (
            ["--commit", &hash[..5]],
            format!("too short for a hash that stays the only one; give --commit {hash}"),
        ),
        (["--commit", "nonsense"], "`nonsense` is no hash of a commit: at least 7 hex digits".to_owned()),
        (["--tag", "next"], format!("what it names now is --commit {hash}")),
    ] {
        let ran = project.run(&[&["audit", "runs/r"][..], &arguments].concat()).expect(2);
        assert!(ran.stderr.contains(&says), "{arguments:?}: {}", ran.stderr);
    }
}
