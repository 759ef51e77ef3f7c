//! An origin: scheme, host and port, the way browsers compare them.
//!
//! It is what the server goes by. `Host` and `Origin` headers are compared with it after both are brought to one spelling:
//! lower case, default port left out.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use axum::http::Uri;
use axum::http::uri::Authority;

/// Scheme, host and port of one web origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: Scheme,
    host: String,
    port: u16,
}

/// How the connection is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Plain.
    Http,
    /// Inside TLS.
    Https,
}

/// Why a text is not an origin.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// Not `http://…` or `https://…` with a host.
    #[error("it has to begin with http:// or https:// and name a host")]
    NotWeb,
    /// A user name, path, query or fragment is there.
    #[error("it has to end after the host and port")]
    MoreThanOrigin,
}

impl Origin {
    /// The origin of a server reached at this very address.
    #[must_use]
    pub fn of_address(scheme: Scheme, address: SocketAddr) -> Self {
        let host = match address {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        };
        Self { scheme, host, port: address.port() }
    }

    /// The same scheme and port under another host name.
    #[must_use]
    pub fn with_host(&self, host: &str) -> Self {
        Self { scheme: self.scheme, host: host.to_ascii_lowercase(), port: self.port }
    }

    /// Whether browsers reach it inside TLS.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// Whether browsers take its pages for trustworthy (a secure context): HTTPS, or this very machine.
    #[must_use]
    pub fn is_secure_context(&self) -> bool {
        let this_machine = self.host == "localhost" || self.host == "[::1]" || self.host.starts_with("127.");
        self.is_https() || this_machine
    }

    /// Whether a `Host` header names this origin.
    #[must_use]
    pub fn goes_by(&self, host_header: &str) -> bool {
        let Some((host, port)) = split_authority(host_header) else { return false };
        host.eq_ignore_ascii_case(&self.host) && port.unwrap_or(self.scheme.default_port()) == self.port
    }
}

impl Scheme {
    const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    /// Reads `https://host[:port]`, with or without a final slash.
    fn from_str(text: &str) -> Result<Self, OriginError> {
        let uri: Uri = text.parse().map_err(|_| OriginError::NotWeb)?;
        let scheme = match uri.scheme_str() {
            Some("http") => Scheme::Http,
            Some("https") => Scheme::Https,
            Some(_) | None => return Err(OriginError::NotWeb),
        };
        let authority = uri.authority().ok_or(OriginError::NotWeb)?.as_str();
        if authority.contains('@') || uri.path() != "/" || uri.query().is_some() || text.contains('#') {
            return Err(OriginError::MoreThanOrigin);
        }
        let (host, port) = split_authority(authority).ok_or(OriginError::NotWeb)?;
        Ok(Self { scheme, host: host.to_ascii_lowercase(), port: port.unwrap_or(scheme.default_port()) })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        if self.port == self.scheme.default_port() {
            write!(out, "{scheme}://{}", self.host)
        } else {
            write!(out, "{scheme}://{}:{}", self.host, self.port)
        }
    }
}

/// Host and port of `host[:port]`; nothing when it has a user name or a port that is no number.
fn split_authority(text: &str) -> Option<(&str, Option<u16>)> {
    let authority: Authority = text.parse().ok()?;
    let host_length = authority.host().len();
    let (host, rest) = text.split_at_checked(host_length)?;
    if host.is_empty() || host != authority.host() {
        return None;
    }
    match rest.strip_prefix(':') {
        Some(port) => Some((host, Some(port.parse().ok()?))),
        None if rest.is_empty() => Some((host, None)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(text: &str) -> Origin {
        text.parse().expect("an origin")
    }

    #[test]
    fn is_written_the_way_browsers_write_it() {
        assert_eq!(origin("https://Satchel.Example:443/").to_string(), "https://satchel.example");
        assert_eq!(origin("http://127.0.0.1:8787").to_string(), "http://127.0.0.1:8787");
        let v6 = Origin::of_address(Scheme::Http, "[::1]:8787".parse().expect("an address"));
        assert_eq!(v6.to_string(), "http://[::1]:8787");
    }

    #[test]
    fn more_than_an_origin_is_refused() {
        let check = |text: &str, expected: OriginError| assert_eq!(text.parse::<Origin>(), Err(expected), "{text}");
        check("satchel.example", OriginError::NotWeb);
        check("ftp://satchel.example", OriginError::NotWeb);
        check("https://", OriginError::NotWeb);
        check("https://satchel.example:port", OriginError::NotWeb);
        check("https://satchel.example/app", OriginError::MoreThanOrigin);
        check("https://satchel.example/?a=b", OriginError::MoreThanOrigin);
        check("https://me@satchel.example", OriginError::MoreThanOrigin);
        check("https://satchel.example/#x", OriginError::MoreThanOrigin);
    }

    #[test]
    fn host_headers_are_compared_by_meaning() {
        let check = |name: &str, host: &str, expected: bool| assert_eq!(origin(name).goes_by(host), expected, "{host}");
        check("https://satchel.example", "satchel.example", true);
        check("https://satchel.example", "SATCHEL.example:443", true);
        check("https://satchel.example", "satchel.example:80", false);
        check("https://satchel.example", "satchel.example.evil", false);
        check("https://satchel.example", "me@satchel.example", false);
        check("http://127.0.0.1:8787", "127.0.0.1:8787", true);
        check("http://127.0.0.1:8787", "127.0.0.1", false);
        check("http://127.0.0.1:8787", "127.0.0.1:99999", false);
        check("http://127.0.0.1:8787", "127.0.0.1:", false);
        check("http://127.0.0.1:8787", "", false);
        check("http://[::1]:8787", "[::1]:8787", true);
    }

    /// R323
    #[test]
    fn a_secure_context_is_https_or_this_machine() {
        assert!(origin("https://satchel.example").is_secure_context());
        assert!(origin("http://127.0.0.1:8787").is_secure_context());
        assert!(!origin("http://192.168.1.5:8787").is_secure_context());
    }
}
