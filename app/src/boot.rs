//! The start: open the store, read the settings, greet the server. Each step can fail, and says so.

use satchel_core::record::Setting;
use satchel_core::settings::Settings;
use satchel_core::store::{self, MemoryStore, StoreError};

use crate::browser::indexed_db::{IndexedDbStore, NAME};
use crate::browser::{page, random};
use crate::work::store::AppStore;

/// What the app runs on once it has started.
#[derive(Clone)]
pub(crate) struct Boot {
    /// The store.
    pub(crate) store: AppStore,
    /// The settings.
    pub(crate) settings: Settings,
    /// What did not read well, a sentence each; none of it kept the app from starting.
    pub(crate) complaints: Vec<String>,
    /// Whether anything is kept after this tab.
    pub(crate) kept: bool,
}

/// Why the app cannot start, in words for its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BootProblem {
    /// A headline.
    pub(crate) title: String,
    /// What happened.
    pub(crate) what_happened: String,
    /// What can be done.
    pub(crate) what_to_do: String,
    /// Whether the app could run with nothing kept.
    pub(crate) can_go_on_without_storage: bool,
}

/// Starts on the browser's store. `on_superseded` is called when a newer version in another tab takes the store over.
pub(crate) async fn start(on_superseded: impl Fn() + 'static) -> Result<Boot, BootProblem> {
    if !page::is_secure_context() {
        return Err(not_secure());
    }
    let kept = IndexedDbStore::open(NAME, random::device_id(), on_superseded).await.map_err(|error| problem(&error))?;
    let store = AppStore::Kept(kept);
    let rows = store::list::<Setting>(&store).await.map_err(|error| problem(&error))?;
    let (rows, unreadable): (Vec<_>, Vec<_>) = rows.into_iter().partition(Result::is_ok);
    let (settings, misunderstood) = Settings::read(rows.into_iter().flatten());
    let complaints = (unreadable.into_iter().filter_map(Result::err).map(|error| error.to_string()))
        .chain(misunderstood.iter().map(ToString::to_string))
        .collect();
    Ok(Boot { store, settings, complaints, kept: true })
}

/// Starts with nothing kept, because the user chose to.
pub(crate) fn start_without_storage() -> Boot {
    let store = AppStore::InMemory(MemoryStore::new(random::device_id()));
    Boot { store, settings: Settings::default(), complaints: Vec::new(), kept: false }
}

fn problem(error: &StoreError) -> BootProblem {
    let (title, what_to_do, can_go_on_without_storage) = match error {
        StoreError::Unavailable(_) => (
            "This browser gives Satchel no storage",
            "Open Satchel in an ordinary window, or allow site data for this address. You can also continue without saving: everything is then gone when you close this tab.",
            true,
        ),
        StoreError::Full => (
            "This device has no room left",
            "Free some space on the device, then reload. Nothing that was stored is lost.",
            true,
        ),
        StoreError::TooNew => (
            "Your data was written by a newer version",
            "Reload to get that version. If that does not help, the server still has an older one: update it. Your data is untouched.",
            false,
        ),
        StoreError::Blocked => ("Another tab is in the way", "Close the other tabs of Satchel, then reload.", false),
        StoreError::Closed => ("The browser closed the storage", "Reload to continue.", true),
        StoreError::Superseded => {
            ("Another tab runs a newer version", "Reload this tab to continue with that version.", false)
        }
        StoreError::MissingBlobs(_)
        | StoreError::Changed(_)
        | StoreError::BlobsTouched
        | StoreError::Unreadable { .. }
        | StoreError::Backend(_) => (
            "The storage of this browser failed",
            "Reload to try again. If that does not help, restart the browser; your data is untouched.",
            true,
        ),
    };
    BootProblem {
        title: title.into(),
        what_happened: what_happened(error),
        what_to_do: what_to_do.into(),
        can_go_on_without_storage,
    }
}

/// What happened, without what the title says already.
fn what_happened(error: &StoreError) -> String {
    match error {
        StoreError::Unavailable(reason) | StoreError::Backend(reason) => format!("The browser said: {reason}"),
        other => other.to_string(),
    }
}

/// R323: away from localhost a browser gives storage and workers only over HTTPS.
fn not_secure() -> BootProblem {
    BootProblem {
        title: "Satchel needs a secure connection".into(),
        what_happened: format!("{} is neither HTTPS nor this computer itself, so the browser refuses storage, workers and encryption here", page::origin()),
        what_to_do: "Open Satchel by an https:// address, or on the computer that runs it by http://127.0.0.1. The server speaks \
                     HTTPS when it is started with --tls-cert and --tls-key, or behind a proxy with --public-url."
            .into(),
        can_go_on_without_storage: false,
    }
}
