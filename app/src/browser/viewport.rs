//! What of the page can be seen: elements are drawn when they come near, and a conversation that is at its end stays there while
//! things in it grow.

use std::time::Duration;

use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

use super::{clock, page};

#[wasm_bindgen]
extern "C" {
    /// What a hand can move.
    type Moved;

    #[wasm_bindgen(method, js_name = addEventListener)]
    fn listen(this: &Moved, kind: &str, callback: &JsValue, options: &JsValue);

    type IntersectionObserver;

    #[wasm_bindgen(constructor)]
    fn new(callback: &JsValue, options: &JsValue) -> IntersectionObserver;
    #[wasm_bindgen(method)]
    fn observe(this: &IntersectionObserver, element: &Element);
    #[wasm_bindgen(method)]
    fn disconnect(this: &IntersectionObserver);

    type IntersectionEntry;

    #[wasm_bindgen(method, getter, js_name = isIntersecting)]
    fn is_intersecting(this: &IntersectionEntry) -> bool;

    type ResizeObserver;

    #[wasm_bindgen(constructor)]
    fn new(callback: &JsValue) -> ResizeObserver;
    #[wasm_bindgen(method)]
    fn observe(this: &ResizeObserver, element: &Element);
}

/// Watches an element until it is dropped.
pub(crate) struct Watch {
    observer: IntersectionObserver,
    _callback: Closure<dyn Fn(js_sys::Array)>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// How far from what can be seen an element is drawn.
const NEAR: &str = "600px 0px";

/// Calls back when an element is seen, or nearly.
pub(crate) fn when_near(element: &Element, callback: impl Fn() + 'static) -> Watch {
    let callback = Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
        if entries.iter().any(|entry| entry.unchecked_into::<IntersectionEntry>().is_intersecting()) {
            callback();
        }
    });
    let options = js_sys::Object::new();
    let set = |name: &str, value: &JsValue| {
        js_sys::Reflect::set(&options, &name.into(), value).expect("a fresh object takes properties");
    };
    set("rootMargin", &NEAR.into());
    // A margin counts only around what scrolls.
    if let Some(scroller) = element.closest(".conversation").ok().flatten() {
        set("root", &scroller);
    }
    let observer = IntersectionObserver::new(callback.as_ref(), &options);
    observer.observe(element);
    Watch { observer, _callback: callback }
}

/// Keeps the end of what scrolls in the element with this id in view, as long as the user has not scrolled away from it.
pub(crate) fn keep_end(id: &str) {
    const KEPT: &str = "data-end-kept";
    /// So near to the end is at the end.
    const AT_END: i32 = 64;
    /// So long after a hand has moved, what moves is moved by it.
    const BY_HAND: Duration = Duration::from_secs(1);
    let Some(scroller) = page::document().get_element_by_id(id).filter(|scroller| !scroller.has_attribute(KEPT)) else {
        return;
    };
    scroller.set_attribute(KEPT, "").expect("a valid attribute");
    // A conversation opens at its end.
    let is_at_end = std::rc::Rc::new(std::cell::Cell::new(true));
    let distance = |scroller: &Element| scroller.scroll_height() - scroller.scroll_top() - scroller.client_height();
    let moved_at = std::rc::Rc::new(std::cell::Cell::new(None::<Duration>));
    let of_move = moved_at.clone();
    let moved = Closure::<dyn Fn()>::new(move || of_move.set(Some(clock::monotonic()))).into_js_value();
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &"passive".into(), &true.into()).expect("an object takes what it is given");
    for kind in ["wheel", "touchmove", "keydown", "pointerdown"] {
        scroller.unchecked_ref::<Moved>().listen(kind, &moved, &options);
    }
    let (flag, of_scroll) = (is_at_end.clone(), scroller.clone());
    let before = std::cell::Cell::new((0, 0));
    let scrolled = Closure::<dyn Fn()>::new(move || {
        let now = (of_scroll.scroll_top(), of_scroll.scroll_height());
        let last = before.replace(now);
        // Only the user goes up; what grows below the end is no reason to leave it. What shrinks, or is another conversation, takes its
        // reader up, who has not gone there: then the height changes too, and no hand has moved.
        let moment = clock::monotonic();
        let is_by_hand = moved_at.get().is_some_and(|at| moment.saturating_sub(at) < BY_HAND);
        if is_by_hand && now.0 < last.0 {
            // A scroll bar that is dragged, or a swipe that runs out, says nothing more by itself.
            moved_at.set(Some(moment));
        }
        let is_users = now.1 == last.1 || is_by_hand;
        let is_near = distance(&of_scroll) < AT_END;
        if is_near && now.0 > last.0 {
            flag.set(true);
        } else if !is_near && now.0 < last.0 && is_users {
            flag.set(false);
        }
    });
    // Both live as long as the element, which has them.
    scroller
        .add_event_listener_with_callback("scroll", scrolled.into_js_value().unchecked_ref())
        .expect("listening to a known event does not fail");
    let of_size = scroller.clone();
    let resized = Closure::<dyn Fn()>::new(move || {
        if is_at_end.get() {
            of_size.set_scroll_top(of_size.scroll_height());
        }
    });
    let observer = ResizeObserver::new(&resized.into_js_value());
    let mut child = scroller.first_element_child();
    while let Some(element) = child {
        observer.observe(&element);
        child = element.next_element_sibling();
    }
}

/// Fills the window with an element, or lets it go back to its place. What is inside stays as it is; the browser's own way to close,
/// the key Escape, works.
pub(crate) fn fill_window(element: &Element, is_full: bool) {
    let name = if is_full { "showPopover" } else { "hidePopover" };
    if is_full {
        element.set_attribute("popover", "auto").expect("a valid attribute");
    }
    let call =
        js_sys::Reflect::get(element, &name.into()).ok().and_then(|call| call.dyn_into::<js_sys::Function>().ok());
    if let Some(call) = call {
        // It throws where it is so already.
        call.call0(element).ok();
    }
    if !is_full {
        element.remove_attribute("popover").expect("removing an attribute does not fail");
    }
}

/// Whether an element fills the window.
pub(crate) fn fills_window(element: &Element) -> bool {
    element.matches(":popover-open").unwrap_or(false)
}

/// How far an element is scrolled, and how high it is, in pixels.
pub(crate) fn scrolled(element: &Element) -> (usize, usize) {
    let pixels = |pixels: i32| usize::try_from(pixels).unwrap_or(0);
    (pixels(element.scroll_top()), pixels(element.client_height()))
}
