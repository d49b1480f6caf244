//! End-to-end tests: the built binary, as a user would run it, against real HTTP servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod agents;
mod attacks;
mod budget;
mod change;
mod check;
mod compare;
mod drift;
mod extending;
mod faults;
mod fixtures;
mod gate;
mod html;
mod init;
mod journal;
mod load;
mod models;
mod nightly;
mod offline;
mod outside;
mod outside_renderers;
mod reporting;
mod reuse;
mod run;
mod schema;
mod secrets;
mod shards;
mod strictness;
mod talk;
mod tampering;
mod terminal;
mod wording;
mod written;
