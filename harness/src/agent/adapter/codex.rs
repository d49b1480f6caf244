//! Codex, headless: settings in its HOME, the prompt on stdin, events on stdout.
//!
//! Its own sandbox changes mounts, which the fence forbids: inside a fence it is switched off, without one it is on.

use std::fmt::Write as _;

use super::super::offer;
use super::super::room::RoomError;
use super::{Set, shown};

/// The variable that its settings name for the key.
const KEY: &str = "ASSIZE_SUBJECT_KEY";

pub(super) fn env(set: &Set<'_>) -> Vec<(String, String)> {
    let mut env = vec![("CODEX_HOME".to_owned(), shown(&set.room.home().join(".codex")))];
    env.extend(set.token.map(|token| (KEY.to_owned(), token.to_owned())));
    env
}

pub(super) fn prepare(set: &Set<'_>) -> Result<(), RoomError> {
    set.room.put(&set.room.home().join(".codex/config.toml"), settings(set).as_bytes())
}

fn settings(set: &Set<'_>) -> String {
    let mut toml = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(toml, "{name} = {}", quoted(value));
    };
    line("model", set.program.model.as_deref().unwrap_or_default());
    line("model_provider", "subject");
    line("approval_policy", "never");
    line("sandbox_mode", if set.fenced { "danger-full-access" } else { "workspace-write" });
    toml.push_str("check_for_update_on_startup = false\n");
    toml.push_str("\n[model_providers.subject]\nname = \"subject\"\nwire_api = \"responses\"\n");
    if let Some(relay) = set.relay {
        let _ = writeln!(toml, "base_url = {}", quoted(&relay.base_url()));
    }
    if set.token.is_some() {
        let _ = writeln!(toml, "env_key = {}", quoted(KEY));
    }
    toml.push_str(
        "\n[analytics]\nenabled = false\n\n[feedback]\nenabled = false\n\n[otel]\nexporter = \"none\"\n",
    );
    if let Some([command, arguments @ ..]) = set.server.as_deref() {
        let arguments: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
        let _ = writeln!(
            toml,
            "\n[mcp_servers.{}]\ncommand = {}\nargs = [{}]",
            offer::SERVER,
            quoted(command),
            arguments.join(", ")
        );
    }
    toml
}

/// A basic string of TOML, which has JSON's escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

pub(super) fn arguments(session: Option<&str>) -> Vec<String> {
    let mut arguments = vec!["exec".to_owned()];
    if session.is_some() {
        arguments.push("resume".to_owned());
    }
    arguments.extend(["--json", "--skip-git-repo-check"].map(str::to_owned));
    arguments.extend(session.map(str::to_owned));
    arguments.push("-".to_owned());
    arguments
}
