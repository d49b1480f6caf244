//! The sitting: cases are loaded, played against subjects, written down, and judged.
//!
//! - [`project`]: the project file and what it points to
//! - [`journal`]: the append-only file that a finished trial is in before it counts
//! - [`judging`]: from journal lines to verdicts, in parallel and in order
//! - [`event`]: what a run tells whoever watches it

pub mod event;
pub mod journal;
pub mod judging;
pub mod project;
