//! The matrix file: which models are tried, pinned in every respect that can be pinned.
//!
//! Reading is strict. Whoever signs a release relies on this file, so a key that is not understood is never passed
//! over, and nothing is filled in that the file does not say: decoding parameters go out exactly as written.

mod check;
mod error;
mod file;
mod program;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use transcript::Prices;
use transcript::document::Source;

pub use error::MatrixErrors;
pub use file::schema;
pub use program::{Adapter, Program, Protocol};

use crate::Wire;

/// The part that a model plays in the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The strongest model there is.
    FrontierReference,
    /// The weakest model that the charter is deployed on.
    WeakestDeployed,
    /// Replayed traces whose outcome is known beforehand.
    Control,
    /// Anything else.
    Other,
}

/// What a control arm must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// Pass every case.
    Pass,
    /// Fail every case.
    Fail,
}

/// The header that a key goes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// `authorization: Bearer …`
    Bearer,
    /// `api-key: …`, as Azure has it.
    ApiKey,
    /// `x-api-key: …`, as Anthropic has it.
    XApiKey,
    /// `x-goog-api-key: …`, as Google has it.
    XGoogApiKey,
    /// No key is sent.
    None,
}

/// What an endpoint must report of itself, reply by reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// The model's name.
    pub model: String,
    /// The fingerprint; `None` is any.
    pub fingerprint: Option<String>,
    /// Agent programs: what `--version` prints; `None` is any.
    pub version: Option<String>,
    /// Whether the matrix says it, rather than leaving it at the requested name.
    pub explicit: bool,
}

/// One line-up entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The entry's name in reports, unique in the file.
    pub id: String,
    /// The part it plays.
    pub role: Role,
    /// Where its replies come from.
    pub provider: Provider,
    /// What the endpoint must report.
    pub pin: Pin,
    /// The announced date from which the model is gone.
    pub shutdown: Option<Date>,
    /// Sampling parameters, sent exactly as written.
    pub decoding: Map<String, Value>,
    /// Whether replies are asked for as streams.
    pub stream: bool,
    /// What it may use up.
    pub limits: Limits,
    /// What its tokens cost, when the file says.
    pub prices: Option<Prices>,
    /// For people.
    pub notes: Option<String>,
    /// The line of the file where the entry starts.
    pub line: u64,
}

/// Where a model's replies come from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provider {
    /// An endpoint that speaks a wire format over HTTP.
    Api {
        /// The wire format.
        wire: Wire,
        /// The model's name, as the endpoint knows it.
        model: String,
        /// The endpoint; nothing else is ever contacted.
        base_url: Url,
        /// The environment variable that holds the key; without it no key is sent.
        key_env: Option<String>,
        /// The header that the key goes in.
        auth: Auth,
    },
    /// Recorded traces, served over loopback.
    Replay {
        /// The trace's name in the cases.
        trace: String,
        /// The wire format it is played over.
        wire: Wire,
        /// What the traces are known to do.
        expect: Option<Expect>,
    },
    /// An agent program, started for each trial.
    Program(Box<Program>),
}

impl Provider {
    /// The wire format that requests are written in; an agent program writes its own.
    #[must_use]
    pub fn wire(&self) -> Option<Wire> {
        match self {
            Self::Api { wire, .. } | Self::Replay { wire, .. } => Some(*wire),
            Self::Program(_) => None,
        }
    }

    /// The name by which the model is asked for.
    #[must_use]
    pub fn requested_model(&self) -> String {
        match self {
            Self::Api { model, .. } => model.clone(),
            Self::Replay { trace, .. } => format!("replay:{trace}"),
            Self::Program(program) => program.model.clone().unwrap_or_default(),
        }
    }

    /// The program, when it is one.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        match self {
            Self::Program(program) => Some(program),
            Self::Api { .. } | Self::Replay { .. } => None,
        }
    }

    /// The endpoint, where there is one.
    #[must_use]
    pub fn base_url(&self) -> Option<&Url> {
        match self {
            Self::Api { base_url, .. } => Some(base_url),
            Self::Program(program) => program.base_url.as_ref(),
            Self::Replay { .. } => None,
        }
    }

    /// The variable that holds the key, if one is needed.
    #[must_use]
    pub fn key_env(&self) -> Option<&str> {
        match self {
            Self::Api { key_env, .. } => key_env.as_deref(),
            Self::Program(program) => program.key_env.as_deref(),
            Self::Replay { .. } => None,
        }
    }

    /// Whether replies come from recorded traces.
    #[must_use]
    pub fn is_replay(&self) -> bool {
        matches!(self, Self::Replay { .. })
    }
}

/// What one model may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Requests at the same time; `None` is no limit.
    pub in_flight: Option<usize>,
    /// Requests a minute; `None` is no limit.
    pub rpm: Option<u32>,
    /// Tokens a minute, read and written; `None` is no limit.
    pub tpm: Option<u64>,
    /// Seconds for one request, from sending it to the reply's last byte; for agent programs, for one turn.
    pub timeout_s: u64,
    /// Seconds that a stream may be silent.
    pub idle_timeout_s: u64,
    /// Replies within one step of a script before the tool loop is stopped; `None` leaves it to the case.
    pub max_steps: Option<u32>,
    /// How often a request that failed is sent again at most; `None` leaves it to the run.
    pub retries: Option<u32>,
    /// Agent programs: bytes that one turn may print.
    pub max_output_bytes: u64,
    /// Agent programs: processes at the same time.
    pub max_processes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight: None,
            rpm: None,
            tpm: None,
            timeout_s: 120,
            idle_timeout_s: 60,
            max_steps: None,
            retries: None,
            max_output_bytes: 32 << 20,
            max_processes: 256,
        }
    }
}

/// A matrix file, read and checked.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The file it was read from.
    pub path: PathBuf,
    /// The entries, in the file's order.
    pub models: Vec<Model>,
    digest: String,
}

impl Matrix {
    /// Reads and checks the file at `path`.
    ///
    /// # Errors
    /// Everything that is wrong with the file, each with its line; only a file that is no YAML of the right shape
    /// stops at the first problem.
    pub fn load(path: &Path) -> Result<Self, MatrixErrors> {
        let bytes = std::fs::read(path)
            .map_err(|error| error::whole(path, format!("the matrix cannot be read: {error}")))?;
        Self::parse(path, &bytes)
    }

    /// Reads the matrix from `bytes`; `path` is for messages.
    ///
    /// # Errors
    /// As [`Matrix::load`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, MatrixErrors> {
        let source = Source::decode(path, bytes).map_err(error::guarded)?;
        let file = file::read(&source)?;
        let models = check::models(&source, file)?;
        Ok(Self { path: path.to_owned(), models, digest: hex(&Sha256::digest(bytes)) })
    }

    /// sha256 of the file's bytes, in hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether only recorded traces are tried, so that no network is needed.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.models.iter().all(|model| model.provider.is_replay())
    }

    /// The entry called `id`.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.id == id)
    }

    /// The entries by the place that their requests go to; replayed ones have none.
    pub(crate) fn by_endpoint(&self) -> HashMap<(&Url, &str), Vec<&Model>> {
        let mut places: HashMap<_, Vec<_>> = HashMap::new();
        for entry in &self.models {
            if let Provider::Api { model, base_url, .. } = &entry.provider {
                places.entry((base_url, model.as_str())).or_default().push(entry);
            }
        }
        places
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests;
