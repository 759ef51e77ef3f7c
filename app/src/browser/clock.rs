//! The time of day, for those who hand it to core, and waiting.

use std::time::Duration;

use satchel_core::time::Timestamp;

/// Now.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "Date.now() is a whole number after 1970")]
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(js_sys::Date::now() as u64)
}

/// Waits; the page goes on meanwhile.
pub(crate) async fn wait(duration: Duration) {
    gloo_timers::future::sleep(duration).await;
}
