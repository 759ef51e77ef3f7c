//! `POST /api/v1/fetch`: a request of a tool, made here because the host lets no page of another site read what it says.
//!
//! Whether the tool may reach the host is decided in the page, by what its toolset declares and its user has granted; here stands what the
//! server's own place in the network adds: only public addresses, or those that the operator lists, never the server itself, and no detour.
//! Nothing speaks for the account on the way out: no cookie, no key of the vault, no header of ours but who asks.
//!
//! What the host answers is data. It comes back inside the body of our own answer, so that no header of a stranger's is ever one of this
//! origin's.

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{self, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, stream};
use http_body_util::{Full, Limited};
use satchel_core::network::{self, Address};
use satchel_core::protocol::{FETCH_ANSWER_BYTES, FetchRequest, FetchResponse, frame_fetch, unframe_fetch};

use crate::guard::{BodyLimit, Names};
use crate::json_body;
use crate::outbound::{Streamed, Trust};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Who asks, where the tool does not say; some hosts answer nobody who does not.
pub(crate) const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("satchel/", env!("CARGO_PKG_VERSION")));
/// How much more than a page takes is let through: the page then notices by itself, and can say that it was too much.
const SLACK: u64 = 1 << 20;
/// Headers of a host that are not for a tool: they set cookies, or are about the connection to us.
const DROPPED: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "set-cookie",
    "set-cookie2",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Makes the request that the body describes.
pub async fn answer(State(state): State<AppState>, request: Request) -> Result<Response, Refusal> {
    let body = json_body::collect(request.into_body(), BodyLimit::Fetch.bytes(state.limits())).await?;
    let (asked, at) = unframe_fetch::<FetchRequest>(&body).map_err(Refusal::bad_request)?;
    let request = outgoing(&state, asked, body.slice(at..))?;
    let answer = state.outbound().send(Trust::Account, request).await.map_err(Refusal::NotReached)?;
    handed_back(answer)
}

/// The request as it goes out.
fn outgoing(state: &AppState, asked: FetchRequest, body: Bytes) -> Result<http::Request<Full<Bytes>>, Refusal> {
    let FetchRequest { method, url, headers } = asked;
    let method = network::kept_method(&method).and_then(|method| method.parse::<Method>().ok());
    let method = method.ok_or_else(|| Refusal::bad_request("pages may not send this method"))?;
    let mut request = http::Request::new(Full::new(body));
    *request.uri_mut() = address(state.names(), &url)?;
    *request.method_mut() = method;
    for (name, value) in network::kept_headers(headers) {
        let no_header = || Refusal::bad_request("a header has characters that no header can have");
        let name = HeaderName::try_from(name).map_err(|_| no_header())?;
        let value = header_value(&value).ok_or_else(no_header)?;
        let added = request.headers_mut().try_append(name, value);
        added.map_err(|_| Refusal::bad_request("there are more headers than a request can have"))?;
    }
    let headers = request.headers_mut();
    headers.entry(header::USER_AGENT).or_insert(USER_AGENT);
    headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static("*/*"));
    // A tool is given the bytes as they come; in a page the browser would have unpacked them.
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(request)
}

/// The value of a header, each character a byte of it.
pub(crate) fn header_value(text: &str) -> Option<HeaderValue> {
    let bytes: Vec<u8> = text.chars().map(|char| u8::try_from(char).ok()).collect::<Option<_>>()?;
    HeaderValue::from_bytes(&bytes).ok()
}

/// Where it goes. Host and port are spelt anew from what was read, so that no second reader can take them for something else.
pub(crate) fn address(names: &Names, url: &str) -> Result<Uri, Refusal> {
    let address = Address::parse(url).map_err(Refusal::bad_request)?;
    let own = Address::parse(&names.canonical().to_string());
    if own.is_ok_and(|own| address.is_same_place(&own)) {
        return Err(Refusal::bad_request("this is the address of Satchel itself, which no tool may reach"));
    }
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let rest = rest.find(['/', '?', '#', '\\']).map_or("", |at| &rest[at..]);
    let rest = rest.split('#').next().unwrap_or_default();
    let slash = if rest.starts_with('/') { "" } else { "/" };
    format!("{address}{slash}{rest}")
        .parse()
        .map_err(|_| Refusal::bad_request("the address has characters that have to be written as %…"))
}

/// The host of an address, for sentences.
pub(crate) fn host_of(url: &str) -> String {
    Address::parse(url).map(|address| address.granted_as()).unwrap_or_default()
}

/// What the host said, inside an answer of ours.
fn handed_back(answer: http::Response<Streamed>) -> Result<Response, Refusal> {
    let (head, body) = answer.into_parts();
    let status = head.status;
    let leads_on = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    if status.is_informational() {
        return Err(Refusal::BadAnswer(format!("the host stopped answering after {}", status.as_u16())));
    }
    if leads_on.contains(&status) {
        return Err(Refusal::BadAnswer(format!(
            "the host redirects ({}), which is not followed; request the new address",
            status.as_u16()
        )));
    }
    let head = FetchResponse {
        status: status.as_u16(),
        status_text: status.canonical_reason().unwrap_or_default().to_owned(),
        headers: shown(&head.headers),
    };
    let head = frame_fetch(&head).map_err(|error| Refusal::BadAnswer(error.to_string()))?;
    let limit = usize::try_from(FETCH_ANSWER_BYTES + SLACK).unwrap_or(usize::MAX);
    let body = Body::new(Limited::new(body, limit)).into_data_stream();
    let whole = Body::from_stream(stream::iter([Ok(Bytes::from(head))]).chain(body));
    let ours = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Asks a proxy in front of the server to hold nothing back either.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((ours, whole).into_response())
}

/// The headers that a tool may see.
fn shown(headers: &HeaderMap) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| !DROPPED.contains(&name.as_str()));
    kept.map(|(name, value)| (name.to_string(), value.as_bytes().iter().copied().map(char::from).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_of_a_header_is_a_byte() {
        let check = |text: &str, expected: Option<&[u8]>| {
            assert_eq!(header_value(text).as_ref().map(HeaderValue::as_bytes), expected, "{text:?}");
        };
        check("gr\u{fc}n", Some(b"gr\xfcn"));
        check("\u{20ac}", None);
        check("a\nb", None);
    }
}
