//! Sync with the account's other devices: what the user wants of it, and how it is doing. The worker does all of it.

use satchel_core::ids::DeviceId;
use satchel_core::store::StoreError;
use satchel_core::sync::DriverView;
use serde::{Deserialize, Serialize};

use super::errand::{self, ErrandError};
use super::positions;
use super::store::AppStore;
use crate::browser::core_worker::{Post, WorkerError};
use crate::browser::spawn::spawn;
use crate::browser::{device_name, tab_news};
use crate::core_worker::Job;
use crate::core_worker::sync::{Errand, Outcome, SyncWord, say};

pub(crate) use crate::core_worker::sync::{ListedDevice, ShownCode};

/// What the user wants, on this device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SyncChoice {
    /// Whether it syncs.
    pub(crate) is_on: bool,
    /// Whether it rests for now.
    pub(crate) is_paused: bool,
}

/// Where that is remembered.
const CHOICE: &str = "sync_choice";

/// What the user wants. What cannot be read is as if nothing were wanted.
pub(crate) async fn choice(store: AppStore) -> SyncChoice {
    positions::load(store, CHOICE).await.ok().flatten().unwrap_or_default()
}

/// Remembers what the user wants.
pub(crate) async fn choose(store: AppStore, choice: SyncChoice) -> Result<(), StoreError> {
    positions::save(store, CHOICE, &choice).await
}

/// Has a worker sync, if that is wanted; `false` where it is not.
pub(crate) async fn follow(store: AppStore) -> bool {
    let is_on = choice(store).await.is_on;
    if is_on {
        spawn(async {
            // Nobody waits for it: how it is doing is told as news.
            done(Errand::Follow).await.ok();
        });
    }
    is_on
}

/// Calls back with how it is doing, now and whenever that changes, in whichever tab it is done.
pub(crate) fn on_view(callback: impl Fn(DriverView) + 'static) {
    tab_news::on_words_of_sync(move |words| {
        if let Ok(SyncWord::Shown(view)) = serde_json::from_str(&words) {
            callback(view);
        }
    });
    say(&SyncWord::Look);
}

/// Begins with a fresh key; gives its code.
pub(crate) async fn start() -> Result<ShownCode, ErrandError> {
    code_of(Errand::Start { name: device_name::of_this() }).await
}

/// Gives up what the server has, and begins with a fresh key; gives its code.
pub(crate) async fn begin_anew() -> Result<ShownCode, ErrandError> {
    code_of(Errand::BeginAnew { name: device_name::of_this() }).await
}

/// Begins again with the key that is kept.
pub(crate) async fn begin() -> Result<(), ErrandError> {
    done(Errand::Begin).await
}

/// Joins with the code of another device.
pub(crate) async fn join(code: String) -> Result<(), ErrandError> {
    done(Errand::Join { code, name: device_name::of_this() }).await
}

/// The code.
pub(crate) async fn code() -> Result<ShownCode, ErrandError> {
    code_of(Errand::Code).await
}

/// The devices of the account.
pub(crate) async fn devices() -> Result<Vec<ListedDevice>, ErrandError> {
    match run(Errand::Devices).await? {
        Outcome::Devices { devices } => Ok(devices),
        Outcome::Done | Outcome::Code(_) => Err(WorkerError::Misunderstood.into()),
    }
}

/// Calls this device something else.
pub(crate) async fn call_this(name: String) -> Result<(), ErrandError> {
    done(Errand::Name { name }).await
}

/// Shuts a device out.
pub(crate) async fn shut_out(device: DeviceId) -> Result<(), ErrandError> {
    done(Errand::ShutOut { device }).await
}

/// Changes the key; gives the new code. `name` is what this device is called.
pub(crate) async fn change_key(name: Option<String>) -> Result<ShownCode, ErrandError> {
    code_of(Errand::ChangeKey { name: name.unwrap_or_else(device_name::of_this) }).await
}

/// Syncs no more on this device.
pub(crate) async fn leave() -> Result<(), ErrandError> {
    done(Errand::Leave).await
}

/// Rests, or goes on.
pub(crate) async fn pause(is_paused: bool) -> Result<(), ErrandError> {
    done(Errand::Pause { is_paused }).await
}

/// Reads everything again.
pub(crate) async fn read_again() -> Result<(), ErrandError> {
    done(Errand::ReadAgain).await
}

/// Tries again at once.
pub(crate) fn try_again() {
    say(&SyncWord::Again);
}

async fn code_of(errand: Errand) -> Result<ShownCode, ErrandError> {
    match run(errand).await? {
        Outcome::Code(code) => Ok(code),
        Outcome::Done | Outcome::Devices { .. } => Err(WorkerError::Misunderstood.into()),
    }
}

async fn done(errand: Errand) -> Result<(), ErrandError> {
    run(errand).await.map(drop)
}

async fn run(errand: Errand) -> Result<Outcome, ErrandError> {
    let ran = errand::run_at(Post::Tools, |errand| Job::Sync { errand }, &errand, None).await;
    ran.map(|(outcome, _)| outcome)
}
