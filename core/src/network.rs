//! Which hosts a tool may reach: those that its toolset declares and the user has granted, and no others (R303).
//!
//! The page fetches for the tool, so that everything the page can reach is at stake: the app's own server, the router of the house,
//! the metadata service of a cloud. An address is therefore read strictly, by the letters that mean the same to every reader; whatever
//! a browser might read as something else is refused with a sentence. Nothing is looked up here: that a public name leads to a private
//! address is for whoever connects to find out.

mod address;
mod grants;
mod header;
mod private;

pub use address::{Address, AddressFault};
pub use grants::{grant, granted, grants, secret_grant, withdraw};
pub use header::{kept_headers, kept_method};
pub use private::is_private_ip;

use std::collections::BTreeSet;

/// Whether a tool may fetch something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// It may.
    Allowed,
    /// The user has to be asked first.
    Ask {
        /// What would be granted: the host, with its port where it is not the usual one.
        host: String,
        /// Whether it is in the user's own network or on the user's own machine, which the question has to say.
        private: bool,
    },
    /// It may not.
    Refused(Refused),
}

/// Why a tool may not fetch something; a sentence for its author and for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The address cannot be read.
    #[error(transparent)]
    Address(#[from] AddressFault),
    /// It leads to the app itself.
    #[error("{0} is the address of Satchel itself, which no tool may reach")]
    Own(String),
    /// The toolset does not declare the host.
    #[error(
        "the toolset does not declare the host {host}; its author has to add \"{host}\" under network.hosts in toolset.yaml"
    )]
    Undeclared {
        /// The host.
        host: String,
    },
}

/// Decides about one request of a tool.
///
/// `own` is the address that the app is served from, `declared` what the manifest says under `network.hosts`, `granted` the hosts of the
/// toolset's grants. Declared and granted are compared whole: `example.com` is not `api.example.com`, and not port 8080 of itself.
/// The same holds for private addresses, which therefore have to be declared and granted by their exact name.
#[must_use]
pub fn decide(address: &Address, own: &Address, declared: &[String], granted: &BTreeSet<String>) -> Access {
    let host = address.granted_as();
    if address.is_same_place(own) {
        return Access::Refused(Refused::Own(host));
    }
    if !declared.iter().any(|entry| address.is_declared_by(entry)) {
        return Access::Refused(Refused::Undeclared { host });
    }
    if granted.contains(&host) {
        return Access::Allowed;
    }
    Access::Ask { private: address.is_private(), host }
}

#[cfg(test)]
mod tests;
