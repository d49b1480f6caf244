//! The sitting: cases are loaded, played against subjects, written down, and judged.
//!
//! - [`project`]: the project file and what it points to
//! - [`charter`]: the charter, parted at its runtime marker
//! - [`agent`]: subjects that are programs
//! - [`case`]: cases as files, and the traces of replayed subjects
//! - [`template`]: texts that depend on the parameter row
//! - [`workspace`]: a private view of a fixture tree
//! - [`tools`]: what subjects can call
//! - [`instance`]: a case made ready to be played
//! - [`replay`]: one trial, with its tool loop
//! - [`sitting`]: a run, from the plan to the manifest
//! - [`store`]: a run kept in an object store as it grows
//! - [`budget`]: what a run may use up
//! - [`journal`]: the append-only file that a finished trial is in before it counts
//! - [`audit`]: whether a run's record is what it says it is
//! - [`pack`]: a run's folder as one file
//! - [`judging`]: from journal lines to verdicts, in parallel and in order
//! - [`programs`]: external checkers, within limits
//! - [`event`]: what a run tells whoever watches it
//! - [`schema`]: the JSON Schema of each file that people write
//! - [`lint`]: what is odd about cases that load

pub mod agent;
pub mod audit;
pub mod budget;
pub mod case;
pub mod charter;
pub mod event;
pub mod git;
pub mod instance;
pub mod journal;
pub mod judging;
pub mod lint;
pub mod pack;
pub mod programs;
pub mod project;
pub mod redact;
pub mod replay;
pub mod schema;
pub mod sitting;
pub mod store;
pub mod template;
pub mod tools;
pub mod workspace;
