//! An answer, as it goes out.

use serde::Serialize;

use super::refusal::{Code, Refusal};
use crate::store::StoreError;

/// An answer. Every one of them says that it is not to be kept, not to be guessed about and not to be run: what a stranger's bundle
/// or a tool wrote is given out from the app's own address, and must not become a page there (I4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status of HTTP.
    pub status: u16,
    /// The headers, their names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// A refusal.
    #[must_use]
    pub fn refused(code: Code, message: &str) -> Self {
        Refusal::new(code, message).into_response()
    }

    /// The answer where the store itself cannot be had.
    #[must_use]
    pub fn failed(error: StoreError) -> Self {
        Refusal::from(error).into_response()
    }

    /// JSON.
    pub(super) fn json(status: u16, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("an answer has text keys and no failing serialiser");
        Self::new(status, "application/json", body)
    }

    /// Bytes to be saved, under this name or under that of the address.
    pub(super) fn download(file_name: Option<&str>, bytes: Vec<u8>) -> Self {
        let mut response = Self::new(200, "application/octet-stream", bytes);
        let name = file_name.map(|name| format!("; filename=\"{name}\"")).unwrap_or_default();
        response.headers.push(("content-disposition", format!("attachment{name}")));
        response
    }

    /// Nothing.
    #[must_use]
    pub fn no_content() -> Self {
        let mut response = Self::new(204, "", Vec::new());
        response.headers.remove(0);
        response
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    fn new(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        let headers = [
            ("content-type", content_type),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; sandbox"),
        ];
        Self { status, headers: headers.map(|(name, value)| (name, value.to_owned())).to_vec(), body }
    }
}
