//! What a frame may show: an address on the web or on this machine, or a page of the workspace (C55).
//!
//! Addresses are read strictly, so that this code and the browser never disagree on which host is meant.

use std::fmt;

/// An address of a web page, with what is asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameAddress {
    url: String,
    secure: bool,
    host: String,
    port: u16,
}

/// The page that would show the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its own address, such as `https://satchel.example`.
    pub address: FrameAddress,
}

/// Why a frame is not shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Another scheme, such as `javascript:` or `file:`.
    #[error("a frame shows http, https and \"workspace:\" addresses only, not {0:?}")]
    Scheme(String),
    /// It has no host, or something a browser would read differently.
    #[error("{0:?} is not an address that a frame can show")]
    Spelling(String),
    /// A browser blocks it.
    #[error(
        "this page is https, and a browser then shows no http page but one of this machine; use https, or open Satchel at a localhost address, to see {0}"
    )]
    Insecure(FrameAddress),
    /// It would run with the rights of the app.
    #[error("a frame does not show Satchel's own address, {0}")]
    OwnOrigin(FrameAddress),
}

impl FrameAddress {
    /// Reads an address: `http` or `https`, a host, no user name, no blanks and no backslashes.
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        let shown = || url.chars().take(200).collect::<String>();
        let spelling = || AddressError::Spelling(shown());
        let (scheme, rest) = url.split_once(':').ok_or_else(|| AddressError::Scheme(shown()))?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _other => return Err(AddressError::Scheme(shown())),
        };
        let rest = rest.strip_prefix("//").ok_or_else(spelling)?;
        if rest.contains(|letter: char| letter.is_control() || letter.is_whitespace() || letter == '\\') {
            return Err(spelling());
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // The colons of an IPv6 address are inside its brackets.
        let after_brackets = authority.rfind(']').map_or(0, |end| end + 1);
        let (host, port) = match authority[after_brackets..].rfind(':') {
            Some(colon) => authority.split_at(after_brackets + colon),
            None => (authority, ""),
        };
        let port = match port {
            "" | ":" => {
                if secure {
                    443
                } else {
                    80
                }
            }
            digits if digits[1..].bytes().all(|digit| digit.is_ascii_digit()) => {
                digits[1..].parse().ok().filter(|port| *port != 0).ok_or_else(spelling)?
            }
            _other => return Err(spelling()),
        };
        if !is_host(host) {
            return Err(spelling());
        }
        Ok(Self { url: url.to_owned(), secure, host: host.to_ascii_lowercase(), port })
    }

    /// The address of a server on this machine.
    #[must_use]
    pub fn of_port(port: u16) -> Self {
        Self { url: format!("http://localhost:{port}"), secure: false, host: "localhost".into(), port }
    }

    /// The address as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Whether a browser counts it as this very machine.
    #[must_use]
    pub fn is_this_machine(&self) -> bool {
        let is_loopback_v4 = || self.host.parse().is_ok_and(|address: std::net::Ipv4Addr| address.is_loopback());
        self.host == "localhost" || self.host.ends_with(".localhost") || self.host == "[::1]" || is_loopback_v4()
    }

    /// Whether this page may show it, and if not, why. Asked when it is shown: the same plan may be looked at from another page.
    pub fn check_for(&self, page: &Page) -> Result<(), AddressError> {
        if (self.secure, &self.host, self.port) == (page.address.secure, &page.address.host, page.address.port) {
            return Err(AddressError::OwnOrigin(self.clone()));
        }
        if page.address.secure && !self.secure && !self.is_this_machine() {
            return Err(AddressError::Insecure(self.clone()));
        }
        Ok(())
    }
}

impl fmt::Display for FrameAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

/// A name, an IPv4 address of four numbers, or an IPv6 address in brackets. Names in other scripts come as `xn--…`.
fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<std::net::Ipv6Addr>().is_ok();
    }
    // Browsers read `127.1` and `0x7f000001` as 127.0.0.1; only the plain spelling is taken here.
    let last_label = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    if last_label.starts_with(|first: char| first.is_ascii_digit()) {
        return host.parse::<std::net::Ipv4Addr>().is_ok();
    }
    !last_label.is_empty()
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C55
    #[test]
    fn only_plain_web_addresses_are_read() {
        for good in [
            "http://localhost:8000",
            "HTTPS://example.com/a?b#c",
            "http://[::1]:3000/",
            "http://127.0.0.1",
            "https://a_b.example:",
        ] {
            assert_eq!(FrameAddress::parse(good).expect("is an address").as_str(), good);
        }
        for scheme in
            ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "example.com", "", "blob:https://x"]
        {
            assert!(matches!(FrameAddress::parse(scheme), Err(AddressError::Scheme(_))), "{scheme:?}");
        }
        for spelling in [
            "http:example.com",
            "http://",
            "http:///path",
            "http://user@example.com",
            "http://localhost\\@example.com",
            "http://exa mple.com",
            "http://localhost:port",
            "http://localhost:0",
            "http://localhost:+80",
            "http://[::1",
            "http://[::1]x:1",
            "http://127.1:8080",
            "http://0x7f000001",
            "http://a\n.example",
        ] {
            assert!(matches!(FrameAddress::parse(spelling), Err(AddressError::Spelling(_))), "{spelling:?}");
        }
    }

    /// C55: https page and http address.
    #[test]
    fn a_secure_page_shows_http_of_this_machine_only() {
        let page = Page { address: FrameAddress::parse("https://satchel.example").expect("is an address") };
        let check = |url, expected: Result<(), &str>| {
            let found = FrameAddress::parse(url).expect("is an address").check_for(&page);
            assert_eq!(found.map_err(|error| error.to_string()), expected.map_err(str::to_owned), "{url}");
        };
        check("https://example.com", Ok(()));
        check("http://localhost:3000/", Ok(()));
        check("http://app.localhost", Ok(()));
        check("http://127.1.2.3:80", Ok(()));
        check("http://[::1]:5173", Ok(()));
        check(
            "http://example.com",
            Err(
                "this page is https, and a browser then shows no http page but one of this machine; use https, or open Satchel at a localhost address, to see http://example.com",
            ),
        );
        for elsewhere in ["http://localhost.example.com", "http://127.0.0.1.example.com", "http://notlocalhost"] {
            let address = FrameAddress::parse(elsewhere).expect("is an address");
            assert_eq!(address.check_for(&page), Err(AddressError::Insecure(address.clone())));
        }
        check(
            "https://SATCHEL.example:443/x",
            Err("a frame does not show Satchel's own address, https://SATCHEL.example:443/x"),
        );
        let plain = Page { address: FrameAddress::of_port(8080) };
        assert_eq!(FrameAddress::parse("http://example.com").expect("is an address").check_for(&plain), Ok(()));
    }
}
