//! Who may be reached: everyone in public, and of the private hosts those that the operator has named.

use std::fmt;
use std::net::IpAddr;

use satchel_core::network::{Address, is_private_ip};
use serde::Deserialize;

/// Who chose the address of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Whoever has an account: private hosts only if they are listed.
    Account,
    /// The operator, in `satchel.toml`: also the private host that is written there, such as a model on this machine. A public name that
    /// suddenly leads to a private address is refused all the same.
    Operator,
}

/// The operator's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    private_hosts: Vec<PrivateHost>,
}

/// An entry of `private_hosts`: a host, for every port, or a host with the one port that is meant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PrivateHost {
    host: String,
    port: Option<u16>,
}

/// A text that should have been a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a private host is a name or an IP address, with or without a port, such as 192.168.1.9 or nas.local:11434")]
pub struct PrivateHostError;

impl Rules {
    /// The rules with this list.
    #[must_use]
    pub fn new(private_hosts: Vec<PrivateHost>) -> Self {
        Self { private_hosts }
    }

    /// Whether an address may be asked for at all. What its name leads to is another question.
    #[must_use]
    pub fn allow(&self, trust: Trust, address: &Address) -> bool {
        !address.is_private() || trust == Trust::Operator || self.lists(address)
    }

    /// Whether a connection may be made to where an address leads.
    #[must_use]
    pub fn allow_ip(&self, trust: Trust, address: &Address, ip: IpAddr) -> bool {
        let written_by_operator = trust == Trust::Operator && address.is_private();
        !is_private_ip(ip) || written_by_operator || self.lists(address)
    }

    /// Whether the operator has listed the host.
    #[must_use]
    pub fn lists(&self, address: &Address) -> bool {
        let host = address.host();
        self.private_hosts
            .iter()
            .any(|entry| entry.host == host && entry.port.is_none_or(|port| port == address.port()))
    }
}

impl PrivateHost {
    /// Reads an entry.
    pub fn parse(text: &str) -> Result<Self, PrivateHostError> {
        let read = |scheme: &str| Address::parse(&format!("{scheme}://{text}")).map_err(|_| PrivateHostError);
        if text.contains(['/', '?', '#', '\\']) {
            return Err(PrivateHostError);
        }
        let (plain, secure) = (read("http")?, read("https")?);
        // A port that is written is the same for both.
        let port = (plain.port() == secure.port()).then_some(plain.port());
        Ok(Self { host: plain.host(), port })
    }
}

impl TryFrom<String> for PrivateHost {
    type Error = PrivateHostError;

    fn try_from(text: String) -> Result<Self, PrivateHostError> {
        Self::parse(&text)
    }
}

impl fmt::Display for PrivateHost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(out, "{}:{port}", self.host),
            None => out.write_str(&self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Address {
        Address::parse(url).expect("an address")
    }

    fn rules(entries: &[&str]) -> Rules {
        Rules::new(entries.iter().map(|entry| PrivateHost::parse(entry).expect("a host")).collect())
    }

    #[test]
    fn an_entry_is_a_host_with_or_without_a_port() {
        let check = |text: &str, expected: &str| {
            assert_eq!(PrivateHost::parse(text).expect("a host").to_string(), expected, "{text}");
        };
        check("192.168.1.9", "192.168.1.9");
        check("0xc0a80109", "192.168.1.9");
        check("NAS.local:11434", "nas.local:11434");
        check("nas.local:80", "nas.local:80");
        check("[::1]:443", "[::1]:443");
        for bad in ["", "http://nas.local", "nas.local/v1", "a b", "10.0.0.0/8", "*.local", "user@nas.local"] {
            assert_eq!(PrivateHost::parse(bad), Err(PrivateHostError), "{bad}");
        }
    }

    /// R262
    #[test]
    fn private_hosts_are_the_operators_to_name() {
        let private = [10, 0, 0, 5].into();
        let public = [8, 8, 8, 8].into();
        let listed = rules(&["nas.local:11434", "10.0.0.7"]);
        let check = |url: &str, trust: Trust, asked: bool, to_private: bool| {
            let address = address(url);
            assert_eq!(listed.allow(trust, &address), asked, "{url} {trust:?}");
            assert_eq!(listed.allow_ip(trust, &address, private), to_private, "{url} {trust:?}");
            assert!(listed.allow_ip(trust, &address, public), "{url} {trust:?}");
        };
        check("https://api.example.com/v1", Trust::Account, true, false);
        check("https://api.example.com/v1", Trust::Operator, true, false);
        check("http://127.0.0.1:8080", Trust::Account, false, false);
        check("http://127.0.0.1:8080", Trust::Operator, true, true);
        check("http://nas.local:11434/v1", Trust::Account, true, true);
        check("http://nas.local:9000/v1", Trust::Account, false, false);
        check("http://10.0.0.7:1234", Trust::Account, true, true);
    }
}
