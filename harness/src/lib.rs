//! The sitting: what is played, how it is replayed, and what is kept of it.
//!
//! - [`case`]: cases as files, loaded strictly, and the recorded traces of the replay subjects
//! - [`charter`]: the document on trial, and the part of it that is sent
//! - [`template`]: the templates inside case files
//! - [`lint`]: what can be said of a set of cases without playing it

pub mod case;
pub mod charter;
pub mod lint;
pub mod template;
