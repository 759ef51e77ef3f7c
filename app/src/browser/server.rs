//! Requests to a Satchel server.

use satchel_core::protocol::{Policy, Problem};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestCredentials, RequestInit, RequestMode, Response};

use super::{js_error, page};

/// Why a server did not answer as hoped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ServerError {
    #[error("{0:?} is not the address of a server; one looks like http://127.0.0.1:8787")]
    BadAddress(String),
    #[error("a server answers only to the pages it serves itself; open {0} in a tab and use Satchel there")]
    OtherOrigin(String),
    #[error("no server answers at {address} ({reason}); start it, or check the address")]
    Unreachable { address: String, reason: String },
    #[error("the server does not accept this access token; `satchel token` prints the one it accepts")]
    TokenRefused,
    #[error("the server refused: {0}")]
    Refused(String),
    #[error("what answers at {0} is not a Satchel server")]
    NotAServer(String),
    #[error("the access token could not be stored on this device, or can no longer be read here: {0}")]
    NotKept(String),
    #[error("no server is connected; connect one in Settings")]
    NoneKnown,
}

/// A server, and the token that it knows us by.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    /// Where the server is.
    pub(crate) address: &'a str,
    /// The access token. It is sent there, and nothing else is done with it.
    pub(crate) token: &'a str,
}

/// Asks a server who it takes this token for.
pub(crate) async fn policy(address: &str, token: &str) -> Result<Policy, ServerError> {
    let answer = Caller { address, token }.ask("GET", "/api/v1/policy", None).await?;
    serde_json::from_str(&answer).map_err(|_unreadable| ServerError::NotAServer(address.into()))
}

impl Caller<'_> {
    /// Asks the server; gives the body of an answer that is a success.
    pub(crate) async fn ask(self, method: &str, path: &str, body: Option<&str>) -> Result<String, ServerError> {
        let address = self.address.trim_end_matches('/');
        let url = web_sys::Url::new(&format!("{address}{path}"))
            .map_err(|_not_a_url| ServerError::BadAddress(address.into()))?;
        // Its guard would refuse this page, and the browser would tell us nothing but that it failed.
        if url.origin() != page::origin() {
            return Err(ServerError::OtherOrigin(url.origin()));
        }
        let unreachable =
            |thrown: JsValue| ServerError::Unreachable { address: address.into(), reason: js_error::describe(&thrown) };
        let headers = Headers::new().map_err(unreachable)?;
        let bearer = format!("Bearer {}", self.token);
        // A token with a character that no header can carry is no token of ours.
        headers.set("authorization", &bearer).map_err(|_bad_header| ServerError::TokenRefused)?;
        let options = RequestInit::new();
        options.set_method(method);
        if let Some(body) = body {
            headers.set("content-type", "application/json").map_err(unreachable)?;
            options.set_body(&body.into());
        }
        options.set_headers(&headers);
        options.set_credentials(RequestCredentials::Omit);
        options.set_mode(RequestMode::Cors);
        let answer = page::window().fetch_with_str_and_init(&url.href(), &options);
        let response: Response = JsFuture::from(answer).await.map_err(unreachable)?.unchecked_into();
        let body = JsFuture::from(response.text().map_err(unreachable)?).await.map_err(unreachable)?;
        let body = body.as_string().unwrap_or_default();
        match response.status() {
            200 | 202 | 204 => Ok(body),
            401 => Err(ServerError::TokenRefused),
            _ => {
                let problem: Result<Problem, _> = serde_json::from_str(&body);
                Err(match problem {
                    Ok(problem) => ServerError::Refused(problem.error.message),
                    Err(_unreadable) => ServerError::NotAServer(address.into()),
                })
            }
        }
    }
}
