//! Patterns that are compiled when they are first needed.

use std::sync::OnceLock;

use super::{Error, Regex, RegexBuilder};
use crate::expr::EvalError;

/// A pattern of a definition. Definitions are loaded to judge one transcript as well as thousands, and most of the
/// checkers at hand are never asked; so a pattern is read when its definition is loaded, and compiled on first use.
#[derive(Debug)]
pub struct Deferred {
    builder: RegexBuilder,
    compiled: OnceLock<Result<Regex, Error>>,
}

impl Deferred {
    pub(super) fn new(builder: RegexBuilder) -> Self {
        Self { builder, compiled: OnceLock::new() }
    }

    /// The compiled pattern.
    ///
    /// # Errors
    /// When it takes more than the limit.
    pub fn get(&self) -> Result<&Regex, EvalError> {
        let compiled = self.compiled.get_or_init(|| self.builder.build());
        compiled.as_ref().map_err(|error| EvalError {
            expression: self.builder.source.to_string(),
            message: error.to_string(),
        })
    }
}
