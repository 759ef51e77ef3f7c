//! Certificate and key, read from PEM files.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::config::TlsFiles;

/// Why HTTPS cannot be spoken.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file holds no certificate or key, or cannot be read.
    #[error("cannot read a {what} in PEM form from {path}")]
    File {
        /// `certificate` or `private key`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the parser or the system said.
        source: pem::Error,
    },
    /// The two do not belong together, or are of a kind that is not supported.
    #[error("the certificate and the private key cannot be used together")]
    Pair(#[source] rustls::Error),
}

/// What turns accepted connections into encrypted ones.
pub fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, TlsError> {
    let no_certificate = |source| TlsError::File { what: "certificate", path: files.certificate.clone(), source };
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(no_certificate)?;
    if chain.is_empty() {
        return Err(no_certificate(pem::Error::NoItemsFound));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|source| TlsError::File {
        what: "private key",
        path: files.key.clone(),
        source,
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(TlsError::Pair)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
