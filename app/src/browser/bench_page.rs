//! How a measurement speaks to what it measures: one function on the page, `satchelBench(errand, bytes)`, which gives a promise.

use std::rc::Rc;

use js_sys::{Function, Reflect, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::future_to_promise;

/// Puts the function on the page. An errand is a JSON text; the bytes that go with it, and come of it, may be none.
pub(crate) fn serve<Answering: Future<Output = Result<Vec<u8>, String>> + 'static>(
    answer: impl Fn(String, Vec<u8>) -> Answering + 'static,
) {
    let answer = Rc::new(answer);
    let ask = Closure::<dyn Fn(String, JsValue) -> JsValue>::new(move |errand: String, bytes: JsValue| {
        let bytes = if bytes.is_undefined() { Vec::new() } else { Uint8Array::new(&bytes).to_vec() };
        let answering = answer(errand, bytes);
        let answered = async move {
            match answering.await {
                Ok(bytes) => Ok(Uint8Array::from(bytes.as_slice()).into()),
                Err(reason) => Err(js_sys::Error::new(&reason).into()),
            }
        };
        future_to_promise(answered).into()
    });
    let ask: Function = ask.into_js_value().into();
    Reflect::set(&js_sys::global(), &"satchelBench".into(), &ask).expect("the page takes properties");
}
