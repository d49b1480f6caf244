//! Exit codes: a stable part of the interface.

use std::process::ExitCode;

/// The table of exit codes, for `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0    everything asked for holds
  1    a verdict, gate, audit or guard says no
  2    bad input or usage
  3    incomplete: something owed has no verdict
  130  interrupted; `assize run --resume RUN` goes on";

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything asked for holds.
    Holds,
    /// A verdict, gate, audit or guard says no.
    No,
    /// Bad input or usage.
    Usage,
    /// Something owed has no verdict.
    Incomplete,
    /// Interrupted.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Holds => 0,
            Exit::No => 1,
            Exit::Usage => 2,
            Exit::Incomplete => 3,
            Exit::Interrupted => 130,
        })
    }
}
