//! Digests and canonical bytes, so that the same record always is the same file.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// sha256 of `bytes`, in hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| DIGITS[usize::from(digit)]).collect()
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
