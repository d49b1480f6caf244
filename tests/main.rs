//! End-to-end tests: the built binary, as a user would run it, against real HTTP servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod agents;
mod attacks;
mod budget;
mod change;
mod check;
#[cfg(unix)]
mod checkouts;
mod compare;
mod drift;
#[cfg(target_os = "linux")]
mod durability;
mod examination;
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
#[cfg(feature = "object-store")]
mod object_store;
mod offline;
mod outside;
mod outside_renderers;
mod patience;
mod reporting;
mod reuse;
mod run;
mod schema;
mod secrets;
mod shards;
mod signatures;
mod strictness;
mod talk;
mod tampering;
mod terminal;
mod wording;
mod written;
