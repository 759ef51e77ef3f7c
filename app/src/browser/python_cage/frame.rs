//! The frame around a cage, and the proof that it is one.

use std::cell::RefCell;
use std::time::Duration;

use futures_channel::oneshot;
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlIFrameElement, MessageChannel, MessageEvent, MessagePort, Window};

use super::RawPort;
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
    #[error("the cage could not be given its port: {0}")]
    Refused(String),
}

/// How long to wait for the service worker, which has the frame's page also without a network.
const CONTROLLED: Duration = Duration::from_secs(5);
/// How long the frame's page may take; one that cannot be loaded says nothing at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// The frame of one cage. Dropping it removes the frame from the page, and with it the worker, whatever that does.
pub(crate) struct Frame {
    element: HtmlIFrameElement,
    listener: JsValue,
}

impl Frame {
    /// Loads `/cage.html`, waits until it has shown that its origin is `null`, and gives it a port, whose other end is the answer.
    /// `on_failure` hears when its worker could not be started or has died.
    pub(crate) async fn open(on_failure: impl Fn(String) + 'static) -> Result<(Self, RawPort), FrameError> {
        service_worker::until_controlled(CONTROLLED).await;
        let element: HtmlIFrameElement =
            page::document().create_element("iframe").expect("a frame can be made").unchecked_into();
        element.set_hidden(true);
        element.set_title("Python");

        let (sender, loaded) = oneshot::channel();
        let sender = RefCell::new(Some(sender));
        let listener = Closure::<dyn Fn(MessageEvent)>::new({
            let element = element.clone();
            move |event: MessageEvent| {
                if !is_from(&event, &element) {
                    return;
                }
                if let Some(sender) = sender.take() {
                    // The first word of the frame. Its origin is the browser's to say, not the frame's.
                    sender.send(event.origin()).ok();
                } else {
                    let message = Reflect::get(&event.data(), &"message".into()).unwrap_or_default();
                    on_failure(message.as_string().unwrap_or_default());
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
        let patience = std::pin::pin!(clock::wait(PATIENCE));
        let origin = match futures_util::future::select(loaded, patience).await {
            futures_util::future::Either::Left((Ok(origin), _)) => origin,
            _ => return Err(FrameError::Silent),
        };
        if origin != "null" || frame.element.content_document().is_some() {
            return Err(FrameError::Open(origin));
        }
        let port = RawPort(frame.give_port()?);
        Ok((frame, port))
    }

    /// Hands one end of a channel into the frame, and gives the other.
    fn give_port(&self) -> Result<MessagePort, FrameError> {
        let channel = MessageChannel::new().expect("a message channel can be made");
        let message = Object::new();
        Reflect::set(&message, &"type".into(), &"port".into()).expect("a fresh object takes properties");
        // An origin of `null` cannot be named as the target; that the frame has it was seen when it was opened.
        let window: Window = self.element.content_window().ok_or(FrameError::Silent)?;
        window
            .post_message_with_transfer(&message, "*", &Array::of1(&channel.port2()))
            .map_err(|thrown| FrameError::Refused(js_error::describe(&thrown)))?;
        Ok(channel.port1())
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
