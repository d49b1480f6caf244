//! End-to-end tests: the built binary, as a user would run it, against real HTTP servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod check;
mod compare;
mod extending;
mod faults;
mod gate;
mod html;
mod init;
mod journal;
mod nightly;
mod offline;
mod reporting;
mod run;
mod secrets;
mod shards;
mod strictness;
mod tampering;
