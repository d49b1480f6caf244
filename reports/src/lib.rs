//! The record: what a run owed, what came of it, and what may be concluded.
//!
//! - [`plan`]: the expected set, fixed before anything runs
//! - [`row`]: one verdict a line, the only source of every count
//! - [`manifest`]: the whole record of a run
//! - [`finding`]: what an audit or a gate says, with its place
//! - [`gate`]: may a release rest on it
//! - [`attestation`]: keys, and the signed statements of a run
//! - [`statistics`]: what n of n proves
//! - [`table`]: the matrix of cases × models, for a terminal
//! - [`report`]: what every renderer reads
//! - [`render`]: the report in other tools' forms

pub mod attestation;
pub mod digest;
pub mod finding;
pub mod gate;
pub mod manifest;
pub mod plan;
pub mod render;
pub mod report;
pub mod row;
pub mod statistics;
pub mod table;

pub use finding::{Finding, Rule};
pub use gate::{Answer, Decision};
pub use manifest::Manifest;
pub use plan::{Cell, Expectation, Plan, TrialKey};
pub use report::Report;
pub use row::{Row, Standing};
