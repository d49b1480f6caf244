//! x

pub mod replay;
pub mod tools;
pub mod workspace;
