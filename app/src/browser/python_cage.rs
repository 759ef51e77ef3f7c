//! The cage: Python in a worker, inside a frame that owns nothing and reaches nothing.
//!
//! The frame is the page's ([`frame`]); what is said into it and what comes out is the tools' worker's, which holds the other end of
//! its port. The page therefore never waits for a tool, however much it reads and writes.
//!
//! The page sends nothing into a frame before the browser itself has said that the frame's origin is `null` and has
//! refused the page its document. A host that answers `/cage.html` without the header fails that test, and Python
//! is then not started at all.

pub(crate) mod frame;

use futures_channel::mpsc::{self, UnboundedReceiver, UnboundedSender};
use futures_util::StreamExt as _;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use satchel_core::python::{FromCage, ToCage};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, MessagePort};

use super::raw_bytes::RawBytes;

/// A port on its way from the page to the worker.
pub(crate) struct RawPort(pub(super) MessagePort);

/// The worker's end of a cage's port.
pub(crate) struct CagePort {
    port: MessagePort,
    heard: UnboundedReceiver<Heard>,
    _on_message: Closure<dyn Fn(MessageEvent)>,
}

/// Something that a cage said. Its code may be anybody's: nothing of it is believed.
pub(crate) struct Heard {
    /// The word.
    pub(crate) word: FromCage,
    /// The bytes that came with it.
    pub(crate) bytes: RawBytes,
}

/// Speaks to a cage's driver in the cage's place, when its frame has died.
#[derive(Clone)]
pub(crate) struct LastWord(UnboundedSender<Heard>);

impl LastWord {
    /// Says that the cage has failed.
    pub(crate) fn say(&self, message: String) {
        let heard = Heard { word: FromCage::Failed { message }, bytes: RawBytes::from(&[][..]) };
        // Nobody waits for a cage that was given up.
        self.0.unbounded_send(heard).ok();
    }
}

impl CagePort {
    /// Listens on a port. What is not one of the cage's words is dropped.
    pub(crate) fn listen(RawPort(port): RawPort) -> (Self, LastWord) {
        let (sender, heard) = mpsc::unbounded();
        let last_word = LastWord(sender.clone());
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(heard) = read(&event.data()) {
                // The driver may have gone.
                sender.unbounded_send(heard).ok();
            }
        });
        port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        (Self { port, heard, _on_message: on_message }, last_word)
    }

    /// Says something, and moves the bytes.
    pub(crate) fn send(&self, word: &ToCage, bytes: Option<&RawBytes>) {
        let text = serde_json::to_string(word).expect("a word is JSON");
        let (message, moved) = (Array::of1(&text.into()), Array::new());
        if let Some(bytes) = bytes {
            message.push(&bytes.buffer());
            moved.push(&bytes.buffer());
        }
        self.port.post_message_with_transferable(&message, &moved).expect("texts and whole buffers can be sent");
    }

    /// The next word.
    pub(crate) async fn next(&mut self) -> Heard {
        match self.heard.next().await {
            Some(heard) => heard,
            // The closure holds a sender for as long as this lives.
            None => std::future::pending().await,
        }
    }
}

impl Drop for CagePort {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
        self.port.close();
    }
}

fn read(data: &JsValue) -> Option<Heard> {
    let message: &Array = data.dyn_ref()?;
    let word = serde_json::from_str(&message.get(0).as_string()?).ok()?;
    let bytes = match message.get(1).dyn_into::<ArrayBuffer>() {
        Ok(buffer) => RawBytes::of_buffer(&buffer),
        Err(_no_bytes) => RawBytes::of_array(Uint8Array::new_with_length(0)),
    };
    Some(Heard { word, bytes })
}
