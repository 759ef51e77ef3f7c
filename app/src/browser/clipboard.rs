//! The clipboard, written to when the user asks for it.

use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::{js_error, picture};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = ["navigator", "clipboard"], js_name = writeText, catch)]
    fn write_text(text: &str) -> Result<Promise, JsValue>;
    #[wasm_bindgen(js_namespace = ["navigator", "clipboard"], js_name = write, catch)]
    fn write(items: &Array) -> Result<Promise, JsValue>;

    /// `ClipboardItem`, one thing in its formats.
    type ClipboardItem;

    #[wasm_bindgen(constructor, catch)]
    fn new(formats: &Object) -> Result<ClipboardItem, JsValue>;
}

/// Puts a text on the clipboard, or says why it could not be.
pub(crate) async fn copy(text: &str) -> Result<(), String> {
    let writing = write_text(text).map_err(|thrown| js_error::describe(&thrown))?;
    JsFuture::from(writing).await.map(drop).map_err(|thrown| js_error::describe(&thrown))
}

/// Puts the picture at a `data:` or `blob:` address on the clipboard, as a PNG: the one format that every browser takes there.
pub(crate) async fn copy_picture(address: &str) -> Result<(), String> {
    let address = address.to_owned();
    // A promise is handed over at once: some browsers take nothing that comes later than the click.
    let png = future_to_promise(async move { picture::png_of(&address).await });
    let formats = Object::new();
    Reflect::set(&formats, &"image/png".into(), &png).expect("a fresh object takes properties");
    let writing = ClipboardItem::new(&formats).and_then(|item| write(&Array::of1(&item)));
    let writing = writing.map_err(|thrown| js_error::describe(&thrown))?;
    JsFuture::from(writing).await.map(drop).map_err(|thrown| js_error::describe(&thrown))
}
