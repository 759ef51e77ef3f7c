//! From a definition to a session: what may be contacted at all, and how.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, RunningService};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpClientWorker, StreamableHttpError,
};
use rmcp::transport::worker::WorkerTransport;
use rmcp::{ClientServiceExt as _, RoleClient};
use satchel_core::network::Address;
use satchel_core::protocol::{McpDefinition, McpTransport};
use tokio::sync::Notify;

use super::child::{Children, Complaint};
use super::handler::Handler;
use super::http::{WebClient, WebError};
use super::login::{Bearer, LoginError, Place};
use super::old_sse::OldSse;
use super::placeholders::Filled;
use super::session::{Session, SessionError};
use super::stdio::Stdio;
use super::tap::Tap;
use crate::outbound::{OutboundError, Rules, Trust};

/// Most of what a server says about a failure that is repeated.
const COMPLAINT_CHARACTERS: usize = 300;
/// Headers that the protocol itself sets.
const OWN_HEADERS: [&str; 8] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-session-id",
    "transfer-encoding",
];

/// A connection that was made.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) session: Session,
    /// Ends when the connection does; when it is dropped, the connection is closed.
    pub(super) running: RunningService<RoleClient, Handler>,
    pub(super) list_changed: Arc<Notify>,
    pub(super) complaint: Option<Complaint>,
    /// The login that it was made with.
    pub(super) bearer: Bearer,
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotConnected {
    /// It will be tried again.
    Failed(String),
    /// Trying again would change nothing until somebody changes something.
    Refused(String),
    /// Somebody has to sign in; what the server said about it.
    RequiresLogin { challenge: Option<String> },
}

impl From<SessionError> for NotConnected {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::RequiresLogin { challenge } => Self::RequiresLogin { challenge: Some(challenge) },
            error @ (SessionError::Refused(_)
            | SessionError::Broken(_)
            | SessionError::Useless(_)
            | SessionError::TooFar) => Self::Failed(error.to_string()),
        }
    }
}

/// Which era is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Era {
    /// The newer one first, and the older one when it is not understood.
    #[default]
    Either,
    /// It was the older one the last time.
    Older,
}

impl Era {
    fn mode(self) -> ClientLifecycleMode {
        match self {
            Self::Either => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: Some(ProtocolVersion::V_2025_11_25),
            },
            Self::Older => ClientLifecycleMode::Initialize,
        }
    }
}

/// Starts a command and speaks with it.
pub(super) async fn to_command(
    children: &Children,
    filled: &Filled,
    era: Era,
    limit: usize,
) -> Result<Connected, NotConnected> {
    let McpDefinition::Command { command, args, env, cwd } = &filled.definition else {
        return Err(NotConnected::Refused("it is not a command".to_owned()));
    };
    let started = children.start(command, args, env, cwd.as_deref());
    let started =
        started.map_err(|error| NotConnected::Failed(format!("the command could not be started: {error}")))?;
    let complaint = started.complaint.clone();
    let (tap, list_changed) = (Tap::default(), Arc::new(Notify::new()));
    let handler = Handler { tap: tap.clone(), list_changed: Arc::clone(&list_changed) };
    let served = handler.serve_with_lifecycle(Stdio::new(started, tap.clone(), limit), era.mode()).await;
    let running = match served {
        Ok(running) => running,
        Err(error) => return Err(NotConnected::Failed(with_complaint(sentence(&error), Some(&complaint)).await)),
    };
    let session = Session::new(running.peer().clone());
    Ok(Connected { session, running, list_changed, complaint: Some(complaint), bearer: Bearer::default() })
}

/// Reaches a server on the web.
pub(super) async fn to_address(
    place: Place,
    filled: &Filled,
    era: Era,
    limit: usize,
) -> Result<Connected, NotConnected> {
    let McpDefinition::Url { transport, headers, .. } = &filled.definition else {
        return Err(NotConnected::Refused("it is not an address".to_owned()));
    };
    let headers = headers.iter().map(|(name, value)| header(name, value)).collect::<Result<HeaderMap, _>>()?;
    let bearer = place.bearer().await.map_err(|error| match error {
        LoginError::Required => NotConnected::RequiresLogin { challenge: None },
        error @ (LoginError::Failed(_) | LoginError::TooMany) => NotConnected::Failed(error.to_string()),
    })?;
    let (tap, list_changed) = (Tap::default(), Arc::new(Notify::new()));
    let client =
        WebClient { outbound: place.outbound.clone(), trust: place.trust, headers, bearer, tap: tap.clone(), limit };
    let connect = async || {
        let handler = Handler { tap: tap.clone(), list_changed: Arc::clone(&list_changed) };
        match transport {
            McpTransport::StreamableHttp => {
                let config =
                    StreamableHttpClientTransportConfig::with_uri(place.address.to_string()).max_sse_event_size(limit);
                let worker = StreamableHttpClientWorker::new(client.clone(), config);
                let served = handler.serve_with_lifecycle(WorkerTransport::spawn(worker), era.mode()).await;
                served.map_err(|error| of_start(&error))
            }
            McpTransport::Sse => {
                let connection = OldSse::connect(client.clone(), &place.address).await;
                let connection = connection.map_err(|error| of_web(&error))?;
                let served = handler.serve_with_lifecycle(connection, ClientLifecycleMode::Initialize).await;
                served.map_err(|error| of_start(&error))
            }
        }
    };
    let running = match connect().await {
        // A login may have been taken back before its time; a renewed one is worth one more try.
        Err(NotConnected::RequiresLogin { .. }) if client.bearer.renew().await => connect().await?,
        outcome => outcome?,
    };
    let session = Session::new(running.peer().clone());
    Ok(Connected { session, running, list_changed, complaint: None, bearer: client.bearer })
}

/// Where a server is, if it may be gone to.
pub(super) fn address(url: &str, rules: &Rules, trust: Trust) -> Result<Uri, NotConnected> {
    let refused = |reason: String| NotConnected::Refused(reason);
    let address = Address::parse(url).map_err(|fault| refused(format!("its address cannot be read: {fault}")))?;
    if !rules.allow(trust, &address) {
        return Err(refused(OutboundError::Private { host: address.host(), address: None }.to_string()));
    }
    if trust == Trust::Account && !address.is_https() && !rules.lists(&address) {
        return Err(refused(
            "over http:// others could read what is sent; use https://, or have the operator of this server list the host under [outbound] private_hosts"
                .to_owned(),
        ));
    }
    // Spelt anew from what was checked, so that no other reader sees another host.
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find(['/', '\\', '?', '#']).map_or("", |at| &rest[at..]);
    let path = path.split('#').next().unwrap_or_default();
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("{address}{slash}{path}")
        .parse()
        .map_err(|_| refused("its address has characters that cannot be sent".to_owned()))
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), NotConnected> {
    let refused = |what: &str| NotConnected::Refused(format!("the header {name:?} {what}"));
    let read = HeaderName::try_from(name).map_err(|_| refused("has a name that cannot be sent"))?;
    if OWN_HEADERS.contains(&read.as_str()) {
        return Err(refused("belongs to the protocol; leave it out"));
    }
    let mut value = HeaderValue::try_from(value.trim()).map_err(|_| refused("has characters that cannot be sent"))?;
    value.set_sensitive(true);
    Ok((read, value))
}

fn of_start(error: &ClientInitializeError) -> NotConnected {
    if let Some(challenge) = error.auth_challenge() {
        return NotConnected::RequiresLogin { challenge: Some(challenge.to_owned()) };
    }
    if error.is_authorization_required() {
        return NotConnected::RequiresLogin { challenge: None };
    }
    NotConnected::Failed(sentence(error))
}

fn of_web(error: &StreamableHttpError<WebError>) -> NotConnected {
    match error.auth_challenge() {
        Some(challenge) => NotConnected::RequiresLogin { challenge: Some(challenge.to_owned()) },
        None => NotConnected::Failed(error.to_string()),
    }
}

/// What went wrong, as a sentence; what the server itself said is repeated only in part.
fn sentence(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended before it was connected".to_owned(),
        ClientInitializeError::JsonRpcError(said) => {
            let said: String =
                said.message.chars().filter(|char| !char.is_control()).take(COMPLAINT_CHARACTERS).collect();
            format!("it refused to begin: {said}")
        }
        ClientInitializeError::TransportError { error, .. } => {
            let first: &(dyn std::error::Error + 'static) = error.error.as_ref();
            let last = std::iter::successors(Some(first), |cause| cause.source()).last();
            last.unwrap_or(first).to_string().chars().take(COMPLAINT_CHARACTERS).collect()
        }
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it speaks no version of the protocol that this server does".to_owned()
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => sentence(fallback),
        _ => "it does not answer as an MCP server does".to_owned(),
    }
}

/// A reason with the last thing that a command has complained about.
pub(super) async fn with_complaint(reason: String, complaint: Option<&Complaint>) -> String {
    let last = match complaint {
        Some(complaint) => complaint.last_lines().await,
        None => None,
    };
    match last {
        Some(last) => format!("{reason}; its last words: {last}"),
        None => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbound::PrivateHost;

    #[test]
    fn an_address_is_spelt_anew_and_checked() {
        let rules = Rules::new(vec![PrivateHost::parse("nas.local:8080").expect("a host")]);
        let check =
            |url: &str, trust: Trust, expected: Result<&str, &str>| match (address(url, &rules, trust), expected) {
                (Ok(uri), Ok(expected)) => assert_eq!(uri.to_string(), expected, "{url}"),
                (Err(NotConnected::Refused(reason)), Err(expected)) => {
                    assert!(reason.contains(expected), "{url}: {reason}")
                }
                (other, _) => panic!("{url}: {other:?}"),
            };
        check("HTTPS://Mcp.Example.com/mcp?a=b#c", Trust::Account, Ok("https://mcp.example.com/mcp?a=b"));
        check("https://mcp.example.com", Trust::Account, Ok("https://mcp.example.com/"));
        check("https://mcp.example.com?x", Trust::Account, Ok("https://mcp.example.com/?x"));
        check("http://nas.local:8080/mcp", Trust::Account, Ok("http://nas.local:8080/mcp"));
        check("http://127.0.0.1:1/mcp", Trust::Operator, Ok("http://127.0.0.1:1/mcp"));
        check("http://127.0.0.1:1/mcp", Trust::Account, Err("private_hosts"));
        check("https://0x7f000001/mcp", Trust::Account, Err("private_hosts"));
        check("http://mcp.example.com/mcp", Trust::Account, Err("others could read"));
        check("ftp://mcp.example.com", Trust::Account, Err("cannot be read"));
        check("https://me:key@mcp.example.com", Trust::Account, Err("cannot be read"));
    }

    #[test]
    fn headers_of_the_protocol_are_its_own() {
        assert!(header("X-Team", " data\n").is_ok());
        assert!(header("Authorization", "Bearer x").is_ok());
        for (name, value) in [("Host", "a"), ("Mcp-Session-Id", "a"), ("a b", "c"), ("X", "a\nb")] {
            assert!(
                matches!(header(name, value), Err(NotConnected::Refused(reason)) if !reason.contains("a\nb")),
                "{name}"
            );
        }
    }
}
