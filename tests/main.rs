//! End-to-end tests: the built binary, as a user would run it, against real HTTP servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod budget;
mod check;
mod drift;
mod extending;
mod gate;
mod journal;
mod models;
mod offline;
mod reuse;
mod run;
mod schema;
mod secrets;
mod strictness;
mod talk;
mod tampering;
