//! Taking a new version of the app: only when the user says so, and never while a run is active.

use std::cell::RefCell;
use std::time::Duration;

use crate::browser::service_worker::{self, Registration};
use crate::browser::spawn::spawn;
pub(crate) use crate::browser::tab_roles::run_is_active;
use crate::browser::{clock, page};

/// How often an open tab looks for a newer version; opening the app always does.
const LOOK_AGAIN: Duration = Duration::from_secs(60 * 60);

thread_local! {
    static REGISTRATION: RefCell<Option<Registration>> = const { RefCell::new(None) };
}

/// How long the first visit may take to store the app before the page counts as ready without it.
const FIRST_VISIT: Duration = Duration::from_secs(20);

/// Stores the app for use without a network. Calls back when the page is in the service worker's hands, or never will be; when a newer
/// version is stored and waits; and when storing fails.
pub(crate) fn watch(
    on_controlled: impl FnOnce() + 'static,
    on_ready: impl Fn() + 'static,
    on_failure: impl FnOnce(String) + 'static,
) {
    spawn(async move {
        match Registration::register().await {
            Ok(Some(registration)) => {
                registration.on_update_waiting(on_ready);
                REGISTRATION.set(Some(registration.clone()));
                spawn(async move {
                    service_worker::until_controlled(FIRST_VISIT).await;
                    on_controlled();
                });
                page::when_idle({
                    let registration = registration.clone();
                    move || spawn(async move { registration.settle().await })
                });
                loop {
                    clock::wait(LOOK_AGAIN).await;
                    registration.look_for_update().await;
                }
            }
            Ok(None) => on_controlled(),
            Err(error) => {
                on_failure(error.to_string());
                on_controlled();
            }
        }
    });
}

/// Puts the waiting version in charge and loads the page with it. Ask [`run_is_active`] first.
pub(crate) fn take() {
    REGISTRATION.with_borrow(|registration| match registration {
        Some(registration) => registration.take_update(),
        None => page::reload(),
    });
}
