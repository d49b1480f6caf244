//! The envelope: DSSE v1 (github.com/secure-systems-lab/dsse), with the signatures of one key or more.
//!
//! What is signed is not the payload but its pre-authentication encoding, which binds the payload's type and length.
//! An envelope is read strictly: it has exactly the bytes that this module would write, so no byte of it can be changed
//! without being noticed, not even one that means nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::key::{KeyError, PublicKey, SigningKey};
use crate::digest;

/// The type of every payload here: an in-toto statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// A signed payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// The payload in base64.
    pub payload: String,
    /// What the payload is.
    pub payload_type: String,
    /// The signatures: at least one, in the order of their keys' ids, and none of a key twice.
    pub signatures: Vec<Signature>,
}

/// A signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Which key to try.
    pub keyid: String,
    /// The signature in base64.
    pub sig: String,
}

/// What is wrong with an envelope.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// Not JSON of this shape.
    #[error("not a DSSE envelope: {0}")]
    Syntax(#[from] serde_json::Error),
    /// Readable, but not as it was written.
    #[error("not in the form it was written in: white space, order of keys or base64 were changed")]
    NotCanonical,
    /// Another type of payload.
    #[error("the payload is `{0}`, not `{PAYLOAD_TYPE}`")]
    PayloadType(String),
    /// No signature, or more than there may be.
    #[error("it has {0} signatures, which is not as it was written")]
    Signatures(usize),
    /// Another payload than the one that a further key is to sign.
    #[error("it was signed over something else")]
    OtherPayload,
    /// Signed with other keys.
    #[error("it is signed with the key {found}, not with {expected}")]
    OtherKey {
        /// The keys that it names.
        found: String,
        /// The key that was given.
        expected: String,
    },
    /// The signature is not the key's over this payload.
    #[error(
        "the signature does not hold: the payload was changed after it was signed, or the signature itself was"
    )]
    Invalid,
    /// The key could not sign.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// The bytes that are signed: `DSSEv1 SP len(type) SP type SP len(body) SP body`, lengths in bytes.
#[must_use]
pub fn pae(payload_type: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

impl Envelope {
    /// Signs `payload`.
    ///
    /// # Errors
    /// When the key cannot sign.
    pub fn sign(payload: &[u8], key: &SigningKey) -> Result<Self, EnvelopeError> {
        let sig = STANDARD.encode(key.sign(&pae(PAYLOAD_TYPE, payload))?);
        Ok(Self {
            payload: STANDARD.encode(payload),
            payload_type: PAYLOAD_TYPE.to_owned(),
            signatures: vec![Signature { keyid: key.public().keyid(), sig }],
        })
    }

    /// Adds the signature of a further key over the same payload; an earlier one of the same key is replaced.
    ///
    /// # Errors
    /// [`EnvelopeError::OtherPayload`] when the payload is not `payload`, and when the key cannot sign.
    pub fn add(&mut self, payload: &[u8], key: &SigningKey) -> Result<(), EnvelopeError> {
        if self.payload()? != payload {
            return Err(EnvelopeError::OtherPayload);
        }
        let mut further = Self::sign(payload, key)?.signatures;
        self.signatures.retain(|known| further.iter().all(|new| new.keyid != known.keyid));
        self.signatures.append(&mut further);
        self.signatures.sort_by(|a, b| a.keyid.cmp(&b.keyid));
        Ok(())
    }

    /// The envelope's file: canonical JSON and a line end.
    ///
    /// # Errors
    /// Never in practice: an envelope is made of strings.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        digest::file(self)
    }

    /// Reads an envelope's file.
    ///
    /// # Errors
    /// [`EnvelopeError`] when it is not exactly as [`Self::to_bytes`] writes one.
    pub fn parse(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let envelope: Self = serde_json::from_slice(bytes)?;
        if envelope.payload_type != PAYLOAD_TYPE {
            return Err(EnvelopeError::PayloadType(envelope.payload_type));
        }
        let ordered = envelope.signatures.is_sorted_by(|a, b| a.keyid < b.keyid);
        if envelope.signatures.is_empty() || !ordered {
            return Err(EnvelopeError::Signatures(envelope.signatures.len()));
        }
        envelope.payload()?;
        if envelope.to_bytes()? != bytes {
            return Err(EnvelopeError::NotCanonical);
        }
        Ok(envelope)
    }

    /// The payload.
    ///
    /// # Errors
    /// When it is not base64 in its only form.
    pub fn payload(&self) -> Result<Vec<u8>, EnvelopeError> {
        STANDARD.decode(&self.payload).map_err(|_| EnvelopeError::NotCanonical)
    }

    /// The keys that the envelope says it is signed with.
    pub fn keyids(&self) -> impl Iterator<Item = &str> {
        self.signatures.iter().map(|signature| signature.keyid.as_str())
    }

    /// The payload, once one of the signatures is found to be `key`'s.
    ///
    /// # Errors
    /// [`EnvelopeError`] when none is.
    pub fn verify(&self, key: &PublicKey) -> Result<Vec<u8>, EnvelopeError> {
        let payload = self.payload()?;
        let keyid = key.keyid();
        let Some(signature) = self.signatures.iter().find(|signature| signature.keyid == keyid) else {
            let found = self.keyids().collect::<Vec<_>>().join(", ");
            return Err(EnvelopeError::OtherKey { found, expected: keyid });
        };
        let bytes = STANDARD.decode(&signature.sig).map_err(|_| EnvelopeError::Invalid)?;
        if key.verifies(&pae(&self.payload_type, &payload), &bytes) {
            Ok(payload)
        } else {
            Err(EnvelopeError::Invalid)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::attestation::key::{self, KeyKind};

    #[test]
    fn the_encoding_counts_bytes() {
        assert_eq!(
            pae("http://example.test/ü", "é".as_bytes()),
            "DSSEv1 22 http://example.test/ü 2 é".as_bytes()
        );
        assert_eq!(pae("", b""), b"DSSEv1 0  0 ");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn any_byte_changed_is_found(at in 0_usize..10_000, to: u8, p256: bool) {
            let kind = if p256 { KeyKind::P256 } else { KeyKind::Ed25519 };
            let key = SigningKey::from_pem(&key::generate(kind).unwrap()).unwrap();
            let mut bytes = Envelope::sign(b"{\"a\":1}", &key).unwrap().to_bytes().unwrap();
            prop_assert!(Envelope::parse(&bytes).unwrap().verify(&key.public()).is_ok());
            let at = at % bytes.len();
            prop_assume!(bytes[at] != to);
            bytes[at] = to;
            let held = Envelope::parse(&bytes).is_ok_and(|envelope| envelope.verify(&key.public()).is_ok());
            prop_assert!(!held, "{}", String::from_utf8_lossy(&bytes));
        }
    }

    fn key(kind: KeyKind) -> SigningKey {
        SigningKey::from_pem(&key::generate(kind).unwrap()).unwrap()
    }

    #[test]
    fn another_key_and_a_signature_twice_are_told() {
        let (one, other) = (key(KeyKind::Ed25519), key(KeyKind::Ed25519));
        let mut envelope = Envelope::sign(b"{}", &one).unwrap();
        assert!(matches!(envelope.verify(&other.public()), Err(EnvelopeError::OtherKey { .. })));
        let twice = envelope.signatures[0].clone();
        envelope.signatures.push(twice);
        let bytes = envelope.to_bytes().unwrap();
        assert!(matches!(Envelope::parse(&bytes), Err(EnvelopeError::Signatures(2))));
        envelope.signatures.clear();
        let bytes = envelope.to_bytes().unwrap();
        assert!(matches!(Envelope::parse(&bytes), Err(EnvelopeError::Signatures(0))));
    }

    #[test]
    fn each_of_several_keys_is_held_to_its_own_signature() {
        let keys = [key(KeyKind::Ed25519), key(KeyKind::P256), key(KeyKind::Ed25519)];
        let mut envelope = Envelope::sign(b"{}", &keys[0]).unwrap();
        for signer in &keys[1..] {
            envelope.add(b"{}", signer).unwrap();
        }
        // Signed again, one is replaced.
        envelope.add(b"{}", &keys[1]).unwrap();
        assert!(matches!(envelope.add(b"[]", &keys[1]), Err(EnvelopeError::OtherPayload)));
        let read = Envelope::parse(&envelope.to_bytes().unwrap()).unwrap();
        assert_eq!(read.signatures.len(), 3);
        for signer in &keys {
            assert_eq!(read.verify(&signer.public()).unwrap(), b"{}");
        }
        assert!(read.verify(&key(KeyKind::P256).public()).is_err());
        // Signatures that change places are none of the keys beside which they stand, and another order is not what was
        // written.
        let mut swapped = envelope.clone();
        let sig = swapped.signatures[0].sig.clone();
        swapped.signatures[0].sig = std::mem::replace(&mut swapped.signatures[1].sig, sig);
        let held = keys.iter().filter(|key| swapped.verify(&key.public()).is_ok()).count();
        assert_eq!(held, 1);
        envelope.signatures.swap(0, 1);
        assert!(matches!(Envelope::parse(&envelope.to_bytes().unwrap()), Err(EnvelopeError::Signatures(3))));
    }
}
