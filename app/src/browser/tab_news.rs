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
    #[wasm_bindgen(method)]
    fn close(this: &BroadcastChannel);
}

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// Something in a chat, its files included.
    Chats,
    /// An answer that is coming.
    Answers,
    /// The toolsets, or something in one.
    Toolsets,
    /// The models that run in the page.
    Models,
    /// How MCP servers are doing, or what they offer.
    Servers,
}

impl Topic {
    fn channel(self) -> &'static str {
        match self {
            Self::Chats => "satchel-chats",
            Self::Answers => "satchel-answers",
            Self::Toolsets => "satchel-toolsets",
            Self::Models => "satchel-models",
            Self::Servers => "satchel-servers",
        }
    }
}

thread_local! {
    static CHATS: BroadcastChannel = BroadcastChannel::new(Topic::Chats.channel());
    static MODELS: BroadcastChannel = BroadcastChannel::new(Topic::Models.channel());
    static ANSWERS: BroadcastChannel = BroadcastChannel::new(Topic::Answers.channel());
    static SERVERS: BroadcastChannel = BroadcastChannel::new(Topic::Servers.channel());
    static TOOLSETS: BroadcastChannel = BroadcastChannel::new(Topic::Toolsets.channel());
}

fn with_channel(topic: Topic, use_it: impl FnOnce(&BroadcastChannel)) {
    match topic {
        Topic::Chats => CHATS.with(use_it),
        Topic::Answers => ANSWERS.with(use_it),
        Topic::Toolsets => TOOLSETS.with(use_it),
        Topic::Models => MODELS.with(use_it),
        Topic::Servers => SERVERS.with(use_it),
    }
}

/// Tells the other tabs that something has changed.
pub(crate) fn tell(topic: Topic) {
    with_channel(topic, |channel| channel.post_message(&JsValue::UNDEFINED));
}

/// Tells every tab, this one included: what changed it was none of this tab's screens.
pub(crate) fn tell_every_tab(topic: Topic) {
    // A channel does not hear itself, but every other one of its name.
    let channel = BroadcastChannel::new(topic.channel());
    channel.post_message(&JsValue::UNDEFINED);
    channel.close();
}

/// Calls back whenever something was changed elsewhere, for as long as the page lives.
pub(crate) fn on(topic: Topic, callback: impl Fn() + 'static) {
    let listener = Closure::<dyn Fn()>::new(callback).into_js_value();
    with_channel(topic, |channel| channel.set_on_message(listener.unchecked_ref()));
}
