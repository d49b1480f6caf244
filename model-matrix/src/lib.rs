//! Who is tried: the pinned model matrix and its subjects.
//!
//! - [`matrix`]: the matrix file, read strictly
//! - [`lint`]: what is odd about a matrix that loads
//! - [`drift`]: whether the model that answered is the one pinned
//! - [`exchange`]: what a trial hands to a subject and gets back
//! - [`load`]: whether a request holds the charter, and nothing from below its marker
//! - [`pace`]: how fast an endpoint is asked
//! - [`pins`]: which names stand for one model, and which for another tomorrow
//! - [`probe`]: trying out an entry with tiny requests
//! - [`relay`]: between an agent program and its endpoint
//! - [`subject`]: subjects connected to their endpoints, with retries and limits
//! - [`secrets`]: API keys, and masking them by value
//! - [`trust`]: whom a connection may lead to
//! - [`wire`]: the wire formats, both sides of each
//! - [`replay`]: the loopback server that answers from recorded turns

pub mod drift;
pub mod exchange;
mod http;
pub mod lint;
pub mod load;
pub mod matrix;
pub mod pace;
pub mod pins;
pub mod probe;
mod quota;
pub mod relay;
pub mod replay;
pub mod retry;
pub mod secrets;
mod sse;
pub mod subject;
pub mod trust;
pub mod wire;

pub use drift::Drift;
pub use exchange::{ErrorKind, Exchange, Malformed, Reply, SubjectError, ToolSpec};
pub use load::{Charge, Load};
pub use matrix::{
    Adapter, Auth, Expect, Matrix, MatrixErrors, Model, Pin, Program, Protocol, Provider, Role,
};
pub use pace::Figures;
pub use relay::Relay;
pub use replay::{RecordedTurn, ReplayServer};
pub use retry::RetryPolicy;
pub use secrets::Secrets;
pub use subject::{ConnectError, Idle, Subject, Subjects, Waiting};
pub use wire::Wire;
