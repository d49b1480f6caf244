//! End-to-end tests: the built binary, as a user would run it, against real HTTP servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod attacks;
mod change;
mod check;
mod extending;
mod gate;
mod journal;
mod offline;
mod outside;
mod reporting;
mod run;
mod secrets;
mod strictness;
mod tampering;
