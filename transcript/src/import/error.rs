//! What can be wrong with a foreign file, and where in it: an importer that guesses would put words in a model's mouth.

use std::fmt;

/// Where in the input something is wrong; what does not apply is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The member of an archive.
    pub member: Option<String>,
    /// The line of a JSONL file, or of a text that is not JSON, counted from 1.
    pub line: Option<usize>,
    /// The column in bytes, counted from 1.
    pub column: Option<usize>,
    /// The JSON pointer (RFC 6901) to the value within its document.
    pub pointer: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        if let Some(member) = &self.member {
            write!(f, "{member}")?;
            between = ", ";
        }
        if let Some(line) = self.line {
            write!(f, "{between}line {line}")?;
            between = ", ";
        }
        if let Some(column) = self.column {
            write!(f, "{between}column {column}")?;
            between = ", ";
        }
        if let Some(pointer) = self.pointer.as_deref().filter(|pointer| !pointer.is_empty()) {
            write!(f, "{between}at {pointer}")?;
            between = ", ";
        }
        if between.is_empty() { Ok(()) } else { f.write_str(": ") }
    }
}

/// Why a file, or a part of it, could not be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{fault}")]
pub struct ImportError {
    /// Where.
    pub place: Box<Place>,
    /// What.
    pub fault: Fault,
}

impl ImportError {
    pub(super) fn new(place: Place, fault: Fault) -> Self {
        Self { place: Box::new(place), fault }
    }
}

/// What is wrong with the input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Not JSON, or JSON with a key that occurs twice in one object.
    #[error("{message}, near `{snippet}`")]
    Syntax {
        /// What the parser says.
        message: String,
        /// The text around the place.
        snippet: String,
    },
    /// A value of another kind than the format has here.
    #[error("expected {wanted}, found `{found}`")]
    Unexpected {
        /// What the format has here.
        wanted: &'static str,
        /// The offending value, cut.
        found: String,
    },
    /// A field that the format must have.
    #[error("`{field}` is missing in `{found}`")]
    Missing {
        /// The field.
        field: &'static str,
        /// The object that lacks it, cut.
        found: String,
    },
    /// The archive cannot be read.
    #[error("the archive cannot be read: {0}")]
    Archive(String),
    /// The archive, or what it unpacks to, is larger than is ever read.
    #[error("{what} is more than {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The limit, with its unit.
        limit: String,
    },
    /// The input holds no transcript.
    #[error("there is no transcript in the input; is this {0}?")]
    Empty(&'static str),
    /// Nothing says which case the transcript plays.
    #[error(
        "no case: name one for the whole file, or put `assize: {{case, variant, params}}` in the sample's metadata"
    )]
    NoCase,
    /// A path outside the workspace, and nothing says where the workspace is.
    #[error(
        "`{path}` is absolute and the format does not say where the workspace is: name the workspace's folder"
    )]
    NoWorkspace {
        /// The path.
        path: String,
    },
}

/// At most eighty characters of `text`, on one line.
pub(super) fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(80).is_some() {
        short.push('…');
    }
    short
}
