//! `assize case-tools`: a case's tools as an MCP server on stdin and stdout, started by the agent program on trial.

use std::io;
use std::path::PathBuf;

use anyhow::Context as _;
use harness::agent::offer;
use harness::tools::{ToolDecl, ToolSet};

use super::exit::Exit;

/// Serve a case's tools to an agent program
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The tools' declarations, as JSON
    #[arg(value_name = "FILE")]
    declared: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let path = arguments.declared.display();
    let text = std::fs::read_to_string(&arguments.declared).with_context(|| path.to_string())?;
    let declared: Vec<ToolDecl> = serde_json::from_str(&text).with_context(|| path.to_string())?;
    let tools = ToolSet::new(&declared).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        anyhow::anyhow!("{path}: {}", lines.join("; "))
    })?;
    offer::serve(&tools, io::stdin().lock(), io::stdout().lock())?;
    Ok(Exit::Holds)
}
