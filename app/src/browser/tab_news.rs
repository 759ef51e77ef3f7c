//! What one tab tells the others: that data has changed, so that they read it again, what calls of MCP tools say on the way, and how sync is
//! doing.

use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageEvent;

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
    /// What the user has set.
    Settings,
    /// Rows that have to be sent to other devices.
    Outbox,
}

impl Topic {
    fn channel(self) -> &'static str {
        match self {
            Self::Chats => "satchel-chats",
            Self::Answers => "satchel-answers",
            Self::Toolsets => "satchel-toolsets",
            Self::Models => "satchel-models",
            Self::Servers => "satchel-servers",
            Self::Settings => "satchel-settings",
            Self::Outbox => "satchel-outbox",
        }
    }
}

/// Where workers hear what calls of MCP tools say.
const CALLS: &str = "satchel-calls";
/// Where tabs and workers speak of sync.
const SYNC: &str = "satchel-sync";

thread_local! {
    static HEARING: BroadcastChannel = BroadcastChannel::new(CALLS);
    /// Not the one that hears, because a channel does not hear itself.
    static SAYING: BroadcastChannel = BroadcastChannel::new(CALLS);
    static HEARING_OF_SYNC: BroadcastChannel = BroadcastChannel::new(SYNC);
    static SPEAKING_OF_SYNC: BroadcastChannel = BroadcastChannel::new(SYNC);
    static SETTINGS: BroadcastChannel = BroadcastChannel::new(Topic::Settings.channel());
    static OUTBOX: BroadcastChannel = BroadcastChannel::new(Topic::Outbox.channel());
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
        Topic::Settings => SETTINGS.with(use_it),
        Topic::Outbox => OUTBOX.with(use_it),
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

/// Tells every worker, this one included, what a call says.
pub(crate) fn say_of_call(words: &str) {
    SAYING.with(|channel| channel.post_message(&words.into()));
}

/// Tells every tab and worker, this one included, something of sync.
pub(crate) fn say_of_sync(words: &str) {
    SPEAKING_OF_SYNC.with(|channel| channel.post_message(&words.into()));
}

/// Calls back with whatever a call says, for as long as this worker lives.
pub(crate) fn on_words_of_calls(callback: impl Fn(String) + 'static) {
    HEARING.with(|channel| hear(channel, callback));
}

/// Calls back with whatever is said of sync, for as long as this page or worker lives.
pub(crate) fn on_words_of_sync(callback: impl Fn(String) + 'static) {
    HEARING_OF_SYNC.with(|channel| hear(channel, callback));
}

fn hear(channel: &BroadcastChannel, callback: impl Fn(String) + 'static) {
    let heard = move |event: MessageEvent| {
        if let Some(words) = event.data().as_string() {
            callback(words);
        }
    };
    let listener = Closure::<dyn Fn(MessageEvent)>::new(heard).into_js_value();
    channel.set_on_message(listener.unchecked_ref());
}

/// Calls back whenever something was changed, here or elsewhere, for as long as this worker lives.
pub(crate) fn on_here_too(topic: Topic, callback: impl Fn() + 'static) {
    let listener = Closure::<dyn Fn()>::new(callback).into_js_value();
    // Not the one that tells; the browser keeps it for as long as it has a listener.
    BroadcastChannel::new(topic.channel()).set_on_message(listener.unchecked_ref());
}

/// Calls back whenever something was changed elsewhere, for as long as the page lives.
pub(crate) fn on(topic: Topic, callback: impl Fn() + 'static) {
    let listener = Closure::<dyn Fn()>::new(callback).into_js_value();
    with_channel(topic, |channel| channel.set_on_message(listener.unchecked_ref()));
}
