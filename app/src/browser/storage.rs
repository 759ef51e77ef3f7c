//! How much room the browser gives, how much is used, and whether it may be taken away.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::{js_error, page};

/// What the browser says of this site's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StorageSummary {
    /// Bytes in use, as the browser estimates them.
    pub(crate) used: u64,
    /// Bytes it would give.
    pub(crate) quota: u64,
    /// Whether it promised not to clear them by itself.
    pub(crate) persisted: bool,
}

/// Why the browser did not say.
#[derive(Debug, thiserror::Error)]
#[error("the browser does not say how much storage there is: {0}")]
pub(crate) struct StorageError(String);

/// Asks for the figures.
pub(crate) async fn summary() -> Result<StorageSummary, StorageError> {
    let failed = |thrown: JsValue| StorageError(js_error::describe(&thrown));
    let storage = page::window().navigator().storage();
    let estimate = JsFuture::from(storage.estimate().map_err(failed)?).await.map_err(failed)?;
    let persisted = JsFuture::from(storage.persisted().map_err(failed)?).await.map_err(failed)?;
    Ok(StorageSummary {
        used: bytes(&estimate, "usage"),
        quota: bytes(&estimate, "quota"),
        persisted: persisted.is_truthy(),
    })
}

/// Asks the browser to keep this site's data even when room is short; it decides by itself or asks the user.
pub(crate) async fn persist() -> bool {
    match page::window().navigator().storage().persist() {
        Ok(promise) => JsFuture::from(promise).await.is_ok_and(|granted| granted.is_truthy()),
        Err(_refused) => false,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes are whole and positive")]
fn bytes(estimate: &JsValue, name: &str) -> u64 {
    Reflect::get(estimate, &name.into()).ok().and_then(|value| value.as_f64()).unwrap_or_default() as u64
}
