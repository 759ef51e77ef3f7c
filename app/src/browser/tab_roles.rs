//! What one tab tells the others just by being there: Web Locks, which end with the tab however it ends.

use std::cell::OnceCell;

use futures_channel::oneshot;
use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::build;

/// Held, shared, by every tab for the build it runs; the service worker keeps the files of builds that are held.
const BUILD: &str = "satchel-build-";
/// Held, shared, by every tab in which a run is active.
const RUN: &str = "satchel-run";

#[wasm_bindgen]
extern "C" {
    /// `LockManager`, which web-sys has only behind its unstable interfaces.
    type LockManager;

    #[wasm_bindgen(thread_local_v2, js_namespace = navigator, js_name = locks)]
    static LOCKS: Option<LockManager>;

    #[wasm_bindgen(method, js_name = request)]
    fn request(this: &LockManager, name: &str, options: &Object, callback: &Function) -> Promise;

    #[wasm_bindgen(method)]
    fn query(this: &LockManager) -> Promise;
}

/// A run that is under way. While one is held by any tab, an update is not taken.
pub(crate) struct ActiveRun {
    release: Function,
}

impl ActiveRun {
    /// Says, to every tab, that a run has begun.
    pub(crate) fn begin() -> Self {
        Self { release: hold(RUN, Mode::Shared, || {}) }
    }
}

impl Drop for ActiveRun {
    fn drop(&mut self) {
        self.release.call0(&JsValue::NULL).expect("resolving a promise does not throw");
    }
}

/// Whether a run is active in any tab.
pub(crate) async fn run_is_active() -> bool {
    held_names().await.iter().any(|name| name == RUN)
}

thread_local! {
    /// The lock that this tab holds for as long as it lives, once it does.
    static LIFE: OnceCell<String> = const { OnceCell::new() };
}

/// Keeps the files of this build for as long as this tab lives.
pub(crate) fn hold_build() {
    LIFE.with(|life| {
        life.get_or_init(|| {
            // The random part makes one name a tab, so that the service worker can count tabs by their locks.
            let name = format!("{BUILD}{}/{}", build::id(), super::random::device_id());
            drop(hold(&name, Mode::Exclusive, || {}));
            name
        });
    });
}

/// The lock that ends with this tab, where it holds one.
pub(super) fn life() -> Option<String> {
    LIFE.with(|life| life.get().cloned())
}

/// The files and messages of one chat, while one tab reads them and writes what follows from what it read.
const CHAT: &str = "satchel-chat/";
/// The answer of one chat, which is coming.
const ANSWER: &str = "satchel-answer/";
/// The tools of one chat, one of which runs.
const TOOLS: &str = "satchel-tools/";

/// Held by who changes a chat. Dropping it lets the next one go on.
pub(crate) struct ChatTurn(#[expect(dead_code, reason = "held for being dropped")] Turn);

impl ChatTurn {
    /// Waits until no other tab, and nothing else in this one, changes the chat.
    pub(crate) async fn wait(chat: &str) -> Self {
        Self(Turn::wait(&format!("{CHAT}{chat}")).await)
    }
}

/// Held by who runs a tool in a chat. Meanwhile the user can still change the chat.
pub(crate) struct RunTurn(#[expect(dead_code, reason = "held for being dropped")] Turn);

impl RunTurn {
    /// Waits until no tool runs in the chat, in no tab.
    pub(crate) async fn wait(chat: &str) -> Self {
        Self(Turn::wait(&format!("{TOOLS}{chat}")).await)
    }
}

/// The calls of one chat that run beside others.
const BESIDE: &str = "satchel-beside/";
/// Following how MCP servers are doing, for all tabs.
const SERVERS: &str = "satchel-servers";

/// Held by who runs a tool in a chat that does not touch its files: several may at once.
pub(crate) struct BesideTurn(#[expect(dead_code, reason = "held for being dropped")] Turn);

impl BesideTurn {
    /// Waits until nobody ends what was left running in the chat.
    pub(crate) async fn wait(chat: &str) -> Self {
        Self(Turn::wait_as(&format!("{BESIDE}{chat}"), Mode::Shared).await)
    }

    /// Waits until no such tool runs in the chat, in no tab.
    pub(crate) async fn alone(chat: &str) -> Self {
        Self(Turn::wait(&format!("{BESIDE}{chat}")).await)
    }
}

/// Held by the one tab that follows how MCP servers are doing.
pub(crate) struct FollowTurn(#[expect(dead_code, reason = "held for being dropped")] Turn);

impl FollowTurn {
    /// Waits until no other tab does.
    pub(crate) async fn wait() -> Self {
        Self(Turn::wait(SERVERS).await)
    }
}

/// Sync, for all tabs.
const SYNC: &str = "satchel-sync";

/// Held by the one worker that syncs.
pub(crate) struct SyncTurn(#[expect(dead_code, reason = "held for being dropped")] Turn);

impl SyncTurn {
    /// Waits until no other tab does.
    pub(crate) async fn wait() -> Self {
        Self(Turn::wait(SYNC).await)
    }
}

/// The key of sync, while it is decided which one counts.
const SYNC_KEY: &str = "satchel-sync-key";

/// Held by who changes the key of sync, or finds out which of two counts.
pub(crate) struct SyncKeyTurn(#[expect(dead_code, reason = "held for being dropped")] Turn);

impl SyncKeyTurn {
    /// Waits until nobody else does.
    pub(crate) async fn wait() -> Self {
        Self(Turn::wait(SYNC_KEY).await)
    }
}

/// Held by who answers a chat. Meanwhile tools run in it, and the user can change it.
pub(crate) struct AnswerTurn(#[expect(dead_code, reason = "held for being dropped")] Turn);

impl AnswerTurn {
    /// Waits until nobody answers the chat, in no tab.
    pub(crate) async fn wait(chat: &str) -> Self {
        Self(Turn::wait(&format!("{ANSWER}{chat}")).await)
    }
}

/// A lock that only one can hold, or several that say so.
struct Turn {
    release: Function,
}

impl Turn {
    async fn wait(name: &str) -> Self {
        Self::wait_as(name, Mode::Exclusive).await
    }

    async fn wait_as(name: &str, mode: Mode) -> Self {
        let (held, is_held) = oneshot::channel();
        let release = hold(name, mode, move || {
            // Who waits may have given up; the lock is then free again at once.
            held.send(()).ok();
        });
        let turn = Self { release };
        // Without locks there is nothing to wait for; the sender is then gone at once.
        is_held.await.ok();
        turn
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.release.call0(&JsValue::NULL).expect("resolving a promise does not throw");
    }
}

/// Takes a lock until the returned function is called or this tab or worker ends; calls back once it is held.
pub(super) fn hold(name: &str, mode: Mode, on_held: impl FnOnce() + 'static) -> Function {
    let mut release = None;
    let until_released = Promise::new(&mut |resolve, _reject| release = Some(resolve));
    let callback = Closure::once_into_js(move |_lock: JsValue| {
        on_held();
        until_released
    });
    request(name, mode, callback.unchecked_ref());
    release.expect("a promise calls its executor at once")
}

/// Resolves when the lock is free, which for a lock that a worker holds is when that worker has ended.
pub(super) async fn until_free(name: &str) {
    let callback = Closure::once_into_js(|_lock: JsValue| JsValue::UNDEFINED);
    if let Some(granted) = request(name, Mode::Exclusive, callback.unchecked_ref()) {
        // It rejects only when the page itself goes away, and then nobody waits.
        JsFuture::from(granted).await.ok();
    }
}

/// Whether others may hold the same lock at the same time.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Shared,
    Exclusive,
}

fn request(name: &str, mode: Mode, callback: &Function) -> Option<Promise> {
    let options = Object::new();
    let mode = match mode {
        Mode::Shared => "shared",
        Mode::Exclusive => "exclusive",
    };
    Reflect::set(&options, &"mode".into(), &mode.into()).expect("a fresh object takes properties");
    LOCKS.with(|locks| locks.as_ref().map(|locks| locks.request(name, &options, callback)))
}

async fn held_names() -> Vec<String> {
    let Some(answer) = LOCKS.with(|locks| locks.as_ref().map(LockManager::query)) else { return Vec::new() };
    let Ok(snapshot) = JsFuture::from(answer).await else { return Vec::new() };
    let held = Reflect::get(&snapshot, &"held".into()).unwrap_or_default();
    let name = |lock: JsValue| Reflect::get(&lock, &"name".into()).ok().and_then(|name| name.as_string());
    held.dyn_ref::<Array>().map(|held| held.iter().filter_map(name).collect()).unwrap_or_default()
}
