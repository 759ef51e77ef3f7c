//! Addresses, as the browser's own parser reads them.

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Url;

/// An address as the browser will use it; nothing where it is none.
pub(crate) fn normal(text: &str) -> Option<String> {
    Some(Url::new(text).ok()?.href())
}

/// A text as one segment of an address.
pub(crate) fn segment(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

/// The address this page or worker was loaded from.
pub(crate) fn origin() -> String {
    ORIGIN.with(Clone::clone)
}

#[wasm_bindgen]
extern "C" {
    /// The global one, in the page as in a worker.
    #[wasm_bindgen(thread_local_v2, js_name = origin)]
    static ORIGIN: String;
}
