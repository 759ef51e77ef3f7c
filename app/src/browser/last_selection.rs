//! The tools that were last chosen for a chat: the one thing that is kept in localStorage (R173), where every tab sees it at once.

use js_sys::Reflect;
use satchel_core::catalog::LAST_SELECTION_KEY;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};

use super::page;

#[wasm_bindgen]
extern "C" {
    /// `localStorage`.
    type Storage;

    #[wasm_bindgen(method, catch, js_name = getItem)]
    fn get_item(this: &Storage, key: &str) -> Result<Option<String>, JsValue>;
    #[wasm_bindgen(method, catch, js_name = setItem)]
    fn set_item(this: &Storage, key: &str, value: &str) -> Result<(), JsValue>;
}

/// What is kept; nothing where nothing is, or where the browser keeps nothing for this site.
pub(crate) fn read() -> Option<String> {
    storage()?.get_item(LAST_SELECTION_KEY).ok().flatten()
}

/// Keeps it. Where the browser refuses, the next chat begins with what was kept before.
pub(crate) fn write(text: &str) {
    if let Some(storage) = storage() {
        storage.set_item(LAST_SELECTION_KEY, text).ok();
    }
}

/// Calls back when another tab may have changed it, for as long as the page lives.
pub(crate) fn on_change(callback: impl Fn() + 'static) {
    let listener = Closure::<dyn Fn()>::new(callback).into_js_value();
    page::window()
        .add_event_listener_with_callback("storage", listener.unchecked_ref())
        .expect("listening to a known event does not fail");
}

/// Reading it throws where the browser keeps nothing for this site.
fn storage() -> Option<Storage> {
    let storage = Reflect::get(&page::window(), &"localStorage".into()).ok()?;
    (!storage.is_null() && !storage.is_undefined()).then(|| storage.unchecked_into())
}
