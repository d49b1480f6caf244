//! Whom a connection may lead to: the trust anchors are built in, so that the program works where no CA files are.

use std::sync::Arc;

/// TLS with the public certificate authorities, and no certificate of our own.
///
/// # Errors
/// When the TLS library refuses its own defaults.
pub fn tls() -> Result<rustls::ClientConfig, rustls::Error> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(versions.with_root_certificates(roots).with_no_client_auth())
}
