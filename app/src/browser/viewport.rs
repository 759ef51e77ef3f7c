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
    #[wasm_bindgen(method, js_name = removeEventListener)]
    fn stop_listening(this: &Moved, kind: &str, callback: &JsValue, options: &JsValue);

    type IntersectionObserver;

    #[wasm_bindgen(constructor)]
    fn new(callback: &JsValue, options: &JsValue) -> IntersectionObserver;
    #[wasm_bindgen(method)]
    fn observe(this: &IntersectionObserver, element: &Element);
    #[wasm_bindgen(method)]
    fn unobserve(this: &IntersectionObserver, element: &Element);
    #[wasm_bindgen(method)]
    fn disconnect(this: &IntersectionObserver);

    type IntersectionEntry;

    #[wasm_bindgen(method, getter, js_name = isIntersecting)]
    fn is_intersecting(this: &IntersectionEntry) -> bool;
    #[wasm_bindgen(method, getter)]
    fn target(this: &IntersectionEntry) -> Element;

    type ResizeObserver;

    #[wasm_bindgen(constructor)]
    fn new(callback: &JsValue) -> ResizeObserver;
    #[wasm_bindgen(method)]
    fn observe(this: &ResizeObserver, element: &Element);
}

/// Watches elements until it is dropped.
pub(crate) struct Watch {
    observer: IntersectionObserver,
    _callback: Closure<dyn Fn(js_sys::Array, IntersectionObserver)>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// What happens when a hand moves something.
const BY_HAND: [&str; 4] = ["wheel", "touchmove", "keydown", "pointerdown"];

/// How far from what can be seen an element is drawn.
const NEAR: &str = "600px 0px";

/// Calls back when an element is seen, or nearly.
pub(crate) fn when_near(element: &Element, callback: impl Fn() + 'static) -> Watch {
    // A margin counts only around what scrolls.
    let watch = Watch::new(element.closest(".conversation").ok().flatten().as_ref(), move |_| callback());
    watch.observe(element);
    watch
}

impl Watch {
    /// Watches for what is seen within what scrolls, or nearly; each is told once.
    pub(crate) fn new(scroller: Option<&Element>, callback: impl Fn(&Element) + 'static) -> Self {
        let told = Closure::<dyn Fn(js_sys::Array, IntersectionObserver)>::new(
            move |entries: js_sys::Array, observer: IntersectionObserver| {
                for entry in entries.iter().map(JsCast::unchecked_into::<IntersectionEntry>) {
                    if entry.is_intersecting() {
                        observer.unobserve(&entry.target());
                        callback(&entry.target());
                    }
                }
            },
        );
        let options = js_sys::Object::new();
        let set = |name: &str, value: &JsValue| {
            js_sys::Reflect::set(&options, &name.into(), value).expect("a fresh object takes properties");
        };
        set("rootMargin", &NEAR.into());
        if let Some(scroller) = scroller {
            set("root", scroller);
        }
        Self { observer: IntersectionObserver::new(told.as_ref(), &options), _callback: told }
    }

    /// Watches one more.
    pub(crate) fn observe(&self, element: &Element) {
        self.observer.observe(element);
    }
}

/// Whether what scrolls is at its end and stays there while it grows.
const KEPT: &str = "data-end-kept";

/// Lets what an element is in stay where it is scrolled to next, though no hand has moved it: somebody was led there.
pub(crate) fn leave_end(element: &Element) {
    if let Some(scroller) = element.closest(&format!("[{KEPT}]")).ok().flatten() {
        keep(&scroller, false);
    }
}

fn keep(scroller: &Element, is_kept: bool) {
    scroller.set_attribute(KEPT, if is_kept { "true" } else { "false" }).expect("a valid attribute");
}

fn is_kept(scroller: &Element) -> bool {
    scroller.get_attribute(KEPT).as_deref() == Some("true")
}

/// Keeps the end of what scrolls in the element with this id in view, as long as the user has not scrolled away from it.
pub(crate) fn keep_end(id: &str) {
    /// So near to the end is at the end.
    const AT_END: i32 = 64;
    /// So long after a hand has moved, what moves is moved by it.
    const LASTS: Duration = Duration::from_secs(1);
    let Some(scroller) = page::document().get_element_by_id(id).filter(|scroller| !scroller.has_attribute(KEPT)) else {
        return;
    };
    // A conversation opens at its end.
    keep(&scroller, true);
    let moved_at = std::rc::Rc::new(std::cell::Cell::new(None::<Duration>));
    let of_move = moved_at.clone();
    let moved = Closure::<dyn Fn()>::new(move || of_move.set(Some(clock::monotonic()))).into_js_value();
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &"passive".into(), &true.into()).expect("an object takes what it is given");
    for kind in BY_HAND {
        scroller.unchecked_ref::<Moved>().listen(kind, &moved, &options);
    }
    let of_scroll = scroller.clone();
    let before = std::cell::Cell::new((0, 0));
    let scrolled = Closure::<dyn Fn()>::new(move || {
        let (top, height) = (of_scroll.scroll_top(), of_scroll.scroll_height());
        let (last_top, last_height) = before.replace((top, height));
        let moment = clock::monotonic();
        let is_by_hand = moved_at.get().is_some_and(|at| moment.saturating_sub(at) < LASTS);
        if is_by_hand && top < last_top {
            // A scroll bar that is dragged, or a swipe that runs out, says nothing more by itself.
            moved_at.set(Some(moment));
        }
        // Only the user goes up; what grows below the end is no reason to leave it. What shrinks takes its reader up as far as it shrank, who has
        // not gone there; more than a screen beyond that is gone by somebody, as by the browser's own search.
        let (up, shrunk) = (last_top - top, (last_height - height).max(0));
        let is_users = height == last_height || is_by_hand || up > shrunk + of_scroll.client_height();
        let is_near = height - top - of_scroll.client_height() < AT_END;
        if is_near && up < 0 && !is_kept(&of_scroll) {
            keep(&of_scroll, true);
        } else if !is_near && up > 0 && is_users && is_kept(&of_scroll) {
            keep(&of_scroll, false);
        }
    });
    // Both live as long as the element, which has them.
    scroller
        .add_event_listener_with_callback("scroll", scrolled.into_js_value().unchecked_ref())
        .expect("listening to a known event does not fail");
    let of_size = scroller.clone();
    let resized = Closure::<dyn Fn()>::new(move || {
        if is_kept(&of_size) {
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

/// Whether the user has done anything since it is watched.
pub(crate) struct Hand {
    has_moved: std::rc::Rc<std::cell::Cell<bool>>,
    moved: Closure<dyn Fn()>,
}

impl Hand {
    /// From now on.
    pub(crate) fn watch() -> Self {
        let has_moved = std::rc::Rc::new(std::cell::Cell::new(false));
        let of_move = has_moved.clone();
        let moved = Closure::<dyn Fn()>::new(move || of_move.set(true));
        for kind in BY_HAND {
            page::window().unchecked_ref::<Moved>().listen(kind, moved.as_ref(), &true.into());
        }
        Self { has_moved, moved }
    }

    /// Whether they have.
    pub(crate) fn has_moved(&self) -> bool {
        self.has_moved.get()
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        for kind in BY_HAND {
            page::window().unchecked_ref::<Moved>().stop_listening(kind, self.moved.as_ref(), &true.into());
        }
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
