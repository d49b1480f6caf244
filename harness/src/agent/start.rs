//! Starting a program through the launcher, with nothing in its environment but what it needs, and taking in what it
//! prints, up to a limit.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use super::fence::Fence;
use super::launcher::{Account, End, Orders};

/// How much of what a program says on stderr is kept: its end, where the cause is.
const STDERR_KEPT: usize = 4 << 10;

/// How much longer than the program the launcher may take before it is taken for stuck.
const GRACE: Duration = Duration::from_secs(20);

/// A program to be started.
#[derive(Debug, Clone)]
pub struct Start<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// Its whole environment.
    pub env: &'a [(String, String)],
    /// Its working folder.
    pub folder: &'a Path,
    /// What it reads on stdin.
    pub input: &'a str,
    /// What it may reach.
    pub fence: &'a Fence,
    /// Where the launcher's account goes, out of the program's reach.
    pub report: &'a Path,
    /// Seconds that it may take.
    pub seconds: u64,
    /// Bytes that it may print.
    pub output: u64,
    /// Processes that it may be at the same time.
    pub processes: u32,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// What it printed; at most as much as it may.
    pub stdout: Vec<u8>,
    /// The end of what it said on stderr.
    pub stderr: String,
    /// The launcher's account.
    pub account: Account,
    /// Whether it printed more than it may, and was ended for it.
    pub flooded: bool,
}

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The operating system refused.
    #[error("a program cannot be started: {0}")]
    Io(#[from] std::io::Error),
    /// The orders cannot be written down.
    #[error("a program cannot be started: {0}")]
    Orders(#[from] serde_json::Error),
    /// The launcher did not get as far as the program.
    #[error("{0}")]
    Launcher(String),
    /// The launcher did not end.
    #[error("the program could not be ended within {} s of its time limit", GRACE.as_secs())]
    Stuck,
}

impl Start<'_> {
    /// Starts the program and waits until it and all that it started are gone.
    ///
    /// # Errors
    /// [`StartError`]: the program was not started, or what it did is not known.
    pub async fn run(&self) -> Result<Finished, StartError> {
        let orders = Orders {
            fence: self.fence.clone(),
            seconds: self.seconds,
            processes: self.processes,
            parent: std::process::id(),
            report: self.report.to_owned(),
        };
        // An account of an earlier start must not be taken for this one's.
        let _ = std::fs::remove_file(self.report);
        let mut child = Command::new(std::env::current_exe()?)
            .arg("fence")
            .arg(serde_json::to_string(&orders)?)
            .arg("--")
            .args(self.argv)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let watched = self.watch(&mut child);
        let limit = Duration::from_secs(self.seconds) + GRACE;
        let Ok(result) = tokio::time::timeout(limit, watched).await else {
            end(child.id()).await;
            let _ = child.kill().await;
            return Err(StartError::Stuck);
        };
        result
    }

    async fn watch(&self, child: &mut Child) -> Result<Finished, StartError> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let input = async {
            if let Some(mut stdin) = stdin {
                // It may not read its input, and then the write fails: that is its own affair.
                let _ = stdin.write_all(self.input.as_bytes()).await;
            }
        };
        let launcher = child.id();
        let output = async {
            let (bytes, flooded) = read_up_to(stdout, self.output).await?;
            if flooded {
                end(launcher).await;
            }
            Ok::<_, std::io::Error>((bytes, flooded))
        };
        let ((), output, errors) = tokio::join!(input, output, last_of(stderr));
        let (stdout, flooded) = output?;
        let stderr = String::from_utf8_lossy(&errors?).into_owned();
        child.wait().await?;
        let account = std::fs::read(self.report).unwrap_or_default();
        match serde_json::from_slice(&account) {
            Ok(account) => Ok(Finished { stdout, stderr, account, flooded }),
            // Without an account the program was not started, and the launcher has said why.
            Err(_) => Err(StartError::Launcher(stderr.trim().trim_start_matches("error: ").to_owned())),
        }
    }
}

impl Finished {
    /// The exit code, when the program ended by itself.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        match self.account.end {
            End::Exited(code) => code,
            End::TimeLimit | End::ProcessLimit | End::Orphaned => None,
        }
    }
}

/// Ends what the launcher has started; the launcher then gives its account.
async fn end(launcher: Option<u32>) {
    #[cfg(unix)]
    if let Some(launcher) = launcher {
        let _ = tokio::task::spawn_blocking(move || super::family::end_below(launcher)).await;
    }
    #[cfg(not(unix))]
    let _ = launcher;
}

/// Reads up to `limit` bytes; the second is whether there was more.
async fn read_up_to(source: Option<impl AsyncRead + Unpin>, limit: u64) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let Some(source) = source else { return Ok((bytes, false)) };
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes).await?;
    let flooded = bytes.len() as u64 > limit;
    if flooded {
        bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok((bytes, flooded))
}

/// Reads to the end and keeps the last of it.
async fn last_of(source: Option<impl AsyncRead + Unpin>) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let Some(mut source) = source else { return Ok(kept) };
    let mut buffer = vec![0; STDERR_KEPT];
    loop {
        let count = source.read(&mut buffer).await?;
        if count == 0 {
            return Ok(kept);
        }
        kept.extend_from_slice(&buffer[..count]);
        let over = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..over);
    }
}

/// The program by its place, and what must be readable for it to run: its own folder, for a package of npm's the
/// whole tree of packages it lies in, the folders that PATH names, and what the entry adds.
#[must_use]
pub fn locate(argv: &[String], env: &[(String, String)], more: &[String]) -> (Vec<String>, Vec<PathBuf>) {
    let path =
        env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_str()).unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    let mut argv = argv.to_vec();
    let mut read: Vec<PathBuf> = more.iter().map(PathBuf::from).collect();
    if let Some(program) = argv.first_mut() {
        let named = Path::new(program.as_str());
        let found = if named.components().count() > 1 {
            std::path::absolute(named).ok()
        } else {
            folders.iter().map(|folder| folder.join(named)).find(|file| file.is_file())
        };
        if let Some(found) = found {
            *program = found.to_string_lossy().into_owned();
            read.extend(home_of(&found));
            read.extend(found.canonicalize().ok().as_deref().and_then(home_of));
        }
    }
    read.extend(folders);
    (argv, read)
}

/// The folder that a program needs to be whole.
fn home_of(program: &Path) -> Option<PathBuf> {
    let packages = program.ancestors().filter(|folder| folder.ends_with("node_modules")).last();
    packages.or_else(|| program.parent()).map(Path::to_owned)
}
