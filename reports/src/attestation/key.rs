//! Keys: ed25519 and ECDSA on P-256, as unencrypted PKCS#8 and SubjectPublicKeyInfo in PEM, so that `openssl` and
//! everyone else can read them.
//!
//! The arithmetic is `ring`'s, which the TLS library brings along. The two DER prefixes are those of RFC 8410 and RFC 5480;
//! both key types have one fixed length, so nothing has to be parsed.

use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, UnparsedPublicKey,
};

use super::pem;
use crate::digest::sha256_hex;

/// Before the 32 bytes of an ed25519 seed in PKCS#8 (RFC 8410, section 7).
const ED25519_PRIVATE: &[u8] =
    &[0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/// Before the 32 bytes of an ed25519 public key (RFC 8410, section 4).
const ED25519_PUBLIC: &[u8] = &[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// Before the 65 bytes of an uncompressed point on P-256 (RFC 5480, section 2).
const P256_PUBLIC: &[u8] = &[
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// The signature scheme of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Ed25519 (RFC 8032).
    Ed25519,
    /// ECDSA with SHA-256 on P-256; signatures are DER, as `openssl` wants them.
    P256,
}

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// Not one whole PEM block.
    #[error("not a key in PEM: exactly one block `-----BEGIN …-----` is expected")]
    NotPem,
    /// A PEM block of another kind.
    #[error("a `{found}` is no `{expected}`{}", hint(.found))]
    Label {
        /// What the block is called.
        found: String,
        /// What it should be called.
        expected: &'static str,
    },
    /// Neither of the two key types, or damaged.
    #[error("neither an ed25519 nor a P-256 key")]
    Unknown,
    /// The system gave no random bytes, or the arithmetic refused.
    #[error("the system gave no random bytes")]
    Random,
}

fn hint(label: &str) -> &'static str {
    match label {
        "EC PRIVATE KEY" => "; turn it into one with `openssl pkcs8 -topk8 -nocrypt`",
        "ENCRYPTED PRIVATE KEY" => {
            "; take its passphrase off with `openssl pkcs8 -in … -out …` for the time of signing"
        }
        "PUBLIC KEY" => "; name the private key",
        "PRIVATE KEY" => "; name the public key, and keep the private one to yourself",
        _ => "",
    }
}

const PRIVATE_LABEL: &str = "PRIVATE KEY";
const PUBLIC_LABEL: &str = "PUBLIC KEY";

enum Pair {
    Ed25519(Ed25519KeyPair),
    P256(EcdsaKeyPair),
}

/// A private key.
pub struct SigningKey {
    pair: Pair,
    random: SystemRandom,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public()).finish_non_exhaustive()
    }
}

/// A fresh private key as PEM.
///
/// # Errors
/// [`KeyError::Random`] when the system gives no random bytes.
pub fn generate(kind: KeyKind) -> Result<String, KeyError> {
    let random = SystemRandom::new();
    let der = match kind {
        KeyKind::Ed25519 => {
            let mut der = ED25519_PRIVATE.to_vec();
            let mut seed = [0; 32];
            random.fill(&mut seed).map_err(|_| KeyError::Random)?;
            der.extend_from_slice(&seed);
            der
        }
        KeyKind::P256 => EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random)
            .map_err(|_| KeyError::Random)?
            .as_ref()
            .to_vec(),
    };
    Ok(pem::encode(PRIVATE_LABEL, &der))
}

impl SigningKey {
    /// Reads a private key in PKCS#8.
    ///
    /// # Errors
    /// [`KeyError`] when it is none of a kind that is known here.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let der = block(text, PRIVATE_LABEL)?;
        let random = SystemRandom::new();
        let pair = match Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der) {
            Ok(pair) => Pair::Ed25519(pair),
            Err(_) => EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &der, &random)
                .map(Pair::P256)
                .map_err(|_| KeyError::Unknown)?,
        };
        Ok(Self { pair, random })
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        match &self.pair {
            Pair::Ed25519(pair) => {
                PublicKey { kind: KeyKind::Ed25519, bytes: pair.public_key().as_ref().to_vec() }
            }
            Pair::P256(pair) => PublicKey { kind: KeyKind::P256, bytes: pair.public_key().as_ref().to_vec() },
        }
    }

    /// Signs `message`.
    ///
    /// # Errors
    /// [`KeyError::Random`] when the system gives no random bytes.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        match &self.pair {
            Pair::Ed25519(pair) => Ok(pair.sign(message).as_ref().to_vec()),
            Pair::P256(pair) => pair
                .sign(&self.random, message)
                .map(|signature| signature.as_ref().to_vec())
                .map_err(|_| KeyError::Random),
        }
    }
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    kind: KeyKind,
    /// 32 bytes, or an uncompressed point of 65.
    bytes: Vec<u8>,
}

impl PublicKey {
    /// Reads a public key.
    ///
    /// # Errors
    /// [`KeyError`] when it is none of a kind that is known here.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let der = block(text, PUBLIC_LABEL)?;
        for (kind, prefix, length) in
            [(KeyKind::Ed25519, ED25519_PUBLIC, 32), (KeyKind::P256, P256_PUBLIC, 65)]
        {
            if let Some(bytes) = der.strip_prefix(prefix).filter(|bytes| bytes.len() == length) {
                return Ok(Self { kind, bytes: bytes.to_vec() });
            }
        }
        Err(KeyError::Unknown)
    }

    /// The key as PEM.
    #[must_use]
    pub fn to_pem(&self) -> String {
        let prefix = match self.kind {
            KeyKind::Ed25519 => ED25519_PUBLIC,
            KeyKind::P256 => P256_PUBLIC,
        };
        pem::encode(PUBLIC_LABEL, &[prefix, &self.bytes].concat())
    }

    /// The scheme.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The id under which `securesystemslib` knows the key: sha256 over its description in OLPC canonical JSON, in which
    /// line ends stand in strings as they are. It says which key to try, never whether to trust it.
    #[must_use]
    pub fn keyid(&self) -> String {
        let (keytype, public, scheme) = match self.kind {
            KeyKind::Ed25519 => ("ed25519", hex(&self.bytes), "ed25519"),
            KeyKind::P256 => ("ecdsa", self.to_pem(), "ecdsa-sha2-nistp256"),
        };
        let text =
            format!(r#"{{"keytype":"{keytype}","keyval":{{"public":"{public}"}},"scheme":"{scheme}"}}"#);
        sha256_hex(text.as_bytes())
    }

    /// sha256 of the PEM: the id under which Sigstore bundles know a key.
    #[must_use]
    pub fn pem_sha256(&self) -> String {
        sha256_hex(self.to_pem().as_bytes())
    }

    /// Whether `signature` is this key's over `message`.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match self.kind {
            KeyKind::Ed25519 => {
                UnparsedPublicKey::new(&ED25519, &self.bytes).verify(message, signature).is_ok()
            }
            KeyKind::P256 => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, &self.bytes)
                .verify(message, signature)
                .is_ok(),
        }
    }
}

fn block(text: &str, expected: &'static str) -> Result<Vec<u8>, KeyError> {
    match pem::decode(text) {
        None => Err(KeyError::NotPem),
        Some((label, der)) if label == expected => Ok(der),
        Some((label, _)) => Err(KeyError::Label { found: label.to_owned(), expected }),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vector() {
        let der = [ED25519_PRIVATE, &[7; 32]].concat();
        let key = SigningKey::from_pem(&pem::encode(PRIVATE_LABEL, &der)).unwrap();
        assert_eq!(
            hex(&key.public().bytes),
            "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c"
        );
    }

    #[test]
    fn keys_of_both_kinds_sign_verify_and_come_back_from_pem() {
        for kind in [KeyKind::Ed25519, KeyKind::P256] {
            let key = SigningKey::from_pem(&generate(kind).unwrap()).unwrap();
            let public = PublicKey::from_pem(&key.public().to_pem()).unwrap();
            assert_eq!((public.kind(), &public), (kind, &key.public()));
            let signature = key.sign(b"a message").unwrap();
            assert!(public.verifies(b"a message", &signature));
            assert!(!public.verifies(b"a messagE", &signature));
            let other = SigningKey::from_pem(&generate(kind).unwrap()).unwrap().public();
            assert!(!other.verifies(b"a message", &signature));
            assert_ne!(other.keyid(), public.keyid());
        }
    }

    #[test]
    fn what_is_no_such_key_is_told() {
        let private = generate(KeyKind::P256).unwrap();
        let public = SigningKey::from_pem(&private).unwrap().public().to_pem();
        let label = |text: &str, label: &str| text.replace("PRIVATE KEY", label);
        insta::assert_snapshot!(SigningKey::from_pem(&label(&private, "EC PRIVATE KEY")).unwrap_err(), @"a `EC PRIVATE KEY` is no `PRIVATE KEY`; turn it into one with `openssl pkcs8 -topk8 -nocrypt`");
        insta::assert_snapshot!(SigningKey::from_pem(&public).unwrap_err(), @"a `PUBLIC KEY` is no `PRIVATE KEY`; name the private key");
        insta::assert_snapshot!(PublicKey::from_pem(&private).unwrap_err(), @"a `PRIVATE KEY` is no `PUBLIC KEY`; name the public key, and keep the private one to yourself");
        assert_eq!(SigningKey::from_pem("no key").unwrap_err(), KeyError::NotPem);
        assert_eq!(PublicKey::from_pem(&pem::encode(PUBLIC_LABEL, &[0; 44])).unwrap_err(), KeyError::Unknown);
    }
}
