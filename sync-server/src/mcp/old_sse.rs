//! The older way to speak with a server on the web: listen at one address, speak to another that is told there.

use std::borrow::Cow;
use std::future::Future;

use axum::body::Bytes;
use axum::http::{Method, Request, StatusCode, Uri, header};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpError};
use sse_stream::Sse;

use super::event_stream;
use super::http::{WebClient, WebError};

/// A connection of that kind.
pub(super) struct OldSse {
    client: WebClient,
    events: Option<BoxStream<'static, Result<Sse, SseError>>>,
    speak_to: Uri,
}

impl OldSse {
    /// Begins to listen and waits to be told where to speak.
    pub(super) async fn connect(client: WebClient, address: &Uri) -> Result<Self, StreamableHttpError<WebError>> {
        let request = Request::builder().method(Method::GET).uri(address).header(header::ACCEPT, "text/event-stream");
        let answer = client.send(request, Bytes::new()).await?;
        if answer.status() != StatusCode::OK {
            return Err(StreamableHttpError::Client(WebError::Status(answer.status())));
        }
        let mut events = event_stream::events(answer.into_body(), client.limit);
        while let Some(event) = events.next().await {
            let event = event?;
            if event.event.as_deref() == Some("endpoint") {
                let told = event.data.unwrap_or_default();
                let speak_to = beside(address, &told).ok_or_else(|| {
                    StreamableHttpError::UnexpectedServerResponse("it wants messages sent to another host".into())
                })?;
                return Ok(Self { client, events: Some(events), speak_to });
            }
        }
        Err(StreamableHttpError::UnexpectedEndOfStream)
    }
}

impl Transport<RoleClient> for OldSse {
    type Error = StreamableHttpError<WebError>;

    fn name() -> Cow<'static, str> {
        "sse".into()
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (client, speak_to) = (self.client.clone(), self.speak_to.clone());
        client.tap.sent(&message);
        async move {
            let body = Bytes::from(serde_json::to_vec(&message)?);
            let request =
                Request::builder().method(Method::POST).uri(speak_to).header(header::CONTENT_TYPE, "application/json");
            let status = client.send(request, body).await?.status();
            if status.is_success() { Ok(()) } else { Err(StreamableHttpError::Client(WebError::Status(status))) }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let event = self.events.as_mut()?.next().await?.ok()?;
            let message = event.data.and_then(|data| self.client.tap.received(data.as_bytes()).ok());
            if let Some(message) = message.and_then(|message| serde_json::from_value(message).ok()) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.events = None;
        Ok(())
    }
}

/// The address that a server names, if it is at the same place. Credentials go there, so it may be at no other.
fn beside(address: &Uri, told: &str) -> Option<Uri> {
    let told = told.trim();
    if told.starts_with('/') && !told.starts_with("//") {
        return format!("{}://{}{told}", address.scheme_str()?, address.authority()?).parse().ok();
    }
    if let Ok(whole) = told.parse::<Uri>()
        && whole.scheme().is_some()
    {
        let same = whole.scheme() == address.scheme() && whole.authority() == address.authority();
        return same.then_some(whole);
    }
    let folder = address.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{}://{}{folder}/{told}", address.scheme_str()?, address.authority()?).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_only_spoken_to_at_its_own_place() {
        let address: Uri = "https://a.test:8443/mcp/sse".parse().expect("an address");
        let check = |told: &str, expected: Option<&str>| {
            assert_eq!(beside(&address, told).map(|uri| uri.to_string()).as_deref(), expected, "{told}");
        };
        check("/messages?id=1", Some("https://a.test:8443/messages?id=1"));
        check("messages", Some("https://a.test:8443/mcp/messages"));
        check("https://a.test:8443/m", Some("https://a.test:8443/m"));
        check("https://b.test:8443/m", None);
        check("http://a.test:8443/m", None);
        check("https://a.test/m", None);
        check("https://a.test:8443@b.test/m", None);
        check("//b.test/m", Some("https://a.test:8443/mcp///b.test/m"));
    }
}
