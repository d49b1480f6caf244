//! From the file's shape to a matrix that makes sense: every problem is collected, none hides another.

use std::collections::HashMap;

use jiff::civil::Date;
use reqwest::Url;
use serde_json::{Map, Number, Value};
use serde_yaml::{Location, Spanned};
use transcript::document::{Problem, Source, yaml};
use transcript::{Amount, Prices};

use super::file::{Entry, File, ProviderName};
use super::{Adapter, Auth, Limits, MatrixErrors, Model, Pin, Provider, error};
use crate::Wire;

/// Parts of a request that the harness writes itself.
const NOT_DECODING: [&str; 18] = [
    "model",
    "messages",
    "system",
    "tools",
    "stream",
    "stream_options",
    "n",
    "functions",
    "input",
    "instructions",
    "previous_response_id",
    "conversation",
    "background",
    "contents",
    "systemInstruction",
    "candidateCount",
    "generationConfig",
    "prompt",
];

/// Keys that hold credentials or ways around the client; decoding is recorded in every transcript.
const NEVER_SENT: [&str; 8] =
    ["api_key", "apikey", "authorization", "extra_headers", "headers", "password", "secret", "token"];

/// The largest whole number that every reader of JSON keeps exactly.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Seconds for a turn of an agent program, unless the matrix says.
const PROGRAM_TIMEOUT_S: u64 = 900;

/// Checks all entries.
pub(super) fn models(source: &Source, file: File) -> Result<Vec<Model>, MatrixErrors> {
    let mut checks = Checks { source, problems: Vec::new() };
    if file.models.value.is_empty() {
        checks.problem(file.models.referenced, "`models` is empty: there is nobody to try".to_owned());
    }
    let mut seen: HashMap<String, u64> = HashMap::new();
    let mut models = Vec::new();
    for entry in file.models.value {
        if let Some(id) = &entry.value.id
            && let Some(line) = seen.insert(id.value.clone(), id.referenced.line())
        {
            checks
                .problem(id.referenced, format!("`{}` is also the id of the entry in line {line}", id.value));
        }
        models.extend(checks.model(entry.value, entry.referenced));
    }
    if checks.problems.is_empty() {
        return Ok(models);
    }
    checks.problems.sort_by_key(|problem| (problem.line, problem.column));
    Err(MatrixErrors(checks.problems))
}

pub(super) struct Checks<'a> {
    source: &'a Source,
    problems: Vec<Problem>,
}

impl Checks<'_> {
    pub(super) fn problem(&mut self, at: Location, message: String) {
        let span = yaml::span_at(self.source, at);
        self.problems.push(error::at(self.source, span, message));
    }

    /// Takes a field that must be there.
    pub(super) fn need<T>(
        &mut self,
        field: Option<Spanned<T>>,
        name: &str,
        entry: Location,
    ) -> Option<Spanned<T>> {
        if field.is_none() {
            self.problem(entry, format!("`{name}` is missing from this entry"));
        }
        field
    }

    /// Refuses a field that has no meaning for this provider.
    pub(super) fn refuse<T>(&mut self, field: Option<&Spanned<T>>, name: &str, provider: &str) {
        if let Some(field) = field {
            self.problem(
                field.referenced,
                format!("`{name}` has no meaning for provider `{provider}`: remove it"),
            );
        }
    }

    fn model(&mut self, mut entry: Entry, at: Location) -> Option<Model> {
        let id = self.need(entry.id.take(), "id", at).and_then(|id| self.id(id));
        let role = self.need(entry.role.take(), "role", at).map(|role| role.value);
        let programs = matches!(
            entry.provider.as_ref().map(|provider| provider.value),
            Some(ProviderName::ClaudeCode | ProviderName::Codex | ProviderName::Command)
        );
        let limits = self.limits(entry.limits.take().unwrap_or_default(), programs);
        let notes = entry.notes.take();
        let prices = entry.prices.take().and_then(|prices| self.prices(prices));
        let shutdown = entry.shutdown.take().and_then(|date| self.date(&date));
        let provider = self.need(entry.provider.take(), "provider", at)?;
        let pin = entry.pin.take();
        let decoding_at = entry.decoding.as_ref().map_or(at, |decoding| decoding.referenced);
        let decoding = match &entry.decoding {
            Some(decoding) if provider.value != ProviderName::Replay => self.decoding(decoding),
            _ => Map::new(),
        };
        // Nothing is gained by streaming a recorded reply, but it can be asked for.
        let stream = entry.stream.unwrap_or(provider.value != ProviderName::Replay);
        let provider = match provider.value {
            ProviderName::Replay => self.replay(entry, at),
            ProviderName::ClaudeCode => self.program(entry, at, Adapter::ClaudeCode),
            ProviderName::Codex => self.program(entry, at, Adapter::Codex),
            ProviderName::Command => self.program(entry, at, Adapter::Command),
            ProviderName::OpenaiChat => self.api(entry, at, Wire::OpenaiChat),
            ProviderName::OpenaiResponses => self.api(entry, at, Wire::OpenaiResponses),
            ProviderName::Gemini => self.api(entry, at, Wire::Gemini),
            ProviderName::Anthropic => {
                self.max_tokens(&decoding, decoding_at);
                self.api(entry, at, Wire::Anthropic)
            }
        };
        let pin = self.pin(pin, provider.as_ref());
        Some(Model {
            id: id?,
            role: role?,
            provider: provider?,
            pin: pin?,
            shutdown,
            decoding,
            stream,
            limits,
            prices,
            notes,
            line: at.line(),
        })
    }

    fn id(&mut self, id: Spanned<String>) -> Option<String> {
        let mut bytes = id.value.bytes();
        let starts = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if starts
            && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte))
        {
            return Some(id.value);
        }
        self.problem(
            id.referenced,
            format!(
                "`{}` is no id: use a-z, 0-9, `.`, `_` and `-`, starting with a letter or a digit",
                id.value
            ),
        );
        None
    }

    /// A limit that nothing keeps to would be worse than none.
    fn meaningless(&mut self, limits: &super::file::Limits, programs: bool) {
        let idle = if programs {
            [
                (limits.rpm.as_ref().map(|l| l.referenced), "rpm"),
                (limits.tpm.as_ref().map(|l| l.referenced), "tpm"),
                (limits.idle_timeout_s.as_ref().map(|l| l.referenced), "idle_timeout_s"),
            ]
        } else {
            [
                (limits.max_output_bytes.as_ref().map(|l| l.referenced), "max_output_bytes"),
                (limits.max_processes.as_ref().map(|l| l.referenced), "max_processes"),
                (None, ""),
            ]
        };
        let whom = if programs { "an agent program" } else { "anything but agent programs" };
        for (at, name) in idle {
            if let Some(at) = at {
                self.problem(at, format!("`{name}` has no meaning for {whom}: remove it"));
            }
        }
    }

    fn limits(&mut self, limits: super::file::Limits, programs: bool) -> Limits {
        // A turn of a program is many requests.
        let timeout_s = if programs { PROGRAM_TIMEOUT_S } else { Limits::default().timeout_s };
        let defaults = Limits { timeout_s, ..Limits::default() };
        self.meaningless(&limits, programs);
        let zeros = [
            (limits.in_flight.as_ref().map(|l| (l.value == 0, l.referenced)), "in_flight"),
            (limits.rpm.as_ref().map(|l| (l.value == 0, l.referenced)), "rpm"),
            (limits.tpm.as_ref().map(|l| (l.value == 0, l.referenced)), "tpm"),
            (limits.timeout_s.as_ref().map(|l| (l.value == 0, l.referenced)), "timeout_s"),
            (limits.idle_timeout_s.as_ref().map(|l| (l.value == 0, l.referenced)), "idle_timeout_s"),
            (limits.max_steps.as_ref().map(|l| (l.value == 0, l.referenced)), "max_steps"),
            (limits.max_output_bytes.as_ref().map(|l| (l.value == 0, l.referenced)), "max_output_bytes"),
            (limits.max_processes.as_ref().map(|l| (l.value == 0, l.referenced)), "max_processes"),
        ];
        for (limit, name) in zeros {
            if let Some((true, at)) = limit {
                self.problem(at, format!("`{name}` must be at least 1"));
            }
        }
        Limits {
            in_flight: limits.in_flight.and_then(|limit| usize::try_from(limit.value).ok()),
            rpm: limits.rpm.map(|limit| limit.value),
            tpm: limits.tpm.map(|limit| limit.value),
            timeout_s: limits.timeout_s.map_or(defaults.timeout_s, |limit| limit.value),
            idle_timeout_s: limits.idle_timeout_s.map_or(defaults.idle_timeout_s, |limit| limit.value),
            max_steps: limits.max_steps.map(|limit| limit.value),
            retries: limits.retries,
            max_output_bytes: limits.max_output_bytes.map_or(defaults.max_output_bytes, |limit| limit.value),
            max_processes: limits.max_processes.map_or(defaults.max_processes, |limit| limit.value),
        }
    }

    fn prices(&mut self, prices: Spanned<super::file::Prices>) -> Option<Prices> {
        let at = prices.referenced;
        let prices = prices.value;
        let letters = prices.currency.as_bytes();
        let proper = letters.len() == 3 && letters.iter().all(u8::is_ascii_uppercase);
        if !proper {
            self.problem(
                at,
                format!("`{}` is no currency: write three letters, such as USD", prices.currency),
            );
        }
        let mut price = |number: &Number, name: &str| match number.to_string().parse::<Amount>() {
            Ok(amount) => Some(amount.micros()),
            Err(error) => {
                self.problem(at, format!("`{name}` of `prices`: {error}"));
                None
            }
        };
        let input = price(&prices.input, "input");
        let cached = prices.cached.as_ref().map_or(input, |number| price(number, "cached"));
        let output = price(&prices.output, "output");
        let currency = proper.then_some(prices.currency);
        Some(Prices { currency: currency?, input: input?, cached: cached?, output: output? })
    }

    fn decoding(&mut self, decoding: &Spanned<Map<String, Value>>) -> Map<String, Value> {
        for (key, value) in &decoding.value {
            if NOT_DECODING.contains(&key.as_str()) {
                self.problem(
                    decoding.referenced,
                    format!("`{key}` is not a decoding parameter: the harness writes it itself"),
                );
            }
            if NEVER_SENT.contains(&key.to_ascii_lowercase().as_str()) {
                self.problem(
                    decoding.referenced,
                    format!(
                        "`{key}` is not a decoding parameter: keys come from the variable named in `key_env`"
                    ),
                );
            }
            if holds_inexact(value) {
                self.problem(
                    decoding.referenced,
                    format!(
                        "the number in `{key}` is too large to be sent exactly; the largest is 9007199254740992"
                    ),
                );
            }
        }
        decoding.value.clone()
    }

    fn max_tokens(&mut self, decoding: &Map<String, Value>, at: Location) {
        if decoding.get("max_tokens").and_then(Value::as_u64).unwrap_or(0) == 0 {
            self.problem(
                at,
                "provider `anthropic` requires `max_tokens`, a whole number above 0, in `decoding`"
                    .to_owned(),
            );
        }
    }

    fn replay(&mut self, entry: Entry, at: Location) -> Option<Provider> {
        self.refuse(entry.model.as_ref(), "model", "replay");
        self.refuse(entry.base_url.as_ref(), "base_url", "replay");
        self.refuse(entry.key_env.as_ref(), "key_env", "replay");
        self.refuse(entry.decoding.as_ref(), "decoding", "replay");
        self.refuse(entry.auth.as_ref(), "auth", "replay");
        self.refuse(entry.program.as_ref(), "program", "replay");
        let trace = self.need(entry.trace, "trace", at).and_then(|trace| self.not_blank(trace, "trace"));
        let wire = self.need(entry.wire, "wire", at);
        Some(Provider::Replay {
            trace: trace?,
            wire: wire?.value,
            expect: entry.expect.map(|expect| expect.value),
        })
    }

    fn api(&mut self, entry: Entry, at: Location, wire: Wire) -> Option<Provider> {
        let name = wire.name();
        self.refuse(entry.trace.as_ref(), "trace", name);
        self.refuse(entry.wire.as_ref(), "wire", name);
        self.refuse(entry.expect.as_ref(), "expect", name);
        self.refuse(entry.program.as_ref(), "program", name);
        let model = self.need(entry.model, "model", at).and_then(|model| self.not_blank(model, "model"));
        let base_url = self.need(entry.base_url, "base_url", at).and_then(|url| self.base_url(&url));
        let key_env = match entry.key_env {
            Some(key_env) => Some(self.key_env(key_env)?),
            None => None,
        };
        let auth = self.auth(entry.auth.as_ref(), key_env.is_some(), wire);
        Some(Provider::Api { wire, model: model?, base_url: base_url?, key_env, auth })
    }

    fn auth(&mut self, auth: Option<&Spanned<Auth>>, has_key: bool, wire: Wire) -> Auth {
        let Some(auth) = auth else {
            return match wire {
                Wire::OpenaiChat | Wire::OpenaiResponses => Auth::Bearer,
                Wire::Anthropic => Auth::XApiKey,
                Wire::Gemini => Auth::XGoogApiKey,
            };
        };
        let problem = match (auth.value == Auth::None, has_key) {
            (true, true) => "`auth: none` sends no key, but `key_env` names one: remove one of them",
            (false, false) => {
                "`auth` says how a key is sent, but there is none: name its variable in `key_env`"
            }
            _ => return auth.value,
        };
        self.problem(auth.referenced, problem.to_owned());
        auth.value
    }

    fn pin(&mut self, pin: Option<super::file::Pin>, provider: Option<&Provider>) -> Option<Pin> {
        let pin = pin.unwrap_or_default();
        if let (Some(Provider::Replay { .. }), Some(field)) =
            (provider, pin.model.as_ref().or(pin.fingerprint.as_ref()))
        {
            self.problem(
                field.referenced,
                "`pin` has no meaning for provider `replay`: remove it".to_owned(),
            );
        }
        if let Some(Provider::Program(program)) = provider {
            self.program_pin(program, &pin);
        }
        let explicit = pin.model.is_some();
        let model = pin.model.and_then(|model| self.not_blank(model, "pin.model"));
        let fingerprint = pin.fingerprint.and_then(|print| self.not_blank(print, "pin.fingerprint"));
        if let (Some(Provider::Api { .. } | Provider::Replay { .. }), Some(field)) = (provider, &pin.version)
        {
            self.problem(
                field.referenced,
                "`pin.version` is what an agent program prints for --version: remove it".to_owned(),
            );
        }
        let version = pin.version.and_then(|version| self.not_blank(version, "pin.version"));
        let model = model.or_else(|| provider.map(reported_name))?;
        Some(Pin { model, fingerprint, version, explicit })
    }

    fn date(&mut self, written: &Spanned<String>) -> Option<Date> {
        let date = written.value.parse();
        if date.is_err() {
            self.problem(
                written.referenced,
                format!("`{}` is no date: write it as 2027-03-01", written.value),
            );
        }
        date.ok()
    }

    pub(super) fn not_blank(&mut self, field: Spanned<String>, name: &str) -> Option<String> {
        if field.value.trim().is_empty() {
            self.problem(field.referenced, format!("`{name}` is empty"));
            return None;
        }
        Some(field.value)
    }

    pub(super) fn base_url(&mut self, written: &Spanned<String>) -> Option<Url> {
        let problem = match Url::parse(&written.value) {
            Err(error) => format!("this is no URL: {error}"),
            Ok(url) if !matches!(url.scheme(), "http" | "https") => {
                format!("`base_url` must start with http:// or https://, not {}:", url.scheme())
            }
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                "`base_url` holds credentials: remove them and name a variable in `key_env`".to_owned()
            }
            Ok(url) if url.query_pairs().any(|(name, _)| is_credential(&name)) => {
                "`base_url` holds a key in its query: remove it and name a variable in `key_env`".to_owned()
            }
            Ok(url) if url.fragment().is_some() => "`base_url` must not hold a `#` part".to_owned(),
            Ok(url) => return Some(url),
        };
        self.problem(written.referenced, problem);
        None
    }

    /// A variable's name. A key pasted here must not come out again, so the value is not repeated.
    pub(super) fn key_env(&mut self, name: Spanned<String>) -> Option<String> {
        let fits = name.value.bytes().enumerate().all(|(index, byte)| {
            byte.is_ascii_uppercase() || byte == b'_' || (index > 0 && byte.is_ascii_digit())
        });
        if fits && !name.value.is_empty() {
            return Some(name.value);
        }
        self.problem(
            name.referenced,
            "`key_env` is the name of an environment variable (A-Z, 0-9, `_`), never the key itself"
                .to_owned(),
        );
        None
    }
}

/// Whether a part of a query is called like one that holds a key.
fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = ["key", "token", "secret", "password", "sig", "signature", "code"];
    name.ends_with("key") || name.split(['-', '_', '.']).any(|part| words.contains(&part))
}

/// The name that an endpoint reports for a model that is what it was asked for.
fn reported_name(provider: &Provider) -> String {
    let requested = provider.requested_model();
    match provider {
        // The name in the URL may have its folder before it.
        Provider::Api { wire: Wire::Gemini, .. } => {
            requested.rsplit('/').next().unwrap_or_default().to_owned()
        }
        _ => requested,
    }
}

/// Whether a number in `value` was, or would be, rounded on its way.
fn holds_inexact(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_none_or(|float| float.abs() > LARGEST_EXACT),
        Value::Array(items) => items.iter().any(holds_inexact),
        Value::Object(fields) => fields.values().any(holds_inexact),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}
