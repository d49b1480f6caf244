//! Claude Code, headless: the prompt on stdin, events on stdout. What it may do without asking is everything that a case
//! can want; the fence is what holds it.

use serde_json::json;

use super::super::offer;
use super::super::room::RoomError;
use super::{Set, shown};

/// Tools that need no asking.
const ALLOWED: &str =
    "Bash,Edit,MultiEdit,Write,NotebookEdit,Read,Glob,Grep,LS,TodoWrite,Task,WebFetch,WebSearch";

/// Keeps it from contacting anything but its endpoint.
const QUIET: [&str; 4] = [
    "DISABLE_AUTOUPDATER",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
];

/// Left to itself it asks an endpoint that refuses its key for minutes; these are as many as a model behind an API has.
const RETRIES: &str = "4";

pub(super) fn env(set: &Set<'_>) -> Vec<(String, String)> {
    let mut env: Vec<(String, String)> = QUIET.map(|name| (name.to_owned(), "1".to_owned())).into();
    env.push(("CLAUDE_CODE_MAX_RETRIES".to_owned(), RETRIES.to_owned()));
    env.push(("CLAUDE_CONFIG_DIR".to_owned(), shown(&set.room.home().join(".claude"))));
    env.push(("CLAUDE_CODE_TMPDIR".to_owned(), shown(&set.room.temp())));
    env.extend(set.relay.map(|relay| ("ANTHROPIC_BASE_URL".to_owned(), relay.base_url())));
    env.extend(set.token.map(|token| ("ANTHROPIC_API_KEY".to_owned(), token.to_owned())));
    env
}

pub(super) fn prepare(set: &Set<'_>) -> Result<(), RoomError> {
    let servers = match set.server.as_deref() {
        Some([command, arguments @ ..]) => {
            json!({ (offer::SERVER): { "command": command, "args": arguments } })
        }
        _ => json!({}),
    };
    let file = json!({ "mcpServers": servers });
    set.room.put(&set.room.control().join("mcp.json"), file.to_string().as_bytes())
}

pub(super) fn arguments(set: &Set<'_>, session: Option<&str>) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"]
            .map(str::to_owned)
            .into();
    let allowed = format!("{ALLOWED},mcp__{}", offer::SERVER);
    arguments.extend(["--allowedTools".to_owned(), allowed, "--strict-mcp-config".to_owned()]);
    if set.server.is_some() {
        arguments.extend(["--mcp-config".to_owned(), shown(&set.room.control().join("mcp.json"))]);
    }
    if let Some(model) = &set.program.model {
        arguments.extend(["--model".to_owned(), model.clone()]);
    }
    if let Some(session) = session {
        arguments.extend(["--resume".to_owned(), session.to_owned()]);
    }
    arguments
}
