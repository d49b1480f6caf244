//! Who is tried: the pinned model matrix and its subjects.
//!
//! - [`matrix`]: the matrix file, read strictly
//! - [`lint`]: what is odd about a matrix that loads
//! - [`exchange`]: what a trial hands to a subject and gets back
//! - [`subject`]: subjects connected to their endpoints, with retries and limits
//! - [`secrets`]: API keys, and masking them by value
//! - [`wire`]: the wire formats, both sides of each
//! - [`replay`]: the loopback server that answers from recorded turns

pub mod exchange;
mod http;
pub mod lint;
pub mod matrix;
pub mod replay;
pub mod retry;
pub mod secrets;
mod sse;
pub mod subject;
pub mod wire;

pub use exchange::{ErrorKind, Exchange, Malformed, Reply, SubjectError, ToolSpec};
pub use matrix::{Expect, Matrix, MatrixErrors, Model, Provider, Role};
pub use replay::{RecordedTurn, ReplayServer};
pub use retry::RetryPolicy;
pub use secrets::Secrets;
pub use subject::{ConnectError, Subject, Subjects};
pub use wire::Wire;
