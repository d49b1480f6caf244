//! The file's shape, before it is known to make sense. Every field is optional here, so that what is missing or
//! out of place is reported by the checks, all at once and in plain words.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Number, Value};
use serde_yaml::Spanned;
use transcript::document::{Problem, Source, yaml};

use super::{Auth, Expect, MatrixErrors, Protocol, Role, error};
use crate::Wire;

/// The whole file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Assize model matrix")]
pub(super) struct File {
    /// The models that are tried.
    #[schemars(with = "Vec<Entry>", length(min = 1))]
    pub(super) models: Spanned<Vec<Spanned<Entry>>>,
}

/// One entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// The entry's name in reports, unique in the file.
    #[schemars(with = "String", regex(pattern = "^[a-z0-9][a-z0-9._-]*$"))]
    pub(super) id: Option<Spanned<String>>,
    /// The part it plays.
    #[schemars(with = "Role")]
    pub(super) role: Option<Spanned<Role>>,
    /// The API it is spoken to by, or `replay` for recorded traces.
    #[schemars(with = "ProviderName")]
    pub(super) provider: Option<Spanned<ProviderName>>,
    /// Replays: the trace's name in the cases.
    #[schemars(with = "Option<String>")]
    pub(super) trace: Option<Spanned<String>>,
    /// Replays: the API it is played over.
    #[schemars(with = "Option<Wire>")]
    pub(super) wire: Option<Spanned<Wire>>,
    /// Controls: what the trace is known to do.
    #[schemars(with = "Option<Expect>")]
    pub(super) expect: Option<Spanned<Expect>>,
    /// The model's name, as the endpoint knows it.
    #[schemars(with = "Option<String>")]
    pub(super) model: Option<Spanned<String>>,
    /// What the endpoint must report of itself; without it, the requested name.
    pub(super) pin: Option<Pin>,
    /// The announced date from which the model is gone, as YYYY-MM-DD.
    #[schemars(with = "Option<String>", regex(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    pub(super) shutdown: Option<Spanned<String>>,
    /// The endpoint's URL without the API's own path; a query, such as Azure's `?api-version=…`, is kept.
    #[schemars(with = "Option<String>")]
    pub(super) base_url: Option<Spanned<String>>,
    /// The environment variable that holds the key; without it no key is sent.
    #[schemars(with = "Option<String>", regex(pattern = "^[A-Z_][A-Z0-9_]*$"))]
    pub(super) key_env: Option<Spanned<String>>,
    /// The header that the key goes in; without it, the one that the provider's own API uses.
    #[schemars(with = "Option<Auth>")]
    pub(super) auth: Option<Spanned<Auth>>,
    /// Agent programs: how the program is started.
    #[schemars(with = "Option<ProgramEntry>")]
    pub(super) program: Option<Spanned<ProgramEntry>>,
    /// Sampling parameters, sent exactly as written; what is absent is not sent.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) decoding: Option<Spanned<Map<String, Value>>>,
    /// Whether replies are asked for as streams; `true` unless said otherwise, for replays `false`.
    pub(super) stream: Option<bool>,
    /// What it may use up.
    pub(super) limits: Option<Limits>,
    /// What its tokens cost.
    #[schemars(with = "Option<Prices>")]
    pub(super) prices: Option<Spanned<Prices>>,
    /// For people.
    pub(super) notes: Option<String>,
}

/// The names of the providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ProviderName {
    /// OpenAI-compatible chat completions: OpenAI, Azure, OpenRouter, vLLM, llama.cpp, Ollama and others.
    OpenaiChat,
    /// OpenAI responses.
    OpenaiResponses,
    /// Anthropic messages.
    Anthropic,
    /// Google Gemini's `generateContent`.
    Gemini,
    /// Recorded traces, served over loopback.
    Replay,
    /// The program Claude Code, started for each trial.
    ClaudeCode,
    /// The program Codex, started for each trial.
    Codex,
    /// Any program that takes a prompt and gives a reply.
    Command,
}

/// How an agent program is started.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramEntry {
    /// The program, and arguments that go before all others; without it, the program's usual name.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub(super) run: Option<Spanned<Vec<String>>>,
    /// The file in the workspace that the program reads its instructions from: there the charter is put.
    #[schemars(with = "Option<String>")]
    pub(super) charter_file: Option<Spanned<String>>,
    /// `command`: what goes over its stdin and stdout; plain text when not given.
    #[schemars(with = "Option<Protocol>")]
    pub(super) protocol: Option<Spanned<Protocol>>,
    /// `command`: the variable that the program takes its base URL from.
    #[schemars(with = "Option<String>")]
    pub(super) base_url_env: Option<Spanned<String>>,
    /// `command`: the standard tools that the program has of its own and reports calls of.
    #[schemars(with = "Option<Vec<String>>")]
    pub(super) tools: Option<Spanned<Vec<String>>>,
    /// `command`: whether the program takes tools from the MCP servers in the file named by `ASSIZE_MCP_CONFIG`.
    #[schemars(with = "Option<bool>")]
    pub(super) mcp: Option<Spanned<bool>>,
    /// More folders or files that the program must be able to read, such as where its interpreter lies.
    #[schemars(with = "Option<Vec<String>>")]
    pub(super) read: Option<Spanned<Vec<String>>>,
}

/// What the endpoint must report.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pin {
    /// The model's name; without it, the requested one.
    #[schemars(with = "Option<String>")]
    pub(super) model: Option<Spanned<String>>,
    /// The fingerprint; without it, any.
    #[schemars(with = "Option<String>")]
    pub(super) fingerprint: Option<Spanned<String>>,
    /// Agent programs: what `--version` must print; without it, any.
    #[schemars(with = "Option<String>")]
    pub(super) version: Option<Spanned<String>>,
}

/// The limits as written.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// Requests at the same time.
    #[schemars(with = "Option<u32>", range(min = 1))]
    pub(super) in_flight: Option<Spanned<u32>>,
    /// Requests a minute.
    #[schemars(with = "Option<u32>", range(min = 1))]
    pub(super) rpm: Option<Spanned<u32>>,
    /// Tokens a minute, read and written.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) tpm: Option<Spanned<u64>>,
    /// Seconds for one request, from sending it to the reply's last byte; for agent programs, for one turn.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) timeout_s: Option<Spanned<u64>>,
    /// Seconds that a stream may be silent.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) idle_timeout_s: Option<Spanned<u64>>,
    /// Replies within one step of a script before the tool loop is stopped.
    #[schemars(with = "Option<u32>", range(min = 1))]
    pub(super) max_steps: Option<Spanned<u32>>,
    /// How often a request that failed is sent again at most; 4 unless said otherwise, 0 for never.
    pub(super) retries: Option<u32>,
    /// Agent programs: bytes that one turn may print.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) max_output_bytes: Option<Spanned<u64>>,
    /// Agent programs: processes at the same time.
    #[schemars(with = "Option<u32>", range(min = 1))]
    pub(super) max_processes: Option<Spanned<u32>>,
}

/// The prices as written, for a million tokens.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Prices {
    /// The currency's three letters, such as USD.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub(super) currency: String,
    /// A million tokens read.
    #[schemars(range(min = 0))]
    pub(super) input: Number,
    /// A million tokens read from a cache; without it they cost what other tokens read do.
    #[schemars(with = "Option<Number>", range(min = 0))]
    pub(super) cached: Option<Number>,
    /// A million tokens written, reasoning included.
    #[schemars(range(min = 0))]
    pub(super) output: Number,
}

/// The JSON Schema of matrix files, for editors.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(File).to_value()
}

/// Reads the file.
pub(super) fn read(source: &Source) -> Result<File, MatrixErrors> {
    yaml::read(source).map_err(|problem| {
        let problem = match is_for_a_key(&problem) {
            true => problem.help(KEY_HELP),
            false => problem,
        };
        error::guarded(problem).into()
    })
}

const KEY_HELP: &str = "keys are never written here: set an environment variable and name it in `key_env`";

/// Whether an unknown field looks like a place for a key.
fn is_for_a_key(problem: &Problem) -> bool {
    let field = problem.message.strip_prefix("unknown key `").and_then(|rest| rest.split('`').next());
    field.is_some_and(|field| ["key", "token", "secret", "password"].iter().any(|word| field.contains(word)))
}
