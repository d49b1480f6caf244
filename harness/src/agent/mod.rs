//! Subjects that are programs: Claude Code, Codex, or any command that takes a prompt and gives a reply.
//!
//! A trial of such a program has a workspace and a HOME of its own on disk, is fenced in as far as the platform can,
//! and ends with everything it started. What it said and did is taken from its own event stream, what it changed from
//! the disk, and whether it had the charter from the requests it sent, which pass a relay.
//!
//! - [`room`]: the folders of a trial, and what was changed in them
//! - [`fence`]: what a program may reach
//! - [`family`]: a process and all that came of it
//! - [`launcher`]: the process between the harness and a program, which fences, watches and ends it
//! - [`start`]: starting a program through the launcher
//! - [`adapter`]: how each program is started and its output read
//! - [`suits`]: which cases a program can play
//! - [`offer`]: the case's tools as an MCP server
//! - [`play`]: one trial
//! - [`faults`]: why a trial has no verdict
//! - `tidy`: what is made alike in the words of different programs
//! - [`retrace`]: what of a trial follows from its case, for auditors

pub mod adapter;
pub mod family;
pub mod faults;
pub mod fence;
pub mod launcher;
pub mod offer;
pub mod play;
pub mod retrace;
pub mod room;
pub mod start;
pub mod suits;
mod tidy;

pub use play::Agent;
