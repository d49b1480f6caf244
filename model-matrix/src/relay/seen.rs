//! What the requests of a program show, turn by turn.
//!
//! Not all of them are of the conversation on trial: programs ask for titles and summaries on the way. Those that hold the
//! user's words are, and where some of a turn's offer tools, only those. That is known once the turn is over, so both
//! kinds are kept apart until then, and no turn says anything of another.

use crate::load::Load;

/// What was seen of the requests so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// Requests in all.
    pub requests: usize,
    /// Requests whose bodies could not be read.
    pub unreadable: usize,
    /// Whether text from below the marker was in any request.
    pub leaked: bool,
    turns: Vec<Turn>,
}

/// Why nobody knows whether the charter was there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unseen {
    /// The program asked nobody.
    #[error("no request came to the relay")]
    NoRequest,
    /// Any of these may be of the conversation.
    #[error("{unreadable} of {requests} requests to the relay could not be read: compressed, or no JSON")]
    Unreadable {
        /// How many.
        unreadable: usize,
        /// Requests in all.
        requests: usize,
    },
    /// A turn of the user's, counted from 1, in whose requests the user's words are not found.
    #[error("no request to the relay could be told to be of this conversation in its turn {0}")]
    Turn(usize),
}

/// One turn of the user's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Turn {
    /// What the user says.
    prompt: String,
    with_tools: Strand,
    without_tools: Strand,
}

/// Requests of a turn that hold the user's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Strand {
    requests: usize,
    with_charter: usize,
    /// The status of the last one, if it was refused.
    refused: Option<u16>,
    /// The models that replies named, in order, without repeats.
    models: Vec<String>,
}

/// The place of a request that may be of the conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    turn: usize,
    with_tools: bool,
}

impl Turn {
    /// The requests that are of the conversation on trial, as far as is known.
    fn conversation(&self) -> &Strand {
        if self.with_tools.requests > 0 { &self.with_tools } else { &self.without_tools }
    }
}

impl Seen {
    /// What the requests say of the charter.
    ///
    /// # Errors
    /// [`Unseen`] when there is a turn of which they say nothing, or may not say all.
    pub fn load(&self) -> Result<Load, Unseen> {
        let turns = || self.turns.iter().map(Turn::conversation);
        if self.leaked {
            return Ok(Load::Leaked);
        }
        if turns().any(|turn| turn.with_charter < turn.requests) {
            return Ok(Load::Missing);
        }
        if self.requests == 0 {
            return Err(Unseen::NoRequest);
        }
        if self.unreadable > 0 {
            return Err(Unseen::Unreadable { unreadable: self.unreadable, requests: self.requests });
        }
        match turns().position(|turn| turn.requests == 0) {
            Some(index) => Err(Unseen::Turn(index + 1)),
            None if self.turns.is_empty() => Err(Unseen::Turn(1)),
            None => Ok(Load::Verified),
        }
    }

    /// The models that replies to the conversation named, in order, without repeats.
    #[must_use]
    pub fn models(&self) -> Vec<String> {
        let mut models: Vec<String> =
            self.turns.iter().flat_map(|turn| turn.conversation().models.iter().cloned()).collect();
        models.dedup();
        models
    }

    /// Those that replies named in the last turn.
    #[must_use]
    pub fn models_of_turn(&self) -> &[String] {
        self.turns.last().map_or(&[], |turn| &turn.conversation().models)
    }

    /// The status of the last request of the conversation, if it was refused.
    #[must_use]
    pub fn refused(&self) -> Option<u16> {
        self.turns.last()?.conversation().refused
    }

    /// The user says something: a new turn.
    pub(super) fn expect(&mut self, prompt: &str) {
        self.turns.push(Turn { prompt: prompt.trim().to_owned(), ..Turn::default() });
    }

    /// Takes in a request that holds `text`; says where it belongs, if it may be of the conversation.
    pub(super) fn take(&mut self, text: &str, with_tools: bool, load: Load) -> Option<Place> {
        self.leaked |= load == Load::Leaked;
        let prompt = &self.turns.last()?.prompt;
        if prompt.is_empty() || !text.contains(prompt.as_str()) {
            return None;
        }
        let place = Place { turn: self.turns.len() - 1, with_tools };
        if let Some(strand) = self.strand(place) {
            strand.requests += 1;
            strand.with_charter += usize::from(load == Load::Verified);
        }
        Some(place)
    }

    /// The status that a request was answered with.
    pub(super) fn answered(&mut self, place: Place, status: u16) {
        if let Some(strand) = self.strand(place) {
            strand.refused = (!(200..300).contains(&status)).then_some(status);
        }
    }

    /// The model that a reply named.
    pub(super) fn served(&mut self, place: Place, model: String) {
        if let Some(strand) = self.strand(place)
            && strand.models.last() != Some(&model)
        {
            strand.models.push(model);
        }
    }

    fn strand(&mut self, place: Place) -> Option<&mut Strand> {
        let turn = self.turns.get_mut(place.turn)?;
        Some(if place.with_tools { &mut turn.with_tools } else { &mut turn.without_tools })
    }
}
