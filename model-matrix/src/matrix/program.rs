//! Agent programs as entries of the matrix: which program, how it is started, and what of it is pinned.

use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::{Location, Spanned};
use transcript::effect::standard_effect;

use super::Provider;
use super::check::Checks;
use super::file::{self, Entry, ProgramEntry};
use crate::Wire;

/// Which program it is: each has its own way to be started, to be told of tools, and to say what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adapter {
    /// Claude Code, `claude -p --output-format stream-json`.
    ClaudeCode,
    /// Codex, `codex exec --json`.
    Codex,
    /// Any other program.
    Command,
}

impl Adapter {
    /// The name as the matrix has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Command => "command",
        }
    }

    /// The format of its requests, as far as that is known: what names of models mean depends on it.
    pub(crate) fn wire(self) -> Wire {
        match self {
            Self::ClaudeCode => Wire::Anthropic,
            Self::Codex => Wire::OpenaiResponses,
            Self::Command => Wire::OpenaiChat,
        }
    }

    /// The command and the file for instructions, where the program has usual ones.
    fn usual(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::ClaudeCode => Some(("claude", "CLAUDE.md")),
            Self::Codex => Some(("codex", "AGENTS.md")),
            Self::Command => None,
        }
    }
}

/// What goes over stdin and stdout of a `command`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The user's words in, the reply out. Calls of tools are not reported, and there is no second turn.
    Text,
    /// One JSON object in and one out for each turn.
    JsonLines,
}

/// An agent program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Which one.
    pub adapter: Adapter,
    /// The program and its first arguments; never empty.
    pub run: Vec<String>,
    /// The model it is to ask; `None` leaves it to a `command` itself.
    pub model: Option<String>,
    /// The endpoint that the program's requests go to, through a relay on loopback; without one it has no network.
    pub base_url: Option<Url>,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// The file in the workspace that the charter is put in.
    pub charter_file: String,
    /// What goes over stdin and stdout of a `command`.
    pub protocol: Protocol,
    /// The variable that a `command` takes its base URL from.
    pub base_url_env: Option<String>,
    /// The standard tools that a `command` has of its own.
    pub tools: Vec<String>,
    /// Whether it takes the case's other tools from an MCP server.
    pub mcp: bool,
    /// More places that it must be able to read.
    pub read: Vec<String>,
}

impl Checks<'_> {
    /// An entry for a program.
    pub(super) fn program(&mut self, entry: Entry, at: Location, adapter: Adapter) -> Option<Provider> {
        let name = adapter.name();
        self.refuse(entry.trace.as_ref(), "trace", name);
        self.refuse(entry.wire.as_ref(), "wire", name);
        self.refuse(entry.expect.as_ref(), "expect", name);
        self.refuse(entry.auth.as_ref(), "auth", name);
        self.refuse(entry.decoding.as_ref(), "decoding", name);
        let is_command = adapter == Adapter::Command;
        let model = match entry.model {
            None if is_command => None,
            model => Some(self.need(model, "model", at).and_then(|model| self.not_blank(model, "model"))?),
        };
        let base_url = match entry.base_url {
            None if is_command => None,
            url => Some(self.need(url, "base_url", at).and_then(|url| self.base_url(&url))?),
        };
        let key_env = match entry.key_env {
            Some(key_env) => Some(self.key_env(key_env)?),
            None => None,
        };
        let (written, place) = match entry.program {
            Some(program) => (program.value, program.referenced),
            None => (ProgramEntry::default(), at),
        };
        if !is_command {
            self.refuse(written.protocol.as_ref(), "program.protocol", name);
            self.refuse(written.base_url_env.as_ref(), "program.base_url_env", name);
            self.refuse(written.tools.as_ref(), "program.tools", name);
            self.refuse(written.mcp.as_ref(), "program.mcp", name);
        }
        let base_url_env = match written.base_url_env {
            Some(variable) => Some(self.variable(variable)?),
            None => None,
        };
        if is_command && base_url.is_some() != base_url_env.is_some() {
            self.problem(
                place,
                "`base_url` and `program.base_url_env` go together: the program's requests go through a relay, \
                 whose address it gets in that variable"
                    .to_owned(),
            );
        }
        let run = self.words(written.run, adapter, place);
        let charter_file = self.charter_file(written.charter_file, adapter, place);
        let tools = self.tools(written.tools);
        Some(Provider::Program(Box::new(Program {
            adapter,
            run: run?,
            model,
            base_url,
            key_env,
            charter_file: charter_file?,
            protocol: written.protocol.map_or(Protocol::Text, |protocol| protocol.value),
            base_url_env,
            tools,
            mcp: !is_command || written.mcp.is_some_and(|mcp| mcp.value),
            read: written.read.map(|read| read.value).unwrap_or_default(),
        })))
    }

    /// Refuses a pin that no trial of the program could keep.
    pub(super) fn program_pin(&mut self, program: &Program, pin: &file::Pin) {
        if let Some(fingerprint) = &pin.fingerprint {
            let message =
                "`pin.fingerprint` cannot be kept by an agent program, which reports none: remove it";
            self.problem(fingerprint.referenced, message.to_owned());
        }
        let is_told = program.base_url.is_some() || program.protocol == Protocol::JsonLines;
        if let Some(model) = pin.model.as_ref().filter(|_| !is_told) {
            let message = "`pin.model` demands to be kept, but nothing says which model answers: give the program a \
                           `base_url`, or `protocol: json-lines` and let it name its `model`; or remove the pin";
            self.problem(model.referenced, message.to_owned());
        }
    }

    fn words(
        &mut self,
        run: Option<Spanned<Vec<String>>>,
        adapter: Adapter,
        at: Location,
    ) -> Option<Vec<String>> {
        let usual = adapter.usual().map(|(program, _)| vec![program.to_owned()]);
        let Some(run) = run else {
            if usual.is_none() {
                self.problem(
                    at,
                    "provider `command` needs `program: { run: [NAME, …] }`: what is to be started"
                        .to_owned(),
                );
            }
            return usual;
        };
        if run.value.first().is_none_or(|program| program.trim().is_empty()) {
            self.problem(run.referenced, "`program.run` names no program".to_owned());
            return None;
        }
        Some(run.value)
    }

    fn charter_file(
        &mut self,
        file: Option<Spanned<String>>,
        adapter: Adapter,
        at: Location,
    ) -> Option<String> {
        let usual = adapter.usual().map(|(_, file)| file.to_owned());
        let Some(file) = file else {
            if usual.is_none() {
                self.problem(
                    at,
                    "provider `command` needs `program: { charter_file: NAME }`: the file in the workspace that the \
                     program reads its instructions from"
                        .to_owned(),
                );
            }
            return usual;
        };
        let inside = file.value.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        if !inside || file.value.contains(['\\', '\0']) {
            self.problem(
                file.referenced,
                "`program.charter_file` is a path inside the workspace, such as AGENTS.md".to_owned(),
            );
            return None;
        }
        Some(file.value)
    }

    fn tools(&mut self, tools: Option<Spanned<Vec<String>>>) -> Vec<String> {
        let Some(tools) = tools else { return Vec::new() };
        for name in tools.value.iter().filter(|name| standard_effect(name).is_none()) {
            self.problem(tools.referenced, format!("`{name}` is no standard tool"));
        }
        tools.value
    }

    fn variable(&mut self, name: Spanned<String>) -> Option<String> {
        let fits = |(index, byte): (usize, u8)| {
            byte.is_ascii_uppercase() || byte == b'_' || (index > 0 && byte.is_ascii_digit())
        };
        if !name.value.is_empty() && name.value.bytes().enumerate().all(fits) {
            return Some(name.value);
        }
        let message = format!("`{}` is no name of a variable (A-Z, 0-9, `_`)", name.value);
        self.problem(name.referenced, message);
        None
    }
}
