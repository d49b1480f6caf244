//! Judges: text in, findings out. No async, no network, no clock.
//!
//! - [`definition`]: the versioned checker file and its strict reading
//! - [`expr`]: values in definitions that depend on the parameter row
//! - [`external`]: what is asked of external programs
//! - [`context`]: what a predicate sees of the transcript
//! - [`reading`]: numbers, equations and claims in running text
//! - [`predicates`]: one file a predicate
//! - [`command`]: reading shell command lines
//! - [`calls`]: what the calls of a transcript did
//! - [`closing`]: whether a reply claims that the work is done
//! - [`asking`]: whether a reply asks for the task again
//! - [`serving`]: which of two goals a conversation serves
//! - [`wording`]: sentences in one spelling
//! - [`kept_file`]: what a state file held when the work began to change
//! - [`markers`]: list markers and the like
//! - [`prose`]: messages as sentences, and what they plainly state
//! - [`test_output`]: what test runners print
//! - [`figures`]: supplied figures, and what a reply makes of them
//! - [`checker`]: from a definition and a transcript to a verdict
//! - `compiled`: patterns that come with the data, compiled once
//! - [`verdict`]: outcomes, clause results, evidence
//! - [`control`]: the transcripts that a checker must judge right before it is believed
//! - [`lean`]: patterns that cost what their words cost
//! - [`lock`]: what released definitions were and said
//! - [`library`]: the checkers at hand, shipped ones and the user's own

pub mod asking;
pub mod calls;
pub mod checker;
pub mod closing;
pub mod command;
mod compiled;
pub mod context;
pub mod control;
pub mod definition;
pub mod expr;
pub mod external;
pub mod figures;
pub mod kept_file;
pub mod lean;
pub mod library;
pub mod lock;
pub mod markers;
pub mod predicates;
pub mod prose;
pub mod reading;
pub mod serving;
pub mod test_output;
pub mod verdict;
pub mod wording;

pub use checker::Checker;
pub use control::ControlFailure;
pub use definition::DefinitionError;
pub use library::{Library, Lookup, Unjudged};
pub use verdict::{ClauseResult, Evidence, Outcome, Verdict};
