//! The address below which a service has its own: scheme, host, port and the beginning of a path.

use std::fmt;

use axum::http::Uri;
use satchel_core::network::{Address, AddressFault};
use serde::Deserialize;

/// An address that others are made from by adding to its path.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct BaseUrl {
    address: Address,
    /// Empty, or begins with a slash and does not end with one.
    path: String,
}

/// Why a text is no base URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// It does not begin as it should.
    #[error("a base_url has to begin with http:// or https://")]
    Scheme,
    /// Scheme, host or port.
    #[error("a base_url has to name a host: {0}")]
    Address(AddressFault),
    /// What follows the host.
    #[error("a base_url has to end with its path: no spaces, no ? and no #")]
    Path,
}

impl BaseUrl {
    /// Reads a base URL. Of two readers that could differ about its host, neither is asked again: it is spelt anew from what was read.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let address = Address::parse(text).map_err(|fault| match fault {
            AddressFault::Scheme(_) => BaseUrlError::Scheme,
            AddressFault::Credentials | AddressFault::Spelling(_) | AddressFault::Number(_) | AddressFault::Port(_) => {
                BaseUrlError::Address(fault)
            }
        })?;
        let (_, rest) = text.split_once("://").ok_or(BaseUrlError::Scheme)?;
        let path = rest.find(['/', '\\', '?', '#']).map_or("", |at| &rest[at..]).trim_end_matches('/');
        let begins = path.is_empty() || path.starts_with('/');
        let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'\\');
        let url = Self { address, path: path.to_owned() };
        let sound = begins && path.bytes().all(plain) && url.to_string().parse::<Uri>().is_ok();
        sound.then_some(url).ok_or(BaseUrlError::Path)
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The path, empty or with a slash in front.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The address below it; `rest` is our own and begins with a slash.
    #[must_use]
    pub fn join(&self, rest: &'static str) -> Uri {
        format!("{self}{rest}").parse().expect("a path of our own after a sound beginning")
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.address, self.path)
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = BaseUrlError;

    fn try_from(text: String) -> Result<Self, BaseUrlError> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_made_below_it() {
        let check = |text: &str, expected: &str| {
            assert_eq!(BaseUrl::parse(text).expect("a base URL").join("/models"), expected, "{text}");
        };
        check("https://api.openai.com/v1", "https://api.openai.com/v1/models");
        check("https://api.openai.com/v1//", "https://api.openai.com/v1/models");
        check("HTTP://LOCALHOST:11434", "http://localhost:11434/models");
        check("http://0x7f000001:80/v1/", "http://127.0.0.1/v1/models");
        check("http://[::1]:8080/a%20b", "http://[::1]:8080/a%20b/models");
    }

    #[test]
    fn what_readers_could_take_for_something_else_is_refused() {
        let check = |text: &str, expected: &str| {
            let error = BaseUrl::parse(text).expect_err("is refused").to_string();
            assert!(error.contains(expected), "{text}: {error}");
        };
        check("api.openai.com/v1", "has to begin with http");
        check("ftp://api.openai.com", "has to begin with http");
        check("https://me:key@api.openai.com/v1", "user name or a password");
        check("https://api.openai.com@evil.example/v1", "user name or a password");
        check("https://ex ample.com", "characters that an address cannot have");
        check("https://api.openai.com:99999/v1", "not a number from 1 to 65535");
        check("https://api.openai.com/v1?key=1", "has to end with its path");
        check("https://api.openai.com/v1#x", "has to end with its path");
        check("https://api.openai.com\\@evil.example", "has to end with its path");
        check("https://api.openai.com/a b", "has to end with its path");
        check("https://api.openai.com/ä", "has to end with its path");
    }
}
