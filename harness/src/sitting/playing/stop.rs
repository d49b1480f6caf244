//! Why a run is stopped before everything is played, and the flag by which everyone hears of it.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// Why a run is stopped before everything is played.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Whoever started it asked for it.
    Interrupted,
    /// The budget is used up; in what.
    Budget(String),
    /// The store that keeps the run takes no more of it.
    Store(String),
    /// Something broke.
    Broken(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::Budget(why) => write!(f, "{BUDGET}: {why}"),
            Self::Store(why) => write!(f, "the store takes no more: {why}"),
            Self::Broken(why) => write!(f, "the run broke off: {why}"),
        }
    }
}

/// The stable name of a trial's error when it was given up because far more than the budget was used up.
pub const BUDGET: &str = "budget";

/// Raised when no further trials are to be started.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<OnceLock<Stop>>);

impl StopFlag {
    /// Raises it; says whether it was not raised before. The first reason stands.
    pub fn raise(&self, why: Stop) -> bool {
        self.0.set(why).is_ok()
    }

    /// Whether it is raised.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.get().is_some()
    }

    /// Why it was raised, if it was.
    #[must_use]
    pub fn reason(&self) -> Option<&Stop> {
        self.0.get()
    }
}
