//! What a run tells whoever watches it. The library never prints; a terminal, a log and a test all hear the same.

use std::sync::Arc;

use model_matrix::Figures;
use reports::Standing;

use crate::budget::Spent;

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The run is planned and about to start.
    Planned {
        /// Trials owed in all.
        owed: usize,
        /// Trials that an earlier sitting of this run has finished.
        done: usize,
    },
    /// A trial is on disk and judged.
    Finished {
        /// The trial's key.
        key: String,
        /// How it stands.
        standing: Standing,
        /// Whether that is what was expected of it.
        as_expected: bool,
        /// The clause that failed, or why there is no verdict.
        detail: Option<String>,
    },
    /// What was used up so far, and how the endpoints were paced; comes again and again.
    Figures {
        /// What was used up.
        spent: Spent,
        /// The pace of all endpoints together.
        pace: Figures,
    },
    /// No further trials are started; those under way are finished.
    Stopping {
        /// Why.
        reason: String,
    },
    /// Something to tell.
    Note(String),
}

/// Whoever watches.
pub trait Reporter: Send + Sync {
    /// Hears of an event.
    fn report(&self, event: Event);
}

/// A reporter shared between trials.
pub type SharedReporter = Arc<dyn Reporter>;

/// Hears everything, says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn report(&self, _: Event) {}
}
