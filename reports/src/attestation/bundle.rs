//! A signature over every file of a folder: a Sigstore bundle (v0.3) around the statement that PyPI's `model-signing`
//! makes of a directory. Whoever has that tool and the public key verifies a run's folder without this program:
//!
//! ```text
//! model_signing verify key RUN --signature RUN/attestations/folder.sigstore.json --public_key KEY.pub
//! ```
//!
//! The statement's subject is the folder, its digest the sha256 over the concatenated raw digests of the files in the
//! order of their paths. The tool knows only ECDSA, so the bundle is written for P-256 keys alone.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::dsse::{Envelope, EnvelopeError};
use super::key::{PublicKey, SigningKey};
use super::statement::{ResourceDescriptor, Statement};
use crate::digest;

/// The bundle's media type.
const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
/// The statement's predicate type.
const PREDICATE_TYPE: &str = "https://model_signing/signature/v1.0";

/// The predicate: how the folder was read, and the digest of each file.
#[derive(Debug, Serialize)]
struct Predicate {
    serialization: Serialization,
    resources: Vec<Resource>,
}

#[derive(Debug, Serialize)]
struct Serialization {
    method: &'static str,
    hash_type: &'static str,
    allow_symlinks: bool,
    ignore_paths: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Resource {
    name: String,
    algorithm: &'static str,
    digest: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Bundle {
    media_type: String,
    verification_material: Material,
    dsse_envelope: Envelope,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Material {
    public_key: Hint,
    tlog_entries: Vec<serde_json::Value>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hint {
    hint: String,
}

/// What is signed for a folder: `files` are paths, with forward slashes, and raw sha256; `ignored` is the folder in it that
/// the bundles themselves lie in, which is no part of what they cover.
///
/// # Errors
/// Never in practice: a statement is made of strings.
pub fn payload(
    folder: &str,
    files: &BTreeMap<String, [u8; 32]>,
    ignored: &str,
) -> Result<Vec<u8>, serde_json::Error> {
    // The tool sorts by the parts of a path, not by its text.
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by_key(|(path, _)| path.split('/').map(str::to_owned).collect::<Vec<_>>());
    let mut root = Sha256::new();
    let mut resources = Vec::new();
    for (path, raw) in files {
        root.update(raw);
        let digest = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        resources.push(Resource { name: path.clone(), algorithm: "sha256", digest });
    }
    let root: String = root.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let subject = ResourceDescriptor::named(folder).with_digest("sha256", &root);
    let serialization = Serialization {
        method: "files",
        hash_type: "sha256",
        allow_symlinks: false,
        ignore_paths: vec![ignored.to_owned()],
    };
    let predicate = Predicate { serialization, resources };
    digest::canonical(&Statement::new(vec![subject], PREDICATE_TYPE, predicate))
}

/// The bundle's file.
///
/// # Errors
/// When the key cannot sign.
pub fn sign(payload: &[u8], key: &SigningKey) -> Result<Vec<u8>, EnvelopeError> {
    let hint = key.public().pem_sha256();
    let mut envelope = Envelope::sign(payload, key)?;
    for signature in &mut envelope.signatures {
        signature.keyid.clone_from(&hint);
    }
    let bundle = Bundle {
        media_type: MEDIA_TYPE.to_owned(),
        verification_material: Material { public_key: Hint { hint }, tlog_entries: Vec::new() },
        dsse_envelope: envelope,
    };
    Ok(digest::file(&bundle)?)
}

/// The key that a bundle's file names: sha256 of its PEM text, in hex. `None` when it is no bundle.
#[must_use]
pub fn hint(bytes: &[u8]) -> Option<String> {
    let bundle: Bundle = serde_json::from_slice(bytes).ok()?;
    Some(bundle.verification_material.public_key.hint)
}

/// The payload of a bundle's file, once its signature is found to be `key`'s; without a key only its form is looked at.
///
/// # Errors
/// [`EnvelopeError`] when it is not exactly as [`sign`] writes one, or not signed with `key`.
pub fn verify(bytes: &[u8], key: Option<&PublicKey>) -> Result<Vec<u8>, EnvelopeError> {
    let bundle: Bundle = serde_json::from_slice(bytes)?;
    let again = digest::file(&bundle)?;
    let [signature] = bundle.dsse_envelope.signatures.as_slice() else {
        return Err(EnvelopeError::Signatures(bundle.dsse_envelope.signatures.len()));
    };
    let hint = &bundle.verification_material.public_key.hint;
    if again != bytes || bundle.media_type != MEDIA_TYPE || *hint != signature.keyid {
        return Err(EnvelopeError::NotCanonical);
    }
    let payload = bundle.dsse_envelope.payload()?;
    let Some(key) = key else { return Ok(payload) };
    if *hint != key.pem_sha256() {
        return Err(EnvelopeError::OtherKey { found: hint.clone(), expected: key.pem_sha256() });
    }
    let raw = STANDARD.decode(&signature.sig).map_err(|_| EnvelopeError::Invalid)?;
    if key.verifies(&super::dsse::pae(&bundle.dsse_envelope.payload_type, &payload), &raw) {
        Ok(payload)
    } else {
        Err(EnvelopeError::Invalid)
    }
}
