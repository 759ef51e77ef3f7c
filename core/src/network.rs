//! Which hosts a tool may reach: those its toolset declares and the user has granted, by name, and never the app itself.
//!
//! What an address means is the browser's to say: it is handed in as the browser's own parser has taken it apart, so that no spelling of
//! a number or a name means one thing here and another on the wire.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::catalog::ToolsetId;
use crate::record::{Grant, RowRef};
use crate::store::Commit;
use crate::time::Timestamp;

/// An address, as the browser's parser has taken it apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressParts {
    /// With its colon: `https:`.
    pub protocol: String,
    /// In lower case, international names in ASCII, numbers in their usual spelling, IPv6 in brackets.
    pub hostname: String,
    /// Empty where it is the protocol's own.
    pub port: String,
    /// Whether there is a name or a password in it.
    pub has_credentials: bool,
}

/// What a tool may do about an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may reach it.
    Allowed,
    /// The user has to be asked.
    Ask {
        /// The host, as a grant names it.
        host: String,
        /// Whether it is on this device or in its own network.
        is_private: bool,
    },
    /// It may not.
    Refused(Refused),
}

/// Why a tool may not reach an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Another protocol.
    #[error("tools reach hosts by http: and https: only, not by {0}")]
    Protocol(String),
    /// A name or a password in it.
    #[error("an address with a name or a password in it is not fetched")]
    Credentials,
    /// The app itself.
    #[error("tools cannot reach Satchel's own address")]
    OwnAddress,
    /// Not declared.
    #[error("{host} is not declared by the toolset: its author has to name it under network.hosts in toolset.yaml")]
    Undeclared {
        /// The host.
        host: String,
    },
    /// Not granted.
    #[error("the user did not let {toolset} reach {host}")]
    Denied {
        /// The toolset.
        toolset: ToolsetId,
        /// The host.
        host: String,
    },
}

/// What counts for the tools of one toolset.
#[derive(Clone, Copy, Debug)]
pub struct HostRules<'a> {
    /// The hosts that the manifest names.
    pub declared: &'a [String],
    /// The hosts that the user has granted.
    pub granted: &'a BTreeSet<String>,
    /// Where the app itself was loaded from.
    pub own: &'a AddressParts,
}

impl HostRules<'_> {
    /// What may be done about an address. A private one is like any other once its very name was declared and granted.
    #[must_use]
    pub fn judge(&self, address: &AddressParts) -> Verdict {
        if !matches!(address.protocol.as_str(), "http:" | "https:") {
            return Verdict::Refused(Refused::Protocol(address.protocol.clone()));
        }
        if address.has_credentials {
            return Verdict::Refused(Refused::Credentials);
        }
        if self.is_own(address) {
            return Verdict::Refused(Refused::OwnAddress);
        }
        let host = address.host();
        if !self.declared.iter().any(|declared| declared.eq_ignore_ascii_case(&host)) {
            return Verdict::Refused(Refused::Undeclared { host });
        }
        if self.granted.contains(&host) {
            return Verdict::Allowed;
        }
        Verdict::Ask { is_private: is_private(&address.hostname), host }
    }

    /// Whether it is the app's own server, also by another name of this very device.
    fn is_own(&self, address: &AddressParts) -> bool {
        let is_same_host = address.hostname == self.own.hostname
            || (is_loopback(&address.hostname) && is_loopback(&self.own.hostname));
        is_same_host && address.port_number() == self.own.port_number()
    }
}

impl AddressParts {
    /// The host as a grant and a manifest name it: with the port where it is not the protocol's own.
    #[must_use]
    pub fn host(&self) -> String {
        if self.port.is_empty() { self.hostname.clone() } else { format!("{}:{}", self.hostname, self.port) }
    }

    fn port_number(&self) -> &str {
        match (self.port.as_str(), self.protocol.as_str()) {
            ("", "https:") => "443",
            ("", _) => "80",
            (port, _) => port,
        }
    }
}

/// Lets the tools of a toolset reach a host.
#[must_use]
pub fn grant(toolset: &ToolsetId, host: &str, now: Timestamp) -> Commit {
    Commit::default().put(&Grant { toolset_id: toolset.clone(), host: host.into(), granted_at: now })
}

/// Takes that back.
#[must_use]
pub fn withdraw(grant: &Grant) -> Commit {
    Commit::default().delete(RowRef::of(grant))
}

/// Whether a host is on this device or in its own network, as far as its name tells.
#[must_use]
pub fn is_private(hostname: &str) -> bool {
    match ip(hostname) {
        Some(IpAddr::V4(address)) => is_private_v4(address),
        Some(IpAddr::V6(address)) => is_private_v6(address),
        None => {
            let name = hostname.strip_suffix('.').unwrap_or(hostname);
            // A name without a dot is one of the own network.
            !name.contains('.')
                || [".localhost", ".local", ".internal", ".home.arpa", ".lan"].iter().any(|end| name.ends_with(end))
        }
    }
}

fn is_loopback(hostname: &str) -> bool {
    match ip(hostname) {
        Some(IpAddr::V4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(IpAddr::V6(address)) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.to_ipv4_mapped().is_some_and(|inner| inner.is_loopback() || inner.is_unspecified())
        }
        None => {
            let name = hostname.strip_suffix('.').unwrap_or(hostname);
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

fn ip(hostname: &str) -> Option<IpAddr> {
    let bare = hostname.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hostname);
    bare.parse().ok()
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || first == 0
        || first >= 240
        // Shared by the customers of a provider, set aside for protocols, and for measurements.
        || (first == 100 && (64..128).contains(&second))
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && (18..20).contains(&second))
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let embedded = match (first, second) {
        // Translated, and by way of a relay: the IPv4 address inside counts.
        (0x0064, 0xff9b) => Some(v4_at(address, 6)),
        (0x2002, _) => Some(v4_at(address, 1)),
        _ => address.to_ipv4_mapped().or_else(|| address.to_ipv4()),
    };
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || (first & 0xfe00) == 0xfc00
        || (first & 0xffc0) == 0xfe80
        || embedded.is_some_and(is_private_v4)
}

fn v4_at(address: Ipv6Addr, segment: usize) -> Ipv4Addr {
    let segments = address.segments();
    let [first, second] = segments[segment].to_be_bytes();
    let [third, fourth] = segments[segment + 1].to_be_bytes();
    Ipv4Addr::new(first, second, third, fourth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(protocol: &str, hostname: &str, port: &str) -> AddressParts {
        AddressParts {
            protocol: protocol.into(),
            hostname: hostname.into(),
            port: port.into(),
            has_credentials: false,
        }
    }

    fn judge(address: &AddressParts) -> Verdict {
        let declared = ["api.example.com", "Upper.example.com", "192.168.1.9:8080", "127.0.0.1:9000"].map(String::from);
        let granted = BTreeSet::from(["upper.example.com".to_owned()]);
        let own = parts("http:", "127.0.0.1", "8787");
        HostRules { declared: &declared, granted: &granted, own: &own }.judge(address)
    }

    fn check(protocol: &str, hostname: &str, port: &str, expected: &Verdict) {
        assert_eq!(judge(&parts(protocol, hostname, port)), *expected, "{protocol}//{hostname}:{port}");
    }

    /// R303
    #[test]
    fn only_declared_and_granted_hosts_are_reached() {
        let undeclared = |host: &str| Verdict::Refused(Refused::Undeclared { host: host.into() });
        let ask = |host: &str, is_private| Verdict::Ask { host: host.into(), is_private };
        check("https:", "upper.example.com", "", &Verdict::Allowed);
        check("https:", "api.example.com", "", &ask("api.example.com", false));
        check("https:", "api.example.com", "8443", &undeclared("api.example.com:8443"));
        check("https:", "example.com", "", &undeclared("example.com"));
        check("https:", "evil-api.example.com", "", &undeclared("evil-api.example.com"));
        check("http:", "192.168.1.9", "8080", &ask("192.168.1.9:8080", true));
        check("http:", "192.168.1.9", "", &undeclared("192.168.1.9"));
    }

    /// R303
    #[test]
    fn the_app_itself_is_reached_under_none_of_its_names() {
        let own = Verdict::Refused(Refused::OwnAddress);
        for name in ["127.0.0.1", "localhost", "a.localhost", "[::1]", "[::ffff:7f00:1]", "127.9.9.9", "0.0.0.0"] {
            check("http:", name, "8787", &own);
        }
        check("http:", "127.0.0.1", "9000", &Verdict::Ask { host: "127.0.0.1:9000".into(), is_private: true });
    }

    #[test]
    fn other_protocols_and_credentials_are_refused() {
        for protocol in ["file:", "ftp:", "ws:", "data:", "blob:"] {
            check(protocol, "api.example.com", "", &Verdict::Refused(Refused::Protocol(protocol.into())));
        }
        let with = AddressParts { has_credentials: true, ..parts("https:", "upper.example.com", "") };
        assert_eq!(judge(&with), Verdict::Refused(Refused::Credentials));
    }

    #[test]
    fn what_is_private() {
        let private = [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
            "255.255.255.255", "198.18.0.1", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[::ffff:a00:1]",
            "[64:ff9b::a00:1]", "[2002:a00:1::]", "localhost", "printer", "nas.local", "metadata.google.internal", "box.lan",
        ];
        for host in private {
            assert!(is_private(host), "{host}");
        }
        for host in ["example.com", "8.8.8.8", "[2606:4700::1111]", "[2002:808:808::]", "local.example.com"] {
            assert!(!is_private(host), "{host}");
        }
    }
}
