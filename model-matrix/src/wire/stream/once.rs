//! What is said of a streamed reply as a whole, in pieces that anybody may contradict: who served it, whose reply it is, why
//! it ended. The last word on these does not hold just because it is the last one.

use crate::wire::{WireError, one_line};

/// So many names that contradict each other are kept; one more makes nothing worse.
const MOST_NAMES: usize = 4;

/// The names under which the pieces of one reply were served.
#[derive(Debug, Default)]
pub(in crate::wire) struct Names(Vec<String>);

impl Names {
    /// Hears another piece. Some servers say nothing in their first one, with an empty name.
    pub(in crate::wire) fn hear(&mut self, name: Option<String>) {
        let new = name.filter(|name| !name.is_empty() && !self.0.contains(name));
        self.0.extend(new.filter(|_| self.0.len() < MOST_NAMES));
    }

    /// What served the reply. Several names are told as such: no pin is that, so whatever is pinned is contradicted.
    pub(in crate::wire) fn told(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join(", then "))
    }
}

/// Keeps a reply's id; pieces of another reply are no part of it.
pub(in crate::wire) fn same_reply(kept: &mut Option<String>, id: Option<String>) -> Result<(), WireError> {
    let Some(id) = id.filter(|id| !id.is_empty()) else { return Ok(()) };
    match kept {
        Some(kept) if *kept != id => Err(WireError::new(format!(
            "the stream mixes replies: it began as `{}` and goes on as `{}`",
            one_line(kept, 80),
            one_line(&id, 80)
        ))),
        Some(_) => Ok(()),
        None => {
            *kept = Some(id);
            Ok(())
        }
    }
}

/// Keeps the first reason for ending. Only a `good` one can still be taken back: a reply that was cut or withheld stays so.
/// Some servers send an empty reason until there is one.
pub(in crate::wire) fn end(kept: &mut Option<String>, reason: Option<String>, good: &[&str]) {
    let Some(reason) = reason.filter(|reason| !reason.is_empty()) else { return };
    let is_good = |reason: &str| good.contains(&reason);
    if kept.as_deref().is_none_or(|kept| is_good(kept) && !is_good(&reason)) {
        *kept = Some(reason);
    }
}

/// What comes of a reply that has said why it ended.
pub(in crate::wire) fn after_the_end(reason: &str) -> WireError {
    WireError::new(format!("the stream goes on after its reply ended with `{}`", one_line(reason, 40)))
}
