//! What can be wrong with a definition, where, and what can be wrong when it is filled in.

use crate::network::AddressFault;

/// A definition that is refused: what is wrong, at which key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {kind}")]
pub struct HttpFault {
    /// The keys that lead there, such as `steps[0].request.urlTemplate`.
    pub path: String,
    /// What.
    pub kind: HttpFaultKind,
}

/// What is wrong with a definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpFaultKind {
    /// It is not of the form.
    #[error("{0}")]
    Form(String),
    /// There is nothing to ask for.
    #[error("a tool of type http needs \"request\" or \"steps\"")]
    NoRequest,
    /// A key that must be there is not.
    #[error("{0:?} is missing")]
    Missing(&'static str),
    /// The address is not of the web (R090).
    #[error("the address must begin with http:// or https://")]
    Scheme,
    /// The host is on no list (R092).
    #[error("the host {0} is not among allowedHosts; add it there, or ask another host")]
    HostNotAllowed(String),
    /// The address cannot be one.
    #[error(transparent)]
    Address(#[from] AddressFault),
    /// The address has a user name or a password in it.
    #[error("the address has a user name or a password in it; use \"auth\" or a header instead")]
    Credentials,
    /// A secret decides where a request goes.
    #[error("the secret {0} must not decide which host is asked; only an argument may stand there")]
    SecretInHost(String),
    /// A host that is none.
    #[error("{0:?} is not a host such as api.example.com or localhost:8080")]
    Host(String),
    /// A placeholder without an end, or with nothing in it.
    #[error("{0:?} is not a placeholder, which looks like ${{name}}")]
    Placeholder(String),
    /// A name that is neither an argument nor can be that of a secret.
    #[error("${{{0}}} is not an argument of the tool, and no secret can have that name")]
    Unknown(String),
    /// An answer that is not there yet.
    #[error("${{steps.{0}}} names no call that comes before this one")]
    NoSuchStep(String),
    /// A method that cannot be sent.
    #[error("the method {0:?} cannot be sent")]
    Method(String),
    /// A header that is not the tool's to set.
    #[error("the header {0:?} cannot be set by a tool")]
    Header(String),
    /// Two calls of one name.
    #[error("the name {0:?} occurs twice")]
    Twice(String),
    /// Out of bounds.
    #[error("must be from {least} to {most}")]
    Bounds {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// Too many of something.
    #[error("there are {count}, and the limit is {most}")]
    TooMany {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}

impl HttpFaultKind {
    /// Whether a toolset that has it is taken in all the same: the tool cannot run, and says why when it is called.
    #[must_use]
    pub fn keeps_only_from_running(&self) -> bool {
        matches!(self, Self::Credentials | Self::Header(_))
    }

    pub(super) fn at(self, path: impl Into<String>) -> HttpFault {
        HttpFault { path: path.into(), kind: self }
    }
}

/// Why a request cannot be made of a definition and the arguments of a call. None has a value in it, since that may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandFault {
    /// An argument that is not given stands where something has to (R091).
    #[error("the argument {name:?} is not given, and {place} needs it")]
    NoArgument {
        /// The argument.
        name: String,
        /// Where it stands.
        place: &'static str,
    },
    /// A secret without a value (R091).
    #[error("the secret {0} has no value; enter it in Settings, under Secrets and variables")]
    NoSecret(String),
    /// An earlier answer has nothing there.
    #[error("the answer of {step} has no {path:?}")]
    NoAnswer {
        /// The call.
        step: String,
        /// What was looked for in its answer.
        path: String,
    },
    /// A value that cannot stand in a host's name.
    #[error("the argument {0:?} stands in the name of the host, and may have letters, digits and \"-\" only")]
    InHost(String),
    /// A value that would lead elsewhere in the path.
    #[error("a part of the path would be \".\" or \"..\", which leads elsewhere")]
    DotSegment,
    /// A value that no header can have.
    #[error("the header {0:?} cannot hold a line break or a character outside Latin-1")]
    InHeader(String),
    /// The address cannot be read any more.
    #[error(transparent)]
    Address(#[from] AddressFault),
    /// The host is on no list (R092).
    #[error("the host {0} is not among the tool's allowedHosts")]
    HostNotAllowed(String),
    /// Something is too long.
    #[error("{what} would have {bytes} bytes, and the limit is {most}")]
    TooLong {
        /// What.
        what: &'static str,
        /// How long.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
}
