//! External checkers, started within limits: a time, an amount of output, and an environment without keys. At a limit
//! the program is ended together with all its children.
//!
//! A program runs in a copy of the folder of checkers that it lies in. Interpreters leave files beside what they run,
//! and the folder may be a run's, whose manifest records every file.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use checkers::external::{Answer, Commands, Request};
use tempfile::TempDir;

use crate::sitting::material;

/// The variables that a program gets; everything else, keys above all, stays here.
const PASSED_ON: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SystemRoot"];

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(4);

/// How long what a program wrote may take to be read once the program is gone. Whatever still holds its output open then
/// has left its group, and may do so for ever.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// How often a program that another thread's child still holds open for writing is tried again.
const BUSY: u32 = 50;

/// Starts programs on this machine.
#[derive(Debug, Default)]
pub struct Programs {
    roots: Vec<PathBuf>,
    /// The copy of each folder that was needed so far; they go when this goes.
    copies: Mutex<HashMap<PathBuf, TempDir>>,
}

impl Programs {
    /// Programs that lie in the folders `roots`, of which each is a whole: what lies in one may use all of it.
    /// A program outside of them has its own folder only.
    #[must_use]
    pub fn of(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { roots: roots.into_iter().collect(), copies: Mutex::default() }
    }

    /// The place of `folder` in a copy of the folder that it belongs to.
    fn copy_of(&self, folder: &Path) -> Result<PathBuf, String> {
        let roots = self.roots.iter().filter(|root| folder.starts_with(root));
        let root = roots.max_by_key(|root| root.components().count()).map_or(folder, PathBuf::as_path);
        // Held while the copy is made: whoever needs it too has to wait for it anyway.
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = match copies.get(root) {
            Some(copy) => copy.path().to_owned(),
            None => {
                let copy = copied(root)?;
                let path = copy.path().to_owned();
                copies.insert(root.to_owned(), copy);
                path
            }
        };
        Ok(copy.join(folder.strip_prefix(root).unwrap_or(Path::new(""))))
    }
}

/// A copy of what a run would keep of `folder`.
fn copied(folder: &Path) -> Result<TempDir, String> {
    let wrong = |path: &Path, error: &dyn std::fmt::Display| {
        format!("{} cannot be copied to run a program in: {error}", path.display())
    };
    let copy = tempfile::Builder::new()
        .prefix("assize-checkers-")
        .tempdir()
        .map_err(|error| wrong(folder, &error))?;
    for file in material::files_below(folder).map_err(|error| wrong(folder, &error))? {
        let to = copy.path().join(file.strip_prefix(folder).unwrap_or(&file));
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(|error| wrong(&file, &error))?;
        }
        fs::copy(&file, &to).map_err(|error| wrong(&file, &error))?;
    }
    Ok(copy)
}

/// What a program may use up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// How long it may take.
    pub(crate) time: Duration,
    /// How many bytes it may write to either output.
    pub(crate) output: usize,
}

/// Leaves a program those variables only.
pub(crate) fn keep_only(command: &mut Command, names: &[&str]) {
    command.env_clear();
    command.envs(names.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
}

impl Commands for Programs {
    fn run(&self, request: &Request<'_>) -> Result<Answer, String> {
        let (program, arguments) = request.argv.split_first().ok_or("no program is named")?;
        let folder = Path::new(request.definition).parent().filter(|folder| folder.is_dir());
        let folder = folder.map(|folder| self.copy_of(folder)).transpose()?;
        let folder = folder.as_deref();
        let mut command = Command::new(located(program, folder));
        command.args(arguments);
        keep_only(&mut command, &PASSED_ON);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let limits = Limits { time: request.time_limit, output: request.output_limit };
        answer(command, program, request.input, limits)
    }
}

/// Runs `command` to its end within `limits`; `program` is what it is called in messages.
pub(crate) fn answer(
    mut command: Command,
    program: &str,
    input: &[u8],
    limits: Limits,
) -> Result<Answer, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that its children can be ended with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = spawn(&mut command).map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    watch(child, input, limits)
}

/// Starts a program. What another thread starts holds a copy of every open file for the moment between fork and exec,
/// and a program that was just copied cannot be started in that moment.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..BUSY {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(LOOK),
            other => return other,
        }
    }
    command.spawn()
}

/// A program that is named by a path lies relative to `folder`; a bare name is looked up as usual.
pub(crate) fn located(program: &str, folder: Option<&Path>) -> PathBuf {
    let path = Path::new(program);
    match folder {
        Some(folder) if path.components().count() > 1 && path.is_relative() => {
            folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(path)
        }
        _ => path.to_owned(),
    }
}

fn watch(mut child: Child, input: &[u8], limits: Limits) -> Result<Answer, String> {
    let input = input.to_vec();
    let stdin = child.stdin.take();
    // It may not read its input, and then the write fails: that is its own affair.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let limit = limits.output;
    let stdout = collect(child.stdout.take(), limit);
    let stderr = collect(child.stderr.take(), limit);
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() > limits.time => {
                end(&mut child);
                return Err(format!("it took longer than {} s and was ended", limits.time.as_secs()));
            }
            Ok(None) => thread::sleep(LOOK),
            Err(error) => {
                end(&mut child);
                return Err(error.to_string());
            }
        }
    };
    // What it left running holds its pipes open; ending the group closes them, but for what has left the group.
    end(&mut child);
    let last = Instant::now() + LAST_WORDS;
    let read = |output: mpsc::Receiver<io::Result<Vec<u8>>>| match output
        .recv_timeout(last.saturating_duration_since(Instant::now()))
    {
        Ok(Ok(bytes)) if bytes.len() > limit => Err(format!("it wrote more than {limit} bytes")),
        Ok(Ok(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(RecvTimeoutError::Timeout) => {
            Err("it ended, but something that it started runs on and holds its \
                                                   output open, so nobody knows whether that was all of it"
                .to_owned())
        }
        Err(RecvTimeoutError::Disconnected) => Err("its output could not be read".to_owned()),
    };
    Ok(Answer { status: status.code(), stdout: read(stdout)?, stderr: read(stderr)? })
}

/// Reads up to one byte more than `limit`, then lets the pipe close. Who waits for it need not wait for ever.
fn collect<R: Read + Send + 'static>(source: Option<R>, limit: usize) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (done, output) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = source.map_or(Ok(0), |source| source.take(limit as u64 + 1).read_to_end(&mut bytes));
        // Nobody may be waiting any more.
        let _ = done.send(read.map(|_| bytes));
    });
    output
}

/// Ends a program and whatever it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The group may be gone already.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn ask(script: &str, seconds: u64) -> Result<Answer, String> {
        let argv = ["sh".to_owned(), "-c".to_owned(), script.to_owned()];
        let request = Request {
            argv: &argv,
            definition: "",
            input: b"{\"id\":\"a\"}\n",
            time_limit: Duration::from_secs(seconds),
            output_limit: 1000,
        };
        Programs::default().run(&request)
    }

    #[test]
    fn input_output_and_status_come_through() {
        let answer = ask("cat; echo oops >&2; exit 1", 10).unwrap();
        assert_eq!(
            (answer.status, answer.stdout.trim(), answer.stderr.trim()),
            (Some(1), "{\"id\":\"a\"}", "oops")
        );
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("alive");
        let script = format!("(sleep 3; touch {}) & sleep 60", mark.display());
        let start = Instant::now();
        let error = ask(&script, 1).unwrap_err();
        assert!(error.contains("longer than 1 s"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(3));
        thread::sleep(Duration::from_secs(3));
        assert!(!mark.exists(), "a child outlived its parent");
    }

    /// `setsid` takes it out of the group; the pipe stays open until it ends.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_leaves_something_running_is_not_waited_for_until_that_ends() {
        let folder = tempfile::tempdir().unwrap();
        // Once the mark is there, it has left the group, and ends no more with it.
        let leaving = |name: &str, output: &str| {
            let mark = folder.path().join(name).display().to_string();
            format!(
                "setsid sh -c 'touch {mark}; exec sleep 40' {output} & while ! [ -e {mark} ]; do sleep 0.05; done; echo first"
            )
        };
        let error = ask(&leaving("open", ""), 30).unwrap_err();
        assert!(error.contains("something that it started runs on"), "{error}");
        // Where nothing of the program's is open, it may run on.
        let answer = ask(&leaving("closed", ">/dev/null 2>&1"), 30).unwrap();
        assert_eq!((answer.status, answer.stdout.trim()), (Some(0), "first"));
    }

    #[test]
    fn too_much_output_is_an_error_and_keys_stay_here() {
        assert!(ask("head -c 5000 /dev/zero", 10).unwrap_err().contains("more than 1000 bytes"));
        let answer = ask("env", 10).unwrap();
        assert!(!answer.stdout.contains("CARGO"), "{}", answer.stdout);
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let argv = ["no-such-program-here".to_owned()];
        let request = Request {
            argv: &argv,
            definition: "",
            input: b"",
            time_limit: Duration::from_secs(1),
            output_limit: 10,
        };
        assert!(Programs::default().run(&request).unwrap_err().contains("no-such-program-here"));
    }
}
