//! Files that people write by hand: read strictly, and told where they are wrong, in the same words for every kind.
//!
//! Cases, checkers, the project file, the matrix and the nights on record are read in different crates, into different
//! types. What their readers have in common is here: which bytes are text, which YAML and JSON is taken, and how a fault
//! is shown, with file, line, column, the offending text and what to do.

mod json;
mod problem;
mod slips;
mod source;
pub mod tree;
mod words;
pub mod yaml;

pub use json::{fault as json_fault, read as read_json};
pub use problem::Problem;
pub use slips::{nearest, suggestion};
pub use source::Source;
