//! Judges: text in, findings out. No async, no network, no clock.
//!
//! - [`definition`]: the versioned checker file and its strict reading
//! - [`expr`]: values in definitions that depend on the parameter row
//! - [`context`]: what a predicate sees of the transcript
//! - [`reading`]: numbers, equations and claims in running text
//! - [`predicates`]: one file a predicate
//! - [`command`]: reading shell command lines
//! - [`calls`]: what the calls of a transcript did
//! - [`figures`]: supplied figures, and what a reply makes of them
//! - [`closing`]: whether a reply claims that the work is done
//! - [`checker`]: from a definition and a transcript to a verdict
//! - [`verdict`]: outcomes, clause results, evidence
//! - [`control`]: the transcripts that a checker must judge right before it is believed
//! - [`library`]: the checkers at hand, shipped ones and the user's own

pub mod calls;
pub mod checker;
pub mod closing;
pub mod command;
pub mod context;
pub mod control;
pub mod definition;
pub mod expr;
pub mod figures;
pub mod library;
pub mod predicates;
pub mod reading;
pub mod verdict;

pub use checker::Checker;
pub use control::ControlFailure;
pub use definition::DefinitionError;
pub use library::{Library, Lookup};
pub use verdict::{ClauseResult, Evidence, Outcome, Verdict};
