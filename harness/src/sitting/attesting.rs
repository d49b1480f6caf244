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
/// The Sigstore bundle over every file of the folder; only for P-256 keys.
pub const BUNDLE: &str = "attestations/folder.sigstore.json";

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

/// Signs the records of `run` as they stand and returns the files written. Earlier signatures are replaced.
///
/// # Errors
/// [`AttestError`] when the folder is not what its manifest says, or nothing can be written.
pub fn sign(run: &RunDir, key: &SigningKey) -> Result<Vec<&'static str>, AttestError> {
    let manifest = run.manifest()?.ok_or_else(|| AttestError::NoManifest(run.path().to_owned()))?;
    let (listing, evidence) = run.evidence()?;
    let mut findings = compare_files(&manifest, listing, &evidence);
    let io_error = |path: &Path| {
        let path = path.to_owned();
        move |source| AttestError::Io { path, source }
    };
    let file = run.path().join(MANIFEST);
    if fs::read(&file).map_err(io_error(&file))? != digest::file(&manifest)? {
        findings.push(Finding::new(Rule::NotCanonical, "not in canonical form").of(MANIFEST));
    }
    if !findings.is_empty() {
        return Err(AttestError::Changed { folder: run.path().to_owned(), findings });
    }
    let folder = run.path().join(FOLDER);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io_error(&folder)(error)),
        _ => fs::create_dir(&folder).map_err(io_error(&folder))?,
    }
    run.write(TEST_RESULT, &Envelope::sign(&statement::test_result(&manifest)?, key)?.to_bytes()?)?;
    run.write(WHOLE_MANIFEST, &Envelope::sign(&statement::whole_manifest(&manifest)?, key)?.to_bytes()?)?;
    let mut written = vec![TEST_RESULT, WHOLE_MANIFEST];
    if key.public().kind() == KeyKind::P256 {
        run.write(BUNDLE, &bundle::sign(&folder_payload(run)?, key)?)?;
        written.push(BUNDLE);
    }
    Ok(written)
}

/// What the bundle says: the digest of every file of the folder but the bundle itself.
fn folder_payload(run: &RunDir) -> Result<Vec<u8>, AttestError> {
    let io_error = |source| AttestError::Io { path: run.path().to_owned(), source };
    let mut files = BTreeMap::new();
    for file in evidence::list(run.path()).map_err(io_error)?.files {
        if file.path != BUNDLE {
            let (_, raw) = evidence::sha256_of(&file.place).map_err(io_error)?;
            files.insert(file.path, raw);
        }
    }
    Ok(bundle::payload(BUNDLE_SUBJECT, &files, BUNDLE)?)
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
/// Without a `key` only what is said is looked at, not who says it, and a run may then be without statements.
///
/// # Errors
/// When the folder cannot be read.
pub fn check(
    run: &RunDir,
    manifest: &Manifest,
    key: Option<&PublicKey>,
) -> Result<Vec<Finding>, AttestError> {
    let folder = run.path().join(FOLDER);
    if !folder.exists() && key.is_none() {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    for (name, payload) in [
        (TEST_RESULT, statement::test_result(manifest)?),
        (WHOLE_MANIFEST, statement::whole_manifest(manifest)?),
    ] {
        let open = |bytes: &[u8]| {
            let envelope = Envelope::parse(bytes)?;
            match key {
                Some(key) => envelope.verify(key),
                None => envelope.payload(),
            }
        };
        findings.extend(check_one(run, name, &payload, open)?);
    }
    let with_bundle = key.is_some_and(|key| key.kind() == KeyKind::P256) || run.path().join(BUNDLE).exists();
    if with_bundle {
        findings.extend(check_one(run, BUNDLE, &folder_payload(run)?, |bytes| bundle::verify(bytes, key))?);
    }
    let known = [TEST_RESULT, WHOLE_MANIFEST, BUNDLE];
    let io_error = |source| AttestError::Io { path: folder.clone(), source };
    if folder.is_dir() {
        let listing = evidence::list(&folder).map_err(io_error)?;
        let names = listing.files.into_iter().map(|file| format!("{FOLDER}/{}", file.path));
        findings.extend(names.filter(|name| !known.contains(&name.as_str())).map(|name| {
            Finding::new(Rule::FileExtra, "this file is none of the statements of a run").of(name)
        }));
    }
    Ok(findings)
}

/// Looks at one statement: it must be there, say `expected`, and hold.
fn check_one(
    run: &RunDir,
    name: &str,
    expected: &[u8],
    open: impl Fn(&[u8]) -> Result<Vec<u8>, EnvelopeError>,
) -> Result<Option<Finding>, AttestError> {
    let path = run.path().join(name);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = "this statement is missing: the run is not signed, or not whole";
            return Ok(Some(Finding::new(Rule::Signature, message).of(name)));
        }
        Err(source) => return Err(AttestError::Io { path, source }),
    };
    let message = match open(&bytes) {
        Ok(payload) if payload == expected => return Ok(None),
        Ok(_) => "what was signed is not what the run's records come to".to_owned(),
        Err(error) => error.to_string(),
    };
    Ok(Some(Finding::new(Rule::Signature, message).of(name)))
}
