//! Digests and canonical bytes, so that the same record always is the same file.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// sha256 of `bytes`, in hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The canonical JSON of `value` (RFC 8785).
///
/// # Errors
/// When `value` cannot be JSON, for instance because a number is not finite.
pub fn canonical<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    serde_json_canonicalizer::to_vec(value)
}

/// The file of a record: its canonical JSON and a line end.
///
/// # Errors
/// As for [`canonical`].
pub fn file<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = canonical(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}
