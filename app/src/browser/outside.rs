//! A file from another host, fetched because the user said so.

use web_sys::Url;

use super::outgoing::{self, Outgoing, OutgoingError};
use super::raw_bytes::RawBytes;

/// Why a file of another host could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OutsideError {
    #[error("{0:?} is not the address of a file; it looks like https://example.com/toolset.zip")]
    BadAddress(String),
    #[error(
        "{host} did not give the file to this page: it cannot be reached, it redirects, or it does not let other sites read it (CORS). Download the file with your browser and import it from there"
    )]
    Unreachable { host: String },
    #[error("{host} answered with the status {status} instead of a file")]
    Status { host: String, status: u16 },
    #[error("the file at {host} is larger than the limit of {limit} bytes; raise \"size of a bundle\" in Settings")]
    TooLarge { host: String, limit: u64 },
}

/// An address that can be fetched from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutsideAddress {
    /// The whole address.
    pub(crate) href: String,
    /// The host and port it leads to.
    pub(crate) host: String,
    /// The name of the file at its end.
    pub(crate) file_name: String,
}

impl OutsideAddress {
    /// Reads what somebody typed.
    pub(crate) fn parse(text: &str) -> Result<Self, OutsideError> {
        let bad = || OutsideError::BadAddress(text.into());
        let url = Url::new(text.trim()).map_err(|_not_an_address| bad())?;
        // A name or a password in it would be kept with the toolset.
        let is_plain = url.username().is_empty() && url.password().is_empty();
        if !matches!(url.protocol().as_str(), "http:" | "https:") || !is_plain {
            return Err(bad());
        }
        let path = url.pathname();
        let file_name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("the file").to_owned();
        Ok(Self { href: url.href(), host: url.host(), file_name })
    }
}

/// Fetches a file. `on_progress` hears how many bytes came, and how many there will be where that is known.
pub(crate) async fn fetch(
    address: &OutsideAddress,
    limit: u64,
    on_progress: impl Fn(u64, u64),
) -> Result<RawBytes, OutsideError> {
    let host = || address.host.clone();
    let failed = |error| match error {
        OutgoingError::Unreachable => OutsideError::Unreachable { host: host() },
        OutgoingError::TooLarge => OutsideError::TooLarge { host: host(), limit },
    };
    let request = Outgoing { method: "GET", href: &address.href, headers: &[], body: None };
    let incoming = outgoing::send(request).await.map_err(failed)?;
    if !incoming.is_ok() {
        return Err(OutsideError::Status { host: host(), status: incoming.status() });
    }
    incoming.body(limit, on_progress).await.map_err(failed)
}
