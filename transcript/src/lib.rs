//! Transcripts of agent conversations: what was said, which tools were called, what they answered.
//!
//! The ground floor of the house: every other crate speaks these types. No policy, no async, no network.
//!
//! - [`message`]: messages and tool calls
//! - [`record`]: one trial's transcript with what the harness knows about it
//! - [`jsonl`]: reading and writing transcripts, one a line
//! - [`prices`]: what tokens cost
//! - [`effect`]: what the standard tools do to the world
//! - [`strict`]: JSON in which no key occurs twice
//! - [`document`]: files that people write, read strictly and told where they are wrong
//! - [`import`]: reading what other tools recorded

pub mod document;
pub mod effect;
pub mod import;
pub mod jsonl;
pub mod message;
pub mod prices;
pub mod record;
pub mod strict;

pub use effect::Effect;
pub use message::{By, Message, Role, ToolCall};
pub use prices::{Amount, AmountError, Prices};
pub use record::{Change, FileChange, ReusedFrom, Served, StopReason, Transcript, TrialError, Usage};
