//! The time of day, for those who hand it to core, and waiting.

use std::time::Duration;

use satchel_core::time::Timestamp;
use wasm_bindgen::prelude::wasm_bindgen;

/// Now.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "Date.now() is a whole number after 1970")]
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(js_sys::Date::now() as u64)
}

/// A moment as people of this place write it: `16 Nov 2026, 04:27`.
pub(crate) fn in_words(time: Timestamp) -> String {
    let options = js_sys::Object::new();
    for (name, style) in [("dateStyle", "medium"), ("timeStyle", "short")] {
        js_sys::Reflect::set(&options, &name.into(), &style.into()).expect("a fresh object takes properties");
    }
    #[expect(clippy::cast_precision_loss, reason = "a moment in milliseconds is far below 2^53")]
    let date = js_sys::Date::new(&(time.as_millis() as f64).into());
    date.to_locale_string("en-GB", &options).into()
}

/// Waits; the page goes on meanwhile.
pub(crate) async fn wait(duration: Duration) {
    gloo_timers::future::sleep(duration).await;
}

/// How long this page or worker has been there, by a clock that nobody sets.
pub(crate) fn monotonic() -> Duration {
    Duration::from_secs_f64(PERFORMANCE.with(Performance::now).max(0.0) / 1_000.0)
}

#[wasm_bindgen]
extern "C" {
    /// The global one, in the page as in a worker.
    type Performance;

    #[wasm_bindgen(thread_local_v2, js_name = performance)]
    static PERFORMANCE: Performance;

    #[wasm_bindgen(method)]
    fn now(this: &Performance) -> f64;
}
