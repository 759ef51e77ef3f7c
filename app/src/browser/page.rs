//! The page itself: its address, its root element, and what it knows of the network.

use std::time::Duration;

use js_sys::Reflect;
use satchel_core::settings::{TextSize, Theme};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, HtmlDialogElement, HtmlElement, Window};

use super::{clock, service_worker};

/// How long a picture stays on most screens.
const FRAME: Duration = Duration::from_millis(16);

/// The window. There is one wherever this is called: the core worker never draws.
pub(crate) fn window() -> Window {
    web_sys::window().expect("only the page asks for its window")
}

pub(super) fn document() -> Document {
    window().document().expect("a window has a document")
}

fn root() -> Element {
    document().document_element().expect("a document has a root element")
}

/// The browser's generator of randomness, and its cryptography, in the page as in a worker.
pub(super) fn crypto() -> web_sys::Crypto {
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into()).expect("reading a global does not throw");
    crypto.unchecked_into()
}

/// The address the app was loaded from, such as `http://127.0.0.1:8787`.
pub(crate) fn origin() -> String {
    window().location().origin().expect("a page has an origin")
}

/// The path of the page's address, such as `/ui/chat`.
pub(crate) fn path() -> String {
    window().location().pathname().expect("a page has a path")
}

/// Whether the browser lets this page have storage, workers and cryptography (R323).
pub(crate) fn is_secure_context() -> bool {
    window().is_secure_context()
}

/// Light, dark, or as the system is.
pub(crate) fn set_theme(theme: Theme) {
    let name = match theme {
        Theme::System => None,
        Theme::Light => Some("light"),
        Theme::Dark => Some("dark"),
    };
    set_root("data-theme", name);
}

/// How large text is.
pub(crate) fn set_text_size(size: TextSize) {
    let name = match size {
        TextSize::Small => Some("small"),
        TextSize::Normal => None,
        TextSize::Large => Some("large"),
    };
    set_root("data-text-size", name);
}

/// Says on the root element that the app is drawn and can be used.
pub(crate) fn mark_drawn() {
    set_root("data-drawn", Some("true"));
}

/// Whether the app is drawn and can be used.
fn is_drawn() -> bool {
    root().has_attribute("data-drawn")
}

/// Waits until the app is drawn and the browser had time to show it; not at all where it is drawn when this is called, or what comes next comes
/// from this device and holds nothing up.
pub(crate) fn when_drawn() -> impl Future<Output = ()> {
    let mut has_to_wait = !is_drawn() && !service_worker::has_page();
    async move {
        while has_to_wait {
            // What is drawn in this moment is not shown before the next.
            clock::wait(FRAME).await;
            has_to_wait = !is_drawn();
        }
    }
}

/// Says on the root element that scripts can use it too: it is drawn, and the service worker has it.
pub(crate) fn mark_ready() {
    set_root("data-ready", Some("true"));
}

fn set_root(attribute: &str, value: Option<&str>) {
    match value {
        Some(value) => root().set_attribute(attribute, value).expect("the name is a valid attribute"),
        None => root().remove_attribute(attribute).expect("removing an attribute does not fail"),
    }
}

/// The title of the tab.
pub(crate) fn set_title(title: &str) {
    document().set_title(title);
}

/// Puts the focus on the element with this id, if it is there.
pub(crate) fn focus(id: &str) {
    if let Some(element) = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        element.focus().ok();
    }
}

/// Puts the focus on the element with this id once it is drawn, in place of the one that is going: nowhere else has the user put it by then.
pub(crate) async fn focus_when_drawn(id: &str) {
    const PATIENCE: usize = 200;
    for _ in 0..PATIENCE {
        clock::wait(FRAME).await;
        let focused = document().active_element().filter(|element| element.tag_name() != "BODY");
        match focused {
            None if document().get_element_by_id(id).is_some() => return focus(id),
            Some(elsewhere) if elsewhere.id() != id => return,
            // Not drawn yet, or the one of before.
            None | Some(_) => {}
        }
    }
}

#[wasm_bindgen]
extern "C" {
    /// An element that text is typed into.
    type TextField;

    #[wasm_bindgen(method)]
    fn focus(this: &TextField);
    #[wasm_bindgen(method, js_name = setSelectionRange)]
    fn set_selection_range(this: &TextField, start: u32, end: u32);
    #[wasm_bindgen(method, getter, js_name = selectionEnd)]
    fn selection_end(this: &TextField) -> Option<u32>;
    #[wasm_bindgen(method, setter, js_name = value)]
    fn set_value(this: &TextField, value: &str);
}

/// Puts a text into the field with this id at once, with the caret between its two parts: what is typed next stands there.
pub(crate) fn put_text(id: &str, before: &str, after: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.unchecked_into::<TextField>().set_value(&format!("{before}{after}"));
        select_text(id, before, before);
    }
}

/// Where the caret is in the text field with this id, in bytes of its text; none where it is not there.
pub(crate) fn caret(id: &str, text: &str) -> Option<usize> {
    let field: TextField = document().get_element_by_id(id)?.unchecked_into();
    let mut units = usize::try_from(field.selection_end()?).ok()?;
    let letter = text.char_indices().find(|(_, letter)| {
        let is_there = units == 0;
        units = units.saturating_sub(letter.len_utf16());
        is_there
    });
    Some(letter.map_or(text.len(), |(at, _)| at))
}

/// Puts the focus on the text field with this id, and selects what lies between these two beginnings of its text.
pub(crate) fn select_text(id: &str, from: &str, to: &str) {
    // The browser counts in units of UTF-16.
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    if let Some(element) = document().get_element_by_id(id) {
        let field: TextField = element.unchecked_into();
        field.focus();
        field.set_selection_range(units(from), units(to));
    }
}

/// Loads another address in the place of this page.
pub(crate) fn open(address: &str) {
    window().location().assign(address).expect("a page may go elsewhere");
}

/// Opens an address of the web in a tab of its own, which knows nothing of this one; whether the browser has opened one. This page stays where
/// it is.
#[must_use]
pub(crate) fn open_elsewhere(address: &str) -> bool {
    // With `noopener` a browser never says whether it has opened one.
    match window().open_with_url_and_target(address, "_blank") {
        Ok(Some(tab)) => {
            Reflect::set(&tab, &"opener".into(), &JsValue::NULL).ok();
            true
        }
        Ok(None) | Err(_) => false,
    }
}

/// Brings the end of what scrolls in the element with this id into view.
pub(crate) fn reveal_end(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.set_scroll_top(element.scroll_height());
    }
}

/// Where the element with this id stands in the page, however that is scrolled, and how high the page is.
pub(crate) fn place_in_page(id: &str) -> Option<(i32, i32)> {
    let (element, main) = (document().get_element_by_id(id)?, document().get_element_by_id("main")?);
    let top = element.get_bounding_client_rect().top() - main.get_bounding_client_rect().top();
    Some((top.round() as i32 + main.scroll_top(), main.scroll_height()))
}

/// Brings the top of the element with this id into view, if it is there.
pub(crate) fn reveal_top(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.scroll_into_view();
    }
}

/// Brings the element with this id into view, if it is there.
pub(crate) fn reveal(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let options = js_sys::Object::new();
        Reflect::set(&options, &"block".into(), &"nearest".into()).expect("a fresh object takes properties");
        element.scroll_into_view_with_scroll_into_view_options(options.unchecked_ref());
    }
}

/// The value of an attribute, of the element an event happened on or the nearest one around it that has the attribute.
pub(crate) fn attribute_near(event: &wasm_bindgen::JsValue, attribute: &str) -> Option<String> {
    let target: Element = Reflect::get(event, &"target".into()).ok()?.dyn_into().ok()?;
    target.closest(&format!("[{attribute}]")).ok().flatten()?.get_attribute(attribute)
}

/// Sets the box that an event happened on, whatever the browser has made of the click: ticked, empty, or neither.
pub(crate) fn set_box(event: &wasm_bindgen::JsValue, is_ticked: bool, is_mixed: bool) {
    let Ok(target) = Reflect::get(event, &"target".into()) else { return };
    for (property, value) in [("checked", is_ticked), ("indeterminate", is_mixed)] {
        Reflect::set(&target, &property.into(), &value.into()).expect("an element takes properties");
    }
}

/// Moves the focus, among what fits the selector within the element with this id, from where it is to the next or the one before.
pub(crate) fn walk(id: &str, selector: &str, is_forward: bool) {
    let Some(list) = document().get_element_by_id(id) else { return };
    let found = Reflect::get(&list, &"querySelectorAll".into()).expect("an element has methods");
    let found =
        found.unchecked_into::<js_sys::Function>().call1(&list, &selector.into()).expect("the selector is valid");
    let elements: Vec<HtmlElement> = js_sys::Array::from(&found).iter().map(JsCast::unchecked_into).collect();
    let active = document().active_element();
    let here = elements.iter().position(|one| active.as_ref() == Some(one.as_ref()));
    let next = match here {
        Some(here) if is_forward => here + 1,
        Some(here) => here.wrapping_sub(1),
        None => 0,
    };
    if let Some(element) = elements.get(next) {
        element.focus().ok();
    }
}

/// Whether an event happened on a field that a number or a text is typed into.
pub(crate) fn is_typed_into(event: &wasm_bindgen::JsValue) -> bool {
    let target = Reflect::get(event, &"target".into()).ok().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| target.matches("input[type=number], input[type=text], textarea").unwrap_or(false))
}

/// Whether an event happened on the element that hears it, and not on something inside.
pub(crate) fn is_pressed_itself(event: &wasm_bindgen::JsValue) -> bool {
    let element = |name: &str| Reflect::get(event, &name.into()).unwrap_or_default();
    element("target") == element("currentTarget")
}

/// Whether this device's keyboard has a command key, as those of Apple do.
pub(crate) fn has_command_key() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac") || platform.starts_with("iP"))
}

/// Follows a link that is in no document, as a click on it would.
pub(super) fn click_link(address: &str, download: &str) {
    let link = document().create_element("a").expect("a known element can be made");
    link.set_attribute("href", address).expect("a valid attribute");
    link.set_attribute("download", download).expect("a valid attribute");
    link.unchecked_into::<HtmlElement>().click();
}

/// Presses the element with this id, as for the input behind a button that picks files.
pub(crate) fn press(id: &str) {
    if let Some(element) = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        element.click();
    }
}

/// Opens the dialog with this id over everything else, which cannot be reached until it is closed.
pub(crate) fn open_dialog(id: &str) {
    if let Some(dialog) = dialog(id).filter(|dialog| !dialog.open()) {
        dialog.show_modal().expect("a dialog that is in the page and closed can be opened");
    }
}

/// Closes the dialog with this id, if it is there. The focus goes back to where it was.
pub(crate) fn close_dialog(id: &str) {
    if let Some(dialog) = dialog(id) {
        dialog.close();
    }
}

fn dialog(id: &str) -> Option<HtmlDialogElement> {
    document().get_element_by_id(id).and_then(|element| element.dyn_into().ok())
}

/// Takes what stood in the page before the app did.
pub(crate) fn remove(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.remove();
    }
}

/// Loads the page again.
pub(crate) fn reload() {
    window().location().reload().expect("a page may reload itself");
}

/// Whether the browser believes that there is a network.
pub(crate) fn is_online() -> bool {
    window().navigator().on_line()
}

/// Calls back whenever that belief changes, for as long as the page lives.
pub(crate) fn on_online_change(callback: impl Fn(bool) + 'static) {
    let listener = Closure::<dyn Fn()>::new(move || callback(is_online())).into_js_value();
    for event in ["online", "offline"] {
        window()
            .add_event_listener_with_callback(event, listener.unchecked_ref())
            .expect("listening to a known event does not fail");
    }
}

/// Asks the user to agree, and waits for that.
pub(crate) fn confirm(question: &str) -> bool {
    // Where the browser shows no questions, nobody has agreed.
    window().confirm_with_message(question).unwrap_or(false)
}

/// Calls back with whether somebody can see the page, now and whenever that changes.
pub(crate) fn on_visibility_change(callback: impl Fn(bool) + 'static) {
    let tell = move || callback(document().visibility_state() == web_sys::VisibilityState::Visible);
    tell();
    let listener = Closure::<dyn Fn()>::new(tell).into_js_value();
    document()
        .add_event_listener_with_callback("visibilitychange", listener.unchecked_ref())
        .expect("listening to a known event does not fail");
}

/// Whether the device says that it has little memory. Where the browser does not tell, it has enough.
pub(crate) fn has_little_memory() -> bool {
    const LITTLE_GIGABYTES: f64 = 2.0;
    let memory = Reflect::get(&window().navigator(), &"deviceMemory".into()).ok().and_then(|memory| memory.as_f64());
    memory.is_some_and(|gigabytes| gigabytes <= LITTLE_GIGABYTES)
}

/// Runs once the page has nothing better to do.
pub(crate) fn when_idle(callback: impl FnOnce() + 'static) {
    let callback = Closure::once_into_js(callback);
    // Safari has no requestIdleCallback; a second after the start it is idle enough.
    let asked = Reflect::get(&window(), &"requestIdleCallback".into())
        .ok()
        .and_then(|request| request.dyn_into::<js_sys::Function>().ok())
        .is_some_and(|request| request.call1(&window(), &callback).is_ok());
    if !asked {
        window()
            .set_timeout_with_callback_and_timeout_and_arguments_0(callback.unchecked_ref(), 1_000)
            .expect("a timer can be set");
    }
}

/// Takes the access token that came with the address. `public/early.js` has removed it from there already.
pub(crate) fn take_token() -> Option<String> {
    let name = "satchelToken".into();
    let token = Reflect::get(&window(), &name).ok().and_then(|token| token.as_string());
    Reflect::delete_property(&window(), &name).expect("a property of the window can be deleted");
    token.filter(|token| !token.is_empty())
}

/// Loads the page again with a token that could not be used yet.
pub(crate) fn reload_with_token(token: Option<&str>) {
    if let Some(token) = token {
        window().location().set_hash(&format!("token={token}")).expect("a page may change its own fragment");
    }
    reload();
}
