//! What JavaScript throws, as text a person can read.

use wasm_bindgen::{JsCast, JsValue};

/// Name and message of anything that was thrown or rejected with.
pub(crate) fn describe(thrown: &JsValue) -> String {
    if let Some(exception) = thrown.dyn_ref::<web_sys::DomException>() {
        return format!("{}: {}", exception.name(), exception.message());
    }
    if let Some(error) = thrown.dyn_ref::<js_sys::Error>() {
        return format!("{}: {}", String::from(error.name()), String::from(error.message()));
    }
    thrown.as_string().unwrap_or_else(|| format!("{thrown:?}"))
}

/// The name of a thrown `DOMException`, such as `QuotaExceededError`.
pub(crate) fn exception_name(thrown: &JsValue) -> Option<String> {
    thrown.dyn_ref::<web_sys::DomException>().map(web_sys::DomException::name)
}
