//! Exit codes: a stable part of the interface.

use std::process::ExitCode;

use harness::store::StoreError;

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

impl Exit {
    /// How the program ends after an error: as after bad input, unless a store was to blame.
    pub(crate) fn after(error: &anyhow::Error) -> Self {
        match error.downcast_ref() {
            Some(StoreError::Failed { .. } | StoreError::Forked(_) | StoreError::Ahead { .. }) => {
                Self::Incomplete
            }
            _ => Self::Usage,
        }
    }
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
