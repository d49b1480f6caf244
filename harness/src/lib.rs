//! x

pub mod tools;
pub mod workspace;
