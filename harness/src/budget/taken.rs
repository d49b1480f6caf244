//! What replies took of a budget, and of how many nobody knows.

use std::ops::AddAssign;

use transcript::{Transcript, Usage};

/// What replies took, as far as it was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Tokens that were counted.
    pub usage: Usage,
    /// Replies whose tokens were not.
    pub uncounted: u64,
}

impl Taken {
    /// What a trial took.
    #[must_use]
    pub fn by(transcript: &Transcript) -> Self {
        Self { usage: transcript.usage.unwrap_or_default(), uncounted: u64::from(transcript.uncounted) }
    }

    /// What one reply took; `None` when nobody counted.
    #[must_use]
    pub fn by_reply(usage: Option<Usage>) -> Self {
        Self { usage: usage.unwrap_or_default(), uncounted: u64::from(usage.is_none()) }
    }
}

impl AddAssign for Taken {
    fn add_assign(&mut self, other: Self) {
        self.usage += other.usage;
        self.uncounted = self.uncounted.saturating_add(other.uncounted);
    }
}
