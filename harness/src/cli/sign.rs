//! `assize sign`: signed statements of a run, written into its folder.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use harness::audit;
use harness::pack;
use harness::sitting::attesting;
use reports::attestation::SigningKey;

use super::exit::Exit;
use super::say;

/// Sign a run's record
///
/// Writes `attestations/` into the run: a test result and the whole manifest as in-toto statements in DSSE envelopes,
/// and for a P-256 key a Sigstore bundle over every file. It signs whatever came of the run, a failure too. A run can be
/// signed with several keys, one after the other.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The run's folder, or a pack, which is then written anew
    #[arg(value_name = "RUN|PACK")]
    run: PathBuf,
    /// The private key, as `assize keygen` or `openssl genpkey` writes it
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let text = fs::read_to_string(&arguments.key)
        .with_context(|| format!("{} cannot be read", arguments.key.display()))?;
    let key =
        SigningKey::from_pem(&text).with_context(|| format!("{} cannot be used", arguments.key.display()))?;
    let opened = audit::open(&arguments.run)?;
    let written = attesting::sign(&opened.run, &key)?;
    if arguments.run.is_file() {
        pack::pack(opened.run.path(), &arguments.run)?;
    }
    say::note(&format!("signed with {}: {}", key.public().keyid(), written.join(", ")));
    Ok(Exit::Holds)
}
