//! The process between the harness and a program: `assize fence`. It fences itself in, starts the program, and ends it
//! with everything it started, when the program is done, when a limit is met, or when the harness is no more.
//!
//! It is a process of its own because only a process that is about to start the program can be fenced in without
//! fencing in the harness, and because whatever ends the harness must not leave a program running.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::fence::{Fence, Fenced};

/// What the launcher is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orders {
    /// What the program may reach.
    pub fence: Fence,
    /// Seconds that it may take.
    pub seconds: u64,
    /// Processes that it may be at the same time.
    pub processes: u32,
    /// The harness: once it is gone, the program ends.
    pub parent: u32,
    /// Where the account goes.
    pub report: PathBuf,
}

/// How a program came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// By itself, with this exit code; none when a signal ended it.
    Exited(Option<i32>),
    /// It took too long.
    TimeLimit,
    /// It was too many processes.
    ProcessLimit,
    /// The harness was gone.
    Orphaned,
}

/// The launcher's account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// What was fenced.
    pub fenced: Fenced,
    /// How the program ended.
    pub end: End,
    /// Processes that it had left running, and that were ended.
    pub left: usize,
}

/// Why a program was not started, or not watched to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// No program is named.
    #[error("no program is named")]
    NoProgram,
    /// The program is not there, or is none.
    #[error("`{program}` cannot be started: {source}; is it installed, and on the PATH?")]
    Start {
        /// The program.
        program: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// It cannot be fenced in.
    #[error("{0}")]
    Fence(String),
    /// The account cannot be written, or the program not be watched.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// This platform has no process groups.
    #[error("agent programs can be tried on Unix only")]
    Platform,
}

/// Does as told; returns when the program and all that it started are gone.
///
/// # Errors
/// [`LaunchError`]; nothing runs any more then either.
#[cfg(unix)]
pub fn run(orders: &Orders, argv: &[String]) -> Result<(), LaunchError> {
    let (program, arguments) = argv.split_first().ok_or(LaunchError::NoProgram)?;
    // Opened before the fence closes: its place is out of the program's reach.
    let mut report = std::fs::File::create(&orders.report)?;
    // A session of its own: no terminal's Ctrl-C reaches the program, only the harness decides.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(io::Error::from)?;
    let fenced = super::fence::enforce(&orders.fence).map_err(LaunchError::Fence)?;
    let child = std::process::Command::new(program)
        .args(arguments)
        .spawn()
        .map_err(|source| LaunchError::Start { program: program.clone(), source })?;
    let (end, left) = watch(child, orders)?;
    serde_json::to_writer(&mut report, &Account { fenced, end, left }).map_err(io::Error::from)?;
    Ok(report.sync_all()?)
}

/// Elsewhere there is no way to end a program with all that it started.
///
/// # Errors
/// Always.
#[cfg(not(unix))]
pub fn run(_orders: &Orders, _argv: &[String]) -> Result<(), LaunchError> {
    Err(LaunchError::Platform)
}

/// Waits for the program's end or brings it about; the second is how many processes it left running.
#[cfg(unix)]
fn watch(mut child: std::process::Child, orders: &Orders) -> io::Result<(End, usize)> {
    use std::time::{Duration, Instant};

    use super::family;

    /// How often the program is looked at.
    const LOOK: Duration = Duration::from_millis(10);
    /// Counting processes costs more than asking for the program's end, so it is done less often.
    const COUNT_EVERY: u32 = 10;

    let me = std::process::id();
    let start = Instant::now();
    let mut looks = 0_u32;
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break End::Exited(status.code());
        }
        if std::os::unix::process::parent_id() != orders.parent {
            break End::Orphaned;
        }
        if start.elapsed() > Duration::from_secs(orders.seconds) {
            break End::TimeLimit;
        }
        let count = looks.is_multiple_of(COUNT_EVERY).then(|| family::below(me).len());
        if count.is_some_and(|count| count > orders.processes as usize) {
            break End::ProcessLimit;
        }
        looks = looks.wrapping_add(1);
        std::thread::sleep(LOOK);
    };
    let left = family::end_below(me);
    if !matches!(end, End::Exited(_)) {
        let _ = child.kill();
        child.wait()?;
    }
    Ok((end, left))
}
