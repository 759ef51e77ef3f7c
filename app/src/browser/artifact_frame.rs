//! The frame around an artifact: `/frame.html`, which shows one document and passes a few words of it on.
//!
//! Nothing is sent into a frame that has not shown that its origin is `null`. What comes out is heard only from that frame's own
//! window, and is a wish of the artifact: a height, or words.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlIFrameElement, MessageEvent};

use super::spawn::spawn;
use super::{build, clock, page, service_worker};

/// What is heard of a frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FrameWord {
    /// Its document has been read.
    Ready,
    /// It would like to be so high, in pixels.
    Height(f64),
    /// Something in it went wrong.
    Error(String),
    /// Nothing has been heard of it for a while.
    Silent,
    /// It is not shown, and why.
    Refused(&'static str),
}

/// How long to wait for the service worker, which has the frame's page also without a network.
const CONTROLLED: Duration = Duration::from_secs(5);
/// How long a document may take to be read before the user is told.
const PATIENCE: Duration = Duration::from_secs(8);

const NOT_CLOSED: &str = "its frame is not closed off, so nothing was sent into it; the host of this page must answer /frame.html with its header";

/// A frame on the page. Dropping it removes the frame, whatever runs in it.
pub(crate) struct ArtifactFrame {
    element: HtmlIFrameElement,
    listener: JsValue,
    is_gone: Rc<Cell<bool>>,
}

impl ArtifactFrame {
    /// Shows a document in an element.
    pub(crate) fn open(host: &Element, title: &str, document: String, on_word: impl Fn(FrameWord) + 'static) -> Self {
        let element: HtmlIFrameElement =
            page::document().create_element("iframe").expect("a frame can be made").unchecked_into();
        element.set_title(title);
        let (on_word, is_ready, is_gone) = (Rc::new(on_word), Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
        let listener = {
            let (element, on_word, is_ready) = (element.clone(), Rc::clone(&on_word), Rc::clone(&is_ready));
            let document = Cell::new(Some(document));
            Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
                if !is_from(&event, &element) {
                    return;
                }
                let data = event.data();
                match text(&data, "type").as_deref() {
                    Some("frame-loaded") => {
                        // Its origin is the browser's to say, not the frame's.
                        if event.origin() != "null" || element.content_document().is_some() {
                            on_word(FrameWord::Refused(NOT_CLOSED));
                        } else if let Some(document) = document.take() {
                            show(&element, &document);
                        }
                    }
                    Some("ready") => {
                        is_ready.set(true);
                        on_word(FrameWord::Ready);
                    }
                    Some("height") => {
                        let height = Reflect::get(&data, &"height".into()).ok().and_then(|height| height.as_f64());
                        on_word(FrameWord::Height(height.unwrap_or(f64::NAN)));
                    }
                    Some("error") => on_word(FrameWord::Error(text(&data, "message").unwrap_or_default())),
                    _other => {}
                }
            })
            .into_js_value()
        };
        page::window()
            .add_event_listener_with_callback("message", listener.unchecked_ref())
            .expect("listening to a known event does not fail");
        host.append_child(&element).expect("a fresh element can be appended");
        let frame = Self { element, listener, is_gone: Rc::clone(&is_gone) };
        let element = frame.element.clone();
        spawn(async move {
            service_worker::until_controlled(CONTROLLED).await;
            if is_gone.get() {
                return;
            }
            element.set_src(&build::versioned("/frame.html"));
            clock::wait(PATIENCE).await;
            if !is_ready.get() && !is_gone.get() {
                on_word(FrameWord::Silent);
            }
        });
        frame
    }

    /// Makes it so high.
    pub(crate) fn set_height(&self, pixels: u32) {
        self.element.set_height(&pixels.to_string());
    }
}

impl Drop for ArtifactFrame {
    fn drop(&mut self) {
        self.is_gone.set(true);
        self.element.remove();
        page::window()
            .remove_event_listener_with_callback("message", self.listener.unchecked_ref())
            .expect("removing a listener does not fail");
    }
}

/// Hands the document in. An origin of `null` cannot be named as the target; that the frame has it was seen.
fn show(element: &HtmlIFrameElement, document: &str) {
    let message = Object::new();
    for (name, value) in [("type", "show"), ("document", document)] {
        Reflect::set(&message, &name.into(), &value.into()).expect("a fresh object takes properties");
    }
    if let Some(window) = element.content_window() {
        window.post_message(&message, "*").ok();
    }
}

fn text(data: &JsValue, name: &str) -> Option<String> {
    Reflect::get(data, &name.into()).ok()?.as_string()
}

fn is_from(event: &MessageEvent, element: &HtmlIFrameElement) -> bool {
    let source: Option<JsValue> = event.source().map(Into::into);
    let frame: Option<JsValue> = element.content_window().map(Into::into);
    source.is_some() && source == frame
}
