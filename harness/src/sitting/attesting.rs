//! The signed statements of a run: written into its folder, so that a pack carries them, and checked against what the
//! folder's own records come to.
//!
//! `attestations/` is the one part of the folder that the manifest does not list, since its files are made over the
//! manifest, which lists everything else. So the signatures cover the manifest, and the manifest the rest.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use reports::attestation::dsse::EnvelopeError;
use reports::attestation::{Envelope, KeyKind, PublicKey, SigningKey, bundle, statement};
use reports::manifest::Evidence;
use reports::{Finding, Manifest, Rule, digest};

use super::evidence::{self, Listing};
use super::rundir::{MANIFEST, RunDir, RunDirError};

/// The folder of the statements.
pub const FOLDER: &str = "attestations";
/// The statement with the test-result predicate.
pub const TEST_RESULT: &str = "attestations/test-result.dsse.json";
/// The statement that carries the whole manifest.
pub const WHOLE_MANIFEST: &str = "attestations/manifest.dsse.json";
/// The Sigstore bundle over every file of the folder but the statements; only for P-256 keys. A bundle has one signature,
/// so that of a further key has part of the key's digest in its name.
pub const BUNDLE: &str = "attestations/folder.sigstore.json";

/// Digits of a key's digest in the name of its bundle.
const DIGITS: usize = 12;

/// The name of the folder in the bundle's statement: where it lies and what it is called there does not matter.
const BUNDLE_SUBJECT: &str = "run";

/// Why a run cannot be signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttestError {
    /// Its records cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// It was not concluded.
    #[error("{}: there is no manifest: the run was not concluded; resume it", .0.display())]
    NoManifest(PathBuf),
    /// Its folder is not what its manifest says: whoever audits it would refuse it.
    #[error("{}: not signed, because the folder is not as its manifest records it:\n  {}", folder.display(), lines(findings))]
    Changed {
        /// The folder.
        folder: PathBuf,
        /// How it differs.
        findings: Vec<Finding>,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Earlier signatures are over something else.
    #[error("{}: {why}; nothing was signed. Take {FOLDER}/ away to have only new signatures, by every signer", path.display())]
    Stale {
        /// The statement.
        path: PathBuf,
        /// What is wrong with it.
        why: EnvelopeError,
    },
    /// The statement cannot be written down.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The key cannot sign.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

fn lines(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
}

/// Signs the records of `run` as they stand and returns the files written. Signatures of other keys stay beside it.
///
/// # Errors
/// [`AttestError`] when the folder is not what its manifest says, earlier signatures are over other records, or nothing
/// can be written.
pub fn sign(run: &RunDir, key: &SigningKey) -> Result<Vec<String>, AttestError> {
    let manifest = run.manifest()?.ok_or_else(|| AttestError::NoManifest(run.path().to_owned()))?;
    let (listing, evidence) = run.evidence()?;
    let mut findings = compare_files(&manifest, listing, &evidence);
    let file = run.path().join(MANIFEST);
    if fs::read(&file).map_err(io_error(&file))? != digest::file(&manifest)? {
        findings.push(Finding::new(Rule::NotCanonical, "not in canonical form").of(MANIFEST));
    }
    if !findings.is_empty() {
        return Err(AttestError::Changed { folder: run.path().to_owned(), findings });
    }
    let statements = [
        (TEST_RESULT, statement::test_result(&manifest)?),
        (WHOLE_MANIFEST, statement::whole_manifest(&manifest)?),
    ];
    // All of it is made before any of it is written.
    let mut written = Vec::new();
    for (name, payload) in &statements {
        written.push(((*name).to_owned(), envelope(run, name, payload, key)?.to_bytes()?));
    }
    if key.public().kind() == KeyKind::P256 {
        written.push((bundle_name(run, &key.public())?, bundle::sign(&folder_payload(run)?, key)?));
    }
    let folder = run.path().join(FOLDER);
    fs::create_dir_all(&folder).map_err(io_error(&folder))?;
    for (name, bytes) in &written {
        run.write(name, bytes)?;
    }
    Ok(written.into_iter().map(|(name, _)| name).collect())
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> AttestError + use<> {
    let path = path.to_owned();
    move |source| AttestError::Io { path, source }
}

/// A file of the run; `None` when there is none.
fn file(run: &RunDir, name: &str) -> Result<Option<Vec<u8>>, AttestError> {
    let path = run.path().join(name);
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(AttestError::Io { path, source }),
    }
}

/// The envelope over `payload`, signed by `key` and by whoever signed it before.
fn envelope(run: &RunDir, name: &str, payload: &[u8], key: &SigningKey) -> Result<Envelope, AttestError> {
    let Some(bytes) = file(run, name)? else { return Ok(Envelope::sign(payload, key)?) };
    let stale = |why| AttestError::Stale { path: run.path().join(name), why };
    let mut envelope = Envelope::parse(&bytes).map_err(stale)?;
    envelope.add(payload, key).map_err(stale)?;
    Ok(envelope)
}

/// The file that the bundle of `key` goes to: the plain name, unless another key has it.
fn bundle_name(run: &RunDir, key: &PublicKey) -> Result<String, AttestError> {
    let taken = file(run, BUNDLE)?
        .is_some_and(|bytes| bundle::hint(&bytes).is_some_and(|hint| hint != key.pem_sha256()));
    Ok(if taken { further_bundle(&key.pem_sha256()) } else { BUNDLE.to_owned() })
}

/// The name of the bundle of a further key.
fn further_bundle(hint: &str) -> String {
    let digits = hint.get(..DIGITS).unwrap_or(hint);
    format!("{FOLDER}/folder-{digits}.sigstore.json")
}

/// What a bundle says: the digest of every file of the folder but those in the folder of statements, to which further
/// signatures may come. They are made over the manifest, which is covered.
fn folder_payload(run: &RunDir) -> Result<Vec<u8>, AttestError> {
    let signed = format!("{FOLDER}/");
    let mut files = BTreeMap::new();
    for file in evidence::list(run.path()).map_err(io_error(run.path()))?.files {
        if !file.path.starts_with(&signed) {
            let (_, raw) = evidence::sha256_of(&file.place).map_err(io_error(run.path()))?;
            files.insert(file.path, raw);
        }
    }
    Ok(bundle::payload(BUNDLE_SUBJECT, &files, FOLDER)?)
}

/// How the files of a run's folder, as [`RunDir::evidence`] tells them, differ from those that `manifest` lists.
#[must_use]
pub fn compare_files(manifest: &Manifest, listing: Listing, found: &[Evidence]) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        listing.oddities.into_iter().map(|odd| Finding::new(Rule::FileOdd, odd.what).of(odd.path)).collect();
    let recorded: BTreeMap<&str, _> =
        manifest.evidence.iter().map(|file| (file.path.as_str(), file)).collect();
    if recorded.len() != manifest.evidence.len() || !manifest.evidence.is_sorted_by_key(|file| &file.path) {
        let message = "the evidence lists a file twice, or out of order";
        findings.push(Finding::new(Rule::Manifest, message).of(MANIFEST));
    }
    for file in found {
        match recorded.get(file.path.as_str()) {
            None => findings.push(
                Finding::new(Rule::FileExtra, "this file is not among those that the manifest records")
                    .of(&file.path),
            ),
            Some(known) if known.sha256 != file.sha256 || known.size != file.size => findings.push(
                Finding::new(Rule::FileChanged, "this file is not the one that the manifest records")
                    .of(&file.path)
                    .but(described(known), described(file)),
            ),
            Some(known) if known.executable != file.executable => {
                let word = |executable| {
                    if executable { "an executable file" } else { "a file that is not executable" }
                };
                findings.push(
                    Finding::new(Rule::FileChanged, "its mode is not the one that the manifest records")
                        .of(&file.path)
                        .but(word(known.executable), word(file.executable)),
                );
            }
            Some(_) => {}
        }
    }
    let there: std::collections::HashSet<&str> = found.iter().map(|file| file.path.as_str()).collect();
    for gone in manifest.evidence.iter().filter(|file| !there.contains(file.path.as_str())) {
        let message = "the manifest records this file, and it is gone";
        findings.push(Finding::new(Rule::FileMissing, message).of(&gone.path));
    }
    findings
}

fn described(file: &Evidence) -> String {
    format!("{} bytes with sha256 {}", file.size, file.sha256)
}

/// What is wrong with the statements of `run`, of which `manifest` is the manifest as an auditor derives it.
///
/// Each of `keys` must have signed. Without any only what is said is looked at, not who says it, and a run may then be
/// without statements.
///
/// # Errors
/// When the folder cannot be read.
pub fn check(run: &RunDir, manifest: &Manifest, keys: &[PublicKey]) -> Result<Vec<Finding>, AttestError> {
    let folder = run.path().join(FOLDER);
    if !folder.exists() && keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    for (name, payload) in [
        (TEST_RESULT, statement::test_result(manifest)?),
        (WHOLE_MANIFEST, statement::whole_manifest(manifest)?),
    ] {
        let form = |bytes: &[u8]| Envelope::parse(bytes)?.payload();
        findings.extend(check_one(run, name, &payload, form)?);
        for key in keys {
            findings.extend(check_one(run, name, &payload, |bytes| Envelope::parse(bytes)?.verify(key))?);
        }
    }
    findings.extend(check_bundles(run, keys)?);
    Ok(findings)
}

/// Looks at the bundles: each that is there must say what the folder holds, and each P-256 key must have one. Whatever
/// else lies beside the statements is told.
fn check_bundles(run: &RunDir, keys: &[PublicKey]) -> Result<Vec<Finding>, AttestError> {
    let folder = run.path().join(FOLDER);
    let mut findings = Vec::new();
    let mut hints = Vec::new();
    let payload = folder_payload(run)?;
    let listing =
        if folder.is_dir() { evidence::list(&folder).map_err(io_error(&folder))?.files } else { Vec::new() };
    for listed in listing {
        let name = format!("{FOLDER}/{}", listed.path);
        if [TEST_RESULT, WHOLE_MANIFEST].contains(&name.as_str()) {
            continue;
        }
        let hint = file(run, &name)?.and_then(|bytes| bundle::hint(&bytes));
        let named = hint.as_deref().is_some_and(|hint| name == further_bundle(hint));
        if name != BUNDLE && !named {
            findings
                .push(Finding::new(Rule::FileExtra, "this file is none of the statements of a run").of(name));
            continue;
        }
        let key = keys.iter().find(|key| hint.as_deref() == Some(key.pem_sha256().as_str()));
        findings.extend(check_one(run, &name, &payload, |bytes| bundle::verify(bytes, key))?);
        hints.extend(hint);
    }
    for key in keys.iter().filter(|key| key.kind() == KeyKind::P256 && !hints.contains(&key.pem_sha256())) {
        findings.extend(check_one(run, BUNDLE, &payload, |bytes| bundle::verify(bytes, Some(key)))?);
    }
    Ok(findings)
}

/// The keys that a run names as having signed its manifest, whether or not they did.
///
/// # Errors
/// When the statement cannot be read from disk.
pub fn signers(run: &RunDir) -> Result<Vec<String>, AttestError> {
    let envelope = file(run, WHOLE_MANIFEST)?.and_then(|bytes| Envelope::parse(&bytes).ok());
    Ok(envelope.iter().flat_map(Envelope::keyids).map(str::to_owned).collect())
}

/// Looks at one statement: it must be there, say `expected`, and hold.
fn check_one(
    run: &RunDir,
    name: &str,
    expected: &[u8],
    open: impl Fn(&[u8]) -> Result<Vec<u8>, EnvelopeError>,
) -> Result<Option<Finding>, AttestError> {
    let Some(bytes) = file(run, name)? else {
        let message = "this statement is missing: the run is not signed, or not whole";
        return Ok(Some(Finding::new(Rule::Signature, message).of(name)));
    };
    let message = match open(&bytes) {
        Ok(payload) if payload == expected => return Ok(None),
        Ok(_) => "what was signed is not what the run's records come to".to_owned(),
        Err(error) => error.to_string(),
    };
    Ok(Some(Finding::new(Rule::Signature, message).of(name)))
}
