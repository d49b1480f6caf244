//! A case's identity by content: the digest of everything in its folder.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The hex form of a digest.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The digest of `bytes`, in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The digest of a folder: each file's path and content with their lengths, in the order of the paths.
///
/// The lengths keep two different folders from ever feeding the same bytes.
pub(crate) fn of_files<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut digest = Sha256::new();
    for (path, content) in files {
        for part in [path.as_bytes(), content] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
    }
    hex(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_moved_from_path_to_content_changes_the_digest() {
        let one = of_files([("ab", &b"c"[..])].into_iter());
        let other = of_files([("a", &b"bc"[..])].into_iter());
        assert_ne!(one, other);
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
