//! Showing a place in the page that somebody looked for: brought into view, marked, and given the focus.

use std::time::Duration;

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::{clock, page, viewport};

/// The attribute of the place that was found last.
const FOUND: &str = "data-found";
/// How often, and after what pauses, it is looked for: its page may still be on its way.
const LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);
/// Pixels.
const HIGH: i32 = 400;

/// Shows the element with this id as soon as it is there; whether it came.
pub(crate) async fn show(id: &str) -> bool {
    unmark();
    for _ in 0..LOOKS {
        if let Some(element) = page::document().get_element_by_id(id) {
            // A conversation that has just been drawn goes to its end first.
            clock::wait(PAUSE).await;
            viewport::leave_end(&element);
            reveal(&element);
            element.set_attribute("tabindex", "-1").expect("a valid attribute");
            element.set_attribute(FOUND, "").expect("a valid attribute");
            focus(&element);
            return true;
        }
        clock::wait(PAUSE).await;
    }
    false
}

fn unmark() {
    if let Some(element) = page::document().query_selector(&format!("[{FOUND}]")).ok().flatten() {
        element.remove_attribute(FOUND).expect("removing an attribute does not fail");
    }
}

fn reveal(element: &Element) {
    let options = js_sys::Object::new();
    // Of what is high, its top is seen.
    let block = if element.client_height() > HIGH { "start" } else { "center" };
    Reflect::set(&options, &"block".into(), &block.into()).expect("a fresh object takes properties");
    element.scroll_into_view_with_scroll_into_view_options(options.unchecked_ref());
}

fn focus(element: &Element) {
    let options = js_sys::Object::new();
    Reflect::set(&options, &"preventScroll".into(), &true.into()).expect("a fresh object takes properties");
    let call = Reflect::get(element, &"focus".into()).ok().and_then(|call| call.dyn_into::<js_sys::Function>().ok());
    if let Some(call) = call {
        // An element that cannot take it leaves the focus where it is.
        call.call1(element, &options).ok();
    }
}
