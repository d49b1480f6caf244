//! The record: what a run owed, what came of it, and what may be concluded.
//!
//! - [`plan`]: the expected set, fixed before anything runs
//! - [`shard`]: one machine's part of it
//! - [`row`]: one verdict a line, the only source of every count
//! - [`manifest`]: the whole record of a run
//! - [`finding`]: what an audit or a gate says, with its place
//! - [`subject`]: whether a subject had the charter, and what program it was
//! - [`fixture`]: fixtures of a constitution, happy and redline apart
//! - [`gate`]: may a release rest on it
//! - [`attestation`]: keys, and the signed statements of a run
//! - [`figures`]: a run reduced to what comparisons need
//! - [`compare`]: two runs, cell by cell
//! - [`nightly`]: a night against those before it
//! - [`statistics`]: what n of n proves
//! - [`digest`]: canonical bytes and their digests
//! - `canonical`: RFC 8785 in one pass
//! - [`served`]: what the endpoints said of themselves
//! - [`words`]: counts of things, and characters that steer
//! - [`whole`]: files that are there whole or not at all
//! - [`table`]: the matrix of cases × models, for a terminal
//! - [`report`]: what every renderer reads
//! - [`render`]: the report in other tools' forms

pub mod attestation;
mod canonical;
pub mod compare;
pub mod digest;
pub mod figures;
pub mod finding;
pub mod fixture;
pub mod gate;
pub mod manifest;
pub mod nightly;
pub mod plan;
pub mod render;
pub mod report;
pub mod row;
pub mod served;
pub mod shard;
pub mod statistics;
pub mod subject;
pub mod table;
pub mod whole;
pub mod words;

pub use figures::Figures;
pub use finding::{Finding, Rule};
pub use gate::{Answer, Decision};
pub use manifest::Manifest;
pub use plan::{Cell, Expectation, Plan, TrialKey};
pub use report::Report;
pub use row::{Row, Standing};
pub use shard::Shard;
pub use subject::{LoadRecord, LoadVerdict, ProgramRecord};
