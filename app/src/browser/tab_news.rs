//! What one tab tells the others in words: that data has changed, so that they read it again.

use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};

#[wasm_bindgen]
extern "C" {
    /// `BroadcastChannel`.
    type BroadcastChannel;

    #[wasm_bindgen(constructor)]
    fn new(name: &str) -> BroadcastChannel;
    #[wasm_bindgen(method, setter, js_name = onmessage)]
    fn set_on_message(this: &BroadcastChannel, callback: &JsValue);
    #[wasm_bindgen(method, js_name = postMessage)]
    fn post_message(this: &BroadcastChannel, message: &JsValue);
}

const CHATS: &str = "satchel-chats";

thread_local! {
    static CHANNEL: BroadcastChannel = BroadcastChannel::new(CHATS);
}

/// Tells the other tabs that something in a chat has changed.
pub(crate) fn tell_of_chats() {
    CHANNEL.with(|channel| channel.post_message(&JsValue::UNDEFINED));
}

/// Calls back whenever another tab has changed something in a chat, for as long as the page lives.
pub(crate) fn on_chats(callback: impl Fn() + 'static) {
    let listener = Closure::<dyn Fn()>::new(callback).into_js_value();
    CHANNEL.with(|channel| channel.set_on_message(listener.unchecked_ref()));
}
