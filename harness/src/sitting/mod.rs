//! A run: planned, played, written down, concluded.
//!
//! - [`material`]: the charter, cases, checkers and matrix that a run is made of
//! - [`planning`]: which trials are owed
//! - [`rundir`]: the run's folder, self-contained and resumable
//! - [`playing`]: the trials, many at a time
//! - [`sittings`]: when it was played, and why it ended
//! - [`reusing`]: trials taken from another run
//! - [`concluding`]: from the journal to verdicts and the manifest
//! - `drawing`: the manifest in the making
//! - `rowfile`: the rows of a journal, kept on disk
//! - [`evidence`]: the files of a run's folder and their digests
//! - [`attesting`]: the signed statements in it
//! - [`reporting`]: a run as renderers read it
//! - [`figures`]: a run brought down to what comparisons need
//! - [`alike`]: in what two plans differ
//! - [`merging`]: the shards of a run, joined
//! - [`unplayable`]: the cells that a program cannot play
//! - [`verifying`]: whether models get the charter, before a run is paid for

pub mod alike;
pub mod attesting;
pub mod concluding;
pub(crate) mod copied;
pub(crate) mod drawing;
pub mod evidence;
pub mod figures;
pub mod fixtures;
pub mod material;
pub mod merging;
pub mod planning;
pub mod playing;
pub mod reporting;
pub mod reusing;
pub(crate) mod rowfile;
pub mod rundir;
pub mod sittings;
pub mod statics;
pub mod unplayable;
pub mod verifying;
