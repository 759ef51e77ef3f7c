//! A file from another host, fetched because the user said so: without cookies, without following it elsewhere, and with an end.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestCredentials, RequestInit, RequestMode, Response, Url};

use super::page;
use super::raw_bytes::RawBytes;

#[wasm_bindgen]
extern "C" {
    /// `AbortController`.
    type AbortController;

    #[wasm_bindgen(constructor)]
    fn new() -> AbortController;
    #[wasm_bindgen(method, getter)]
    fn signal(this: &AbortController) -> JsValue;
    #[wasm_bindgen(method)]
    fn abort(this: &AbortController);

    /// `ReadableStreamDefaultReader`.
    type Reader;

    #[wasm_bindgen(method)]
    fn read(this: &Reader) -> Promise;
}

/// Why a file of another host could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OutsideError {
    #[error("{0:?} is not the address of a file; it looks like https://example.com/toolset.zip")]
    BadAddress(String),
    #[error(
        "{host} did not give the file to this page: it cannot be reached, it sends you elsewhere, or it does not let other sites \
         read it (CORS). Download the file with your browser and import it from there"
    )]
    Unreachable { host: String },
    #[error("{host} answered with the status {status} instead of a file")]
    Status { host: String, status: u16 },
    #[error("the file at {host} is larger than {limit} bytes, which is the most")]
    TooLarge { host: String, limit: u64 },
}

/// An address that can be fetched from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutsideAddress {
    /// The whole address.
    pub(crate) href: String,
    /// The host and port it leads to.
    pub(crate) host: String,
    /// The name of the file at its end.
    pub(crate) file_name: String,
}

impl OutsideAddress {
    /// Reads what somebody typed.
    pub(crate) fn parse(text: &str) -> Result<Self, OutsideError> {
        let bad = || OutsideError::BadAddress(text.into());
        let url = Url::new(text.trim()).map_err(|_not_an_address| bad())?;
        // A name or a password in it would be kept with the toolset.
        let is_plain = url.username().is_empty() && url.password().is_empty();
        if !matches!(url.protocol().as_str(), "http:" | "https:") || !is_plain {
            return Err(bad());
        }
        let path = url.pathname();
        let file_name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("the file").to_owned();
        Ok(Self { href: url.href(), host: url.host(), file_name })
    }
}

/// Ends the request when it is dropped, also half-way.
struct Ending(AbortController);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Fetches a file. `on_progress` hears how many bytes came, and how many there will be where that is known.
pub(crate) async fn fetch(
    address: &OutsideAddress,
    limit: u64,
    on_progress: impl Fn(u64, u64),
) -> Result<RawBytes, OutsideError> {
    let host = || address.host.clone();
    let unreachable = |_thrown: JsValue| OutsideError::Unreachable { host: host() };
    let ending = Ending(AbortController::new());
    let options = RequestInit::new();
    options.set_credentials(RequestCredentials::Omit);
    options.set_mode(RequestMode::Cors);
    for (name, value) in [("redirect", "error"), ("cache", "no-store"), ("referrerPolicy", "no-referrer")] {
        Reflect::set(&options, &name.into(), &value.into()).expect("a fresh object takes properties");
    }
    Reflect::set(&options, &"signal".into(), &ending.0.signal()).expect("a fresh object takes properties");
    let answer = page::window().fetch_with_str_and_init(&address.href, &options);
    let response: Response = JsFuture::from(answer).await.map_err(unreachable)?.unchecked_into();
    if !response.ok() {
        return Err(OutsideError::Status { host: host(), status: response.status() });
    }
    let total = response.headers().get("content-length").ok().flatten().and_then(|text| text.parse().ok()).unwrap_or(0);
    let too_large = || OutsideError::TooLarge { host: host(), limit };
    if total > limit {
        return Err(too_large());
    }
    let Some(reader) = reader(&response) else { return Ok(RawBytes::from(&[][..])) };
    let (chunks, mut size) = (Array::new(), 0_u64);
    loop {
        let step = JsFuture::from(reader.read()).await.map_err(unreachable)?;
        let value = Reflect::get(&step, &"value".into()).unwrap_or_default();
        let Ok(chunk) = value.dyn_into::<Uint8Array>() else { break };
        size += u64::from(chunk.length());
        if size > limit {
            return Err(too_large());
        }
        chunks.push(&chunk);
        on_progress(size, total);
    }
    Ok(joined(&chunks, size))
}

fn reader(response: &Response) -> Option<Reader> {
    let body = Reflect::get(response, &"body".into()).ok().filter(|body| body.is_object())?;
    let get_reader: Function = Reflect::get(&body, &"getReader".into()).ok()?.dyn_into().ok()?;
    get_reader.call0(&body).ok().map(JsCast::unchecked_into)
}

fn joined(chunks: &Array, size: u64) -> RawBytes {
    let whole = Uint8Array::new_with_length(u32::try_from(size).expect("the limit is far below 4 GB"));
    let mut at = 0;
    for chunk in chunks.iter().map(JsCast::unchecked_into::<Uint8Array>) {
        whole.set(&chunk, at);
        at += chunk.length();
    }
    RawBytes::of_array(whole)
}
