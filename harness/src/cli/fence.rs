//! `assize fence`: the process between the harness and an agent program. People have no use for it.

use harness::agent::launcher::{self, Orders};

use super::exit::Exit;

/// Fence this process in and start a program
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to do, as the harness writes it down
    #[arg(value_name = "ORDERS", value_parser = parse)]
    orders: Orders,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    argv: Vec<String>,
}

fn parse(text: &str) -> Result<Orders, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    launcher::run(&arguments.orders, &arguments.argv)?;
    Ok(Exit::Holds)
}
