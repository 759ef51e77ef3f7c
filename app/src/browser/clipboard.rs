//! The clipboard, written to when the user asks for it.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

use super::js_error;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = ["navigator", "clipboard"], js_name = writeText, catch)]
    fn write_text(text: &str) -> Result<Promise, wasm_bindgen::JsValue>;
}

/// Puts a text on the clipboard, or says why it could not be.
pub(crate) async fn copy(text: &str) -> Result<(), String> {
    let writing = write_text(text).map_err(|thrown| js_error::describe(&thrown))?;
    JsFuture::from(writing).await.map(drop).map_err(|thrown| js_error::describe(&thrown))
}
