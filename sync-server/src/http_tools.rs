//! Calls of HTTP tools, with secrets of the account's vault (R262): for the app at `POST /api/v1/http-tools/call`, for other programs by the
//! hub.
//!
//! What is asked, where it may go, what is tried again and when it ends is core's [`Run`]; here are the secrets, the clock, and the one way
//! out. Every request of it, the first as well as those that redirects lead to, is checked twice: by the tool's own list of hosts in core,
//! and by where its name leads in [`outbound`](crate::outbound). What comes back goes on without the secrets that went out (I8).

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::extract::{Extension, Request, State};
use axum::http::{self, HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Body as _;
use satchel_core::http_tool::{
    Answered, Effect, Event, HttpLimits, HttpTool, Outcome, PlainRequest, Redaction, Run, Trouble, TroubleKind,
};
use satchel_core::protocol::{HttpToolCall, HttpToolEnd, SecretName, frame_fetch};
use satchel_core::time::Timestamp;

use crate::database::{Account, AccountId, DatabaseError};
use crate::fetch;
use crate::guard::{BodyLimit, Names};
use crate::json_body;
use crate::outbound::{Outbound, OutboundError, Streamed, Trust};
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::vault::{OpenError, Vault};

/// The longest that a call may take, whatever it says.
const LONGEST: Duration = Duration::from_secs(600);

/// Carries out calls; clones share what they are carried out with.
#[derive(Clone, Debug)]
pub struct HttpTools {
    names: Names,
    vault: Vault,
    outbound: Outbound,
}

/// Carries out the call that the body describes.
pub async fn call(
    State(state): State<AppState>,
    Extension(account): Extension<Account>,
    request: Request,
) -> Result<Response, Refusal> {
    let body = json_body::collect(request.into_body(), BodyLimit::Fetch.bytes(state.limits())).await?;
    let call: HttpToolCall = serde_json::from_slice(&body)
        .map_err(|error| Refusal::NotThatJson { line: error.line(), column: error.column() })?;
    let (end, body) = state.http_tools().call(&account.id, &call).await?;
    let mut whole = frame_fetch(&end).map_err(|error| Refusal::BadAnswer(error.to_string()))?;
    whole.extend(body);
    let ours = [(header::CONTENT_TYPE, "application/octet-stream"), (header::CACHE_CONTROL, "no-store")];
    Ok((ours, whole).into_response())
}

impl HttpTools {
    /// What carries out calls under these names, with these secrets, by this way out.
    #[must_use]
    pub fn new(names: Names, vault: Vault, outbound: Outbound) -> Self {
        Self { names, vault, outbound }
    }

    /// The names of the secrets that have a value.
    pub(crate) async fn secret_names(&self, account: &AccountId) -> Result<BTreeSet<String>, DatabaseError> {
        let secrets = self.vault.list(account).await?;
        Ok(secrets.into_iter().filter(|secret| secret.has_value).map(|secret| secret.name.into()).collect())
    }

    /// Carries out a call: how it ended, and the bytes of the last host's answer.
    pub(crate) async fn call(
        &self,
        account: &AccountId,
        call: &HttpToolCall,
    ) -> Result<(HttpToolEnd, Vec<u8>), Refusal> {
        let declared: BTreeSet<&str> = call.declared.iter().map(String::as_str).collect();
        let limits = HttpLimits::default();
        let tool = HttpTool::read(&call.definition, &declared, &limits).map_err(Refusal::bad_request)?;
        let secrets = self.secrets(account, &tool).await?;
        let redaction = Redaction::of(&secrets);
        let limit = Duration::from_millis(call.time_limit_ms).min(LONGEST);
        let run = Run::new(&tool, &call.arguments, &secrets, limits);
        Ok(match tokio::time::timeout(limit, self.drive(run, tool.max_response_bytes)).await {
            Err(_) => (HttpToolEnd::TimedOut, Vec::new()),
            Ok(Outcome::Empty) => (HttpToolEnd::Empty, Vec::new()),
            Ok(Outcome::Failed { message, is_refused: _ }) => {
                (HttpToolEnd::Failed { message: redaction.text(&message) }, Vec::new())
            }
            Ok(Outcome::Answered(answer)) => {
                let media_type = redaction.text(answer.media_type());
                (HttpToolEnd::Answered { status: answer.status, media_type }, redaction.bytes(answer.body))
            }
        })
    }

    /// The secrets that the tool names, as far as they have values; what is missing is told by name when it is needed.
    async fn secrets(&self, account: &AccountId, tool: &HttpTool) -> Result<BTreeMap<String, String>, Refusal> {
        let mut found = BTreeMap::new();
        for text in tool.secrets() {
            let Ok(name) = SecretName::parse(text) else { continue };
            match self.vault.get(account, &name).await {
                Ok(secret) => {
                    found.extend(secret.map(|secret| (text.to_owned(), secret.reveal().to_owned())));
                }
                Err(OpenError::Damaged) => {
                    let message =
                        format!("the secret {text} is damaged in the server's vault; enter it again in Settings");
                    return Err(Refusal::NoKey(message));
                }
                Err(OpenError::Database(error)) => {
                    return Err(Refusal::failed("cannot read a secret for a tool")(error));
                }
            }
        }
        Ok(found)
    }

    /// Does what the run says until it is over.
    async fn drive(&self, mut run: Run<'_>, limit: u64) -> Outcome {
        let mut event = Event::Begin;
        loop {
            event = match run.handle(event, now(), chance()) {
                Effect::Done(outcome) => return outcome,
                Effect::Wait(time) => {
                    tokio::time::sleep(time).await;
                    Event::Waited
                }
                Effect::Send(request) => match self.send(request, limit).await {
                    Ok(answer) => Event::Answered(answer),
                    Err(trouble) => Event::Failed(trouble),
                },
            };
        }
    }

    async fn send(&self, request: PlainRequest, limit: u64) -> Result<Answered, Trouble> {
        let PlainRequest { time_limit, .. } = request;
        let host = fetch::host_of(&request.url);
        let outgoing = outgoing(&self.names, request)?;
        let asked = async {
            let answer = self.outbound.send(Trust::Account, outgoing).await.map_err(not_reached)?;
            read(answer, limit, &host).await
        };
        match tokio::time::timeout(time_limit, asked).await {
            Ok(answer) => answer,
            Err(_) => {
                let message = format!("{host} did not answer completely within {} ms", time_limit.as_millis());
                Err(Trouble { message, kind: TroubleKind::TimedOut })
            }
        }
    }
}

/// The request as it goes out.
fn outgoing(names: &Names, request: PlainRequest) -> Result<http::Request<Full<Bytes>>, Trouble> {
    let refused = |message: String| Trouble { message, kind: TroubleKind::Refused };
    let uri = fetch::address(names, &request.url).map_err(|refusal| match refusal {
        Refusal::BadRequest(message) => refused(message),
        _ => refused("the address cannot be used".into()),
    })?;
    let method = request.method.parse::<Method>().map_err(|_| refused("the method cannot be sent".into()))?;
    let mut outgoing = http::Request::new(Full::new(Bytes::from(request.body)));
    *outgoing.uri_mut() = uri;
    *outgoing.method_mut() = method;
    let headers = outgoing.headers_mut();
    for (name, value) in request.headers {
        let (name, value) = (HeaderName::try_from(name).ok(), fetch::header_value(&value));
        let added = name.zip(value).map(|(name, value)| headers.try_append(name, value).is_ok());
        if added != Some(true) {
            return Err(refused("a header cannot be sent".into()));
        }
    }
    headers.entry(header::USER_AGENT).or_insert(fetch::USER_AGENT);
    headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static("*/*"));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(outgoing)
}

/// The answer, if it is not larger than it may be. A larger one is left as soon as that is known.
async fn read(answer: http::Response<Streamed>, limit: u64, host: &str) -> Result<Answered, Trouble> {
    let (head, body) = answer.into_parts();
    let too_large = || Trouble {
        message: format!("the answer of {host} is larger than {limit} bytes"),
        kind: TroubleKind::TooLarge,
    };
    if body.size_hint().lower() > limit {
        return Err(too_large());
    }
    let headers = head.headers.iter();
    let latin = |value: &HeaderValue| value.as_bytes().iter().copied().map(char::from).collect::<String>();
    let headers = headers.map(|(name, value)| (name.to_string(), latin(value))).collect();
    let whole = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX)).collect().await;
    let body = whole.map_err(|error| {
        if error.is::<LengthLimitError>() {
            return too_large();
        }
        Trouble { message: format!("{host}: {error}"), kind: TroubleKind::Lost }
    })?;
    Ok(Answered { status: head.status.as_u16(), headers, body: body.to_bytes().into() })
}

/// What it means that a host was not reached. What is refused now is refused the next time too, and so is a wrong certificate.
fn not_reached(error: OutboundError) -> Trouble {
    let kind = match &error {
        OutboundError::Private { .. } | OutboundError::Address { .. } | OutboundError::NoTls { .. } => {
            TroubleKind::Refused
        }
        OutboundError::NoSuchName { .. } | OutboundError::NoConnection { .. } | OutboundError::ConnectTime { .. } => {
            TroubleKind::NotSent
        }
        OutboundError::NoAnswer { .. } => TroubleKind::TimedOut,
        OutboundError::BrokeOff { .. } => TroubleKind::Lost,
    };
    Trouble { message: error.to_string(), kind }
}

/// What the clock says.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A number by chance; without any, waits are only a little less spread out.
fn chance() -> u32 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).map_or(0, |()| u32::from_le_bytes(bytes))
}
