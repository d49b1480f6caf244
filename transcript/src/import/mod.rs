//! Transcripts from elsewhere: what other tools recorded, read into [`Transcript`]s so that checkers can judge it.
//!
//! An importer keeps three promises. It never panics and never takes more memory than the limits allow, whatever the
//! bytes are. It never drops a message or a call without saying so: what it does not know is an error, or is kept in
//! `extra`. And a run that broke off never looks like one that ended: it becomes a transcript with an error, which no
//! checker judges.
//!
//! - [`error`]: what can be wrong, and where
//! - `openai`, `responses`, `anthropic`, `inspect`, `claude_code`, `codex`: one format each
//! - `json`, `node`, `archive`: reading with places and limits
//! - `conversation`, `parts`, `program_tools`: what the formats have in common

mod anthropic;
mod archive;
mod claude_code;
mod codex;
mod conversation;
pub mod error;
mod exchange;
mod inspect;
mod json;
mod node;
mod openai;
mod parts;
mod program_tools;
mod responses;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

pub use archive::{MAX_MEMBER_BYTES, MAX_MEMBERS, MAX_TOTAL_BYTES};
pub use error::{Fault, ImportError, Place};

use crate::Transcript;

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Chat-completions messages, or items of the Responses API.
    Openai,
    /// Messages of the Anthropic API.
    Anthropic,
    /// A log of Inspect AI, `.eval` or `.json`.
    Inspect,
    /// What `claude -p --output-format stream-json` prints.
    ClaudeCode,
    /// What `codex exec --json` prints.
    Codex,
}

impl Format {
    /// What a file of this format is, for messages to people.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Openai => "a file of chat-completions messages",
            Self::Anthropic => "a file of Anthropic messages",
            Self::Inspect => "an Inspect log",
            Self::ClaudeCode => "the stream-json output of Claude Code",
            Self::Codex => "the output of `codex exec --json`",
        }
    }
}

/// What the files do not say of themselves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportAs {
    /// The case that the transcripts play; an Inspect sample's own metadata goes before it.
    pub case: Option<String>,
    /// The case's variant.
    pub variant: Option<String>,
    /// The parameters that the case was played with.
    pub params: Map<String, Value>,
    /// What the transcripts' ids begin with, such as the file's name.
    pub id_prefix: String,
    /// The folder in which an agent program worked: paths below it become relative to it.
    pub workspace: Option<String>,
}

/// Reads all transcripts of a file.
///
/// # Errors
/// [`ImportError`] with the place: the bytes are not of this format, hold something that cannot be carried over, or
/// hold no transcript at all.
pub fn import(format: Format, bytes: &[u8], what: &ImportAs) -> Result<Vec<Transcript>, ImportError> {
    let mut transcripts = match format {
        Format::Openai => openai::import(bytes, what),
        Format::Anthropic => anthropic::import(bytes, what),
        Format::Inspect => inspect::import(bytes, what),
        Format::ClaudeCode => claude_code::import(bytes, what),
        Format::Codex => codex::import(bytes, what),
    }?;
    if transcripts.is_empty() {
        return Err(ImportError::new(Place::default(), Fault::Empty(format.describe())));
    }
    make_ids_unique(&mut transcripts);
    Ok(transcripts)
}

/// Reads a case's parameters: one JSON object, in which no key occurs twice.
///
/// # Errors
/// [`ImportError`] with the place.
pub fn read_params(text: &str) -> Result<Map<String, Value>, ImportError> {
    let document = json::parse(text.as_bytes(), None)?;
    node::Node::root(&document).object().cloned()
}

impl ImportAs {
    /// An empty transcript `id` of the case that `self` names.
    fn start(&self, id: String) -> Result<Transcript, Fault> {
        let case = self.case.as_ref().ok_or(Fault::NoCase)?;
        let mut transcript = Transcript::new(id, case);
        transcript.variant.clone_from(&self.variant);
        transcript.params.clone_from(&self.params);
        Ok(transcript)
    }
}

/// Verdicts are told apart by id, so no two transcripts of a file share one.
fn make_ids_unique(transcripts: &mut [Transcript]) {
    let mut seen = HashSet::new();
    let mut copies: HashMap<String, usize> = HashMap::new();
    for transcript in transcripts {
        while !seen.insert(transcript.id.clone()) {
            let copy = copies.entry(transcript.id.clone()).or_insert(1);
            *copy += 1;
            transcript.id = format!("{}~{copy}", transcript.id);
        }
    }
}
