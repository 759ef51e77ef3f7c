//! Requests to `/local/…` that the service worker hands to the page they came from.
//!
//! The service worker sends a request with one end of a channel; the page says on it at once that it heard, and then the answer. What
//! an answer is, `work` decides.

use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, MessagePort};

use super::raw_bytes::RawBytes;
use super::service_worker;
use super::spawn::spawn;

/// A request, as the service worker wrote it.
pub(crate) struct Relayed {
    /// The method, in upper case.
    pub(crate) method: String,
    /// The path, from `/local` on.
    pub(crate) path: String,
    /// What follows the `?`.
    pub(crate) query: String,
    /// The body.
    pub(crate) body: RawBytes,
}

/// The answer to one.
pub(crate) struct Reply {
    /// The status of HTTP.
    pub(crate) status: u16,
    /// The headers.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: RawBytes,
}

/// The first word of a request.
const REQUEST: &str = "local";
/// What is answered at once.
const HEARD: &str = "heard";

/// Answers requests for as long as the page lives.
pub(crate) fn serve<Answering: Future<Output = Reply> + 'static>(answer: impl Fn(Relayed) -> Answering + 'static) {
    let Some(container) = service_worker::container() else { return };
    let answer = Rc::new(answer);
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let Some((request, port)) = read(&event) else { return };
        port.post_message(&HEARD.into()).expect("a text can be sent");
        let answer = Rc::clone(&answer);
        spawn(async move {
            let Reply { status, headers, body } = answer(request).await;
            let headers: Array = headers.iter().map(|(name, value)| Array::of2(&name.into(), &value.into())).collect();
            let reply = Array::of3(&status.into(), &headers, body.array());
            port.post_message_with_transferable(&reply, &Array::of1(&body.buffer())).expect("bytes can be sent");
        });
    });
    // Setting it also lets in what the service worker sent before anyone listened.
    container.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
}

/// Reads a request; nothing where the message is another one.
fn read(event: &MessageEvent) -> Option<(Relayed, MessagePort)> {
    let data = event.data();
    let message: &Array = data.dyn_ref()?;
    let text = |at: u32| message.get(at).as_string();
    if text(0)? != REQUEST {
        return None;
    }
    let port: JsValue = event.ports().get(0);
    let body = RawBytes::of_array(message.get(4).dyn_into::<Uint8Array>().ok()?);
    Some((Relayed { method: text(1)?, path: text(2)?, query: text(3)?, body }, port.dyn_into().ok()?))
}
