//! What this browser runs a model by: what `app/page-model` makes of it is decided there in the same way.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use crate::browser::page;

/// What a model runs by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Means {
    /// How many threads it has.
    pub(crate) threads: u32,
    /// Whether the browser lets pages use the graphics card.
    pub(crate) has_gpu: bool,
}

/// What a model in this page runs by. Threads share memory, which browsers allow only to pages that are isolated from others; then half of
/// the machine is used.
pub(crate) fn means() -> Means {
    let window = page::window();
    let of = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).unwrap_or_default();
    let is_isolated = of(&window, "crossOriginIsolated").is_truthy();
    let navigator = of(&window, "navigator");
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a browser counts its processors in whole numbers"
    )]
    let processors = of(&navigator, "hardwareConcurrency").as_f64().unwrap_or(1.0) as u32;
    let threads = if is_isolated { (processors / 2).max(1) } else { 1 };
    Means { threads, has_gpu: of(&navigator, "gpu").is_truthy() }
}
