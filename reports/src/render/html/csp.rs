//! The page's content security policy: nothing may load, and nothing may run or style but the one script and the one style
//! sheet that are named by their digests. Whatever a transcript might smuggle into the page, the browser refuses it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// The policy of a page with this style sheet and this script, byte for byte as they stand between their tags.
pub(super) fn policy(style: &str, script: &str) -> String {
    // Trusted Types make the browser throw when text is handed to anything that would parse it as markup.
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        source(script),
        source(style)
    )
}

fn source(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_source_is_the_digest_of_the_text() {
        // The digest of no bytes, as RFC 6234 has it, in base64.
        assert_eq!(super::source(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        let policy = super::policy("a", "b");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}
