//! Requests to `/local/…` that the service worker hands to the page they came from.
//!
//! The service worker sends a request with one end of a channel; the page says on it at once that it heard, and then the answer. What
//! an answer is, `work` decides.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};
use js_sys::{Array, Uint8Array};
use satchel_core::local_api::runs_tools;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, MessagePort};

use super::raw_bytes::RawBytes;
use super::spawn::spawn;
use super::{clock, service_worker, tab_roles};

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
/// What is answered at once, with the lock that ends with this tab, and whether a tool is run, which may take as long as it likes.
const HEARD: &str = "heard";
/// How often the service worker hears of an answer that is still being made. Firefox ends one that had no event for a minute, whatever it waits
/// for.
const AWAKE: Duration = Duration::from_secs(20);

/// Answers requests for as long as the page lives.
pub(crate) fn serve<Answering: Future<Output = Reply> + 'static>(answer: impl Fn(Relayed) -> Answering + 'static) {
    let Some(container) = service_worker::container() else { return };
    let answer = Rc::new(answer);
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let Some((request, port)) = read(&event) else { return };
        let heard = Array::of3(&HEARD.into(), &tab_roles::life().into(), &runs_tools(&request.path).into());
        port.post_message(&heard).expect("texts can be sent");
        let answer = Rc::clone(&answer);
        spawn(async move {
            let Reply { status, headers, body } = awake_until(answer(request)).await;
            let headers: Array = headers.iter().map(|(name, value)| Array::of2(&name.into(), &value.into())).collect();
            let reply = Array::of3(&status.into(), &headers, body.array());
            port.post_message_with_transferable(&reply, &Array::of1(&body.buffer())).expect("bytes can be sent");
        });
    });
    // Setting it also lets in what the service worker sent before anyone listened.
    container.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
}

/// Waits for an answer, and lets the service worker know that it is waited for.
async fn awake_until(answering: impl Future<Output = Reply>) -> Reply {
    let mut answering = pin!(answering);
    loop {
        match select(answering.as_mut(), pin!(clock::wait(AWAKE))).await {
            Either::Left((reply, _)) => return reply,
            Either::Right(_) => service_worker::keep_awake(),
        }
    }
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
