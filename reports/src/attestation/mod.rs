//! Signed statements of a run, in formats that other tools verify without this program.
//!
//! - [`key`]: ed25519 and P-256 keys as PEM files
//! - [`dsse`]: the envelope around whatever is signed
//! - [`statement`]: what is said: a test result that any in-toto reader understands, and the whole manifest
//! - [`bundle`]: a signature over every file of a folder, as PyPI's `model-signing` verifies it
//!
//! A statement is derived from the manifest, so an auditor derives it again and compares bytes; only the signature itself
//! has to be believed, and that is what the public key is for.

pub mod bundle;
pub mod dsse;
pub mod key;
mod pem;
pub mod statement;

pub use dsse::Envelope;
pub use key::{KeyError, KeyKind, PublicKey, SigningKey};
