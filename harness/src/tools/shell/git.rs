//! `git`, as far as it only looks: the fixture is the one commit there is, and the trial's changes are not committed.

use sha2::{Digest, Sha256};
use transcript::{Change, FileChange};

use super::exec::{Io, Shell};
use super::grep::{self, Flavour};
use super::text::hex;
use super::word::BYTES_A_MATCH;

pub(super) fn git(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    let skip = usize::from(args.first().is_some_and(|arg| arg == "--no-pager"));
    let Some((name, args)) = args.get(skip..).and_then(<[String]>::split_first) else {
        return io.fail(1, "git: which command?");
    };
    /// Comparing everything is dear; a command line may do it a few times.
    const COMPARE_BYTES: usize = 8 << 20;
    if let Err(error) = sh.charge(COMPARE_BYTES) {
        return io.fail(2, format_args!("git: {error}"));
    }
    match name.as_str() {
        "status" => status(sh, args, io),
        "diff" => diff(sh, args, io),
        "log" => log(sh, args, io),
        "ls-files" => {
            for path in sh.workspace.base().keys().filter(|path| sh.workspace.get(path).is_some()) {
                io.out.line(path);
            }
            0
        }
        "grep" => {
            let mut args = args.to_vec();
            args.insert(0, "-r".to_owned());
            io.input = None;
            grep::grep(sh, &args, io, Flavour::Grep)
        }
        "branch" => {
            io.out.line("* main");
            0
        }
        other => io.fail(127, format_args!("command not available here: git {}", super::excerpt(other))),
    }
}

fn status(sh: &Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    let changes = sh.workspace.diff();
    let is_short = args.iter().any(|arg| matches!(arg.as_str(), "-s" | "--short" | "--porcelain" | "-sb"));
    let (new, old): (Vec<&FileChange>, Vec<&FileChange>) =
        changes.iter().partition(|change| change.change == Change::Created);
    if is_short {
        for change in old {
            io.out.line(format!(
                " {} {}",
                if change.change == Change::Deleted { 'D' } else { 'M' },
                change.path
            ));
        }
        for change in new {
            io.out.line(format!("?? {}", change.path));
        }
        return 0;
    }
    io.out.line("On branch main");
    if !old.is_empty() {
        io.out.line("\nChanges not staged for commit:");
        for change in &old {
            let word = if change.change == Change::Deleted { "deleted: " } else { "modified:" };
            io.out.line(format!("\t{word}   {}", change.path));
        }
    }
    if !new.is_empty() {
        io.out.line("\nUntracked files:");
        for change in &new {
            io.out.line(format!("\t{}", change.path));
        }
    }
    if changes.is_empty() {
        io.out.line("nothing to commit, working tree clean");
    }
    0
}

fn diff(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    let mut names_only = false;
    let mut only = Vec::new();
    for arg in args {
        match arg.as_str() {
            "--name-only" => names_only = true,
            "--" | "HEAD" | "--no-color" => {}
            option if option.starts_with('-') => {
                return io.fail(129, format_args!("git: option not available here: {option}"));
            }
            name => match sh.path(name) {
                Ok(path) => only.push(path),
                Err(error) => return io.fail(128, format_args!("fatal: {error}")),
            },
        }
    }
    let changes = sh.workspace.diff();
    if let Err(error) = sh.charge(changes.len() * only.len() * BYTES_A_MATCH) {
        return io.fail(128, format_args!("fatal: {error}"));
    }
    for change in changes {
        let is_asked = only.is_empty()
            || only.iter().any(|path| path.as_str() == change.path || path.below(&change.path).is_some());
        if change.change == Change::Created || !is_asked {
            continue;
        }
        if names_only {
            io.out.line(&change.path);
            continue;
        }
        io.out.line(format!("diff --git a/{0} b/{0}", change.path));
        io.out.push(change.diff.unwrap_or_else(|| "Binary files differ\n".to_owned()));
    }
    0
}

/// The commit's name comes from what it holds, so that it is the same in every trial.
fn log(sh: &Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    let mut hash = Sha256::new();
    for (path, content) in sh.workspace.base() {
        hash.update(path.as_bytes());
        hash.update([0]);
        hash.update(content);
        hash.update([0]);
    }
    let commit = hex(&hash.finalize());
    if args.iter().any(|arg| arg == "--oneline") {
        io.out.line(format!("{} Initial commit", &commit[..7]));
    } else {
        io.out.line(format!("commit {}\n\n    Initial commit", &commit[..40]));
    }
    0
}
