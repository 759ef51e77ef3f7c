//! An address of a request, as far as it says where to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::private;

/// Where a request goes: scheme, host and port. What follows is the tool's own affair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    scheme: Scheme,
    host: Host,
    port: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

/// A host, in the one form that every reader gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    Name(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

/// Why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressFault {
    /// It is neither `http` nor `https`.
    #[error("a tool can only fetch addresses that begin with https:// or http://, and this is {0:?}")]
    Scheme(String),
    /// It has a user name or a password in it.
    #[error("the address has a user name or a password in it; send them in a header instead")]
    Credentials,
    /// It has letters that different readers take for different things.
    #[error("the host {0:?} has characters that an address cannot have; write other alphabets as xn--…")]
    Spelling(String),
    /// It looks like numbers, and is none.
    #[error("the host {0:?} is not an IP address, though it looks like one")]
    Number(String),
    /// The port is none.
    #[error("the port {0:?} is not a number from 1 to 65535")]
    Port(String),
}

impl Address {
    /// Reads an address. A browser's own reading of it gives the same or is refused here.
    pub fn parse(text: &str) -> Result<Self, AddressFault> {
        let shown = |text: &str| text.chars().take(80).collect::<String>();
        let after = |scheme: &str| {
            let (start, rest) = text.split_at_checked(scheme.len())?;
            start.eq_ignore_ascii_case(scheme).then_some(rest)
        };
        let (scheme, rest) = match (after("https://"), after("http://")) {
            (Some(rest), _) => (Scheme::Https, rest),
            (None, Some(rest)) => (Scheme::Http, rest),
            (None, None) => return Err(AddressFault::Scheme(shown(text))),
        };
        // Browsers take a backslash for a slash, and skip tabs and line breaks.
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(AddressFault::Credentials);
        }
        if rest.contains(|char: char| char.is_ascii_control()) {
            return Err(AddressFault::Spelling(shown(authority)));
        }
        let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, after)) => {
                let spelling = || AddressFault::Spelling(shown(authority));
                let address = host.parse().map_err(|_not_v6| spelling())?;
                let port = if after.is_empty() { None } else { Some(after.strip_prefix(':').ok_or_else(spelling)?) };
                (Host::V6(address), port)
            }
            None => {
                let (host, port) =
                    authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
                (Host::parse(host)?, port)
            }
        };
        let port = match port {
            None | Some("") => scheme.usual_port(),
            Some(digits) => {
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
                let port = digits.parse().ok().filter(|port| plain && *port > 0);
                port.ok_or_else(|| AddressFault::Port(shown(digits)))?
            }
        };
        Ok(Self { scheme, host, port })
    }

    /// The host as it is declared and granted: with its port where it is not the usual one.
    #[must_use]
    pub fn granted_as(&self) -> String {
        if self.port == self.scheme.usual_port() {
            self.host.to_string()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Whether an entry of `network.hosts` means this host and port.
    #[must_use]
    pub fn is_declared_by(&self, entry: &str) -> bool {
        let entry = entry.to_ascii_lowercase();
        entry == self.granted_as() || entry == format!("{}:{}", self.host, self.port)
    }

    /// Whether it is on this machine, in the user's own network, or of a kind that is never a public service.
    #[must_use]
    pub fn is_private(&self) -> bool {
        private::is_private(&self.host)
    }

    /// Whether it is reached inside TLS.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// The host, as addresses have it: in lower case, and an IPv6 address in brackets.
    #[must_use]
    pub fn host(&self) -> String {
        self.host.to_string()
    }

    /// The host's IP address; none where it is a name that has to be looked up.
    #[must_use]
    pub fn ip(&self) -> Option<IpAddr> {
        match &self.host {
            Host::Name(_) => None,
            Host::V4(address) => Some((*address).into()),
            Host::V6(address) => Some((*address).into()),
        }
    }

    /// The port, also where it is the usual one.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether both lead to the same server. All names of this machine are one.
    #[must_use]
    pub fn is_same_place(&self, other: &Self) -> bool {
        let loopback = private::is_loopback(&self.host) && private::is_loopback(&other.host);
        let same_name = self.host == other.host;
        // Whatever listens beside the app under its own name is not the app; but the plain and the secret door of it are.
        (same_name || loopback) && (self.port == other.port || same_name && self.is_usual() && other.is_usual())
    }

    fn is_usual(&self) -> bool {
        self.port == self.scheme.usual_port()
    }
}

/// The origin: scheme, host, and the port where it is not the usual one.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}", self.granted_as())
    }
}

impl Scheme {
    const fn usual_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl Host {
    fn parse(text: &str) -> Result<Self, AddressFault> {
        let shown = || text.chars().take(80).collect::<String>();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if text.is_empty() || !text.bytes().all(plain) || text.split('.').rev().skip(1).any(str::is_empty) {
            return Err(AddressFault::Spelling(shown()));
        }
        let name = text.to_ascii_lowercase();
        if private::looks_like_a_number(&name) {
            return private::read_v4(&name).map(Self::V4).ok_or_else(|| AddressFault::Number(shown()));
        }
        Ok(Self::Name(name))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::V4(address) => address.fmt(f),
            Self::V6(address) => write!(f, "[{address}]"),
        }
    }
}
