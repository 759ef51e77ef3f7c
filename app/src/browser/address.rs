//! The page's address: changed without loading the page anew, and followed wherever the user takes it.

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Url};

use super::page;

/// Puts another address into the bar, as a step that Back undoes.
pub(crate) fn push(address: &str) {
    page::window()
        .history()
        .and_then(|history| history.push_state_with_url(&JsValue::NULL, "", Some(address)))
        .expect("a page may name another address of its own origin");
}

/// Puts another address into the bar in the place of the present one.
pub(crate) fn replace(address: &str) {
    page::window()
        .history()
        .and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(address)))
        .expect("a page may name another address of its own origin");
}

/// What follows the `#` in the bar.
pub(crate) fn fragment() -> String {
    page::window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// Calls back when Back or Forward has changed the address, for as long as the page lives.
pub(crate) fn on_step(callback: impl Fn() + 'static) {
    let listener = Closure::<dyn Fn()>::new(callback).into_js_value();
    page::window()
        .add_event_listener_with_callback("popstate", listener.unchecked_ref())
        .expect("a listener can be added");
}

/// Asks, for every plain click on a link of the app's own origin, whether it stays in the page; the address is its path and
/// what follows. A click that the browser would open elsewhere, or that somebody has taken already, is left alone.
pub(crate) fn on_link(takes: impl Fn(&str) -> bool + 'static) {
    let listener = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| {
        if let Some(address) = link_clicked(&event)
            && takes(&address)
        {
            event.unchecked_ref::<web_sys::Event>().prevent_default();
        }
    });
    page::window()
        .add_event_listener_with_callback("click", listener.into_js_value().unchecked_ref())
        .expect("a listener can be added");
}

fn link_clicked(event: &JsValue) -> Option<String> {
    let property = |name: &str| Reflect::get(event, &name.into()).unwrap_or_default();
    let is_plain =
        ["metaKey", "ctrlKey", "shiftKey", "altKey", "defaultPrevented"].iter().all(|name| property(name).is_falsy());
    if !is_plain || property("button").as_f64() != Some(0.0) {
        return None;
    }
    let path: Array = event.unchecked_ref::<web_sys::Event>().composed_path();
    let is_link = |node: JsValue| node.dyn_into::<Element>().ok().filter(|element| element.tag_name() == "A");
    let link = path.iter().find_map(is_link)?;
    let elsewhere =
        link.has_attribute("download") || link.get_attribute("target").is_some_and(|target| target != "_self");
    let url = Url::new_with_base(&link.get_attribute("href")?, &page::window().location().href().ok()?).ok()?;
    (!elsewhere && url.origin() == page::origin()).then(|| format!("{}{}{}", url.pathname(), url.search(), url.hash()))
}
