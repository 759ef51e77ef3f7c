//! A request to another host, made because the user said so: without cookies, without following it elsewhere, and with an end.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestCredentials, RequestInit, RequestMode, Response};

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

    /// The global one, in the page as in a worker.
    fn fetch(address: &str, options: &RequestInit) -> Promise;
}

/// What to ask for.
pub(crate) struct Outgoing<'a> {
    /// The method.
    pub(crate) method: &'a str,
    /// The whole address.
    pub(crate) href: &'a str,
    /// The headers; those that only a browser may set are left out by it.
    pub(crate) headers: &'a [(String, String)],
    /// The body, where there is one.
    pub(crate) body: Option<&'a RawBytes>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutgoingError {
    /// The host cannot be reached, sends one elsewhere, or does not let other sites read it; the browser does not say which.
    Unreachable,
    /// It is larger than it may be.
    TooLarge,
}

/// An answer whose body is still to be read. Dropping it ends the request, also half-way.
pub(crate) struct Incoming {
    response: Response,
    /// Set once the body is read piece by piece.
    reader: Option<Reader>,
    _ending: Ending,
}

struct Ending(AbortController);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request, and waits for the head of the answer.
pub(crate) async fn send(outgoing: Outgoing<'_>) -> Result<Incoming, OutgoingError> {
    let unreachable = |_thrown: JsValue| OutgoingError::Unreachable;
    let ending = Ending(AbortController::new());
    let options = RequestInit::new();
    options.set_method(outgoing.method);
    options.set_credentials(RequestCredentials::Omit);
    options.set_mode(RequestMode::Cors);
    for (name, value) in [("redirect", "error"), ("cache", "no-store"), ("referrerPolicy", "no-referrer")] {
        Reflect::set(&options, &name.into(), &value.into()).expect("a fresh object takes properties");
    }
    Reflect::set(&options, &"signal".into(), &ending.0.signal()).expect("a fresh object takes properties");
    let headers = Headers::new().map_err(unreachable)?;
    for (name, value) in outgoing.headers {
        headers.append(name, value).map_err(unreachable)?;
    }
    options.set_headers(&headers);
    if let Some(body) = outgoing.body {
        options.set_body(body.array());
    }
    let response = JsFuture::from(fetch(outgoing.href, &options)).await.map_err(unreachable)?.unchecked_into();
    Ok(Incoming { response, reader: None, _ending: ending })
}

/// Whether anybody is there, who perhaps lets no other site read what it says. Nothing is sent but the question.
pub(crate) async fn is_anyone_there(href: &str) -> bool {
    let ending = Ending(AbortController::new());
    let options = RequestInit::new();
    options.set_credentials(RequestCredentials::Omit);
    options.set_mode(RequestMode::NoCors);
    for (name, value) in [("cache", "no-store"), ("referrerPolicy", "no-referrer")] {
        Reflect::set(&options, &name.into(), &value.into()).expect("a fresh object takes properties");
    }
    Reflect::set(&options, &"signal".into(), &ending.0.signal()).expect("a fresh object takes properties");
    JsFuture::from(fetch(href, &options)).await.is_ok()
}

impl Incoming {
    /// The status of HTTP.
    pub(crate) fn status(&self) -> u16 {
        self.response.status()
    }

    /// Whether it is a good one.
    pub(crate) fn is_ok(&self) -> bool {
        self.response.ok()
    }

    /// Its words.
    pub(crate) fn status_text(&self) -> String {
        self.response.status_text()
    }

    /// The headers that the host lets other sites see.
    pub(crate) fn headers(&self) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        for entry in js_sys::try_iter(&self.response.headers()).ok().flatten().into_iter().flatten().flatten() {
            let entry: Array = entry.unchecked_into();
            if let (Some(name), Some(value)) = (entry.get(0).as_string(), entry.get(1).as_string()) {
                headers.push((name, value));
            }
        }
        headers
    }

    /// The next piece of the body, as it came; nothing where it is over. Whoever reads it bounds it.
    pub(crate) async fn piece(&mut self) -> Result<Option<Vec<u8>>, OutgoingError> {
        if self.reader.is_none() {
            self.reader = reader(&self.response);
        }
        let Some(reader) = &self.reader else { return Ok(None) };
        Ok(next_chunk(reader).await?.map(|chunk| chunk.to_vec()))
    }

    /// Reads the body. `on_progress` hears how many bytes came, and how many there will be where that is known.
    pub(crate) async fn body(self, limit: u64, on_progress: impl Fn(u64, u64)) -> Result<RawBytes, OutgoingError> {
        let total = self.response.headers().get("content-length").ok().flatten();
        let total = total.and_then(|text| text.parse().ok()).unwrap_or(0);
        if total > limit {
            return Err(OutgoingError::TooLarge);
        }
        let Some(reader) = reader(&self.response) else { return Ok(RawBytes::from(&[][..])) };
        let (chunks, mut size) = (Array::new(), 0_u64);
        loop {
            let Some(chunk) = next_chunk(&reader).await? else { break };
            size += u64::from(chunk.length());
            if size > limit {
                return Err(OutgoingError::TooLarge);
            }
            chunks.push(&chunk);
            on_progress(size, total);
        }
        Ok(joined(&chunks, size))
    }
}

async fn next_chunk(reader: &Reader) -> Result<Option<Uint8Array>, OutgoingError> {
    let step = JsFuture::from(reader.read()).await.map_err(|_cut_off| OutgoingError::Unreachable)?;
    let value = Reflect::get(&step, &"value".into()).unwrap_or_default();
    Ok(value.dyn_into::<Uint8Array>().ok())
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
