//! A run: planned, played, written down, concluded.
//!
//! - [`material`]: the charter, cases, checkers and matrix that a run is made of
//! - [`planning`]: which trials are owed
//! - [`rundir`]: the run's folder, self-contained and resumable
//! - [`playing`]: the trials, many at a time
//! - [`concluding`]: from the journal to verdicts and the manifest
//! - [`unplayable`]: the cells that a program cannot play
//! - [`verifying`]: whether models get the charter, before a run is paid for
//! - [`auditing`]: whether plan and journal follow from the run's own inputs

pub mod auditing;
pub mod concluding;
pub mod material;
pub mod planning;
pub mod playing;
pub mod rundir;
pub mod unplayable;
pub mod verifying;
