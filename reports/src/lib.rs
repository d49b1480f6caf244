//! The record: what a run owed, what came of it, and what may be concluded.
//!
//! - [`plan`]: the expected set, fixed before anything runs
//! - [`row`]: one verdict a line, the only source of every count
//! - [`manifest`]: the whole record of a run
//! - [`subject`]: whether a subject had the charter, and what program it was
//! - [`gate`]: may a release rest on it
//! - [`statistics`]: what n of n proves
//! - [`table`]: the matrix of cases × models, for a terminal

pub mod digest;
pub mod gate;
pub mod manifest;
pub mod plan;
pub mod row;
pub mod statistics;
pub mod subject;
pub mod table;

pub use gate::{Answer, Decision};
pub use manifest::Manifest;
pub use plan::{Cell, Expectation, Plan, TrialKey};
pub use row::{Row, Standing};
pub use subject::{LoadRecord, LoadVerdict, ProgramRecord};
