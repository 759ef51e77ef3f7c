//! Speaking with a server on the web: what rmcp wants sent, sent through the server's one way out.
//!
//! rmcp knows the protocol; addresses, limits and what may be reached are decided here and in [`crate::outbound`]. No redirect is
//! followed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::request::Builder;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http_body_util::{BodyExt as _, Full, Limited};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::event_stream;
use super::login::Bearer;
use super::tap::Tap;
use crate::outbound::{Outbound, OutboundError, Streamed, Trust};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
/// Most of a refusal's body that is read.
const REFUSAL_BYTES: usize = 16 * 1024;

/// The way to one server; clones share it.
#[derive(Clone, Debug)]
pub(super) struct WebClient {
    pub(super) outbound: Outbound,
    pub(super) trust: Trust,
    /// What every request carries, as the definition says.
    pub(super) headers: HeaderMap,
    /// What a login gave.
    pub(super) bearer: Bearer,
    pub(super) tap: Tap,
    /// Largest message.
    pub(super) limit: usize,
}

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum WebError {
    /// It was not reached.
    #[error(transparent)]
    NotReached(#[from] OutboundError),
    /// It answered with something of no use.
    #[error("it answered {0}")]
    Status(StatusCode),
    /// It wants to be asked elsewhere.
    #[error("it redirects ({0}), which is not followed; check its address")]
    Redirect(StatusCode),
    /// Its answer is too large, or broke off.
    #[error("its answer was incomplete, or is larger than {0} bytes, the limit of this server")]
    Body(usize),
    /// Something cannot be written in a request.
    #[error("what is to be sent cannot be written in a request")]
    Unsendable,
    /// The login.
    #[error("{0}")]
    Login(String),
}

type WebResult<T> = Result<T, StreamableHttpError<WebError>>;

impl WebClient {
    /// Sends a request with what every request carries; gives back what is an answer.
    pub(super) async fn send(&self, mut request: Builder, body: Bytes) -> WebResult<Response<Streamed>> {
        let headers = request.headers_mut().ok_or(StreamableHttpError::Client(WebError::Unsendable))?;
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        if !headers.contains_key(header::AUTHORIZATION)
            && let Some(token) = self.bearer.token().await.map_err(login_error)?
        {
            headers.insert(header::AUTHORIZATION, token);
        }
        let request = request.body(Full::new(body)).map_err(|_| StreamableHttpError::Client(WebError::Unsendable))?;
        let answer = self.outbound.send(self.trust, request).await;
        let answer = answer.map_err(|error| StreamableHttpError::Client(error.into()))?;
        let status = answer.status();
        let challenge = || {
            let challenge = answer.headers().get(header::WWW_AUTHENTICATE);
            challenge.and_then(|value| value.to_str().ok()).unwrap_or("Bearer").to_owned()
        };
        match status {
            StatusCode::UNAUTHORIZED => Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge()))),
            StatusCode::FORBIDDEN if answer.headers().contains_key(header::WWW_AUTHENTICATE) => {
                Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge(), None)))
            }
            _ if status.is_redirection() => Err(StreamableHttpError::Client(WebError::Redirect(status))),
            _ => Ok(answer),
        }
    }

    /// A request as rmcp wants it.
    fn begin(
        method: Method,
        uri: &str,
        session: Option<&str>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> WebResult<Builder> {
        let mut request = Request::builder().method(method).uri(uri);
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        Ok(custom.into_iter().fold(request, |request, (name, value)| request.header(name, value)))
    }

    async fn whole(&self, answer: Response<Streamed>, limit: usize) -> WebResult<Bytes> {
        let body = Limited::new(answer.into_body(), limit).collect().await;
        Ok(body.map_err(|_| StreamableHttpError::Client(WebError::Body(limit)))?.to_bytes())
    }

    fn events(&self, answer: Response<Streamed>) -> BoxStream<'static, Result<Sse, SseError>> {
        let tap = self.tap.clone();
        let tapped = move |event: Result<Sse, SseError>| {
            event.map(|mut event| {
                if let Some(message) = event.data.as_ref().and_then(|data| tap.received(data.as_bytes()).ok()) {
                    event.data = Some(message.to_string());
                }
                event
            })
        };
        event_stream::events(answer.into_body(), self.limit).map(tapped).boxed()
    }
}

impl StreamableHttpClient for WebClient {
    type Error = WebError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> WebResult<StreamableHttpPostResponse> {
        self.tap.sent(&message);
        let request = Self::begin(Method::POST, &uri, session_id.as_deref(), custom_headers)?
            .header(header::CONTENT_TYPE, JSON)
            .header(header::ACCEPT, "application/json, text/event-stream");
        let answer = self.send(request, Bytes::from(serde_json::to_vec(&message)?)).await?;
        let status = answer.status();
        if status == StatusCode::NOT_FOUND && session_id.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            let body = self.whole(answer, REFUSAL_BYTES).await.unwrap_or_default();
            return refused(&message, session_id.is_some(), status, &body);
        }
        let awaits_answer = matches!(message, ClientJsonRpcMessage::Request(_));
        let is = |kind: &str| {
            let found = answer.headers().get(header::CONTENT_TYPE);
            found.is_some_and(|found| found.as_bytes().to_ascii_lowercase().starts_with(kind.as_bytes()))
        };
        let session = answer.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
        if is(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(answer), session));
        }
        if !awaits_answer || matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !is(JSON) {
            let kind = answer.headers().get(header::CONTENT_TYPE);
            let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).chars().take(100).collect());
            return Err(StreamableHttpError::UnexpectedContentType(kind));
        }
        let body = self.whole(answer, self.limit).await?;
        let message: ServerJsonRpcMessage = serde_json::from_value(self.tap.received(&body)?)?;
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> WebResult<()> {
        let request = Self::begin(Method::DELETE, &uri, Some(&session_id), custom_headers)?;
        let status = self.send(request, Bytes::new()).await?.status();
        // A server may keep its sessions to itself.
        match status {
            _ if status.is_success() || status == StatusCode::METHOD_NOT_ALLOWED => Ok(()),
            _ => Err(StreamableHttpError::Client(WebError::Status(status))),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> WebResult<BoxStream<'static, Result<Sse, SseError>>> {
        let mut request =
            Self::begin(Method::GET, &uri, session_id.as_deref(), custom_headers)?.header(header::ACCEPT, EVENTS);
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        let answer = self.send(request, Bytes::new()).await?;
        match answer.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            StatusCode::NOT_FOUND if session_id.is_some() => Err(StreamableHttpError::SessionExpired),
            status if !status.is_success() => Err(StreamableHttpError::Client(WebError::Status(status))),
            _ => Ok(self.events(answer)),
        }
    }
}

/// What a refusal means. One of `server/discover` is how servers of the older era say that they are, so it is given to rmcp as an answer.
fn refused(
    message: &ClientJsonRpcMessage,
    has_session: bool,
    status: StatusCode,
    body: &[u8],
) -> WebResult<StreamableHttpPostResponse> {
    let said = match serde_json::from_slice::<ServerJsonRpcMessage>(body) {
        Ok(ServerJsonRpcMessage::Error(error)) => Some(error.error),
        Ok(_) | Err(_) => None,
    };
    let ClientJsonRpcMessage::Request(request) = message else {
        return Err(StreamableHttpError::Client(WebError::Status(status)));
    };
    let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_)) && !has_session;
    let error = match said {
        Some(said) => said,
        None if is_probe && status.is_client_error() && status != StatusCode::FORBIDDEN => {
            ErrorData::invalid_request(Cow::from(format!("it answered {status}")), None)
        }
        None => return Err(StreamableHttpError::Client(WebError::Status(status))),
    };
    let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
    Ok(StreamableHttpPostResponse::Json(answer, None))
}

fn login_error(error: super::login::LoginError) -> StreamableHttpError<WebError> {
    match error {
        super::login::LoginError::Required => {
            StreamableHttpError::AuthRequired(AuthRequiredError::new("Bearer".to_owned()))
        }
        other => StreamableHttpError::Client(WebError::Login(other.to_string())),
    }
}
