//! End-to-end tests: the built binary, as a user would run it, against real HTTP servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod agents;
mod check;
mod extending;
mod gate;
mod journal;
mod load;
mod offline;
mod run;
mod secrets;
mod strictness;
mod tampering;
