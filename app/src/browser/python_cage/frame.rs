//! The frame around the cage, and the proof that it is one.

use std::rc::Weak;
use std::time::Duration;

use futures_channel::oneshot;
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlIFrameElement, MessageEvent, MessagePort, Window};

use super::Waiting;
use crate::browser::{build, clock, js_error, page, service_worker};

/// Why a frame is not used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("the cage's page did not load; connect to the network once, so that it can be kept on this device")]
    Silent,
    #[error(
        "the cage is not closed: its frame reports the origin {0:?} instead of \"null\", so nothing was sent into it; \
             the host of this page must answer /cage.html with its header"
    )]
    Open(String),
    #[error("the files could not be handed to the cage: {0}")]
    Refused(String),
}

/// How long to wait for the service worker, which has the frame's page also without a network.
const CONTROLLED: Duration = Duration::from_secs(5);

/// The frame of one cage. Dropping it removes the frame from the page, and with it the worker.
pub(super) struct Frame {
    element: HtmlIFrameElement,
    listener: JsValue,
}

impl Frame {
    /// Loads `/cage.html` and waits until it has shown that its origin is `null`.
    pub(super) async fn open(waiting: Weak<Waiting>) -> Result<Self, FrameError> {
        service_worker::until_controlled(CONTROLLED).await;
        let element: HtmlIFrameElement =
            page::document().create_element("iframe").expect("a frame can be made").unchecked_into();
        element.set_hidden(true);
        element.set_title("Python");

        let (sender, loaded) = oneshot::channel();
        let sender = std::cell::RefCell::new(Some(sender));
        let listener = Closure::<dyn Fn(MessageEvent)>::new({
            let element = element.clone();
            move |event: MessageEvent| {
                if !is_from(&event, &element) {
                    return;
                }
                if let Some(sender) = sender.take() {
                    // The first word of the frame. Its origin is the browser's to say, not the frame's.
                    sender.send(event.origin()).ok();
                } else if let Some(waiting) = waiting.upgrade() {
                    let message = Reflect::get(&event.data(), &"message".into()).unwrap_or_default();
                    waiting.worker_failed(message.as_string().unwrap_or_default());
                }
            }
        })
        .into_js_value();
        page::window()
            .add_event_listener_with_callback("message", listener.unchecked_ref())
            .expect("listening to a known event does not fail");
        let frame = Self { element, listener };

        frame.element.set_src(&build::versioned("/cage.html"));
        let body = page::document().body().expect("a drawn page has a body");
        body.append_child(&frame.element).expect("a fresh element can be appended");
        // A frame whose page cannot be loaded says nothing at all.
        let patience = std::pin::pin!(clock::wait(Duration::from_secs(20)));
        let origin = match futures_util::future::select(loaded, patience).await {
            futures_util::future::Either::Left((Ok(origin), _)) => origin,
            _ => return Err(FrameError::Silent),
        };
        if origin == "null" && frame.element.content_document().is_none() {
            Ok(frame)
        } else {
            Err(FrameError::Open(origin))
        }
    }

    /// Hands the runtime's files and one end of a channel into the frame. The files are moved, not copied.
    pub(super) fn send_files(&self, files: &Object, port: &MessagePort) -> Result<(), FrameError> {
        let message = Object::new();
        for (name, value) in [("type", &JsValue::from("start")), ("files", files.as_ref())] {
            Reflect::set(&message, &name.into(), value).expect("a fresh object takes properties");
        }
        let moved = Array::of1(port);
        for bytes in Object::values(files).iter() {
            moved.push(&bytes.unchecked_into::<js_sys::Uint8Array>().buffer());
        }
        // An origin of `null` cannot be named as the target; that the frame has it was seen when it was opened.
        let window: Window = self.element.content_window().ok_or(FrameError::Silent)?;
        window
            .post_message_with_transfer(&message, "*", &moved)
            .map_err(|thrown| FrameError::Refused(js_error::describe(&thrown)))
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.element.remove();
        page::window()
            .remove_event_listener_with_callback("message", self.listener.unchecked_ref())
            .expect("removing a listener does not fail");
    }
}

fn is_from(event: &MessageEvent, element: &HtmlIFrameElement) -> bool {
    let source: Option<JsValue> = event.source().map(Into::into);
    let frame: Option<JsValue> = element.content_window().map(Into::into);
    source.is_some() && source == frame
}
