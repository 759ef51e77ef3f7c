//! Why something was not reached. Each has a sentence for whoever asked; none has anything of the request in it but the host.

use std::error::Error;
use std::net::IpAddr;

use hyper_util::client::legacy;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    /// The host is, or leads to, an address that is not public.
    #[error(
        "{host} {}not a public address, and this server does not connect to it; its operator can allow it under [outbound] \
         private_hosts in satchel.toml",
        leads_to(*.address)
    )]
    Private {
        /// The host.
        host: String,
        /// Where its name leads; nothing when the host itself says that it is private.
        address: Option<IpAddr>,
    },
    /// The address cannot be read.
    #[error("the address cannot be read: {reason}")]
    Address {
        /// What is wrong with it.
        reason: String,
    },
    /// The name leads nowhere.
    #[error("the name {host} was not found: {reason}; check the address, and the server's own network")]
    NoSuchName {
        /// The host.
        host: String,
        /// What the system said.
        reason: String,
    },
    /// Nobody answers there.
    #[error("no connection to {host}: {reason}")]
    NoConnection {
        /// The host.
        host: String,
        /// What the system said.
        reason: String,
    },
    /// The other side does not speak TLS as it should, or is not who it should be.
    #[error("no secure connection to {host}: {reason}")]
    NoTls {
        /// The host.
        host: String,
        /// What went wrong.
        reason: String,
    },
    /// The connection was not there in time.
    #[error("no connection to {host} within {seconds} seconds")]
    ConnectTime {
        /// The host.
        host: String,
        /// The limit.
        seconds: u64,
    },
    /// The answer did not begin in time.
    #[error("{host} did not begin to answer within {seconds} seconds")]
    NoAnswer {
        /// The host.
        host: String,
        /// The limit.
        seconds: u64,
    },
    /// The connection ended before there was an answer, or what came was no HTTP.
    #[error("the connection to {host} broke before there was an answer: {reason}")]
    BrokeOff {
        /// The host.
        host: String,
        /// What went wrong.
        reason: String,
    },
}

/// The kinds of error that programs tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutboundFault {
    /// It may not be reached.
    Refused,
    /// It cannot be reached.
    Unreachable,
    /// It took too long.
    TimedOut,
}

impl OutboundError {
    /// Which kind it is.
    #[must_use]
    pub fn kind(&self) -> OutboundFault {
        match self {
            Self::Private { .. } | Self::Address { .. } => OutboundFault::Refused,
            Self::NoSuchName { .. } | Self::NoConnection { .. } | Self::NoTls { .. } | Self::BrokeOff { .. } => {
                OutboundFault::Unreachable
            }
            Self::ConnectTime { .. } | Self::NoAnswer { .. } => OutboundFault::TimedOut,
        }
    }

    /// What the connector said, or what happened on a connection it had made.
    pub(super) fn of_client(error: &legacy::Error, host: String) -> Self {
        let causes = || std::iter::successors(error.source(), |&cause| cause.source());
        if let Some(own) = causes().find_map(|cause| cause.downcast_ref::<Self>()) {
            return own.clone();
        }
        let reason = causes().last().map_or_else(|| error.to_string(), ToString::to_string);
        Self::BrokeOff { host, reason }
    }
}

fn leads_to(address: Option<IpAddr>) -> String {
    match address {
        Some(address) => format!("leads to {address}, which is "),
        None => "is ".to_owned(),
    }
}
