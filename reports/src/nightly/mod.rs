//! The nightly question: does a model still do what it did, with everything else unchanged?
//!
//! - [`rule`]: the decision, in two stages; nothing but counts goes in
//! - [`history`]: earlier nights, one sealed file each, and the baseline they make up
//! - [`tonight`]: a night under decision
//! - [`report`]: the answer of a night with all of its figures
//! - [`text`]: the answer for a terminal
//!
//! The rule is fixed beforehand and takes no parameter: who can turn a threshold after seeing the figures can have any
//! answer.

pub mod history;
pub mod report;
pub mod rule;
pub mod text;
pub mod tonight;

pub use history::{Baseline, History, HistoryError};
pub use report::{Answer, Report};
pub use rule::State;
pub use tonight::Tonight;
