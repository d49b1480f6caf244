//! The flags that say how files of other tools are to be read, for the commands that judge transcripts.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, bail};
use transcript::Transcript;
use transcript::import::{self, ImportAs, ImportError};

/// The largest file that is read; what an archive may unpack to is bounded by the importer.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// How to read transcripts that other tools recorded.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Transcripts of other tools")]
pub(crate) struct Arguments {
    /// The files are of another tool's format
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<Format>,
    /// The case that the transcripts play, such as E9; an Inspect sample can name it in its own metadata
    #[arg(long, value_name = "CASE", requires = "from")]
    case: Option<String>,
    /// The case's variant
    #[arg(long, value_name = "VARIANT", requires = "case")]
    variant: Option<String>,
    /// The parameters that the case was played with: a JSON object, or @FILE with one
    #[arg(long, value_name = "JSON", requires = "case")]
    params: Option<String>,
    /// The folder in which an agent program worked: paths below it become relative to it
    #[arg(long, value_name = "FOLDER", requires = "from")]
    workspace: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Chat-completions messages, or items of the Responses API: JSON or JSONL
    Openai,
    /// Messages of the Anthropic API: JSON or JSONL
    Anthropic,
    /// A log of Inspect AI, .eval or .json
    Inspect,
    /// What `claude -p --output-format stream-json` prints
    ClaudeCode,
    /// What `codex exec --json` prints
    Codex,
}

impl From<Format> for import::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Openai => Self::Openai,
            Format::Anthropic => Self::Anthropic,
            Format::Inspect => Self::Inspect,
            Format::ClaudeCode => Self::ClaudeCode,
            Format::Codex => Self::Codex,
        }
    }
}

/// How to read the files of another tool.
#[derive(Debug)]
pub(crate) struct Foreign {
    format: import::Format,
    what: ImportAs,
}

impl Arguments {
    /// Reads the flags; `None` when the files are Assize's own.
    pub(crate) fn read(&self) -> anyhow::Result<Option<Foreign>> {
        let Some(from) = self.from else { return Ok(None) };
        if self.case.is_none() && from != Format::Inspect {
            bail!("--from needs --case: nothing in the file says which case it plays");
        }
        let params = match self.params.as_deref() {
            None => serde_json::Map::new(),
            Some(given) => match given.strip_prefix('@') {
                None => import::read_params(given).context("--params")?,
                Some(path) => {
                    let text = fs::read_to_string(path).with_context(|| format!("{path} cannot be read"))?;
                    import::read_params(&text).with_context(|| format!("--params: {path}"))?
                }
            },
        };
        let what = ImportAs {
            case: self.case.clone(),
            variant: self.variant.clone(),
            params,
            id_prefix: String::new(),
            workspace: self.workspace.clone(),
        };
        Ok(Some(Foreign { format: from.into(), what }))
    }
}

impl Foreign {
    /// Reads all transcripts of `file`; the inner error is about what is in it.
    pub(crate) fn import(
        &self,
        file: &Path,
        source: impl Read,
    ) -> anyhow::Result<Result<Vec<Transcript>, ImportError>> {
        let mut bytes = Vec::new();
        let read = source.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
        read.with_context(|| format!("{} cannot be read", file.display()))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            bail!("{} is larger than {} MiB", file.display(), MAX_FILE_BYTES >> 20);
        }
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let id_prefix = stem.filter(|stem| stem != "-").unwrap_or_else(|| "stdin".to_owned());
        let what = ImportAs { id_prefix, ..self.what.clone() };
        Ok(import::import(self.format, &bytes, &what))
    }
}
