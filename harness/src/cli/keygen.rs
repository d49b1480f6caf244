//! `assize keygen`: a key to sign records with.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use reports::attestation::{KeyKind, SigningKey, key};

use super::exit::Exit;
use super::say;

/// Make a key pair to sign records with
///
/// Writes the private key (PKCS#8) and, beside it, the public key: both PEM, as other tools read them. The private key is
/// not encrypted; only its owner may read it.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The kind of key; a run signed with p256 can also be verified by PyPI's model-signing
    #[arg(long = "type", value_enum, default_value_t = Kind::Ed25519)]
    kind: Kind,
    /// The private key's file; the public key goes to FILE.pub
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// Ed25519
    Ed25519,
    /// ECDSA on P-256
    P256,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let kind = match arguments.kind {
        Kind::Ed25519 => KeyKind::Ed25519,
        Kind::P256 => KeyKind::P256,
    };
    let public_path = PathBuf::from(format!("{}.pub", arguments.out.display()));
    anyhow::ensure!(
        !public_path.exists(),
        "{} is there already; keys are never written over",
        public_path.display()
    );
    let private = key::generate(kind)?;
    let public = SigningKey::from_pem(&private)?.public();
    write_private(&arguments.out, &private).with_context(|| {
        format!("{} cannot be written; keys are never written over", arguments.out.display())
    })?;
    fs::write(&public_path, public.to_pem())
        .with_context(|| format!("{} cannot be written", public_path.display()))?;
    say::note(&format!(
        "private key {}, to be kept to yourself\npublic key {} ({})",
        arguments.out.display(),
        public_path.display(),
        public.keyid()
    ));
    Ok(Exit::Holds)
}

/// Creates a file that only its owner may read.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
